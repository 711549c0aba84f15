import { createHash } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { homedir, userInfo } from "node:os";
import { isAbsolute, join } from "node:path";
import { ConfigurationError } from "../../core/errors";
import { nodeFiles } from "../../files/durable";
import { makePrivateFolder } from "../../files/folder";
import { removeFile, temporaryName } from "../../files/write";
import { refusalOf } from "../../text/disk-error";
import type { Intent, Intents } from "../ports/intents";
import { isNote, parseNote, tidyNotes } from "./notes";

type Environment = Readonly<Record<string, string | undefined>>;

/** Where this package keeps what outlives a process: a folder in the user's state directory. */
export const stateFolder = (env: Environment): string =>
  join(absolute(env["XDG_STATE_HOME"]) ?? join(homeFolder(), ".local", "state"), "pulumi-modelplatform");

/** An empty or relative folder would lie in the folder that a command is run in, which may be anybody's. */
const absolute = (folder: string | undefined): string | undefined =>
  folder !== undefined && isAbsolute(folder) ? folder : undefined;

const homeFolder = (): string => absolute(homedir()) ?? userInfo().homedir;

/** Folder of creation intents where none is set. */
export const intentsFolder = (env: Environment): string => join(stateFolder(env), "intents");

/** The folder of this run. */
export const intentsFolderOf = ({ intents }: { intents?: string }, env: Environment): string =>
  intents ?? intentsFolder(env);

/** Every intent in the folder; other files are skipped. */
export async function intentsIn(folder: string): Promise<Intent[]> {
  const found: Intent[] = [];
  for (const name of await entriesOf(folder)) {
    const intent = isNote(name) ? readNote(join(folder, name)) : undefined;
    if (intent) found.push(intent);
  }
  return found;
}

const entriesOf = (folder: string): Promise<string[]> =>
  readdir(folder).catch((error: NodeJS.ErrnoException) => (error.code === "ENOENT" ? [] : Promise.reject(error)));

/**
 * No note is longer. The folder may be one that a project's files name: what is in it
 * may be a device, or never end.
 */
const longestNote = 64 * 1024;

/** Every diff asks for a note: read at once, it costs a sixth of the same with promises. */
function readNote(file: string): Intent | undefined {
  try {
    const stats = statSync(file, { throwIfNoEntry: false });
    return stats?.isFile() && stats.size <= longestNote ? parseNote(readFileSync(file, "utf8")) : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Intents as one small file each. A file is flushed to the disk before it gets its name, so that a crash leaves the
 * note that was there or the new one, and never a part of it.
 */
export function fileIntents(folder: string, now: () => number): Intents {
  let tidied: Promise<void> | undefined;
  /** The folder is read once, at the first question, and has what this process writes and withdraws since. */
  let index: Promise<NoteIndex> | undefined;

  const fileOf = (origin: string, account: string, urn: string) =>
    join(
      folder,
      `${createHash("sha256")
        .update(JSON.stringify([origin, account, urn]))
        .digest("hex")
        .slice(0, 40)}.json`,
    );

  const find = async (origin: string, account: string, urn: string): Promise<Intent | undefined> =>
    readNote(fileOf(origin, account, urn));

  async function write(intent: Intent): Promise<void> {
    tidied ??= tidyNotes(folder, now());
    await tidied;
    await put(intent);
  }

  async function put(intent: Intent): Promise<void> {
    const file = fileOf(intent.origin, intent.account, intent.urn);
    const temporary = temporaryName(file);
    try {
      makePrivateFolder(folder);
      await nodeFiles.write(temporary, Buffer.from(JSON.stringify(intent)));
      await nodeFiles.rename(temporary, file);
      (await index)?.enter(intent);
    } catch (cause) {
      const { reason, remedy = "Find out what is wrong with it" } = refusalOf(cause);
      throw new ConfigurationError(
        `the note about an object that is about to be created cannot be written to ${folder}: ${reason}`,
        {
          advice: `Without it, a crash could orphan the object. ${remedy}, or set \`modelplatform:intents\` or MODELPLATFORM_INTENTS to a folder that can be written.`,
          cause,
        },
      );
    }
  }

  async function withdraw(origin: string, account: string, urn: string): Promise<void> {
    removeFile(fileOf(origin, account, urn));
    (await index)?.forget({ origin, account, urn });
  }

  const settle: Intents["settle"] = async (origin, account, urn, object) => {
    const intent = await find(origin, account, urn);
    if (!intent || intent.settled) return undefined;
    if (intent.name !== undefined && intent.name !== object.name) return intent.name;
    await put({ ...intent, ...object, settled: true });
    return undefined;
  };

  const indexed = (): Promise<NoteIndex> => (index ??= intentsIn(folder).then((intents) => new NoteIndex(intents)));

  const naming = async (origin: string, account: string, subject: string): Promise<Intent[]> =>
    (await indexed()).naming(subject).filter((intent) => intent.origin === origin && intent.account === account);

  return { find, write, withdraw, settle, naming };
}

/** Notes by the name and the natural key of their object, then by whose they are. */
class NoteIndex {
  private readonly bySubject = new Map<string, Map<string, Intent>>();
  private readonly byOwner = new Map<string, Intent>();

  constructor(intents: readonly Intent[]) {
    for (const intent of intents) this.enter(intent);
  }

  naming(subject: string): Intent[] {
    return [...(this.bySubject.get(subject)?.values() ?? [])];
  }

  enter(intent: Intent): void {
    this.forget(intent);
    this.byOwner.set(ownerOf(intent), intent);
    for (const subject of subjectsOf(intent)) {
      const notes = this.bySubject.get(subject) ?? new Map<string, Intent>();
      this.bySubject.set(subject, notes.set(ownerOf(intent), intent));
    }
  }

  forget(owner: Owner): void {
    const known = this.byOwner.get(ownerOf(owner));
    for (const subject of known ? subjectsOf(known) : []) this.bySubject.get(subject)?.delete(ownerOf(owner));
    this.byOwner.delete(ownerOf(owner));
  }
}

const subjectsOf = ({ name, keyDigest }: Intent): string[] =>
  [name, keyDigest].filter((subject) => subject !== undefined);

type Owner = Pick<Intent, "origin" | "account" | "urn">;

const ownerOf = ({ origin, account, urn }: Owner): string => JSON.stringify([origin, account, urn]);
