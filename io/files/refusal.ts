import { lstatSync, type Stats } from "node:fs";

/** A file that is not written, because it is not what it seems to be. */
export class UnsafeFileError extends Error {
  override readonly name = "FileRefusal";
  constructor(path: string, reason: string) {
    super(`${path} is not written: ${reason}. Remove it, or name another file.`);
  }
}

/** Throws for a link, whatever it leads to. */
export function assertNotLink(path: string): void {
  if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) throw linkError(path);
}

const linkError = (path: string): UnsafeFileError =>
  new UnsafeFileError(path, "it is a symbolic link, and links are not followed");

/** What a file that is about to be replaced is now. Throws for a link, and for a pipe that somebody may listen at. */
export function statReplaceable(path: string): Stats | undefined {
  const before = lstatSync(path, { throwIfNoEntry: false });
  if (before?.isSymbolicLink()) throw linkError(path);
  // A folder is left to the rename, which says so.
  if (before && !before.isFile() && !before.isDirectory()) throw new UnsafeFileError(path, "it is not a regular file");
  return before;
}
