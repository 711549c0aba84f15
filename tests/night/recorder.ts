import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { root } from "../rooms";
import { type Recording, UsageError } from "./asked";
import type { Recorded } from "./plan";
import { readRecord, writeRecord } from "./record";
import { nightSuites } from "./suites";

/** Runs suites of the night alone, one after the other, and records the processor time that each takes. */
export function record({ record: wanted, share }: Recording): number {
  const suites = nightSuites();
  const unknown = wanted.filter((suite) => !suites.includes(suite));
  if (unknown.length > 0) throw new UsageError(`${unknown.join(", ")}: not a suite of the night.`);
  const { suites: before } = readRecord();
  let code = 0;
  for (const suite of wanted.length > 0 ? wanted : suites.filter((each) => before[each] === undefined)) {
    const { status, ...recorded } = run(suite, share);
    if (status !== 0) code = 1;
    console.log(
      `${suite}: ${recorded.tests} tests, ${recorded.seconds} s${status === 0 ? "" : ", failed: not recorded"}`,
    );
    if (status === 0) writeRecord(suites, { ...readRecord().suites, [suite]: recorded });
  }
  return code;
}

function run(suite: string, share: number): Recorded & { status: number } {
  const folder = mkdtempSync(join(tmpdir(), "night-"));
  try {
    const results = join(folder, "results.json");
    const jest = ["node_modules/jest/bin/jest.js", "--config", "tests/jest.nightly.cjs", "--maxWorkers=1"];
    const args = [...jest, "--json", `--outputFile=${results}`, "--runTestsByPath", suite];
    // The shell counts the time of all processes that it has waited for, and they of theirs.
    const script = '"$@" >"$0" 2>&1; code=$?; times; exit $code';
    const { status, stdout } = spawnSync("sh", ["-c", script, join(folder, "output"), process.execPath, ...args], {
      cwd: root,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "inherit"],
      env: { ...process.env, NIGHT_SHARES: JSON.stringify({ [suite]: { of: share, mine: [0] } }) },
    });
    if (status !== 0) console.error(readFileSync(join(folder, "output"), "utf8"));
    return { status: status ?? 1, seconds: share * secondsIn(stdout), tests: share * testsIn(results) };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** What `times` prints of the children: user and system time, as in `1m2.345s`. */
const secondsIn = (printed: string): number =>
  Math.ceil(
    [...(printed.trim().split("\n").at(-1) ?? "").matchAll(/(\d+)m([\d.]+)s/g)].reduce(
      (total, [, minutes, seconds]) => total + Number(minutes) * 60 + Number(seconds),
      0,
    ),
  );

const testsIn = (results: string): number =>
  (JSON.parse(readFileSync(results, "utf8")) as { numTotalTests: number }).numTotalTests;
