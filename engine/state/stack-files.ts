import { basename, dirname, join } from "node:path";
import { type FileSystem, removeLeftovers, replaceDurably } from "../../io/files/durable";
import { leadsOut } from "../../io/files/folders";
import { ceilings, UnreadableFileError } from "../../io/files/read";
import { objectText } from "../../io/text/canonical-json";
import { type Compression, pack, parsePacked, readCheckpoint, writeCheckpoint } from "./checkpoint";
import type { ConfigObject } from "./config-value";
import type { Purpose } from "./deployment";
import { asidePath, parseAside, type Renamed, type StackLayout } from "./layout";
import type { Snapshot } from "./resource-state";
import { assertRecord, DamagedStateError } from "./shapes";

/** One finished operation in the history of a stack. Times are in seconds since 1970, as in Pulumi's file. */
export interface UpdateRecord {
  kind: "update" | "refresh" | "destroy" | "import" | "resource-import";
  startTime: number;
  endTime: number;
  message: string;
  environment: { [key: string]: string };
  /** The stack's config, secrets as `{ "secure": "<ciphertext>" }`. */
  config: ConfigObject;
  result: "succeeded" | "failed";
  /** Counts by Pulumi's step names: `create`, `update`, `same`, `delete`, `replace`, … */
  resourceChanges: { [step: string]: number };
}

interface StateFile {
  path: string;
  compression: Compression;
}

const compressions: readonly Compression[] = ["", ".gz", ".zst"];

interface StackFilesOptions {
  project: string;
  name: string;
  layout: StackLayout;
  files: FileSystem;
  clock: () => Date;
  /** Rejects when the lock is lost: called right before the state is replaced. */
  confirm?: (() => Promise<void>) | undefined;
}

/** The files of one stack. Writers MUST hold its lock. */
export class StackFiles {
  /** Path of the state, cached: nobody moves it under the lock. Likewise the tidied file. */
  private current: StateFile | undefined;
  private tidied: string | undefined;
  /** The buffer of the last save, reused: a new one for each would burden the garbage collector. */
  private room: Buffer | undefined;

  readonly project: string;
  readonly name: string;
  private readonly layout: StackLayout;
  private readonly files: FileSystem;
  private readonly clock: () => Date;
  private readonly confirm: (() => Promise<void>) | undefined;

  constructor({ project, name, layout, files, clock, confirm }: StackFilesOptions) {
    this.project = project;
    this.name = name;
    this.layout = layout;
    this.files = files;
    this.clock = clock;
    this.confirm = confirm;
  }

  /**
   * Absolute path of the state file: the newest of several, as in the CLI. If the stack has none, the path that a save
   * would write.
   */
  async path(): Promise<string> {
    return (await this.find())?.path ?? `${this.layout.base}.json`;
  }

  async exists(): Promise<boolean> {
    return (await this.find()) !== undefined;
  }

  /** The state, secrets as ciphertext (`decryptSnapshot` opens them). Undefined when the stack does not exist. */
  async load(purpose?: Purpose): Promise<Snapshot | undefined> {
    this.current = await this.find();
    if (this.current === undefined) return undefined;
    return this.readState(this.current.path, purpose);
  }

  /**
   * The state, only to inspect it, if its text holds a member with one of the values, such as an `id`; what is packed
   * is not searched.
   */
  async loadIfNamed(member: string, values: ReadonlySet<string>): Promise<Snapshot | undefined> {
    const file = await this.find();
    if (file === undefined) return undefined;
    if (file.compression === "" && !holdsMember((await this.bytesOf(file.path)).toString("utf8"), member, values))
      return undefined;
    return this.readState(file.path, "inspect");
  }

  /** Of a state that is among the project's: whoever can create a link would choose which file is displayed. */
  private async bytesOf(path: string): Promise<Buffer> {
    const { stacks } = this.layout;
    if (leadsOut(path, stacks))
      throw new UnreadableFileError(
        path,
        `is a symbolic link that leads out of ${stacks}`,
        "Put the file in its place",
      );
    return this.files.read(path);
  }

  private async readState(path: string, purpose?: Purpose): Promise<Snapshot> {
    const bytes = await this.bytesOf(path);
    try {
      return readCheckpoint(bytes, purpose);
    } catch (cause) {
      if (!(cause instanceof DamagedStateError)) throw cause;
      throw new DamagedStateError(cause.why, path, await this.restoring(path), { cause });
    }
  }

