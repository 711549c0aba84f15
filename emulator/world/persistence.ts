import { existsSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { makePrivateFolder, syncFolder } from "../../io/files/folders";
import { type AppendHandle, openLog } from "../../io/files/line-files";
import { ceilings, readTextSync } from "../../io/files/read";
import { createFile, removeFile, replaceFile } from "../../io/files/write";
import type { StoredObject, World } from "../types";

/** Locks of this process. Another process that had the same id once does not hold one. */
const held = new Set<string>();

/**
 * Locks a folder for this process; the returned function releases it. A lock that a killed process left behind is taken
 * over.
 */
function lockFolder(folder: string): () => void {
  const path = resolve(folder, "emulator.lock");
  if (!tryClaim(path)) {
    const owner = ownerOf(path);
    if (owner !== undefined && (owner === process.pid ? held.has(path) : isAlive(owner)))
      throw new Error(
        `the data folder ${folder} is in use by process ${owner}; stop it, or remove ${path} if that process is not an emulator`,
      );
    removeFile(path);
    if (!tryClaim(path)) throw new Error(`the data folder ${folder} was taken by another process just now`);
  }
  held.add(path);
  let released = false;
  return () => {
    if (released) return;
    released = true;
    held.delete(path);
    removeFile(path);
  };
}

function tryClaim(path: string): boolean {
  try {
    createFile(path, String(process.pid), { durable: false });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

function ownerOf(path: string): number | undefined {
  try {
    const owner = Number(readTextSync(path, ceilings.settings));
    return Number.isInteger(owner) && owner > 0 ? owner : undefined;
  } catch {
    return undefined;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/**
 * One line of the log: the emulator's time, and the object that was put or the name of the one
 * removed; the time alone for a clock that was moved.
 */
type Line = { at: number; put?: StoredObject; removed?: string };

interface Base {
  version: 1;
  /** The log that continues from here is `changes-<generation>.jsonl`. */
  generation: number;
  world: unknown;
}

export interface Persistence {
  /** Whether the folder held a world, which is now the world's content. */
  readonly restored: boolean;
  /** Resolves once every change so far is on the disk; undefined where there was none since the last time. */
  sync(): Promise<void> | undefined;
  /** Writes the time with the next sync, for a clock that was moved. */
  touch(): void;
  /** Writes what is left and releases the folder. */
  close(): Promise<void>;
}

interface PersistenceOptions {
  /** Length of the log, in bytes, from which on a new base is written. Default: 8 MiB. */
  compactAt?: number;
}

const baseName = "world.json";
const logName = (generation: number): string => `changes-${generation}.jsonl`;

/**
 * Keeps a world in a folder: a base, and a log of what has changed since. What the folder holds is put
 * into the world first. Only one process may have the folder open. Files are readable by their owner
 * alone, because they hold keys and credentials.
 */
export function openPersistence(folder: string, world: World, options: PersistenceOptions = {}): Persistence {
  makePrivateFolder(folder);
  const unlock = lockFolder(folder);
  try {
    return new DataFolder({ folder, world, unlock, compactAt: options.compactAt ?? 8 * 1024 * 1024 });
  } catch (error) {
    unlock();
    throw error;
  }
}

/** Restores the folder's world, if it holds one, and gives the generation it was in. */
function load(folder: string, world: World): number | undefined {
  const path = join(folder, baseName);
  if (!existsSync(path)) return undefined;
  const base = parseLine<Base>(readTextSync(path, ceilings.state), path);
  if (base.version !== 1)
    throw new Error(
      `${path} has format ${String(base.version)}, which this release does not read; move the folder away to start over`,
    );
  if (!Number.isSafeInteger(base.generation) || base.generation < 0)
    throw new Error(
      `${path} is damaged (its generation is not a number); restore it from a copy, or move the folder away`,
    );
  world.restore(base.world);
  for (const line of linesOf(join(folder, logName(base.generation)))) {
    if (line.put) world.put(line.put);
    if (line.removed !== undefined) world.remove(line.removed);
    world.clock.resumeAt(line.at);
  }
  return base.generation;
}

/** The lines of a log. The last one may be torn: a crash cut it before its write was acknowledged. */
function linesOf(path: string): Line[] {
  if (!existsSync(path)) return [];
  const lines = readTextSync(path, ceilings.state).split("\n");
  lines.pop();
  return lines.map((line, index) => parseLine<Line>(line, `${path}, line ${index + 1}`));
}

function parseLine<T>(text: string, where: string): T {
  try {
    return JSON.parse(text) as T;
  } catch {
    // The parser's own words quote the line, which may hold keys.
    throw new Error(
      `${where} is damaged: it is not JSON. Restore it from a copy, or move the folder away to start over`,
    );
  }
}

interface LockedFolder {
  folder: string;
  world: World;
  compactAt: number;
  unlock: () => void;
}

class DataFolder implements Persistence {
  private readonly changed = new Set<string>();
  /** Something changed that the log has no line for: keys, settings, everything. */
  private needsBase = true;
  private touched = false;
  private log: AppendHandle | undefined;
  private logged = 0;
  private writing: Promise<void> | undefined;
  private waiting: Promise<void> | undefined;

  readonly restored: boolean;
  private readonly folder: string;
  private readonly world: World;
  private readonly compactAt: number;
  private readonly unlock: () => void;
  private generation: number;

  /** The folder is locked. */
  constructor({ folder, world, compactAt, unlock }: LockedFolder) {
    const generation = load(folder, world);
    this.folder = folder;
    this.world = world;
    this.compactAt = compactAt;
    this.unlock = unlock;
    this.restored = generation !== undefined;
    this.generation = generation ?? 0;
    this.writeBase();
    world.onChange((name) => {
      if (name === undefined) this.needsBase = true;
      else this.changed.add(name);
    });
  }

  /** Writers that come while one is writing share the next write. */
  sync(): Promise<void> | undefined {
    if (!this.needsBase && this.changed.size === 0 && !this.touched) return this.waiting ?? this.writing;
    this.waiting ??= (this.writing ?? Promise.resolve())
      .catch(() => undefined)
      .then(() => {
        this.waiting = undefined;
        this.writing = this.write().finally(() => {
          this.writing = undefined;
        });
        return this.writing;
      });
    return this.waiting;
  }

  touch(): void {
    this.touched = true;
  }

  async close(): Promise<void> {
    try {
      await this.sync();
    } finally {
      this.log?.close();
      this.unlock();
    }
  }

  private async write(): Promise<void> {
    if (this.needsBase || this.logged > this.compactAt) {
      this.log?.close();
      this.log = undefined;
      this.writeBase();
      return;
    }
    const text = this.takeLines();
    try {
      this.log ??= openLog(join(this.folder, logName(this.generation)));
      await this.log.append(text);
    } catch (error) {
      // What is on the disk now is not known; the next write begins a new log.
      this.needsBase = true;
      throw error;
    }
    this.logged += text.length;
  }

  private takeLines(): string {
    const at = this.world.clock.now();
    const names = [...this.changed];
    this.changed.clear();
    this.touched = false;
    const lines: Line[] = names.map((name) => {
      const object = this.world.get(name);
      return object ? { at, put: object } : { at, removed: name };
    });
    if (lines.length === 0) lines.push({ at });
    return lines.map((line) => `${JSON.stringify(line)}\n`).join("");
  }

  /** Replaces the base in one step and begins a log after it: a crash leaves the old pair or the new. */
  private writeBase(): void {
    this.needsBase = true;
    const next = this.generation + 1;
    const base: Base = { version: 1, generation: next, world: this.world.snapshot() };
    this.changed.clear();
    this.touched = false;
    const log = join(this.folder, logName(next));
    // A leftover of a crash before its base was written, or a planted link.
    removeFile(log);
    createFile(log, "");
    replaceFile(join(this.folder, baseName), JSON.stringify(base));
    syncFolder(this.folder);
    this.needsBase = false;
    this.generation = next;
    this.logged = 0;
    for (const name of readdirSync(this.folder))
      if (/^changes-\d+\.jsonl$/.test(name) && name !== logName(next)) removeFile(join(this.folder, name));
  }
}
