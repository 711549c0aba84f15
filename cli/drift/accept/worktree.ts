import { constants } from "node:fs";
import { access, readFile } from "node:fs/promises";
import { dirname } from "node:path";
import type { FileChange } from "../../../drift/accept/outcome";
import { removeFile, replaceFile } from "../../../io/files/write";
import { isIn, nameFrom, realPath } from "../../../io/paths/containment";
import { refusalOf } from "../../../io/text/disk-error";
import { CommandFailure, unwritable } from "../../command/failure";
import { git } from "./git";

/** Where the repository begins, or the program where there is none: paths in a patch are relative to it. */
export async function rootOf(folder: string): Promise<Root> {
  const root = realPath((await git(folder, "rev-parse", "--show-toplevel")) ?? folder);
  return { folder: root, nameOf: (file) => nameFrom(root, file) };
}

interface Root {
  folder: string;
  nameOf(file: string): string;
}

/** A link of the program may lead to any file: one outside of the repository is nobody's to edit from here. */
export function refuseOutside({ folder }: Pick<Root, "folder">, files: readonly string[]): void {
  const outside = files.find((file) => !isIn(file, folder));
  if (outside === undefined) return;
  throw new CommandFailure(
    `${outside} is not written: the program reaches it by a symbolic link or a path that leads out of ${folder}. Edit it by hand, or leave its resources out with --only.`,
  );
}

/**
 * What somebody is working on in the program's folder, or in `files` elsewhere, is not mixed with what a scan has
 * found. Files that git does not know do not count.
 */
export async function refuseDirty(folder: string, force: boolean, files: readonly string[] = []): Promise<void> {
  if (force) return;
  const status = await git(folder, "status", "--porcelain", "--untracked-files=no", "--", ".", ...files);
  if (status === undefined || status === "") return;
  const names = status.split("\n").map((line) => line.slice(3));
  throw new CommandFailure(
    `The worktree has changes of its own (${names.slice(0, 3).join(", ")}${names.length > 3 ? ", …" : ""}). Commit or stash them, or edit it all the same with --force.`,
  );
}

/** Writes all files or none: each in one step, and only if it is writable and unchanged since it was read. */
export async function writeFiles(changes: readonly FileChange[]): Promise<void> {
  for (const { file, before } of changes) await check(file, before);
  const written: FileChange[] = [];
  try {
    for (const change of changes) {
      replaceFile(change.file, change.after, { shown: true });
      written.push(change);
    }
  } catch (cause) {
    putBack(written);
    throw unwritable(changes[written.length]!.file, cause);
  }
}

/** The files as they were. */
export function putBack(changes: readonly FileChange[]): void {
  for (const { file, before } of changes) {
    if (before === undefined) removeFile(file);
    else replaceFile(file, before, { shown: true });
  }
}

async function check(file: string, before: string | undefined): Promise<void> {
  const failed = (cause: NodeJS.ErrnoException): never => {
    throw new CommandFailure(`${file} cannot be written: ${refusalOf(cause).reason}. Nothing was.`);
  };
  await access(dirname(file), constants.W_OK).catch(failed);
  if (before === undefined) return;
  await access(file, constants.W_OK).catch(failed);
  if ((await readFile(file, "utf8")) !== before)
    throw new CommandFailure(`${file} has changed since it was read, so nothing was written. Run the command again.`);
}
