import { createHash } from "node:crypto";
import { lstatSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { canonical } from "../identity/endpoint";
import { digestOfKey } from "../identity/ids";
import type { ObjectIdentity } from "../identity/object";
import type { Circumstances, Event, Fact, SentDigests } from "../ports/journal";

/** What a release before the journal knew of one URN. The first releases wrote the natural key itself. */
interface Note extends Pick<Circumstances, "kind" | "urn" | "origin" | "account"> {
  name?: string;
  key?: string;
  keyDigest?: string;
  time: number;
  digest: string;
  clock?: number;
  sent?: SentDigests;
  version?: string;
  settled?: boolean;
  taken?: true;
  own?: true;
  formerly?: readonly string[];
  made?: string;
  stood?: readonly { name: string; made: string }[];
  succeeds?: string;
  of?: string;
}

/** What is in the folder may be a device, or never end. */
const longest = 64 * 1024;

const isNote = (name: string): boolean => /^[0-9a-f]{40}\.json$/.test(name);

/** What the notes in the folder tell, as facts, oldest first. */
export function factsOfNotes(folder: string): Fact[] {
  return notesIn(folder)
    .flatMap(({ note }) => factsOf(note))
    .sort((one, other) => one.at - other.at);
}

/** The notes in a folder, and their files. */
export function notesIn(folder: string): { file: string; note: Note }[] {
  try {
    const files = readdirSync(folder).filter(isNote);
    return files.flatMap((name) => {
      const file = join(folder, name);
      const note = readNote(file);
      return note ? [{ file, note }] : [];
    });
  } catch {
    return [];
  }
}

function readNote(file: string): Note | undefined {
  const found = lstatSync(file, { throwIfNoEntry: false });
  if (!found?.isFile() || found.size > longest) return undefined;
  try {
    const note = JSON.parse(readFileSync(file, "utf8")) as Note;
    return [note.kind, note.urn, note.origin, note.account].every((text) => typeof text === "string")
      ? note
      : undefined;
  } catch {
    return undefined;
  }
}

/** A note that was settled says what a state held; an open one, what was sent. */
function factsOf(note: Note): Fact[] {
  const { kind, origin, account, time, name, made } = note;
  const urn = note.of ?? note.urn;
  const keyDigest = note.key === undefined ? note.keyDigest : digestOfKey(kind, account, note.key);
  const about = (object: ObjectIdentity) => ({ object, keyDigest });
  const fact = (event: Event, of = urn): Fact => ({
    ...event,
    kind,
    urn: of,
    origin: canonical(origin),
    account,
    at: time,
  });
  const object = name === undefined ? undefined : { name, createTime: made };
  if (note.settled || note.taken) {
    if (!object) return [];
    if (!note.settled) return note.own ? [] : [fact({ fact: "seen", ...about(object) })];
    const adopted = note.taken === true && !note.own;
    const held = { fact: "held" as const, ...about(object), adopted: adopted ? (true as const) : undefined };
    return [...(note.formerly ?? []), urn].map((each) => fact(held, each));
  }
  const before = (note.stood ?? []).map((each) =>
    fact({ fact: "seen", object: { name: each.name, createTime: each.made } }),
  );
  const predecessor =
    name !== undefined && note.succeeds !== undefined
      ? [fact({ fact: "held", ...about({ name, createTime: note.succeeds }) })]
      : [];
  const proven = object?.createTime === undefined ? [] : [fact({ fact: "made", ...about(object) })];
  return [...before, ...predecessor, fact(sentBy(note, keyDigest)), ...proven];
}

function sentBy(note: Note, keyDigest: string | undefined): Event {
  const { name, digest, clock, sent, version } = note;
  return {
    fact: "sent",
    // The same for each process that reads the note.
    id: createHash("sha256")
      .update(JSON.stringify([note.origin, note.account, note.urn, note.time]))
      .digest("hex")
      .slice(0, 32),
    place: { name, keyDigest },
    digest,
    clock,
    sent,
    version,
  };
}
