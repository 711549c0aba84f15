import { closeSync, constants, fchmodSync, fstatSync, openSync } from "node:fs";
import { FileRefusal, refuseLink } from "./refusal";
import { noFollow, ownerOnly } from "./rights";

/**
 * Opens a file that is changed in place, and makes it where it is missing. Only its owner may read it from then on; a
 * link, or what is no regular file, is refused.
 */
export function openPrivate(path: string, how: "append" | "change"): number {
  refuseLink(path);
  const access = constants.O_RDWR | (how === "append" ? constants.O_APPEND : 0);
  const file = openSync(path, access | constants.O_CREAT | constants.O_NONBLOCK | noFollow, ownerOnly);
  const found = fstatSync(file);
  if (!found.isFile()) {
    closeSync(file);
    throw new FileRefusal(path, "it is not a regular file");
  }
  if ((found.mode & 0o777 & ~ownerOnly) !== 0) fchmodSync(file, found.mode & ownerOnly);
  return file;
}

/** Opens a regular file for reading; undefined where there is none, or a link, a pipe or a device. */
export function openRegular(path: string): number | undefined {
  try {
    const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | noFollow);
    if (fstatSync(file).isFile()) return file;
    closeSync(file);
  } catch (error) {
    if (!["ENOENT", "ENOTDIR", "ELOOP", "ENXIO"].includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
  }
  return undefined;
}
