import { randomUUID } from "node:crypto";
import { hostname, userInfo } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { codeOf, throwDiskError } from "../../io/files/disk-error";
import { type FileSystem, nodeFiles, readIfExists } from "../../io/files/durable";
import type { StackLayout } from "./layout";
import { type ProcessIdentity, processStatus, thisProcess } from "./process-identity";
import { isObject } from "./resource-state";
import { CutOffError, describeUndertaking, isSameUndertaking, readUndertaking, type Undertaking } from "./undertaking";

/** Seconds between two renewals of a lock. */
export const heartbeat = 5;

/** A lock that does not change for this many heartbeats is abandoned. */
const heartbeatsOfLease = 6;
const maxHeartbeat = 60;

/** The holder of a lock, from the lock file. */
export interface LockHolder {
  pid: number;
  username: string;
  hostname: string;
  /** When it was taken, RFC 3339. */
  timestamp: string;
  /** What it is for, where that changes more than one file. */
  undertaking?: Undertaking | undefined;
  /** Absent in locks of the Pulumi CLI, which are not renewed. */
  lease?: Lease | undefined;
}

interface Lease {
  /** Seconds between two renewals. */
  heartbeat: number;
  /** Digits that each renewal changes. */
  renewed: string;
  process?: ProcessIdentity | undefined;
}

interface ExistingLock {
  name: string;
  text: string;
  holder: LockHolder | undefined;
}

interface AbandonedLock extends ExistingLock {
  broken: BrokenLock | undefined;
}

const isContinued = (holder: LockHolder | undefined, { undertaking }: Acquisition): boolean =>
  holder?.undertaking !== undefined && isSameUndertaking(holder.undertaking, undertaking);

/** Access to files, time and processes. */
export interface LockDeps {
  files: FileSystem;
  clock: () => Date;
  holder: Pick<LockHolder, "pid" | "username" | "hostname">;
  /** Undefined where the system does not provide it. */
  identity: ProcessIdentity | undefined;
  fateOf: (pid: number, identity: ProcessIdentity | undefined) => "runs" | "ended" | "unknown";
  /** Calls back every `ms` milliseconds until the returned function is called. */
  every: (ms: number, callback: () => Promise<void>) => () => void;
  /** Rejects when the signal is aborted. */
  pause: (ms: number, signal: AbortSignal | undefined) => Promise<void>;
  /** Whether the files are as neither the begin nor the end of it leaves them. */
  isUnfinished: (undertaking: Undertaking) => Promise<boolean>;
}

/** A lock that was broken to acquire this one, and why. */
export interface BrokenLock extends LockHolder {
  because: "it has ended" | "it has not renewed its lock";
}

export interface Acquisition {
  /** Noted in the lock. The same one continues what was cut off; for any other, `acquire` rejects. */
  undertaking?: Undertaking | undefined;
  /** Ends the wait for a possibly abandoned lock; `acquire` then rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
  /** Called when such a wait begins. */
  onWait?: (message: string) => void;
  /** Called when another operation has removed the lock: this one MUST stop. */
  onLost?: (error: LockLostError) => void;
}

interface HeldLock {
  holder: LockHolder;
  renewals: number;
  endRenewals: () => void;
  onLost: Acquisition["onLost"];
}

/** Locks that this process is writing, by place: others do not see their files yet. */
const taking = new Map<string, ExistingLock>();

/** Milliseconds between two polls of a possibly abandoned lock. */
const pollInterval = 1000;

/**
 * Pulumi's lock: one file per holder in the stack's lock folder. A process that finds another holder's file backs off.
 * The holder renews its file while it works. Others remove it once its process has ended, or once it has not changed
 * for so many polls that it is abandoned. Clocks are never compared. Locks of the Pulumi CLI are not renewed, and never
 * removed.
 */
export class StackLock {
  private readonly name = `${randomUUID()}.json`;
  private readonly deps: LockDeps;
  private held: HeldLock | undefined;

