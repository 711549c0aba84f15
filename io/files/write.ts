import { randomUUID } from "node:crypto";
import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  fsyncSync,
  lstatSync,
  openSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { assertNotLink, statReplaceable, UnsafeFileError } from "./disk-error";

/** Readable and writable by its owner alone. */
export const ownerOnly = 0o600;

/** Of a new file that is for others, too, before the umask: they never write it. */
export const defaultRights = 0o664;

/** Windows has no such flag; links need a privilege there. */
const noFollow = constants.O_NOFOLLOW ?? 0;

/** Creates the file; fails if the path exists, even as a link. */
export const exclusively = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | noFollow;

/**
 * The rights of a file that replaces one with the rights `before`; undefined: the default ones. Others never write it.
 * A file that is not `worldReadable` holds states, keys or what this package keeps for itself.
 */
export function rightsAfter(before: { mode: number } | undefined, worldReadable: boolean): number | undefined {
  const rights = before && before.mode & 0o775;
  return worldReadable ? rights : (rights ?? ownerOnly) & ownerOnly;
}

/**
 * Opens a file to change it in place, or creates it. From then on, only its owner may read it. Throws for a link and
 * for anything but a regular file.
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

/** Opens a regular file for reading; undefined if it is missing, a link, a pipe or a device. */
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

export interface WriteOptions {
  /** Is for others, too, such as a report: gets the rights of the file that it replaces, or those of the umask. */
  worldReadable?: boolean;
  /** `false`: may be lost with the power, and is written faster. */
  durable?: boolean;
  /** Called last, once the new content is on the disk: true keeps the old file. */
  unless?: () => boolean;
}

/**
 * Replaces a file in one step, through a temporary file with an unpredictable name. Throws for a link, a pipe, a socket
 * or a device. Only its owner may read the file, unless it is `worldReadable`.
 */
export function replaceFile(path: string, content: string | Uint8Array, options: WriteOptions = {}): void {
  if (writeToStream(path, content)) return;
  const temporary = temporaryName(path);
  fill(temporary, content, rightsAfter(statReplaceable(path), options.worldReadable === true), options);
  try {
    if (options.unless?.()) rmSync(temporary);
    else renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

/** Creates a file. Fails with `EEXIST` if the path exists, even as a link. */
export const createFile = (path: string, content: string | Uint8Array, options: WriteOptions = {}): void =>
  fill(path, content, rightsAfter(undefined, options.worldReadable === true), options);

/** Unpredictable for others. */
export const temporaryName = (path: string): string => `${path}.${randomUUID()}.tmp`;

/** Whether a crash during a write to `target` has left it. */
export const isTemporary = (path: string, target: string): boolean =>
  path.startsWith(target) && /^\.[0-9a-f-]{36}\.tmp$/.test(path.slice(target.length));

/** Removes a link, not its target. A missing file counts as removed. */
export const removeFile = (path: string): void => rmSync(path, { force: true });

/** Renames a file. The new name MUST be free. */
export function moveFile(from: string, to: string): void {
  if (lstatSync(to, { throwIfNoEntry: false }))
    throw new UnsafeFileError(to, "there is something of this name already");
  renameSync(from, to);
}

function fill(
  path: string,
  content: string | Uint8Array,
  mode: number | undefined,
  { durable = true }: Pick<WriteOptions, "durable">,
): void {
  const file = openSync(path, exclusively, mode ?? defaultRights);
  try {
    if (mode !== undefined) fchmodSync(file, mode);
    writeFileSync(file, content);
    if (durable) fsyncSync(file);
  } catch (error) {
    // On a full disk, remove the partial file to free its space.
    rmSync(path, { force: true });
    throw error;
  } finally {
    closeSync(file);
  }
}

/** The streams of a process, such as `/dev/stdout`, are links: writes go to the streams themselves. */
const stream = /^\/dev\/(?:(stdout|stderr|null)|fd\/(\d+))$/;

function writeToStream(path: string, content: string | Uint8Array): boolean {
  const [whole, name, number] = stream.exec(path) ?? [];
  if (whole === undefined) return false;
  if (name !== "null") writeFileSync(number === undefined ? { stdout: 1, stderr: 2 }[name!]! : Number(number), content);
  return true;
}
