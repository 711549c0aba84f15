import { closeSync, fstatSync, ftruncateSync, openSync, readSync, rmSync, statSync, writeSync } from "node:fs";
import { ConfigurationError, messageOf } from "../core/errors";
import type { TraceEntry } from "./trace";

const creator = { name: "pulumi-modelplatform", version: "1" };
const head = `{"log":{"version":"1.2","creator":${JSON.stringify(creator)},"entries":[\n`;
const tail = "\n]}}\n";
/** A lock this old, in milliseconds, is left from a process that was killed while it wrote. */
const stale = 2000;
const pause = new Int32Array(new SharedArrayBuffer(4));

/**
 * Appends entries to an HTTP archive that is whole after each of them, so that it can be opened whatever happens to the
 * process. Several processes may write to one file: each entry is written under a lock.
 */
export function traceFile(path: string, complain: (text: string) => void): (entry: TraceEntry) => void {
  change(path);
  let broken = false;
  return (entry) => {
    if (broken) return;
    try {
      change(path, JSON.stringify(entry));
    } catch (error) {
      // The request has been sent: its answer matters more than its trace.
      broken = true;
      complain(messageOf(error));
    }
  };
}

/** Adds an entry, or, without one, sees to it that entries can be added. */
function change(path: string, entry?: string): void {
  const lock = locked(path);
  try {
    append(path, entry);
  } finally {
    closeSync(lock);
    rmSync(`${path}.lock`, { force: true });
  }
}

function append(path: string, text: string | undefined): void {
  const file = opened(path);
  try {
    const { size } = fstatSync(file);
    if (size === 0) return void writeSync(file, head + (text ?? "") + tail, 0);
    const end = Buffer.alloc(tail.length);
    readSync(file, end, 0, tail.length, Math.max(0, size - tail.length));
    if (end.toString() !== tail)
      throw new ConfigurationError(`${path} is there already and is not a trace of requests`, {
        advice: "Name another file in `MODELPLATFORM_TRACE` or `--trace`, or remove this one.",
      });
    if (text === undefined) return;
    const comma = size === head.length + tail.length ? "" : ",\n";
    ftruncateSync(file, size - tail.length);
    writeSync(file, comma + text + tail, size - tail.length);
  } finally {
    closeSync(file);
  }
}

/** Readable by nobody else: it tells what an account has. */
function opened(path: string): number {
  try {
    closeSync(openSync(path, "a", 0o600));
    return openSync(path, "r+");
  } catch (error) {
    throw unwritable(path, error);
  }
}

function locked(path: string): number {
  for (;;) {
    try {
      return openSync(`${path}.lock`, "wx", 0o600);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw unwritable(path, error);
      const since = statSync(`${path}.lock`, { throwIfNoEntry: false })?.mtimeMs;
      if (since !== undefined && Date.now() - since > stale) rmSync(`${path}.lock`, { force: true });
      Atomics.wait(pause, 0, 0, 5);
    }
  }
}

const unwritable = (path: string, error: unknown): ConfigurationError =>
  new ConfigurationError(`the trace of requests cannot be written to ${path}: ${messageOf(error)}`, {
    advice: "Name a file in a folder that can be written in `MODELPLATFORM_TRACE` or `--trace`.",
  });