  /** The state that a rename has put aside, if there is one: the stack does not have it any more. */
  async aside(): Promise<(Renamed & { path: string }) | undefined> {
    const found = (await this.files.list(this.layout.stacks)).flatMap(({ name }) => parseAside(name) ?? []);
    const own = found.find(({ from }) => from === this.name);
    return own && { path: asidePath(join(this.layout.stacks, own.state), own), to: own.to, project: own.project };
  }

  /** Renames the state so that it says which stack it becomes. */
  async putAside(to: Renamed): Promise<void> {
    const state = await this.find();
    if (state === undefined) return;
    await this.confirm?.();
    await this.files.rename(state.path, asidePath(state.path, to));
    await this.files.syncFolder(this.layout.stacks);
    this.current = undefined;
  }

  /** What was put aside is the stack's state again, or the `.bak` of a stack that is gone. */
  async endAside({ path, ...to }: Renamed & { path: string }, as: "state" | "backup"): Promise<void> {
    const state = path.slice(0, -asidePath("", to).length);
    await this.files.rename(path, as === "state" ? state : `${state}.bak`);
    await this.files.syncFolder(this.layout.stacks);
  }

  /** What was put aside. */
  async loadAside(purpose?: Purpose): Promise<Snapshot | undefined> {
    const aside = await this.aside();
    return aside && this.readState(aside.path, purpose);
  }

  /** How to restore an earlier state, if there is one: the previous one, else the newest copy. */
  private async restoring(path: string): Promise<string> {
    const findIn = async (folder: string, isMatch: (name: string) => boolean): Promise<string | undefined> => {
      const matching = (await this.files.list(folder)).filter(({ name, isFolder }) => !isFolder && isMatch(name));
      const newest = matching.sort((a, b) => b.modified - a.modified)[0];
      return newest && join(folder, newest.name);
    };
    const earlier =
      (await findIn(this.layout.stacks, (name) => name === `${basename(path)}.bak`)) ??
      (await findIn(this.layout.backups, (name) => /\.json(\.gz|\.zst)?$/.test(name)));
    return earlier === undefined
      ? " No earlier state of the stack is kept here: restore the file from a copy of your own."
      : ` An earlier state is ${earlier}: copy it to ${path}, and run \`refresh\`.`;
  }

  /**
   * Writes the whole snapshot durably, secrets as ciphertext (`encryptSnapshot` seals them), and
   * keeps the file before it as `.bak`. A resource is a value: one that was saved is frozen, for its
   * text is reused; a change MUST be a new object.
   */
  async save(snapshot: Snapshot): Promise<void> {
    const { room } = this;
    this.room = undefined;
    const text = writeCheckpoint(snapshot, this.layout.fullName, room);
    const before = (this.current ??= await this.find());
    if (before === undefined) await this.files.makeFolder(this.layout.stacks);
    const { bytes, compression } = pack(text, before?.compression ?? "");
    const path = `${this.layout.base}.json${compression}`;
    assertReadableAgain(path, text.length);
    await replaceDurably(this.files, path, bytes, { backup: `${path}.bak`, confirm: this.confirm });
    this.room = Buffer.from(text.buffer);
    this.current = { path, compression };
    await this.tidy(path);
    if (before !== undefined && before.path !== path) await this.archive(before.path);
  }

  /**
   * Adds the finished operation to the history and keeps copies of the state with it and in `backups`, as the CLI does.
   */
  async record(update: UpdateRecord): Promise<void> {
    const { path, compression } = (await this.find()) ?? { path: undefined, compression: "" };
    const nanoseconds = await this.unusedTime();
    const prefix = join(this.layout.history, `${this.name}-${nanoseconds}`);
    await this.write(`${prefix}.history.json`, Buffer.from(recordText(update)));
    if (path === undefined) return;
    const state = await this.files.read(path);
    await this.write(`${prefix}.checkpoint.json${compression}`, state);
    await this.write(join(this.layout.backups, `${this.name}.${nanoseconds}.json${compression}`), state);
  }

  /** The newest first. */
  async history(): Promise<UpdateRecord[]> {
    const names = (await this.files.list(this.layout.history))
      .map(({ name }) => name)
      .filter((name) => /\.history\.json(\.gz|\.zst)?$/.test(name));
    const newestFirst = names.sort((a, b) => (timeIn(a) < timeIn(b) ? 1 : -1));
    return Promise.all(
      newestFirst.map(async (name) => {
        const path = join(this.layout.history, name);
        return parseRecord(await this.files.read(path), path);
      }),
    );
  }