  constructor(
    private readonly layout: StackLayout,
    deps: Partial<LockDeps> = {},
  ) {
    const defaults = { files: nodeFiles, clock: () => new Date(), holder: thisUser(), identity: thisProcess() };
    const isUnfinished = () => Promise.resolve(false);
    this.deps = { ...defaults, fateOf: processStatus, every, pause: pauseFor, isUnfinished, ...deps };
  }

  /**
   * Resolves with the locks it broke. Rejects if another operation works on the stack, or this lock is held already.
   */
  async acquire(acquisition: Acquisition = {}): Promise<BrokenLock[]> {
    if (this.held) throw new Error(`The stack ${this.layout.fullName} is already locked by this operation.`);
    const abandoned = await this.findAbandoned(acquisition);
    // What was cut off is noted at every moment: its lock goes once the one that continues it is there.
    const continued = abandoned.filter(({ holder }) => isContinued(holder, acquisition));
    await this.removeAll(abandoned.filter((lock) => !continued.includes(lock)));
    await this.takeAlone(acquisition, continued);
    await this.removeAll(continued);
    return abandoned.flatMap(({ broken }) => broken ?? []);
  }

  /** Of operations of this process that find no lock at the same time, the first one takes it. */
  private async takeAlone(acquisition: Acquisition, continued: readonly ExistingLock[]): Promise<void> {
    const { holder, clock } = this.deps;
    const place = `${holder.hostname} ${holder.pid} ${this.layout.locks}`;
    const rival = taking.get(place);
    if (rival !== undefined) throw new Error(lockedMessage(this.layout, [rival]));
    const own = { ...holder, timestamp: clock().toISOString() };
    taking.set(place, { name: this.name, text: "", holder: own });
    try {
      await this.take(acquisition);
      // Two processes may have seen no lock at the same time: then both see the other's here.
      const others = (await this.otherLocks()).filter(({ name }) => !continued.some((lock) => lock.name === name));
      if (others.length > 0) throw new Error(lockedMessage(this.layout, others));
    } catch (error) {
      await this.release();
      throw error;
    } finally {
      taking.delete(place);
    }
  }

  /** Renews the lock; rejects with `LockLost` if it was removed. Call it right before writing the state. */
  async confirm(): Promise<void> {
    const { held } = this;
    const lost = new LockLostError(this.layout.fullName);
    if (held === undefined) throw lost;
    held.renewals += 1;
    const text = lockText(held.holder, held.renewals);
    try {
      await this.deps.files.overwrite(this.path(this.name), Buffer.from(text));
    } catch (error) {
      if (codeOf(error) !== "ENOENT") throw error;
      if (held === this.held) this.handleLoss(lost);
      throw lost;
    }
  }

  /** A lock that is not held counts as released. */
  async release(): Promise<void> {
    this.held?.endRenewals();
    this.held = undefined;
    await this.remove(this.name);
  }

  /** `cancel`: removes every lock of the stack, including this one, and returns their holders. */
  async breakAll(): Promise<LockHolder[]> {
    const locks = await this.find();
    for (const { name } of locks) await this.remove(name);
    return locks.flatMap(({ holder }) => holder ?? []);
  }

  /** The holders of the stack, this process included, and whether they still run. Changes nothing. */
  async holders(): Promise<(LockHolder & { fate: "runs" | "ended" | "unknown" })[]> {
    const locks = await this.read(await this.names());
    return locks.flatMap((lock) => (lock.holder ? [{ ...lock.holder, fate: this.fateOf(lock) }] : []));
  }

  private async take({ onLost, undertaking }: Acquisition): Promise<void> {
    const { files, holder: user, identity, clock, every } = this.deps;
    const lease = { heartbeat, renewed: "", process: identity };
    const holder = { ...user, timestamp: clock().toISOString(), undertaking, lease };
    await files.makeFolder(this.layout.locks);
    // Written outside the folder first: a reader must never find half a lock.
    const temporary = join(dirname(this.layout.locks), `.${this.name}.tmp`);
    const lock = this.path(this.name);
    await files
      .write(temporary, Buffer.from(lockText(holder, 0)))
      .then(() => files.rename(temporary, lock))
      .catch(throwDiskError(lock, "written"));
    // A failed renewal may succeed next time; `confirm` reports it where it matters.
    const endRenewals = every(heartbeat * 1000, () => this.confirm().catch(() => undefined));
    this.held = { holder, renewals: 0, endRenewals, onLost };
  }

