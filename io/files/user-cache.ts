import { closeSync, fstatSync, readdirSync, readFileSync, type Stats, statSync } from "node:fs";
import { join } from "node:path";
import { makePrivateFolder } from "./folder";
import { openRegular } from "./open";
import { removeFile, replaceFile } from "./write";

/** Whether nobody but this user, or root, can have written what is there. Where there are no users, everyone is. */
const isOwn = ({ uid, mode }: Stats, self = process.getuid?.()): boolean =>
  self === undefined || ((uid === self || uid === 0) && (mode & 0o022) === 0);

/** A folder for files that this user's processes trust as they trust themselves; undefined where others could write. */
export function userCacheFolder(folder: string): string | undefined {
  try {
    makePrivateFolder(folder);
    return isOwn(statSync(folder)) ? folder : undefined;
  } catch {
    return undefined;
  }
}

/** The text of a file that nobody else can have written; undefined where there is none, or it may be another's. */
export function readCached(path: string): string | undefined {
  const file = openRegular(path);
  if (file === undefined) return undefined;
  try {
    return isOwn(fstatSync(file)) ? readFileSync(file, "utf8") : undefined;
  } finally {
    closeSync(file);
  }
}

/** Keeps a text that can be recreated, in an own folder, and drops what has not been written for `days`. */
export function keepCached(folder: string, name: string, text: string, days: number): void {
  const now = Date.now();
  for (const each of readdirSync(folder)) {
    const stats = statSync(join(folder, each), { throwIfNoEntry: false });
    if (stats?.isFile() && now - stats.mtimeMs > days * 86_400_000) removeFile(join(folder, each));
  }
  replaceFile(join(folder, name), text, { durable: false });
}
