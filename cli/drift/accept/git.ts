import { execFile } from "node:child_process";
import { devNull } from "node:os";

/**
 * What a command of Git prints; undefined if it fails. It only looks, and nothing that a checkout brings along in its
 * `.git` runs: no watcher of files, no hook, no filter.
 */
export async function git(cwd: string, ...args: readonly string[]): Promise<string | undefined> {
  const filters = await localFilters(cwd);
  return output(cwd, [...inert, ...filters.flatMap((key) => ["-c", `${key}=`]), ...args]);
}

const inert = ["-c", "core.fsmonitor=false", "-c", `core.hooksPath=${devNull}`];

/** Programs that the repository's own config has files go through: reading the config runs none. */
async function localFilters(cwd: string): Promise<string[]> {
  const listed = await output(cwd, [...inert, "config", "--list", "--show-scope", "--name-only", "-z"]);
  const words = listed?.split("\0") ?? [];
  return words.filter(
    (key, index) => /^filter\..*\.(clean|smudge|process)$/s.test(key) && /^(local|worktree)$/.test(words[index - 1]!),
  );
}

const output = (cwd: string, args: readonly string[]): Promise<string | undefined> =>
  new Promise((answer) => {
    const env = { ...process.env, GIT_OPTIONAL_LOCKS: "0" };
    execFile("git", [...args], { cwd, env, windowsHide: true }, (error, stdout) =>
      answer(error ? undefined : stdout.replace(/\n$/, "")),
    );
  });