  /** Moves this stack's history to another stack. */
  async moveHistory(to: StackFiles): Promise<void> {
    const entries = await this.files.list(this.layout.history);
    const own = entries.filter(
      ({ name }) => name.startsWith(`${this.name}-`) && /^\d+\./.test(name.slice(this.name.length + 1)),
    );
    if (own.length > 0) await this.files.makeFolder(to.layout.history);
    for (const { name } of own) {
      const renamed = `${to.name}${name.slice(this.name.length)}`;
      await this.files.rename(join(this.layout.history, name), join(to.layout.history, renamed));
    }
  }

  /** Removes the state, of which `.bak` stays, and the history. */
  async remove(): Promise<void> {
    await this.confirm?.();
    for (let stateFile = await this.find(); stateFile !== undefined; stateFile = await this.find())
      await this.archive(stateFile.path);
    await this.files.remove(`${this.layout.base}.pulumi-tags`);
    await this.files.remove(`${this.layout.base}.pulumi-tags.attrs`);
    for (const { name } of await this.files.list(this.layout.history))
      await this.files.remove(join(this.layout.history, name));
    this.current = undefined;
  }

  /** Checks only the stack's own files: a folder may hold thousands of stacks. */
  private async find(): Promise<StateFile | undefined> {
    const candidates = await Promise.all(
      compressions.map(async (compression) => {
        const path = `${this.layout.base}.json${compression}`;
        return { path, compression, modified: await this.files.modified(path) };
      }),
    );
    return candidates.reduce<(typeof candidates)[number] | undefined>(
      (best, file) => (file.modified === undefined || (best && best.modified! > file.modified) ? best : file),
      undefined,
    );
  }

  /** Renames a state file to its `.bak`: the stack no longer has it. */
  private async archive(path: string): Promise<void> {
    await this.files.rename(path, `${path}.bak`);
    this.tidied = undefined;
    await this.tidy(path);
    await this.files.syncFolder(this.layout.stacks);
  }

  /**
   * Removes the attributes that the CLI's storage library keeps of its own files, and leftovers of interrupted writes.
   */
  private async tidy(path: string): Promise<void> {
    if (this.tidied === path) return;
    await this.files.remove(`${path}.attrs`);
    await this.files.remove(`${path}.bak.attrs`);
    await removeLeftovers(this.files, [path, `${path}.bak`]);
    this.tidied = path;
  }

  private async write(path: string, bytes: Uint8Array): Promise<void> {
    await this.files.makeFolder(dirname(path));
    await replaceDurably(this.files, path, bytes);
  }

  /** The time in nanoseconds since 1970, moved past existing history entries. */
  private async unusedTime(): Promise<bigint> {
    const taken = new Set((await this.files.list(this.layout.history)).map(({ name }) => timeIn(name)));
    let time = BigInt(this.clock().getTime()) * 1_000_000n;
    while (taken.has(time)) time += 1n;
    return time;
  }
}

/** A state that no command reads would hold a stack for good; the one before it is whole, and has what was begun. */
function assertReadableAgain(path: string, size: number): void {
  if (size > ceilings.state)
    throw new Error(
      `${path} is not written: the state would have ${Math.ceil(size / 1024 / 1024)} MB, and more than ${ceilings.state / 1024 / 1024} MB are never read. Move resources to another stack with \`state move\`, or declare less.`,
    );
}

function holdsMember(text: string, member: string, values: ReadonlySet<string>): boolean {
  for (const [, value] of text.matchAll(new RegExp(`"${member}":\\s*("(?:[^"\\\\]|\\\\.)*")`, "g")))
    if (values.has(JSON.parse(value!))) return true;
  return false;
}

function timeIn(name: string): bigint {
  return BigInt(/-(\d+)\.(history|checkpoint)\.json/.exec(name)?.[1] ?? 0);
}

function recordText(update: UpdateRecord): string {
  const { kind, startTime, message, environment, config, result, endTime, resourceChanges } = update;
  return objectText(
    Object.entries({ kind, startTime, message, environment, config, version: 0, result, endTime, resourceChanges }),
  );
}

function parseRecord(bytes: Uint8Array, path: string): UpdateRecord {
  try {
    const record = parsePacked(bytes);
    assertRecord(record);
    return record as unknown as UpdateRecord;
  } catch (cause) {
    const why = cause instanceof DamagedStateError ? cause.why : messageOf(cause);
    throw new Error(
      `${path} cannot be read as a record of the history: ${why}. Move it away: the stack's state does not need it.`,
      { cause },
    );
  }
}

const messageOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause));
