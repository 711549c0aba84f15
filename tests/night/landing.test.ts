import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { root } from "../rooms";
import { readRecord } from "./record";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "landing-"));
  // In place of npm: notes its arguments, and writes what the script's stage is to come to where it is asked to.
  const npm = `#!/usr/bin/env node
    const { appendFileSync, writeFileSync } = require("node:fs");
    const args = process.argv.slice(2);
    appendFileSync(${JSON.stringify(join(folder, "calls"))}, args.join(" ").replace(/=.*/, "=…") + "\\n");
    const { code, results } = require(${JSON.stringify(join(folder, "stages.json"))})[args[2]];
    const file = args.find((each) => each.startsWith("--outputFile=")).slice("--outputFile=".length);
    if (results) writeFileSync(file, JSON.stringify(results));
    process.exit(code);\n`;
  writeFileSync(join(folder, "npm"), npm, { mode: 0o755 });
});
afterEach(() => rmSync(folder, { recursive: true }));

const results = (passed: number, failed: number, pending: number) => ({
  ...{ numPassedTests: passed, numFailedTests: failed, numPendingTests: pending },
  ...{ numTodoTests: 0, numRuntimeErrorTestSuites: 0 },
});

function land(stages: object): { code: number | null; lines: string[]; calls: string[] } {
  writeFileSync(join(folder, "stages.json"), JSON.stringify(stages));
  const args = ["-r", "./tests/compiled.cjs", "tests/night/landing.ts"];
  const env = { ...process.env, PATH: [folder, process.env["PATH"]].join(delimiter) };
  const { status, stdout } = spawnSync(process.execPath, args, { cwd: root, env, encoding: "utf8" });
  const calls = readFileSync(join(folder, "calls"), "utf8").trim().split("\n");
  return { code: status, lines: stdout.trimEnd().split("\n"), calls };
}

const isClone = spawnSync("git", ["rev-parse", "HEAD"], { cwd: root }).status === 0;
const git = (...args: string[]): string => execFileSync("git", args, { cwd: root, encoding: "utf8" }).trim();

(isClone ? test : test.skip)("a landing runs the day and then its part, and counts both at its end", () => {
  const { parts } = readRecord();
  const number =
    git("rev-parse", "--is-shallow-repository") === "true"
      ? `0x${git("rev-parse", "HEAD")}`
      : git("rev-list", "--count", "HEAD");
  const part = `${(BigInt(number) % BigInt(parts)) + 1n}/${parts}`;
  const { code, lines, calls } = land({
    test: { code: 0, results: results(7, 0, 3) },
    "test:nightly": { code: 1, results: results(4, 1, 2) },
  });
  expect(calls).toEqual([
    "run --silent test -- --json --outputFile=…",
    `run --silent test:nightly -- --part ${part} -- --json --outputFile=…`,
  ]);
  expect(lines).toContain(`=== the night, part ${part}: 4 passed, 1 failed, 2 skipped ===`);
  expect([code, lines.at(-1)]).toEqual([1, "11 passed, 1 failed, 5 skipped"]);
});

test("a day that fails before its suites ends the landing, which still counts", () => {
  const { code, lines, calls } = land({ test: { code: 1 } });
  expect(calls).toHaveLength(1);
  expect(lines).toContain("=== npm test: 0 passed, 1 failed, 0 skipped ===");
  expect([code, lines.at(-1)]).toEqual([1, "0 passed, 1 failed, 0 skipped"]);
});