  private handleLoss(error: LockLostError): void {
    this.held?.endRenewals();
    this.held?.onLost?.(error);
    this.held = undefined;
  }

  /** Rejects at once if a holder still runs, and for what another command has left half done. */
  private async findAbandoned({ signal, onWait, undertaking }: Acquisition): Promise<AbandonedLock[]> {
    const locks = await this.otherLocks();
    const silent = locks.filter((lock) => this.fateOf(lock) === "unknown");
    const living = locks.filter((lock) => this.fateOf(lock) === "runs");
    if (living.length > 0) throw new Error(lockedMessage(this.layout, living));
    if (silent.length > 0) await this.awaitAbandoned(silent, signal, onWait);
    for (const { holder } of locks) {
      const noted = holder?.undertaking;
      if (noted && !isSameUndertaking(noted, undertaking) && (await this.deps.isUnfinished(noted)))
        throw new CutOffError(this.layout.stack, noted);
    }
    return locks.map((lock) => {
      const because = silent.includes(lock) ? "it has not renewed its lock" : "it has ended";
      return { ...lock, broken: lock.holder && { ...lock.holder, because } };
    });
  }

  private async removeAll(locks: readonly ExistingLock[]): Promise<void> {
    for (const { name } of locks) await this.remove(name);
  }

  private fateOf({ holder }: ExistingLock): "runs" | "ended" | "unknown" {
    return holder?.lease === undefined ? "runs" : this.deps.fateOf(holder.pid, holder.lease.process);
  }

  /**
   * Resolves when all of these locks are abandoned or released. Counts polls, not seconds: a sleeping machine does not
   * poll.
   */
  private async awaitAbandoned(locks: ExistingLock[], signal: AbortSignal | undefined, onWait: Acquisition["onWait"]) {
    const seconds = Math.max(...locks.map(({ holder }) => leaseOf(holder!.lease!)));
    onWait?.(waitingMessage(this.layout, locks, seconds));
    for (let polls = 0; polls < (seconds * 1000) / pollInterval; polls += 1) {
      await this.deps.pause(pollInterval, signal);
      const current = await this.read(locks.map(({ name }) => name));
      if (current.length === 0) return;
      const renewed = current.filter(({ text }) => !locks.some((before) => before.text === text));
      if (renewed.length > 0) throw new Error(lockedMessage(this.layout, renewed));
    }
  }

  private async otherLocks(): Promise<ExistingLock[]> {
    return (await this.find()).filter(({ name }) => name !== this.name);
  }

  private async find(): Promise<ExistingLock[]> {
    const { files } = this.deps;
    const names = await this.names();
    for (const name of names.filter((name) => name.endsWith(".attrs") && !names.includes(withoutAttrs(name)))) {
      await files.remove(this.path(name));
    }
    return this.read(names);
  }

  private async names(): Promise<string[]> {
    const entries = await this.deps.files.list(this.layout.locks);
    return entries.filter(({ isFolder }) => !isFolder).map(({ name }) => name);
  }

  /** Reads those that still exist. Each poll opens the file again: network file systems cache closed ones. */
  private async read(names: readonly string[]): Promise<ExistingLock[]> {
    const locks = names
      .filter((name) => !name.endsWith(".attrs"))
      .map(async (name) => {
        const text = (await readIfExists(this.deps.files, this.path(name)))?.toString("utf8");
        return text === undefined ? [] : [{ name, text, holder: parseHolder(text) }];
      });
    return (await Promise.all(locks)).flat();
  }

  private path(name: string): string {
    return join(this.layout.locks, name);
  }

