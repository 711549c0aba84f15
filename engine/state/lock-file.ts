import { readFileSync, readlinkSync } from "node:fs";
import { hostname, userInfo } from "node:os";
import { join } from "node:path";
import { codeOf } from "../../io/text/disk-error";
import type { StackLayout } from "./layout";
import { isObject } from "./types";

/** Seconds between two renewals of a lock. */
export const heartbeat = 5;

/** A lock that does not change for this many heartbeats is abandoned. */
const heartbeatsOfLease = 6;
const longestHeartbeat = 60;

/** Who holds a lock, as the lock file says. */
export interface LockHolder {
  pid: number;
  username: string;
  hostname: string;
  /** When it was taken, RFC 3339. */
  timestamp: string;
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

export interface ExistingLock {
  name: string;
  text: string;
  holder: LockHolder | undefined;
}

/** Seconds without a change after which a lock is abandoned. */
export const leaseOf = ({ heartbeat }: Lease): number => heartbeat * heartbeatsOfLease;

/** Has the same length for every number of renewals, so that it can be overwritten in place. */
export function lockText(holder: LockHolder, renewals: number): string {
  const { lease, ...who } = holder;
  const renewed = String(renewals).padStart(12, "0");
  return JSON.stringify(lease === undefined ? who : { ...who, lease: { ...lease, renewed } });
}

/** Undefined if the text is not a lock. */
export function parseHolder(text: string): LockHolder | undefined {
  try {
    const { pid, username, hostname, timestamp, lease }: { [key in keyof LockHolder]: unknown } = JSON.parse(text);
    if (typeof pid !== "number" || typeof hostname !== "string" || typeof timestamp !== "string") return undefined;
    return { pid, username: String(username), hostname, timestamp, lease: isLease(lease) ? lease : undefined };
  } catch {
    return undefined;
  }
}

function isLease(value: unknown): value is Lease {
  if (!isObject(value)) return false;
  const { heartbeat, renewed, process } = value;
  const isUsual = typeof heartbeat === "number" && heartbeat >= 1 && heartbeat <= longestHeartbeat;
  return isUsual && typeof renewed === "string" && (process === undefined || isIdentity(process));
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

export function lockedMessage(layout: StackLayout, locks: ExistingLock[]): string {
  const end =
    "Wait until that has ended, or run `npx pulumi-modelplatform cancel` (or `pulumi cancel`) if it ended without releasing its lock.";
  return [`The stack ${layout.fullName} is locked by another operation:`, ...describe(layout, locks), end].join("\n");
}

export function waitingMessage(layout: StackLayout, locks: ExistingLock[], seconds: number): string {
  const begin = `The stack ${layout.fullName} is locked by an operation that may have ended. Waiting up to ${seconds} seconds for a sign of it:`;
  return [begin, ...describe(layout, locks)].join("\n");
}

function describe(layout: StackLayout, locks: ExistingLock[]): string[] {
  return locks.map(({ name, holder }) => {
    const file = join(layout.locks, name);
    return holder
      ? `  process ${holder.pid} of ${holder.username}@${holder.hostname}, since ${holder.timestamp} (${file})`
      : `  an unreadable lock (${file})`;
  });
}

/** Identifies a process beyond its id, which other kernels and later processes reuse. */
export interface ProcessIdentity {
  /** The boot of the kernel, and the namespaces in which process ids and start times are counted. */
  kernel: string;
  /** When the process started, in ticks since that boot. */
  started: string;
}

/** Undefined outside Linux, and where `/proc` shows another namespace. */
export function thisProcess(): ProcessIdentity | undefined {
  try {
    if (readlinkSync("/proc/self") !== String(process.pid)) return undefined;
    const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
    const kernel = [boot, ...["pid", "time"].map(namespaceOf)].join(" ");
    return { kernel, started: statusOf(process.pid).started };
  } catch {
    return undefined;
  }
}

/** Whether a process still runs. "unknown" unless it and this one count processes in the same namespace. */
export function processStatus(pid: number, identity: ProcessIdentity | undefined): "runs" | "ended" | "unknown" {
  if (identity === undefined || thisProcess()?.kernel !== identity.kernel) return "unknown";
  if (!exists(pid)) return "ended";
  try {
    const { state, started } = statusOf(pid);
    // A zombie has ended; in a container, it may be long until its parent reaps it.
    return state === "Z" || started !== identity.started ? "ended" : "runs";
  } catch {
    return "unknown";
  }
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) !== "ESRCH";
  }
}

/** Fields 3 and 22 of the process's line; field 2, its name, may hold anything. */
function statusOf(pid: number): { state: string; started: string } {
  const line = readFileSync(`/proc/${pid}/stat`, "utf8");
  const fields = line.slice(line.lastIndexOf(")") + 2).split(" ");
  return { state: fields[0]!, started: fields[19]! };
}

/** Older kernels lack some namespaces. */
function namespaceOf(kind: string): string {
  try {
    return readlinkSync(`/proc/self/ns/${kind}`);
  } catch {
    return "";
  }
}

/** This process, as a lock file names it. */
export function thisUser(): { pid: number; username: string; hostname: string } {
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
