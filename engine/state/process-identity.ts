import { readFileSync, readlinkSync } from "node:fs";
import { hostname, userInfo } from "node:os";
import { codeOf } from "../../io/text/disk-error";

/** What a process is beyond its id, which others on this kernel and on other machines have as well. */
export interface ProcessIdentity {
  /** The boot of the kernel, and the namespaces in which process ids and start times are counted. */
  kernel: string;
  /** When the process started, in ticks since that boot. */
  started: string;
}

/** Absent where the system does not tell: outside Linux, and where `/proc` shows the processes of another namespace. */
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
export function fateOf(pid: number, identity: ProcessIdentity | undefined): "runs" | "ended" | "unknown" {
  if (identity === undefined || thisProcess()?.kernel !== identity.kernel) return "unknown";
  if (!exists(pid)) return "ended";
  try {
    const { state, started } = statusOf(pid);
    // A zombie has ended, and only its parent has not asked yet: in a container that may last.
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

/** An older kernel lacks some kinds. */
function namespaceOf(kind: string): string {
  try {
    return readlinkSync(`/proc/self/ns/${kind}`);
  } catch {
    return "";
  }
}

/** What a lock file says of this process. */
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
