import { randomUUID } from "node:crypto";
import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";

/** Windows has no such flag; links need a privilege there. */
const noFollow = constants.O_NOFOLLOW ?? 0;
const ownerOnly = 0o600;

/** A file that is not written, because it is not what it seems to be. */
export class FileRefusal extends Error {
  override readonly name = "FileRefusal";
  constructor(path: string, reason: string) {
    super(`${path} is not written: ${reason}. Remove it, or name another file.`);
  }
}

/** Throws for a link, whatever it leads to. */
export function refuseLink(path: string): void {
  if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink())
    throw new FileRefusal(path, "it is a symbolic link, and links are not followed");
}

/** A folder with its parents. Ends where a parent can never be made, as below `/proc`. */
export function makeFolder(folder: string, mode = 0o777): void {
  const missing: string[] = [];
  for (let each = folder; !isThere(each) && dirname(each) !== each; each = dirname(each)) missing.push(each);
  for (const each of missing.reverse()) {
    try {
      mkdirSync(each, { mode });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
  }
}

const isThere = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined;

export interface Writing {
  /** Holds no data of an account: gets the rights of the file that it replaces, or the usual ones. */
  shown?: boolean;
  /** `false`: may be lost with the power, and is written faster. */
  durable?: boolean;
}

/**
 * Replaces a file in one step, through a temporary file of a name that nobody can foresee. A link, a pipe, a socket or
 * a device is refused. Its owner alone may read the file, unless it is `shown`.
 */
export function replaceFile(
  path: string,
  content: string | Uint8Array,
  { shown = false, durable = true }: Writing = {},
): void {
  if (writeToStream(path, content)) return;
  refuseLink(path);
  const before = lstatSync(path, { throwIfNoEntry: false });
  // Somebody may listen at a pipe; a folder is left to the rename, which says so.
  if (before && !before.isFile() && !before.isDirectory()) throw new FileRefusal(path, "it is not a regular file");
  const rights = before && before.mode & 0o777;
  const temporary = `${path}.${randomUUID()}.tmp`;
  const mode = shown ? rights : (rights ?? ownerOnly) & ownerOnly;
  const file = openSync(temporary, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | noFollow, mode ?? 0o666);
  try {
    if (mode !== undefined) fchmodSync(file, mode);
    writeFileSync(file, content);
    if (durable) fsyncSync(file);
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  } finally {
    closeSync(file);
  }
}

/** The streams of a process are links, such as `/dev/stdout`: what they stand for is written to. */
const stream = /^\/dev\/(stdout|stderr|fd\/(\d+))$/;

function writeToStream(path: string, content: string | Uint8Array): boolean {
  const [, name, number] = stream.exec(path) ?? [];
  if (name === undefined) return false;
  writeFileSync(number === undefined ? { stdout: 1, stderr: 2 }[name]! : Number(number), content);
  return true;
}

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
