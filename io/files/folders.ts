import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  fsyncSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  rmSync,
  statSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { dependsOnFolder, isIn } from "../paths";
import { UnsafeFileError } from "./disk-error";

/** The rights of each folder that this package creates, under any umask. */
export const ownFolder = 0o700;

/** Creates a folder with its parents, for its owner only. Fails if a parent cannot be created, as below `/proc`. */
export function makeFolder(folder: string): void {
  const missing: string[] = [];
  for (let each = folder; !exists(each) && dirname(each) !== each; each = dirname(each)) missing.push(each);
  for (const each of missing.reverse()) {
    try {
      mkdirSync(each, { mode: ownFolder });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
  }
}

/** Throws what creating a file in the folder would, as far as that shows without creating anything. */
export function assertWritable(folder: string): void {
  let nearest = folder;
  while (!exists(nearest) && dirname(nearest) !== nearest) nearest = dirname(nearest);
  statSync(`${nearest}/.`);
  accessSync(nearest, constants.W_OK | constants.X_OK);
}

const exists = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined;

/**
 * Creates a folder for data of an account, with its parents. Throws if it belongs to another user, or is reached
 * through their link: they could plant files that this package trusts. Removes write permission for others.
 */
export function makePrivateFolder(folder: string, self = process.getuid?.()): void {
  makeFolder(folder);
  if (self === undefined) return;
  assertNoForeignLinks(folder, self);
  const { uid, mode } = statSync(folder);
  if (self !== 0 && uid !== self && uid !== 0) throw new UnsafeFileError(folder, `it belongs to another user (${uid})`);
  if (uid === self && (mode & 0o1002) === 0o002) chmodSync(folder, mode & 0o7775);
}

/** Whether every user of the machine may replace what is in an existing folder: a sticky bit prevents that. */
export function isOpenToAll(folder: string): boolean {
  const stats = statSync(folder, { throwIfNoEntry: false });
  return process.getuid !== undefined && stats?.isDirectory() === true && (stats.mode & 0o1002) === 0o002;
}

/** A link is trusted if it belongs to this user, root, or the owner of its folder. */
function assertNoForeignLinks(folder: string, self: number): void {
  for (let each = folder; dirname(each) !== each; each = dirname(each)) {
    const stats = lstatSync(each);
    if (!stats.isSymbolicLink() || [self, 0, statSync(dirname(each)).uid].includes(stats.uid)) continue;
    throw new UnsafeFileError(each, `it is a symbolic link of another user (${stats.uid})`);
  }
}

/** Whether a link in `folder` leads `path` out of it. */
export const leadsOut = (path: string, folder: string): boolean => dependsOnFolder(path, folder) && !isIn(path, folder);

/** Throws if a link in `folder` leads the folder of `path` out of it. */
export function assertStaysInFolder(path: string, folder: string): void {
  if (leadsOut(dirname(path), folder))
    throw new UnsafeFileError(path, `a symbolic link on the way leads out of ${folder}`);
}

/** Returns once the folder's names are on the disk. */
export function syncFolder(folder: string): void {
  // Windows opens no folders; there a rename is as durable as it gets.
  if (process.platform === "win32") return;
  const handle = openSync(folder, "r");
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

/** A new folder that only this user can read, outside of the project. */
export const temporaryFolder = (prefix: string): string => mkdtempSync(join(tmpdir(), prefix));

/** With everything in it. */
export const removeFolder = (folder: string): void => rmSync(folder, { recursive: true, force: true });
