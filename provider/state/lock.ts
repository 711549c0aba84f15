import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { hostname, userInfo } from "node:os";
import { dirname, join } from "node:path";
import { type FileSystem, nodeFiles, readIfThere } from "../files/durable";
import { codeOf, refused } from "../text/disk-error";
import type { StackLayout } from "./layout";

/** Who holds a lock, as the lock file says. */
export interface LockHolder {
  pid: number;
  username: string;
  hostname: string;
  /** When it was taken, RFC 3339. */
  timestamp: string;
}

/** This process, and what it knows of others. */
export interface LockSurroundings {
  files: FileSystem;
  clock: () => Date;
  holder: Omit<LockHolder, "timestamp">;
  /** When this process began, in milliseconds since 1970. */
  startedAt: number;
  /** Whether a process of this host runs. */
  isAlive: (pid: number) => boolean;
}

interface FoundLock {
  name: string;
  holder: LockHolder | undefined;
}

/** Names of the locks that this process holds. */
const held = new Set<string>();

/** Pulumi's own lock: one file per holder in the stack's lock folder. Whoever finds another holder's file backs off. */
export class StackLock {
  private readonly name = `${randomUUID()}.json`;
  private readonly around: LockSurroundings;

  constructor(
    private readonly layout: StackLayout,
    around: Partial<LockSurroundings> = {},
  ) {
    this.around = {
      files: nodeFiles,
      clock: () => new Date(),
      holder: thisProcess(),
      startedAt: startOfProcess(),
      isAlive,
      ...around,
    };
  }

  /**
   * Resolves with the holders of dead locks that it broke. Rejects when another
   * lock is there, or this one is held already.
   */
  async acquire(): Promise<LockHolder[]> {
    if (held.has(this.name)) throw new Error(`The stack ${this.layout.fullName} is already locked by this operation.`);
    const broken = await this.refuseOthers();
    await this.place();
    try {
      // Two processes may have seen no lock at the same time: then both see the other's here.
      return [...broken, ...(await this.refuseOthers())];
    } catch (error) {
      await this.release();
      throw error;
    }
  }

  /** A lock that is not held counts as released. */
  async release(): Promise<void> {
    await this.remove(this.name);
    held.delete(this.name);
  }

  /** `cancel`: removes every lock of the stack, this one as well, and says whose they were. */
  async breakAll(): Promise<LockHolder[]> {
    const locks = await this.find();
    for (const { name } of locks) await this.remove(name);
    held.delete(this.name);
    return locks.flatMap(({ holder }) => holder ?? []);
  }

  /** Who holds the stack, this process included; changes nothing. */
  async holders(): Promise<LockHolder[]> {
    const entries = await this.around.files.list(this.layout.locks);
    const holders = await Promise.all(
      entries
        .filter(({ name, isFolder }) => !isFolder && !name.endsWith(".attrs"))
        .map(({ name }) => this.holderOf(name)),
    );
    return holders.flatMap((holder) => (holder === undefined || holder === "gone" ? [] : [holder]));
  }

  private async place(): Promise<void> {
    const { files, holder, clock } = this.around;
    await files.makeFolder(this.layout.locks);
    // Written outside the folder first: a reader must never find half a lock.
    const temporary = join(dirname(this.layout.locks), `.${this.name}.tmp`);
    const lock = join(this.layout.locks, this.name);
    await files
      .write(temporary, Buffer.from(JSON.stringify({ ...holder, timestamp: clock().toISOString() })))
      .then(() => files.rename(temporary, lock))
      .catch(refused(lock, "written"));
    held.add(this.name);
  }

  private async refuseOthers(): Promise<LockHolder[]> {
    const others = (await this.find()).filter(({ name }) => name !== this.name);
    const living = others.filter((lock) => !this.isDead(lock));
    if (living.length > 0) throw new Error(refusal(this.layout, living));
    for (const { name } of others) await this.remove(name);
    return others.flatMap(({ holder }) => holder ?? []);
  }

  private isDead({ name, holder }: FoundLock): boolean {
    if (holder === undefined || holder.hostname !== this.around.holder.hostname) return false;
    if (holder.pid !== this.around.holder.pid) return !this.around.isAlive(holder.pid);
    // Process ids repeat, in containers at every start: a lock with our id may be from before we began.
    return !held.has(name) && Date.parse(holder.timestamp) < this.around.startedAt;
  }

  private async find(): Promise<FoundLock[]> {
    const { files } = this.around;
    const names = (await files.list(this.layout.locks)).filter(({ isFolder }) => !isFolder).map(({ name }) => name);
    for (const name of names.filter((name) => name.endsWith(".attrs") && !names.includes(withoutAttrs(name)))) {
      await files.remove(join(this.layout.locks, name));
    }
    const locks = names
      .filter((name) => !name.endsWith(".attrs"))
      .map(async (name) => ({ name, holder: await this.holderOf(name) }));
    return (await Promise.all(locks)).filter((lock): lock is FoundLock => lock.holder !== "gone");
  }

  private async holderOf(name: string): Promise<LockHolder | "gone" | undefined> {
    const bytes = await readIfThere(this.around.files, join(this.layout.locks, name));
    return bytes === undefined ? "gone" : parseHolder(bytes.toString("utf8"));
  }

  private async remove(name: string): Promise<void> {
    await this.around.files.remove(join(this.layout.locks, name));
    await this.around.files.remove(join(this.layout.locks, `${name}.attrs`));
  }
}

function refusal(layout: StackLayout, locks: FoundLock[]): string {
  const lines = locks.map(({ name, holder }) => {
    const file = join(layout.locks, name);
    return holder
      ? `  process ${holder.pid} of ${holder.username}@${holder.hostname}, since ${holder.timestamp} (${file})`
      : `  an unreadable lock (${file})`;
  });
  const end =
    "Wait until that has ended. If it has ended without releasing its lock, run `npx pulumi-modelplatform cancel` (or `pulumi cancel`) and try again.";
  return [`The stack ${layout.fullName} is locked by another operation:`, ...lines, end].join("\n");
}

function parseHolder(text: string): LockHolder | undefined {
  try {
    const { pid, username, hostname, timestamp }: { [key in keyof LockHolder]: unknown } = JSON.parse(text);
    if (typeof pid !== "number" || typeof hostname !== "string" || typeof timestamp !== "string") return undefined;
    return { pid, username: String(username), hostname, timestamp };
  } catch {
    return undefined;
  }
}

function thisProcess(): Omit<LockHolder, "timestamp"> {
  return { pid: process.pid, username: username(), hostname: hostname() };
}

function startOfProcess(): number {
  return Date.now() - process.uptime() * 1000;
}

function username(): string {
  try {
    return userInfo().username;
  } catch {
    // A container may run as a user that has no name.
    return String(process.getuid?.() ?? "unknown");
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return codeOf(error) !== "ESRCH";
  }
  return !isZombie(pid);
}

/**
 * Whether the process has ended and only its parent has not asked yet: in a
 * container that may last. Known on Linux only.
 */
function isZombie(pid: number): boolean {
  try {
    const status = readFileSync(`/proc/${pid}/stat`, "utf8");
    return status.slice(status.lastIndexOf(")") + 2).startsWith("Z");
  } catch {
    return false;
  }
}

function withoutAttrs(name: string): string {
  return name.slice(0, -".attrs".length);
}
