import { spawn } from "node:child_process";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { repository } from "../../../tests/e2e/engines";
import { processorOfChildren } from "../machine";
import type { Fleet } from "./fleet";

export interface Scanned {
  /** Of the processor, of the command alone. */
  processor: number;
  /** At its most; NaN where a signal has ended it. */
  megabytes: number;
  requests: number;
  /** Bytes that it has printed, and by which the history has grown. */
  printed: number;
  history: number;
  /** Seconds until the first account was read, and until the first finding was printed. */
  firstAccount: number;
  firstFinding: number;
}

/** Runs `drift` in a process of its own, which is ended once so many accounts are read. */
export async function runDrift(fleet: Fleet, args: readonly string[], cutAfter?: number): Promise<Scanned> {
  const profile = join(fleet.folder, "profile.jsonl");
  rmSync(profile, { force: true });
  fleet.requests.take();
  const before = fleet.bytesIn("history");
  const spent = processorOfChildren();
  const began = performance.now();
  const since = (): number => (performance.now() - began) / 1000;
  const watched = `--require=${join(__dirname, "..", "profile", "watch.cjs")}`;
  const child = spawn(process.execPath, [watched, join(repository, "dist/cli/main.js"), "drift", ...args], {
    cwd: fleet.folder,
    env: { ...fleet.env, PROFILE_FILE: profile },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const seen = { accounts: 0, printed: 0, firstAccount: Number.NaN, firstFinding: Number.NaN };
  const told: string[] = [];
  createInterface({ input: child.stderr }).on("line", (line) => {
    if (!/: read, /.test(line)) return void told.push(line);
    if (seen.accounts++ === 0) seen.firstAccount = since();
    if (seen.accounts === cutAfter) child.kill("SIGINT");
  });
  child.stdout.on("data", (data: Buffer) => {
    seen.printed += data.length;
  });
  createInterface({ input: child.stdout }).on("line", (line) => {
    if (line.startsWith('{"record":"finding"') && Number.isNaN(seen.firstFinding)) seen.firstFinding = since();
  });
  const exitCode = await new Promise<number | null>((done, failed) => child.once("close", done).once("error", failed));
  if (exitCode !== 2 && cutAfter === undefined) throw new Error(`drift ended with ${exitCode}: ${told.join("\n")}`);
  return {
    ...seen,
    processor: processorOfChildren() - spent,
    megabytes: peakIn(profile),
    requests: fleet.requests.take().requests,
    history: fleet.bytesIn("history") - before,
  };
}

/** What a process has left that came to its end by itself; one that a signal ends leaves nothing. */
function peakIn(profile: string): number {
  if (!existsSync(profile)) return Number.NaN;
  const { peak } = JSON.parse(readFileSync(profile, "utf8").trim()) as { peak: number };
  return peak / 1024;
}

/** The budget of the bench alone cuts a scan. */
const scanning = (fleet: Fleet): string[] => [
  ...["--backend", fleet.env["PULUMI_BACKEND_URL"]!],
  ...["--unmanaged", "--timeout", "1h"],
];

/** A night of one process. */
export const scanWhole = (fleet: Fleet): Promise<Scanned> =>
  runDrift(fleet, [...scanning(fleet), "--format", "ndjson", "--history", "history"]);

/** A scan that prints findings as they are found, which it cannot where a history dates them first, and that is cut. */
export const scanCut = (fleet: Fleet, after: number): Promise<Scanned> =>
  runDrift(fleet, [...scanning(fleet), "--format", "ndjson"], after);

/** A night in shards, one after the other, and merged: what all of it takes, and the memory of the largest process. */
export async function scanInShards(fleet: Fleet, count: number): Promise<Scanned> {
  const parts: Scanned[] = [];
  const reports = Array.from({ length: count }, (_, index) => `report-${index + 1}.json`);
  const report = (to: string): string[] => ["--run", "night", "--format", "json", "--output", to];
  for (const [index, name] of reports.entries())
    parts.push(await runDrift(fleet, [...scanning(fleet), "--shard", `${index + 1}/${count}`, ...report(name)]));
  parts.push(await runDrift(fleet, ["merge", ...reports, ...report("merged.json"), "--history", "history"]));
  const sum = (of: (part: Scanned) => number): number => parts.reduce((total, part) => total + of(part), 0);
  return {
    processor: sum(({ processor }) => processor),
    megabytes: Math.max(...parts.map(({ megabytes }) => megabytes)),
    requests: sum(({ requests }) => requests),
    printed: fleet.bytesIn("merged.json"),
    history: sum(({ history }) => history),
    firstAccount: Number.NaN,
    firstFinding: Number.NaN,
  };
}
