import { spawn } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { repository } from "../../../tests/e2e/engines";
import type { Fleet } from "./fleet";

export interface Scanned {
  /** Of the processor, of the scan alone. */
  processor: number;
  /** On the clock. */
  seconds: number;
  /** At its most. */
  megabytes: number;
  requests: number;
  accounts: number;
  findings: number;
  /** Seconds until the first account was read, and until the first finding was printed. */
  firstAccount: number;
  firstFinding: number;
  /** Null where it was cut. */
  exitCode: number | null;
}

/** Scans the fleet in a process of its own, which is ended once so many accounts are read. */
export async function scanFleet(fleet: Fleet, flags: readonly string[], cutAfter?: number): Promise<Scanned> {
  const profile = join(fleet.folder, "profile.jsonl");
  rmSync(profile, { force: true });
  fleet.requests.take();
  const began = performance.now();
  const since = (): number => (performance.now() - began) / 1000;
  const args = [
    `--require=${join(__dirname, "..", "profile", "watch.cjs")}`,
    join(repository, "dist/cli/main.js"),
    ...["drift", "--backend", fleet.env["PULUMI_BACKEND_URL"]!, "--unmanaged", "--format", "ndjson", ...flags],
  ];
  const child = spawn(process.execPath, args, {
    cwd: fleet.folder,
    env: { ...fleet.env, PROFILE_FILE: profile },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const seen = { accounts: 0, findings: 0, firstAccount: Number.NaN, firstFinding: Number.NaN };
  const told: string[] = [];
  createInterface({ input: child.stderr }).on("line", (line) => {
    if (!/: read, /.test(line)) return void told.push(line);
    if (seen.accounts++ === 0) seen.firstAccount = since();
    if (seen.accounts === cutAfter) child.kill("SIGINT");
  });
  createInterface({ input: child.stdout }).on("line", (line) => {
    if (line.startsWith('{"record":"finding"') && seen.findings++ === 0) seen.firstFinding = since();
  });
  const exitCode = await new Promise<number | null>((done, failed) => child.once("close", done).once("error", failed));
  if (exitCode !== 2 && cutAfter === undefined) throw new Error(`the scan ended with ${exitCode}: ${told.join("\n")}`);
  const { processor, peak } = JSON.parse(readFileSync(profile, "utf8").trim()) as { processor: number; peak: number };
  return {
    ...seen,
    processor: processor / 1e6,
    seconds: since(),
    megabytes: peak / 1024,
    requests: fleet.requests.take().requests,
    exitCode,
  };
}
