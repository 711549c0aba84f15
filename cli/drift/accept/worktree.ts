import { constants } from "node:fs";
import { access } from "node:fs/promises";
import { devNull } from "node:os";
import { dirname } from "node:path";
import type { FileChange } from "../../../drift/accept/wishes";
import { describeSystemError } from "../../../io/files/disk-error";
import { nodeFiles, removeLeftovers } from "../../../io/files/durable";
import { ceilings, readText } from "../../../io/files/read";
import { removeFile, replaceFile } from "../../../io/files/write";
import { isIn, nameFrom, realPath } from "../../../io/paths";
import { runProgram } from "../../../io/programs";
import { systemTime, within } from "../../../provider/api/time";
import { CommandError, unwritableError } from "../../command/failure";

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
export function assertInRepository({ folder }: Pick<Root, "folder">, files: readonly string[]): void {
  const outside = files.find((file) => !isIn(file, folder));
  if (outside === undefined) return;
  throw new CommandError(
    `${outside} is not written: the program reaches it by a symbolic link or a path that leads out of ${folder}. Edit it by hand, or leave its resources out with --only.`,
  );
}

/**
 * What somebody is working on in the program's folder, or in `files` elsewhere, is not mixed with what a scan has
 * found. Files that git does not know do not count.
 */
export async function assertClean(folder: string, force: boolean, files: readonly string[] = []): Promise<void> {
  if (force) return;
  const status = await git(folder, "status", "--porcelain", "--untracked-files=no", "--", ".", ...files);
  if (status === undefined || status === "") return;
  const names = status.split("\n").map((line) => line.slice(3));
  throw new CommandError(
    `The worktree has changes of its own (${names.slice(0, 3).join(", ")}${names.length > 3 ? ", …" : ""}). Commit or stash them, or edit it all the same with --force.`,
  );
}

/**
 * Writes all files or none: each in one step, and only if it is writable and unchanged since it was read. What a
 * command that was killed has left beside them is removed.
 */
export async function writeFiles(changes: readonly FileChange[]): Promise<void> {
  for (const { file, before } of changes) await check(file, before);
  const paths = changes.map(({ file }) => file);
  await removeLeftovers(nodeFiles, paths);
  const written: FileChange[] = [];
  try {
    for (const change of changes) {
      replaceFile(change.file, change.after, { worldReadable: true });
      written.push(change);
    }
  } catch (cause) {
    restoreFiles(written);
    throw unwritableError(changes[written.length]!.file, cause);
  }
}

/** The files as they were. */
export function restoreFiles(changes: readonly FileChange[]): void {
  for (const { file, before } of changes) {
    if (before === undefined) removeFile(file);
    else replaceFile(file, before, { worldReadable: true });
  }
}

async function check(file: string, before: string | undefined): Promise<void> {
  const throwWriteError = (cause: NodeJS.ErrnoException): never => {
    throw new CommandError(`${file} cannot be written: ${describeSystemError(cause).reason}. Nothing was.`);
  };
  await access(dirname(file), constants.W_OK).catch(throwWriteError);
  if (before === undefined) return;
  await access(file, constants.W_OK).catch(throwWriteError);
  if ((await readText(file, ceilings.settings)) !== before)
    throw new CommandError(`${file} has changed since it was read, so nothing was written. Run the command again.`);
}

/**
 * What a command of Git prints; undefined if it fails, or if this Git cannot be kept from running programs. It only
 * looks, and nothing that a checkout brings along in its `.git` runs: no watcher of files, no hook, no filter.
 */
export async function git(cwd: string, ...args: readonly string[]): Promise<string | undefined> {
  const filters = await filtersIn(cwd, {}, /^(local|worktree)$/);
  if (filters === undefined) return undefined;
  const overrides = emptyFilterConfig(filters);
  // A Git before 2.31 does not know these variables.
  const overridden = filters.length === 0 ? [] : ((await filtersIn(cwd, overrides, /^command$/)) ?? []);
  if (!filters.every((key) => overridden.includes(key))) return undefined;
  return output(cwd, args, overrides);
}

/** Programs that config of these scopes has files go through: reading the config runs none. */
async function filtersIn(cwd: string, env: NodeJS.ProcessEnv, scopes: RegExp): Promise<string[] | undefined> {
  const listed = await output(cwd, ["config", "--list", "--show-scope", "--name-only", "-z"], env);
  const words = listed?.split("\0");
  const filters = words?.filter((key, index) => isFilter.test(key) && scopes.test(words[index - 1]!));
  return filters && [...new Set(filters)];
}

const isFilter = /^filter\..*\.(clean|smudge|process)$/s;

/** Each key without a value. By the environment, since `-c` ends a key at its first `=`, which its name may hold. */
function emptyFilterConfig(keys: readonly string[]): NodeJS.ProcessEnv {
  const configCount = Number(process.env["GIT_CONFIG_COUNT"] ?? 0) || 0;
  return Object.assign(
    { GIT_CONFIG_COUNT: String(configCount + keys.length) },
    ...keys.map((key, index) => ({
      [`GIT_CONFIG_KEY_${configCount + index}`]: key,
      [`GIT_CONFIG_VALUE_${configCount + index}`]: "",
    })),
  ) as NodeJS.ProcessEnv;
}

const inert = ["-c", "core.fsmonitor=false", "-c", `core.hooksPath=${devNull}`];

const output = (cwd: string, args: readonly string[], added: NodeJS.ProcessEnv): Promise<string | undefined> =>
  within(gitTimeoutMs, systemTime, async (signal) => {
    const env = { ...process.env, GIT_OPTIONAL_LOCKS: "0", ...added };
    try {
      return (await runProgram("git", [...inert, ...args], { cwd, env, signal })).replace(/\n$/, "");
    } catch {
      if (!signal.aborted) return undefined;
      throw new CommandError(
        `git ${args[0]} in ${cwd} did not end within ${gitTimeoutMs / 1000} s. Look at the repository, and run the command again.`,
      );
    }
  });

/** Git answers at once, unless its file system does not. */
const gitTimeoutMs = 60_000;
