import { isObject } from "./json-object";
import type { ProcessIdentity } from "./process-identity";

/** Seconds between two renewals of a lock. */
export const heartbeat = 5;
/** A lock that stays the same for so many heartbeats counts as given up. */
const heartbeatsOfLease = 6;
const longestHeartbeat = 60;

/** Who holds a lock, as the lock file says. */
export interface LockHolder {
  pid: number;
  username: string;
  hostname: string;
  /** When it was taken, RFC 3339. */
  timestamp: string;
  /** Absent in the locks of the Pulumi CLI, which nobody renews. */
  lease?: Lease | undefined;
}

interface Lease {
  /** Seconds between two renewals. */
  heartbeat: number;
  /** Digits that each renewal changes. */
  renewed: string;
  process?: ProcessIdentity | undefined;
}

export interface FoundLock {
  name: string;
  text: string;
  holder: LockHolder | undefined;
}

/** How long a lock has to stay the same until it counts as given up, in seconds. */
export const leaseOf = ({ heartbeat }: Lease): number => heartbeat * heartbeatsOfLease;

/** As long for each number of renewals, so that it can be overwritten in place. */
export function lockText(holder: LockHolder, renewals: number): string {
  const { lease, ...who } = holder;
  const renewed = String(renewals).padStart(12, "0");
  return JSON.stringify(lease === undefined ? who : { ...who, lease: { ...lease, renewed } });
}

/** Undefined for what is no lock. */
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
