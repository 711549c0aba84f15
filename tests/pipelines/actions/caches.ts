import { cpSync, existsSync } from "node:fs";
import { join } from "node:path";
import { ActionFailure, expectInputs, type Given } from "./action";

interface Entry {
  key: string;
  path: string;
  branch: string;
  folder: string;
}

/**
 * Caches of a repository, as actions/cache keeps them: src/restoreImpl.ts and src/saveImpl.ts of v5.0.5 (commit
 * 27d5ce7f107fe9357f9df03efb73ab90386fccae; v6.1.0, which the workflows pin, was not at hand), keys by actions/toolkit,
 * packages/cache/src/cache.ts. What the service finds is by its documentation: the whole key, then keys that begin with
 * it, then those that begin with each of `restore-keys`; of several the newest, and of no branch but this one and main.
 */
export class Caches {
  private readonly entries: Entry[] = [];

  /** `folder` makes a new folder. */
  constructor(private readonly folder: () => string) {}

  restore(given: Given, cwd: string, branch: string): void {
    expectInputs(given, "path", "key", "restore-keys");
    const { path = "", key = "", "restore-keys": others = "" } = given;
    const keys = [key, ...others.split("\n").map((each) => each.trim())].filter((each) => each !== "");
    for (const each of keys) if (!isKey(each)) throw new ActionFailure(`the key ${each} is not valid`);
    const seen = this.entries.filter((entry) => entry.path === path && [branch, "main"].includes(entry.branch));
    const starts = keys.map((each) => seen.findLast((entry) => entry.key.startsWith(each)));
    const found = seen.find((entry) => entry.key === key) ?? starts.find((entry) => entry !== undefined);
    if (found !== undefined) cpSync(found.folder, join(cwd, path), { recursive: true });
  }

  /** A key is saved once; what cannot be saved is a warning. */
  save(given: Given, cwd: string, branch: string): void {
    expectInputs(given, "path", "key");
    const { path = "", key = "" } = given;
    const isTaken = this.entries.some((entry) => entry.key === key && entry.branch === branch);
    if (!isKey(key) || isTaken || !existsSync(join(cwd, path))) return;
    const folder = this.folder();
    cpSync(join(cwd, path), folder, { recursive: true });
    this.entries.push({ key, path, branch, folder });
  }
}

const isKey = (key: string): boolean => key.length <= 512 && !key.includes(",");
