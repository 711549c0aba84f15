import { fsync } from "node:fs";
import { chmod, constants, copyFile, link, lstat, mkdir, open, readdir, rename, stat, unlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { codeOf, statReplaceable, throwDiskError } from "./disk-error";
import { ownFolder } from "./folders";
import { ceilings, readBounded } from "./read";
import { defaultRights, exclusively, isTemporary, ownerOnly, rightsAfter, temporaryName } from "./write";

export interface FolderEntry {
  name: string;
  isFolder: boolean;
  /** Last change, in milliseconds since 1970. */
  modified: number;
}

/** Who may read a new file. Default: its owner. */
interface Access {
  /** Like the file that is replaced, if that is stricter. */
  like?: string;
  /** Not confidential: the rights of the file that is replaced, or the usual ones. */
  open?: boolean;
}

/** The few file operations that state needs; a test passes one that crashes. */
export interface FileSystem {
  /** A regular file of at most `maxBytes` bytes, by default those of a state. */
  read(path: string, maxBytes?: number): Promise<Buffer>;
  /** Recreates the file with the rights of `access`, and returns once the content is on disk. */
  write(path: string, bytes: Uint8Array, access?: Access): Promise<void>;
  /** Writes as many bytes as the file has, in place. A missing file is an error. */
  overwrite(path: string, bytes: Uint8Array): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  /**
   * Gives the content a second name, or copies it if the disk has no links; for its owner only. The second name MUST
   * NOT exist.
   */
  duplicate(from: string, to: string): Promise<void>;
  /** A missing file counts as removed. */
  remove(path: string): Promise<void>;
  /** A missing folder counts as empty. */
  list(folder: string): Promise<FolderEntry[]>;
  /** When the file last changed, in milliseconds since 1970; undefined if it is missing. */
  modified(path: string): Promise<number | undefined>;
  /** With its parents, durably; for its owner only. */
  makeFolder(folder: string): Promise<void>;
  /** Returns once the folder's names are on the disk. */
  syncFolder(folder: string): Promise<void>;
}

export const nodeFiles: FileSystem = {
  read: (path, maxBytes = ceilings.state) => readBounded(path, maxBytes).catch(throwDiskError(path, "read")),
  write: writeSynced,
  overwrite: (path, bytes) => overwrite(path, bytes).catch(throwDiskError(path, "written")),
  rename: async (from, to) => {
    statReplaceable(to);
    await rename(from, to).catch(throwDiskError(to, "written"));
  },
  duplicate,
  remove: (path) => unlink(path).catch(unless("ENOENT")).catch(throwDiskError(path, "written")),
  list: (folder) => list(folder).catch(throwDiskError(folder, "read")),
  modified: async (path) => (await stat(path).catch(unless("ENOENT")).catch(throwDiskError(path, "read")))?.mtimeMs,
  makeFolder: (folder) => makeFolder(folder).catch(throwDiskError(folder, "written")),
  syncFolder,
};

interface Replacement extends Pick<Access, "open"> {
  /** Name for the replaced content. */
  backup?: string;
  /** Rejects if the file must not be replaced any more. */
  confirm?: (() => Promise<void>) | undefined;
}

/**
 * Replaces the file in one step: after a crash it holds the old content or the new, never a part. Of several writers
 * the last one wins. Its folder MUST exist.
 */
export async function replaceDurably(
  files: FileSystem,
  path: string,
  bytes: Uint8Array,
  { backup, open: worldReadable = false, confirm }: Replacement = {},
): Promise<void> {
  const temporary = temporaryName(path);
  const replace = async (): Promise<void> => {
    await files.write(temporary, bytes, { like: path, open: worldReadable });
    await confirm?.();
    if (backup !== undefined) await keepBackup(files, path, backup);
    await files.rename(temporary, path);
    await files.syncFolder(dirname(path));
  };
  await replace().catch(throwDiskError(path, "written"));
}

/** Replaces a file without secrets, such as settings. Creates its folder. */
export async function replacePublic(files: FileSystem, path: string, bytes: Uint8Array): Promise<void> {
  await files.makeFolder(dirname(path));
  await replaceDurably(files, path, bytes, { open: true });
}

/** Removes leftovers of crashes beside these files, which nobody else writes meanwhile. */
export async function removeLeftovers(files: FileSystem, paths: readonly string[]): Promise<void> {
  for (const folder of new Set(paths.map(dirname))) {
    const candidates = (await files.list(folder)).map(({ name }) => join(folder, name));
    for (const path of candidates.filter((path) => paths.some((of) => isTemporary(path, of)))) await files.remove(path);
  }
}

/** Reads a file of settings, or another small one; undefined if it is missing. */
export async function readIfExists(files: FileSystem, path: string): Promise<Buffer | undefined> {
  try {
    return await files.read(path, ceilings.settings);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}

async function keepBackup(files: FileSystem, path: string, backup: string): Promise<void> {
  const temporary = temporaryName(backup);
  try {
    await files.duplicate(path, temporary);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return;
    throw error;
  }
  await files.rename(temporary, backup);
}

async function writeSynced(
  path: string,
  bytes: Uint8Array,
  { like, open: worldReadable = false }: Access = {},
): Promise<void> {
  const before = like === undefined ? undefined : await stat(like).catch(unless("ENOENT"));
  const mode = rightsAfter(before, worldReadable);
  const file = await open(path, exclusively, mode ?? defaultRights);
  try {
    if (mode !== undefined) await file.chmod(mode);
    await file.writeFile(bytes);
    await synchronize(file);
  } catch (error) {
    // On a full disk, remove the partial file to free its space.
    await unlink(path).catch(() => undefined);
    throw error;
  } finally {
    await file.close();
  }
}

async function overwrite(path: string, bytes: Uint8Array): Promise<void> {
  statReplaceable(path);
  const file = await open(path, "r+");
  try {
    await file.write(bytes, 0, bytes.length, 0);
  } finally {
    await file.close();
  }
}

async function duplicate(from: string, to: string): Promise<void> {
  statReplaceable(from);
  try {
    await link(from, to);
  } catch (error) {
    if (["ENOENT", "EEXIST"].includes(codeOf(error) ?? "")) throw error;
    await copyFile(from, to, constants.COPYFILE_EXCL);
  }
  const { mode } = await lstat(to);
  if ((mode & 0o777 & ~ownerOnly) !== 0) await chmod(to, mode & ownerOnly);
}

async function list(folder: string): Promise<FolderEntry[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((error: unknown) => {
    if (codeOf(error) === "ENOENT") return [];
    throw error;
  });
  const known = await Promise.all(
    entries.map(async (entry) => {
      const details = await stat(join(folder, entry.name)).catch(unless("ENOENT"));
      return details && { name: entry.name, isFolder: details.isDirectory(), modified: details.mtimeMs };
    }),
  );
  return known.filter((entry) => entry !== undefined).sort((a, b) => (a.name < b.name ? -1 : 1));
}

async function makeFolder(folder: string): Promise<void> {
  const first = await mkdir(folder, { recursive: true, mode: ownFolder });
  if (first === undefined) return;
  for (let created = folder; created.length >= first.length; created = dirname(created))
    await syncFolder(dirname(created));
}

/** By number: the files of Yarn Plug'n'Play have no `sync`. */
const synchronize = ({ fd }: { fd: number }): Promise<void> => promisify(fsync)(fd);

async function syncFolder(folder: string): Promise<void> {
  // Windows opens no folders; there a rename is as durable as it gets.
  const handle = await open(folder, "r").catch(unless("EISDIR", "EPERM", "EACCES"));
  if (handle === undefined) return;
  try {
    await synchronize(handle).catch(unless("EPERM", "EINVAL"));
  } finally {
    await handle.close();
  }
}

function unless(...codes: string[]): (error: unknown) => undefined {
  return (error) => {
    if (codes.includes(codeOf(error) ?? "")) return undefined;
    throw error;
  };
}
