import { createHash } from "node:crypto";
import { closeSync, fstatSync, readdirSync, readFileSync, readSync, statSync, writeSync } from "node:fs";
import { join } from "node:path";
import { makePrivateFolder } from "../../../io/files/folder";
import { openPrivate } from "../../../io/files/open";
import { removeFile } from "../../../io/files/write";
import { DiskError, toDiskError } from "../../../io/text/disk-error";
import { z } from "../../core/zod";
import type { ClaimExchange, ClaimMessage } from "./claims";

/** One line of the file: what a URN claims, or is shown to have, and the process that says so. */
const Line = z.union([
  z.object({
    pid: z.number(),
    urn: z.string(),
    declared: z.array(z.string()),
    held: z.string().optional(),
    formers: z.array(z.object({ urn: z.string().optional(), name: z.string().optional() })).optional(),
  }),
  z.object({
    pid: z.number(),
    urn: z.string(),
    object: z.object({ name: z.string(), createTime: z.string().optional() }),
    how: z.enum(["shown", "read", "gone"]),
  }),
]);

interface ClaimsFileOptions {
  /** Folder of the runs of this user; made where it is missing. */
  folder: string;
  /** Tells runs apart: the same for every process that works for one engine at one service. */
  run: string;
  pid: number;
  /** Whether a process of this machine is running. */
  isRunning(pid: number): boolean;
  /** Milliseconds since 1970. */
  now(): number;
}

export interface SharedClaims extends ClaimExchange {
  /** The run is over. */
  remove(): void;
}

/**
 * A file of another run without a write for so long is removed if all its writers are gone.
 */
const quietMs = 10 * 60_000;

/**
 * Claims in one small file per run, which its processes append to. A line is one write at the end of the file, so that
 * lines of several processes never mix. Where the folder cannot be written, each process knows its own claims only.
 */
export function shareClaims(options: ClaimsFileOptions): SharedClaims {
  const { folder, run, pid, isRunning, now } = options;
  const path = join(folder, `${createHash("sha256").update(run).digest("hex").slice(0, 32)}.jsonl`);
  let file: number | undefined;
  let unusable = false;
  let position = 0;
  let rest = "";
  /** What this process's lines begin with. It knows what they say. */
  const own = `{"pid":${pid},`;

  function isAbandoned(path: string): boolean {
    const lines = claimsIn(readFileSync(path, "utf8").split("\n"));
    return lines.length > 0 && !lines.some((line) => isRunning(line.pid));
  }

  /** Addresses of engines are reused: a file of this name may belong to an earlier run. */
  function removeAbandoned(): void {
    for (const name of readdirSync(folder).filter((entry) => entry.endsWith(".jsonl"))) {
      const other = join(folder, name);
      try {
        const quiet = other === path || now() - statSync(other).mtimeMs > quietMs;
        if (quiet && isAbandoned(other)) removeFile(other);
      } catch {
        // Another process was first.
      }
    }
  }

  function opened(): number | undefined {
    if (file !== undefined || unusable) return file;
    try {
      makePrivateFolder(folder);
      removeAbandoned();
      file = openPrivate(path, "append");
      // Claims nothing: a file with a running writer is not taken for an earlier run's.
      append(file, { pid, urn: "", declared: [] });
    } catch (error) {
      if (error instanceof DiskError) throw error;
      unusable = true;
    }
    return file;
  }

  /** A run that has begun to share its claims MUST NOT continue without doing so. */
  function append(to: number, line: ClaimMessage & { pid: number }): void {
    try {
      writeSync(to, `${JSON.stringify(line)}\n`);
    } catch (cause) {
      throw toDiskError(path, "written", cause);
    }
  }

  function receive(): ClaimMessage[] {
    const from = opened();
    const unread = from === undefined ? 0 : fstatSync(from).size - position;
    if (from === undefined || unread === 0) return [];
    const text = Buffer.alloc(unread);
    position += readSync(from, text, 0, unread, position);
    rest += text.toString("utf8");
    const end = rest.lastIndexOf("\n") + 1;
    const lines = rest.slice(0, end).split("\n");
    rest = rest.slice(end);
    return claimsIn(lines.filter((line) => !line.startsWith(own)))
      .filter((line) => line.pid !== pid && line.urn !== "")
      .map(({ pid: _, ...claims }) => claims as ClaimMessage);
  }

  return {
    receive,
    publish(message) {
      const into = opened();
      if (into !== undefined) append(into, { pid, ...message });
    },
    remove() {
      const isOurs = file !== undefined;
      if (file !== undefined) closeSync(file);
      file = undefined;
      unusable = true;
      if (isOurs) removeFile(path);
    },
  };
}

/** Readable lines; others are skipped. */
function claimsIn(lines: readonly string[]): z.infer<typeof Line>[] {
  return lines.flatMap((line) => {
    try {
      const parsed = Line.safeParse(JSON.parse(line));
      return parsed.success ? [parsed.data] : [];
    } catch {
      return [];
    }
  });
}
