import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { removeFile, replaceFile } from "../../../io/files/write";
import { dayMs } from "../../core/values/day";
import { stackOf } from "../identity/ids";
import { factIn } from "./fact-lines";
import { OwnershipHistory } from "./history";
import { factsOfNotes, notesIn } from "./notes";

/** The trace of a create whose end nobody has seen may be the only one of an object. */
const kept = 180 * dayMs;

/** How long files are kept that are useful for minutes only. */
const shortLived = dayMs;

/** No shorter journal is worth a look. */
const long = 64 * 1024;

/** A journal that somebody has just appended to may be another process's of the same run. */
const quiet = 60_000;

/**
 * Rewrites the journal of a stack without what is of no more use, and with what notes of earlier releases tell, which
 * are removed. Called before this process appends for the first time: its run holds the stack's lock.
 */
export function shorten(folder: string, path: string, stack: string, now: number): void {
  const before = statSync(path, { throwIfNoEntry: false });
  const notes = notesIn(folder).filter(({ note }) => stackOf(note.of ?? note.urn) === stack);
  if (notes.length === 0 && (before?.size ?? 0) < long) return;
  if (before && now - before.mtimeMs < quiet) return;
  const written = before
    ? readFileSync(path, "utf8")
        .split("\n")
        .flatMap((line) => factIn(line) ?? [])
    : [];
  const facts = [...factsOfNotes(folder).filter(({ urn }) => stackOf(urn) === stack), ...written];
  const history = new OwnershipHistory(facts);
  const useful = facts.filter((fact) => history.isOfUse(fact) && now - fact.at < kept);
  if (notes.length === 0 && useful.length > facts.length / 2) return;
  let hasGrown = false;
  const unless = (): boolean => {
    hasGrown = statSync(path, { throwIfNoEntry: false })?.size !== before?.size;
    return hasGrown;
  };
  replaceFile(path, useful.map((fact) => `${JSON.stringify(fact)}\n`).join(""), { unless });
  if (!hasGrown) for (const { file } of notes) removeFile(file);
}

/** Leftovers of broken writes, and what processes with the same key have shared about its rate. */
const isShortLived = (name: string): boolean =>
  /^[0-9a-f]{40}\.(jsonl?\.[0-9a-f-]{36}(\.tmp)?|rate(\.new|\.lock|(\.lock)?\.[0-9a-f-]{36}(\.tmp)?)?)$/.test(name);

/** How long a file may stay that nobody changes; undefined for what is not of this folder's. */
function longestOf(name: string): number | undefined {
  if (isShortLived(name)) return shortLived;
  return name.endsWith(".jsonl") ? kept : undefined;
}

/** Removes what is of no more use to anybody. What cannot be done is left to the next process. */
export function tidyFolder(folder: string, now: number): void {
  for (const { file, note } of notesIn(folder)) if (now - note.time > kept) removeFile(file);
  for (const name of readdirSync(folder)) {
    const longest = longestOf(name);
    const file = join(folder, name);
    const changed = statSync(file, { throwIfNoEntry: false })?.mtimeMs;
    if (longest !== undefined && changed !== undefined && now - changed > longest) removeFile(file);
  }
}
