import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { removeFile, replaceFile } from "../../../io/files/write";
import { dayMs } from "../../core/values/day";
import { factIn } from "./fact-lines";
import { OwnershipHistory } from "./history";

/** The trace of a create whose end nobody has seen may be the only one of an object. */
const kept = 180 * dayMs;

/** How long files are kept that are useful for minutes only. */
const shortLived = dayMs;

/** No shorter journal is worth a look. */
const long = 64 * 1024;

/** A journal that somebody has just appended to may be another process's of the same run. */
const quiet = 60_000;

/**
 * Rewrites a journal without what is of no more use. Called before this process appends for the first time: its run
 * holds the stack's lock.
 */
export function shorten(path: string, now: number): void {
  const before = statSync(path, { throwIfNoEntry: false });
  if (!before || before.size < long || now - before.mtimeMs < quiet) return;
  const facts = readFileSync(path, "utf8")
    .split("\n")
    .flatMap((line) => factIn(line) ?? []);
  const history = new OwnershipHistory(facts);
  const useful = facts.filter((fact) => history.isOfUse(fact) && now - fact.at < kept);
  if (useful.length > facts.length / 2) return;
  const unless = (): boolean => statSync(path, { throwIfNoEntry: false })?.size !== before.size;
  replaceFile(path, useful.map((fact) => `${JSON.stringify(fact)}\n`).join(""), { unless });
}

/** Leftovers of broken writes, and what processes with the same key have shared about its rate. */
const isShortLived = (name: string): boolean =>
  /^[0-9a-f]{40}\.(jsonl?\.[0-9a-f-]{36}(\.tmp)?|rate(\.new|\.lock|(\.lock)?\.[0-9a-f-]{36}(\.tmp)?)?)$/.test(name);

/** How long a file may stay that nobody changes, notes of old included; undefined for what is not of this folder's. */
function longestOf(name: string): number | undefined {
  if (isShortLived(name)) return shortLived;
  return /^[0-9a-f]{40}\.jsonl?$/.test(name) ? kept : undefined;
}

/** Removes what is of no more use to anybody. What cannot be done is left to the next process. */
export function tidyFolder(folder: string, now: number): void {
  for (const name of readdirSync(folder)) {
    const longest = longestOf(name);
    const file = join(folder, name);
    const changed = statSync(file, { throwIfNoEntry: false })?.mtimeMs;
    if (longest !== undefined && changed !== undefined && now - changed > longest) removeFile(file);
  }
}
