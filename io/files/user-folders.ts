import { closeSync, fstatSync, readdirSync, readFileSync, type Stats, statSync } from "node:fs";
import { homedir, userInfo } from "node:os";
import { isAbsolute, join } from "node:path";
import { makePrivateFolder } from "./folders";
import { ceilings } from "./read";
import { openRegular, removeFile, replaceFile } from "./write";

/** Whether only this user or root can have written it. Always true on systems without users. */
const isOwn = ({ uid, mode }: Stats, self = process.getuid?.()): boolean =>
  self === undefined || ((uid === self || uid === 0) && (mode & 0o022) === 0);

/** A folder whose files this user's processes can trust; undefined if others could write there. */
export function userCacheFolder(folder: string): string | undefined {
  try {
    makePrivateFolder(folder);
    return isOwn(statSync(folder)) ? folder : undefined;
  } catch {
    return undefined;
  }
}

/** The text of a file that only this user can have written; otherwise undefined. */
export function readCached(path: string): string | undefined {
  const file = openRegular(path);
  if (file === undefined) return undefined;
  try {
    const stats = fstatSync(file);
    return isOwn(stats) && stats.size <= ceilings.document ? readFileSync(file, "utf8") : undefined;
  } finally {
    closeSync(file);
  }
}

/** Writes a recreatable text to the cache, and removes files not written for `days`. */
export function writeCached(folder: string, name: string, text: string, days: number): void {
  const now = Date.now();
  for (const each of readdirSync(folder)) {
    const stats = statSync(join(folder, each), { throwIfNoEntry: false });
    if (stats?.isFile() && now - stats.mtimeMs > days * 86_400_000) removeFile(join(folder, each));
  }
  replaceFile(join(folder, name), text, { durable: false });
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** Where this package keeps data that outlives a process: a folder in the user's state directory. */
export const stateFolder = (env: Environment): string => userFolder(env["XDG_STATE_HOME"], ".local", "state");

/** Where it keeps data that it can recreate: a folder in the user's cache directory. */
export const cacheFolder = (env: Environment): string => userFolder(env["XDG_CACHE_HOME"], ".cache");

const userFolder = (named: string | undefined, ...defaults: string[]): string =>
  join(absolute(named) ?? join(homeFolder(), ...defaults), "pulumi-modelplatform");

/** An empty or relative folder would lie in the working directory, which others may write to. */
const absolute = (folder: string | undefined): string | undefined =>
  folder !== undefined && isAbsolute(folder) ? folder : undefined;

const homeFolder = (): string => absolute(homedir()) ?? userInfo().homedir;