  private async remove(name: string): Promise<void> {
    await this.deps.files.remove(this.path(name));
    await this.deps.files.remove(this.path(`${name}.attrs`));
  }
}

/** Seconds without a change after which a lock is abandoned. */
const leaseOf = ({ heartbeat }: Lease): number => heartbeat * heartbeatsOfLease;

/** Has the same length for every number of renewals, so that it can be overwritten in place. */
function lockText(holder: LockHolder, renewals: number): string {
  const { lease, ...who } = holder;
  const renewed = String(renewals).padStart(12, "0");
  return JSON.stringify(lease === undefined ? who : { ...who, lease: { ...lease, renewed } });
}

function parseHolder(text: string): LockHolder | undefined {
  try {
    const { pid, username, hostname, timestamp, undertaking, lease }: { [key in keyof LockHolder]: unknown } =
      JSON.parse(text);
    if (typeof pid !== "number" || typeof hostname !== "string" || typeof timestamp !== "string") return undefined;
    const who = { pid, username: String(username), hostname, timestamp };
    return { ...who, undertaking: readUndertaking(undertaking), lease: isLease(lease) ? lease : undefined };
  } catch {
    return undefined;
  }
}

function isLease(value: unknown): value is Lease {
  if (!isObject(value)) return false;
  const { heartbeat, renewed, process } = value;
  const hasValidHeartbeat = typeof heartbeat === "number" && heartbeat >= 1 && heartbeat <= maxHeartbeat;
  return hasValidHeartbeat && typeof renewed === "string" && (process === undefined || isIdentity(process));
}

const isIdentity = (value: unknown): boolean =>
  isObject(value) && typeof value["kernel"] === "string" && typeof value["started"] === "string";

export class LockLostError extends Error {
  override readonly name = "LockLost";
  constructor(stack: string) {
    super(
      `The stack ${stack} is no longer locked by this operation: either \`cancel\` was run, or this process was stopped or suspended for so long that another operation took over; this operation stops, and does not write the state any more. Run \`up\` again: it finds what was created without being recorded.`,
    );
  }
}

function lockedMessage(layout: StackLayout, locks: ExistingLock[]): string {
  const end =
    "Wait until that has ended, or run `npx pulumi-modelplatform cancel` (or `pulumi cancel`) if it ended without releasing its lock.";
  return [`The stack ${layout.fullName} is locked by another operation:`, ...describe(layout, locks), end].join("\n");
}

function waitingMessage(layout: StackLayout, locks: ExistingLock[], seconds: number): string {
  const begin = `The stack ${layout.fullName} is locked by an operation that may have ended. Waiting up to ${seconds} seconds for a sign of it:`;
  return [begin, ...describe(layout, locks)].join("\n");
}

function describe(layout: StackLayout, locks: ExistingLock[]): string[] {
  return locks.map(({ name, holder }) => {
    const file = join(layout.locks, name);
    if (holder === undefined) return `  an unreadable lock (${file})`;
    const at = holder.undertaking === undefined ? "" : `, at ${describeUndertaking(holder.undertaking)}`;
    return `  process ${holder.pid} of ${holder.username}@${holder.hostname}, since ${holder.timestamp}${at} (${file})`;
  });
}

/** This process, as a lock file names it. */
function thisUser(): { pid: number; username: string; hostname: string } {
  return { pid: process.pid, username: username(), hostname: hostname() };
}

function username(): string {
  try {
    return userInfo().username;
  } catch {
    // A container may run as a user that has no name.
    return String(process.getuid?.() ?? "unknown");
  }
}

function every(ms: number, callback: () => Promise<void>): () => void {
  const timer = setInterval(callback, ms);
  timer.unref();
  return () => clearInterval(timer);
}

async function pauseFor(ms: number, signal: AbortSignal | undefined): Promise<void> {
  await pause(ms, undefined, signal && { signal }).catch(() => undefined);
  signal?.throwIfAborted();
}

function withoutAttrs(name: string): string {
  return name.slice(0, -".attrs".length);
}
