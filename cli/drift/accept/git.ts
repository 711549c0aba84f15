import { execFile } from "node:child_process";
import { devNull } from "node:os";

/**
 * What a command of Git prints; undefined if it fails, or if this Git cannot be kept from running programs. It only
 * looks, and nothing that a checkout brings along in its `.git` runs: no watcher of files, no hook, no filter.
 */
export async function git(cwd: string, ...args: readonly string[]): Promise<string | undefined> {
  const filters = await filtersIn(cwd, {}, /^(local|worktree)$/);
  if (filters === undefined) return undefined;
  const overrides = emptied(filters);
  // A Git before 2.31 does not know these variables.
  const overridden = filters.length === 0 ? [] : ((await filtersIn(cwd, overrides, /^command$/)) ?? []);
  if (!filters.every((key) => overridden.includes(key))) return undefined;
  return output(cwd, args, overrides);
}

/** Programs that config of these scopes has files go through: reading the config runs none. */
async function filtersIn(cwd: string, env: NodeJS.ProcessEnv, scopes: RegExp): Promise<string[] | undefined> {
  const listed = await output(cwd, ["config", "--list", "--show-scope", "--name-only", "-z"], env);
  const words = listed?.split("\0");
  const found = words?.filter((key, index) => isFilter.test(key) && scopes.test(words[index - 1]!));
  return found && [...new Set(found)];
}

const isFilter = /^filter\..*\.(clean|smudge|process)$/s;

/** Each key without a value. By the environment, since `-c` ends a key at its first `=`, which its name may hold. */
function emptied(keys: readonly string[]): NodeJS.ProcessEnv {
  const given = Number(process.env["GIT_CONFIG_COUNT"] ?? 0) || 0;
  return Object.assign(
    { GIT_CONFIG_COUNT: String(given + keys.length) },
    ...keys.map((key, index) => ({
      [`GIT_CONFIG_KEY_${given + index}`]: key,
      [`GIT_CONFIG_VALUE_${given + index}`]: "",
    })),
  ) as NodeJS.ProcessEnv;
}

const inert = ["-c", "core.fsmonitor=false", "-c", `core.hooksPath=${devNull}`];

const output = (cwd: string, args: readonly string[], added: NodeJS.ProcessEnv): Promise<string | undefined> =>
  new Promise((answer) => {
    const env = { ...process.env, GIT_OPTIONAL_LOCKS: "0", ...added };
    execFile("git", [...inert, ...args], { cwd, env, windowsHide: true }, (error, stdout) =>
      answer(error ? undefined : stdout.replace(/\n$/, "")),
    );
  });
