import { readlinkSync } from "node:fs";
import { codeOf } from "../../io/files/disk-error";
import { ceilings, readTextSync } from "../../io/files/read";

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
    const boot = readTextSync("/proc/sys/kernel/random/boot_id", ceilings.settings).trim();
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
  const line = readTextSync(`/proc/${pid}/stat`, ceilings.settings);
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
