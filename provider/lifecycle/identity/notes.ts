import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { createFile, moveFile, removeFile, temporaryName } from "../../files/write";
import type { Intent } from "../ports/intents";
import type { Values } from "../types";
import { digestOfKey } from "./ids";

const day = 24 * 60 * 60 * 1000;

/** How long the files of the folder are kept, in milliseconds. */
const kept = {
  /**
   * A settled note tells a replacement from a lost state, which matters for a
   * day, and which object a forced one replaces.
   */
  settled: 30 * day,
  /** A note of a create that nobody has seen the end of may be the only trace of an object. */
  open: 180 * day,
  /** Files that are useful for minutes only. */
  shortLived: day,
};

/** Without the service's word for the time, the clocks of this machine and the service may be this far apart. */
const skewMs = 60_000;

/** HTTP and some services report whole seconds. */
export const toSecond = (time: number): number => Math.floor(time / 1000) * 1000;

/** Whether the note knows the object as one that was there before. */
export const isKnownTo = ({ stood = [] }: Pick<Intent, "stood">, found: Values): boolean =>
  stood.some(({ name, made }) => name === found["name"] && made === found["createTime"]);

/** Whether the object was certainly there before the request that the note is about. */
export function precedes(found: Values, note: Pick<Intent, "clock" | "time" | "stood">): boolean {
  const { clock, time } = note;
  const made = Date.parse(String(found["createTime"] ?? ""));
  return isKnownTo(note, found) || made < (clock === undefined ? time - skewMs : toSecond(clock));
}

/** Whether the object was certainly there before the last of the requests that the note is about. */
export const precedesLast = (found: Values, note: Pick<Intent, "clock" | "time" | "stood" | "again">): boolean =>
  precedes(found, { ...note, ...note.again });

export const isNote = (name: string): boolean => /^[0-9a-f]{40}\.json$/.test(name);
/** Leftovers of broken writes, and what processes with the same key have shared about its rate. */
const isShortLived = (name: string): boolean =>
  /^[0-9a-f]{40}\.(json\.[0-9a-f-]{36}(\.tmp)?|rate(\.new|\.lock|(\.lock)?\.[0-9a-f-]{36}(\.tmp)?)?)$/.test(name);

/** The intent in a note; undefined where a write was torn. Notes of earlier releases hold the natural key itself. */
export function parseNote(text: string): Intent | undefined {
  try {
    const { key, ...intent } = JSON.parse(text) as Intent & { key?: string };
    return key === undefined ? intent : { ...intent, keyDigest: digestOfKey(intent.kind, intent.account, key) };
  } catch {
    return undefined;
  }
}

/**
 * Removes obsolete notes, and rewrites old ones without the keys in them. Other processes may do the same at the same
 * time. What cannot be done is left to the next process: no run fails because of it.
 */
export async function tidyNotes(folder: string, now: number): Promise<void> {
  for (const name of await readdir(folder).catch(() => [])) {
    const file = join(folder, name);
    const work = isNote(name) ? tidyNote(file, now) : isShortLived(name) ? removeOld(file, now) : undefined;
    await work?.catch(() => undefined);
  }
}

async function removeOld(file: string, now: number): Promise<void> {
  if (now - (await stat(file)).mtimeMs > kept.shortLived) removeFile(file);
}

/**
 * Another process may write the note again at any moment, so that it is first put aside
 * and then judged again: no newer one is lost.
 */
async function tidyNote(file: string, now: number): Promise<void> {
  if ((await fateOf(file, now)) === "stay") return;
  const aside = temporaryName(file);
  moveFile(file, aside);
  if ((await fateOf(aside, now)) !== "go") restore(file, JSON.stringify(parseNote(await readFile(aside, "utf8"))));
  removeFile(aside);
}

/** Another process may have written a newer one. */
function restore(file: string, text: string): void {
  try {
    createFile(file, text);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}

async function fateOf(file: string, now: number): Promise<"stay" | "go" | "rewrite"> {
  const text = await readFile(file, "utf8");
  const intent = parseNote(text);
  if (!intent) return now - (await stat(file)).mtimeMs > kept.shortLived ? "go" : "stay";
  if (now - intent.time > (intent.settled ? kept.settled : kept.open)) return "go";
  return "key" in (JSON.parse(text) as object) ? "rewrite" : "stay";
}
