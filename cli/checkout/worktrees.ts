import { readdirSync, readFileSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { isSame, realPath } from "../../io/paths/containment";

/**
 * The other worktrees of the repository that begins in a folder; none if it is not one. A worktree counts if it and the
 * repository name each other: files of a checkout alone make no folder of the machine a part of it.
 */
export function worktreesOf(folder: string): string[] {
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

/** As long as a path can be; longer than that is no file of Git. */
const longest = 8192;

function textOf(file: string): string {
  try {
    const stats = statSync(file);
    return stats.isFile() && stats.size <= longest ? readFileSync(file, "utf8") : "";
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
