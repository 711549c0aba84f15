import { accessSync, constants, readdirSync, statSync } from "node:fs";
import { basename, delimiter, dirname, isAbsolute, join, resolve } from "node:path";
import { beginOfCheckout } from "../../io/files/checkout";
import { readTextSync } from "../../io/files/read";
import type { Environment } from "../../io/files/user-folders";
import { dependsOnFolder, isIn, isSame, realPath } from "../../io/paths";

/**
 * The folders that the authors of a checkout write to: where it begins, for the folder of work as it is spelled and
 * behind its links, and the other worktrees of its repository.
 */
export function checkoutFolders(cwd: string, env: Environment): string[] {
  const begins = [resolve(cwd), realPath(cwd)].map((folder) => beginOfCheckout(folder, env));
  return [...new Set([...begins, ...begins.flatMap(worktreesOf)])];
}

/** Programs of the machine, without those of a checkout, where anybody may have put one by the name of another one. */
export interface MachinePrograms {
  cwd: string;
  env: Environment;
  /** The file of a program that is named as on a command line. Throws an error with code `ENOENT` if there is none. */
  find(program: string): string;
}

/**
 * Leaves out entries of the PATH that the checkout decides on, those of `node_modules/.bin` in the folders above it,
 * which npm and npx add, and links to programs in the checkout.
 */
export function programsOutside(
  checkout: readonly string[],
  cwd: string,
  env: Environment,
): Omit<MachinePrograms, "cwd"> {
  const isOurs = (path: string): boolean => checkout.some((folder) => dependsOnFolder(path, folder));
  const isAllowedEntry = (entry: string): boolean => isAbsolute(entry) && !isOurs(entry) && !isBinAbove(entry, cwd);
  const withoutCheckoutEntries = (path: string): string => path.split(delimiter).filter(isAllowedEntry).join(delimiter);
  const outside = Object.fromEntries(
    Object.entries(env).map(([name, value]) => [
      name,
      isPath(name) && value !== undefined ? withoutCheckoutEntries(value) : value,
    ]),
  );
  const folders = Object.entries(outside).flatMap(([name, value]) =>
    isPath(name) ? (value ?? "").split(delimiter) : [],
  );
  return {
    env: outside,
    find(program) {
      if (isAbsolute(program)) return program;
      const executable = folders
        .flatMap((folder) => endings(outside).map((ending) => join(folder, `${program}${ending}`)))
        .find((file) => isProgram(file) && !isOurs(file));
      if (executable !== undefined) return executable;
      throw Object.assign(new Error(`there is no program \`${program}\` on the PATH outside of the checkout`), {
        code: "ENOENT",
      });
    },
  };
}

const isPath = (name: string): boolean => /^path$/i.test(name);

const isBinAbove = (entry: string, cwd: string): boolean =>
  [entry, realPath(entry)].some(
    (path) =>
      /^\.bin$/i.test(basename(path)) &&
      /^node_modules$/i.test(basename(dirname(path))) &&
      isIn(cwd, dirname(dirname(path))),
  );

/** What may follow the name of a program in the name of its file. */
const endings = ({ PATHEXT = ".exe" }: Environment): string[] =>
  process.platform === "win32" ? ["", ...PATHEXT.split(";")] : [""];

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}

/**
 * The other worktrees of the repository that begins in a folder; none if it is not one. A worktree counts if it and the
 * repository name each other: files of a checkout alone make no folder of the machine a part of it.
 */
function worktreesOf(folder: string): string[] {
  const own = gitFolder(folder);
  if (own === undefined) return [];
  const isLinked = basename(dirname(own)) === "worktrees";
  if (isLinked && !isSame(worktreeOf(own), folder)) return [];
  const repository = isLinked ? dirname(dirname(own)) : own;
  const linked = namesIn(join(repository, "worktrees"))
    .map((name) => join(repository, "worktrees", name))
    .map((entry) => ({ entry, worktree: worktreeOf(entry) }))
    .filter(({ entry, worktree }) => worktree !== undefined && isSame(gitFolder(worktree), entry))
    .map(({ worktree }) => worktree!);
  const main = basename(repository) === ".git" ? [dirname(repository)] : [];
  return [...main, ...linked].filter((each) => !isSame(each, folder));
}

/** Where Git keeps what it knows of a worktree: in `.git`, or where that file says. */
function gitFolder(worktree: string): string | undefined {
  const path = join(worktree, ".git");
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return realPath(path);
  const named = /^gitdir: (.+)$/m.exec(textOf(path))?.[1];
  return named === undefined ? undefined : realPath(resolve(worktree, named));
}

/** The worktree that an entry of the repository is about. */
function worktreeOf(entry: string): string | undefined {
  const named = textOf(join(entry, "gitdir")).trim();
  return named === "" ? undefined : realPath(dirname(resolve(entry, named)));
}

/** The longest path that Git writes: a longer file is not one of Git's. */
const longest = 8192;

function textOf(file: string): string {
  try {
    return readTextSync(file, longest);
  } catch {
    return "";
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
