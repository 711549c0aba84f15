import { closeSync, constants, fstatSync, openSync, readSync, type Stats } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";

/** Every file of a user, a checkout or another process is read here, up to a number of bytes that its reader names. */

const mb = 1024 * 1024;

/** The most bytes of a file, by what it holds. A larger one is not parsed, which could take hours. */
export const ceilings = {
  /** Written by people: settings, rules, prices, programs. */
  settings: 16 * mb,
  /** Written by a command: reports, previews, plans, worlds. A preview that changes 16,000 resources. */
  document: 64 * mb,
  /** A state of 60,000 resources, which is six times the largest that people have. */
  state: 128 * mb,
} as const;

interface ReadOptions {
  /** The user of the command has named it: a pipe is read to its end. A file of a checkout may be an endless one. */
  fromUser?: boolean;
}

/** A file that is not read: why, and what to do. `code` is the reason, as the system's errors have one. */
export class UnreadableFileError extends Error {
  override readonly name = "UnreadableFile";
  constructor(
    readonly path: string,
    reason: string,
    remedy: string,
    readonly code = reason,
  ) {
    super(`${path} is not read: it ${reason}. ${remedy}.`);
  }
}

/** The bytes of a file, of which there may be no more than `most`. System errors are as Node.js has them. */
export async function readBounded(path: string, most: number, options: ReadOptions = {}): Promise<Buffer> {
  const file = await open(path, flagsFor(options));
  try {
    for (let tries = 0; tries < maxTries; tries++) {
      const before = await file.stat();
      assertReadable(path, before, most, options);
      const bytes = await readFrom(file, before, most);
      assertFits(path, bytes.length, most);
      if (!isChanged(before, await file.stat(), bytes)) return bytes;
    }
    throw changingError(path);
  } finally {
    await file.close();
  }
}

/** The same, without giving others a turn. */
export function readBoundedSync(path: string, most: number, options: ReadOptions = {}): Buffer {
  const file = openSync(path, flagsFor(options));
  try {
    for (let tries = 0; tries < maxTries; tries++) {
      const before = fstatSync(file);
      assertReadable(path, before, most, options);
      const bytes = readFromSync(file, before, most);
      assertFits(path, bytes.length, most);
      if (!isChanged(before, fstatSync(file), bytes)) return bytes;
    }
    throw changingError(path);
  } finally {
    closeSync(file);
  }
}

/** Text in UTF-8. */
export const readText = async (path: string, most: number, options?: ReadOptions): Promise<string> =>
  (await readBounded(path, most, options)).toString("utf8");

/** Text in UTF-8. */
export const readTextSync = (path: string, most: number, options?: ReadOptions): string =>
  readBoundedSync(path, most, options).toString("utf8");

/** What a stream brings until it ends, in UTF-8: no more than `most` bytes. `name` is what its error calls it. */
export async function readStream(stream: AsyncIterable<Uint8Array>, name: string, most: number): Promise<string> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of stream) {
    size += piece.length;
    if (size > most) assertFits(name, most + 1, most);
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString("utf8");
}

/** A writer that is at it for longer is one that appends for ever. */
const maxTries = 5;

/** Opening a pipe waits for its writer, which only its user knows to come. */
const flagsFor = ({ fromUser = false }: ReadOptions): number =>
  constants.O_RDONLY | (fromUser ? 0 : (constants.O_NONBLOCK ?? 0));

function assertReadable(path: string, stats: Stats, most: number, { fromUser = false }: ReadOptions): void {
  if (stats.isDirectory())
    throw new UnreadableFileError(path, "is a folder", "Name a file, or put one in its place", "EISDIR");
  if (!stats.isFile() && !fromUser)
    throw new UnreadableFileError(path, "is not a regular file", "Put a file in its place");
  if (stats.isFile()) assertFits(path, stats.size, most);
}

/** Throws for a size above `most`. */
export function assertFits(path: string, size: number, most: number): void {
  if (size <= most) return;
  const megabytes = (bytes: number): string => `${Math.ceil(bytes / mb).toLocaleString("en-US")} MB`;
  const reason = `is larger than ${megabytes(most)} (${megabytes(size)}${size > most + 1 ? "" : " and more"})`;
  throw new UnreadableFileError(path, reason, "Check that it is the right file");
}

const changingError = (path: string): UnreadableFileError =>
  new UnreadableFileError(path, "changes while it is read", "Run the command again once nobody writes it");

/** A pipe and files of the kernel have no size of their own, and their bytes come once. */
const hasSize = (stats: Stats): boolean => stats.isFile() && stats.size > 0;

function isChanged(before: Stats, after: Stats, bytes: Buffer): boolean {
  if (!before.isFile()) return false;
  return (
    before.size !== after.size || before.mtimeMs !== after.mtimeMs || (hasSize(before) && bytes.length !== before.size)
  );
}

const pieceSize = 64 * 1024;

/** At most one byte more than `most`. */
async function readFrom(file: FileHandle, stats: Stats, most: number): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let position = 0;
  for (;;) {
    const piece = Buffer.allocUnsafe(roomFor(stats, position, most));
    const { bytesRead } = await file.read(piece, 0, piece.length, stats.isFile() ? position : null);
    if (bytesRead > 0) pieces.push(piece.subarray(0, bytesRead));
    position += bytesRead;
    if (bytesRead === 0 || position > endOf(stats, most)) return joined(pieces);
  }
}

function readFromSync(file: number, stats: Stats, most: number): Buffer {
  const pieces: Buffer[] = [];
  let position = 0;
  for (;;) {
    const piece = Buffer.allocUnsafe(roomFor(stats, position, most));
    const bytesRead = readSync(file, piece, 0, piece.length, stats.isFile() ? position : null);
    if (bytesRead > 0) pieces.push(piece.subarray(0, bytesRead));
    position += bytesRead;
    if (bytesRead === 0 || position > endOf(stats, most)) return joined(pieces);
  }
}

/** A byte more is one too many: a file that grows as it is read would not end. */
const endOf = (stats: Stats, most: number): number => (hasSize(stats) ? stats.size : most);

/** All that a file has in one piece; then a byte, to see that it ends. */
const roomFor = (stats: Stats, position: number, most: number): number =>
  Math.max(1, Math.min(hasSize(stats) ? stats.size - position : pieceSize, most + 1 - position));

const joined = (pieces: Buffer[]): Buffer => (pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces));
