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

export interface WriteOptions {
  /** Holds no data of an account: gets the rights of the file that it replaces, or the usual ones. */
  worldReadable?: boolean;
  /** `false`: may be lost with the power, and is written faster. */
  durable?: boolean;
  /** Called last, once the new content is on the disk: true keeps the old file. */
  unless?: () => boolean;
}

/**
 * Replaces a file in one step, through a temporary file of a name that nobody can foresee. A link, a pipe, a socket or
 * a device is refused. Its owner alone may read the file, unless it is `shown`.
 */
export function replaceFile(path: string, content: string | Uint8Array, writing: WriteOptions = {}): void {
  if (writeToStream(path, content)) return;
  const temporary = temporaryName(path);
  fill(temporary, content, rightsAfter(statReplaceable(path), writing.worldReadable === true), writing);
  try {
    if (writing.unless?.()) rmSync(temporary);
    else renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

/** Makes a file. Fails with `EEXIST` where there is one, or a link. */
export const createFile = (path: string, content: string | Uint8Array, writing: WriteOptions = {}): void =>
  fill(path, content, rightsAfter(undefined, writing.worldReadable === true), writing);

/** Nobody can foresee it. */
export const temporaryName = (path: string): string => `${path}.${randomUUID()}.tmp`;

/** Whether a crash has left it of a write to `of`. */
export const isTemporary = (path: string, of: string): boolean =>
  path.startsWith(of) && /^\.[0-9a-f-]{36}\.tmp$/.test(path.slice(of.length));

/** A link is removed, and not what it leads to. A file that is not there counts as removed. */
export const removeFile = (path: string): void => rmSync(path, { force: true });

/** Gives a file another name, which MUST be free. */
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
  const file = openSync(path, exclusively, mode ?? 0o666);
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

/** The streams of a process are links, such as `/dev/stdout`: what they stand for is written to. */
const stream = /^\/dev\/(?:(stdout|stderr|null)|fd\/(\d+))$/;

function writeToStream(path: string, content: string | Uint8Array): boolean {
  const [whole, name, number] = stream.exec(path) ?? [];
  if (whole === undefined) return false;
  if (name !== "null") writeFileSync(number === undefined ? { stdout: 1, stderr: 2 }[name!]! : Number(number), content);
  return true;
}
