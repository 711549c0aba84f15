import { closeSync, constants, fchmodSync, fstatSync, openSync } from "node:fs";
import { assertNotLink, UnsafeFileError } from "./refusal";

/** Readable and writable by its owner alone. */
export const ownerOnly = 0o600;

/** Windows has no such flag; links need a privilege there. */
const noFollow = constants.O_NOFOLLOW ?? 0;

/** Makes the file, and fails where there is one, or a link. */
export const exclusively = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | noFollow;

/**
 * The rights of a file that replaces one of the rights `before`; undefined: the usual ones. What is not `shown` holds
 * data of an account.
 */
export function rightsAfter(before: { mode: number } | undefined, worldReadable: boolean): number | undefined {
  const rights = before && before.mode & 0o777;
  return worldReadable ? rights : (rights ?? ownerOnly) & ownerOnly;
}

/**
 * Opens a file that is changed in place, and makes it where it is missing. Only its owner may read it from then on; a
 * link, or what is no regular file, is refused.
 */
export function openPrivate(path: string, how: "append" | "change"): number {
  assertNotLink(path);
  const access = constants.O_RDWR | (how === "append" ? constants.O_APPEND : 0);
  const file = openSync(path, access | constants.O_CREAT | constants.O_NONBLOCK | noFollow, ownerOnly);
  const stats = fstatSync(file);
  if (!stats.isFile()) {
    closeSync(file);
    throw new UnsafeFileError(path, "it is not a regular file");
  }
  if ((stats.mode & 0o777 & ~ownerOnly) !== 0) fchmodSync(file, stats.mode & ownerOnly);
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
