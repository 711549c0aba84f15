import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { root } from "../rooms";
import { unjudged } from "./counts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "landing-"));
  // In place of npm: notes its arguments, and writes what the script's stage is to come to where it is asked to.
  const npm = `#!/usr/bin/env node
    const { appendFileSync, writeFileSync } = require("node:fs");
    const args = process.argv.slice(2);
    appendFileSync(${JSON.stringify(join(folder, "calls"))}, args.join(" ").replace(/=\\S*/g, "=…") + "\\n");
    const { code, results } = require(${JSON.stringify(join(folder, "stages.json"))})[args[2]];
    const file = args.find((each) => each.startsWith("--outputFile=")).slice("--outputFile=".length);
    if (results) writeFileSync(file, JSON.stringify(results));
    process.exit(code);\n`;
  writeFileSync(join(folder, "npm"), npm, { mode: 0o755 });
});
afterEach(() => rmSync(folder, { recursive: true }));

const results = (passed: number, failed: number, pending: number) => ({
  ...{ numPassedTests: passed, numFailedTests: failed, numPendingTests: pending },
  ...{ numTodoTests: 0, numRuntimeErrorTestSuites: 0, testResults: [] },
});

function land(started: number, stages: object): { code: number | null; lines: string[]; calls: string[] } {
  writeFileSync(join(folder, "stages.json"), JSON.stringify(stages));
  const args = ["-r", "./tests/compiled.cjs", "tests/night/landing.ts", String(started)];
  const env = { ...process.env, PATH: [folder, process.env["PATH"]].join(delimiter) };
  const { status, stdout } = spawnSync(process.execPath, args, { cwd: root, env, encoding: "utf8" });
  const calls = readFileSync(join(folder, "calls"), "utf8").trim().split("\n");
  return { code: status, lines: stdout.trimEnd().split("\n"), calls };
}

const isClone = spawnSync("git", ["rev-parse", "HEAD"], { cwd: root }).status === 0;
const git = (...args: string[]): string => execFileSync("git", args, { cwd: root, encoding: "utf8" }).trim();

/** The part that the commit at hand begins with, and those that follow. */
function partsInOrder(): string[] {
  const number =
    git("rev-parse", "--is-shallow-repository") === "true"
      ? `0x${git("rev-parse", "HEAD")}`
      : git("rev-list", "--count", "HEAD");
  const first = Number(BigInt(number) % 8n);
  return Array.from({ length: 8 }, (_, index) => `${((first + index) % 8) + 1}/8`);
}

const now = Math.floor(Date.now() / 1000);
const anHour = 3600;

(isClone ? test : test.skip)("a landing runs the day and all parts, beginning with its own, and counts them", () => {
  const { code, lines, calls } = land(now, {
    test: { code: 0, results: results(7, 0, 3) },
    "test:nightly": { code: 1, results: results(4, 1, 2) },
  });
  const parts = partsInOrder();
  expect(calls[0]).toMatch(/^run --silent test -- (--testPathIgnorePatterns=… )?/);
  expect(calls.slice(1)).toEqual(
    parts.map((part) => `run --silent test:nightly -- --part ${part} -- --json --outputFile=…`),
  );
  expect(lines).toContain(`=== the night, part ${parts[0]}: 4 passed, 1 failed, 2 skipped ===`);
  expect([code, lines.at(-1)]).toEqual([1, "39 passed, 8 failed, 19 skipped"]);
});

(isClone ? test : test.skip)("a landing whose time is over runs its first part, and names those that ran", () => {
  const { code, lines, calls } = land(now - anHour, {
    test: { code: 0, results: results(7, 0, 3) },
    "test:nightly": { code: 0, results: results(4, 0, 2) },
  });
  const [first, ...rest] = partsInOrder().map((part) => part.split("/")[0]);
  expect(calls).toHaveLength(2);
  expect(lines).toContain(
    `=== of the night's 8 parts ran ${first}; not ${rest.join(", ")}: the time was over, which is no failure ===`,
  );
  expect([code, lines.at(-1)]).toEqual([0, "11 passed, 0 failed, 5 skipped"]);
});

test("a day that fails before its suites ends the landing, which still counts", () => {
  const { code, lines, calls } = land(now, { test: { code: 1 } });
  expect(calls).toHaveLength(1);
  expect(lines).toContain("=== npm test: 0 passed, 1 failed, 0 skipped ===");
  expect([code, lines.at(-1)]).toEqual([1, "0 passed, 1 failed, 0 skipped"]);
});

test("a suite that judged nothing is named with its reason, unless it is the night's", () => {
  const suite = (name: string, ...tests: [status: string, fullName: string][]) => ({
    ...{ name, assertionResults: tests.map(([status, fullName]) => ({ status, fullName })) },
  });
  const testResults = [
    suite("cli.test.ts", ["pending", "no `pulumi` on the PATH: up"], ["pending", "no `pulumi` on the PATH: destroy"]),
    suite("part.test.ts", ["pending", "no browser: a page"], ["passed", "a text"]),
    suite("night.test.ts", ["pending", "in the nightly run: it takes long up"]),
  ];
  expect(unjudged({ ...results(1, 0, 4), testResults }, "in the nightly run: ")).toEqual([
    { suite: "cli.test.ts", reason: "no `pulumi` on the PATH: up" },
  ]);
});
