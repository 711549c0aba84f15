import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { BenchRun } from "../../measure/bench/bench-run";
import { isBusy } from "../../measure/bench/machine";
import { around, findMarks } from "../../measure/bench/page";
import { repository } from "../e2e/engines";
import { temporaryFolder } from "../state/temporary-folder";

let said: string[];
beforeEach(() => {
  said = [];
  jest.spyOn(console, "log").mockImplementation((line: string) => void said.push(line));
  jest.spyOn(console, "error").mockImplementation(() => undefined);
});
afterEach(() => {
  jest.restoreAllMocks();
  process.exitCode = 0;
});

const place = { page: "docs/performance.md", marks: "floor" };

test("a run that is cut or fails names what did not run, and ends with 1", async () => {
  let now = 0;
  const run = new BenchRun("", 2, { now: () => now++ });
  expect(await run.part("first", async () => "done")).toBe("done");
  expect(await run.part("second", () => Promise.reject(new Error("`up` ended with 1")))).toBeUndefined();
  expect(await run.part("third", async () => "done")).toBeUndefined();
  run.end([{ ...place, text: "table" }]);
  expect(said).toEqual(["table", "Did not run: second: `up` ended with 1", "Did not run: third: no time was left"]);
  expect(process.exitCode).toBe(1);
});

test("a figure above its target ends a run with 1, and one that is none as well", () => {
  const run = new BenchRun("", Number.POSITIVE_INFINITY);
  run.hold("memory", 1.2, 1.5);
  run.end([]);
  expect(process.exitCode).not.toBe(1);
  run.hold("time", Number.NaN, 1.5);
  run.end([]);
  expect(said.at(-1)).toBe("Above its target: time: NaN times, at most 1.5");
  expect(process.exitCode).toBe(1);
});

test("a text stands between its marks, and a page without them is refused", () => {
  const content = "a\n<!-- x:begin -->\nold\n<!-- x:end -->\nb\n";
  expect(around(content, { page: "page.md", marks: "x" })).toEqual(["a\n<!-- x:begin -->\n", "<!-- x:end -->\nb\n"]);
  expect(() => around(content, { page: "page.md", marks: "y" })).toThrow("page.md has no `<!-- y:begin -->`");
});

test("a machine is busy from half a processor's load on", () => {
  expect([0.9, 1, 1.1].map((load) => isBusy(load, 2))).toEqual([false, false, true]);
});

/** Of each bench that fills a page: where, by its source. */
const benches = ["why", "peers", "floor", "growth", "first-preview", "requests", "many-accounts"];
const placesOf = (bench: string) =>
  [
    ...readFileSync(join(repository, "measure/bench", `${bench}.ts`), "utf8").matchAll(
      /\{ page: "([^"]+)", marks: "([^"]+)" \}/g,
    ),
  ].map(([, page, marks]) => ({ page: page!, marks: marks! }));

test.each(benches)("the page of `%s` has its marks", (bench) => {
  expect(placesOf(bench).length).toBeGreaterThan(0);
  for (const each of placesOf(bench)) expect(() => findMarks(each)).not.toThrow();
});

test("a bench without time ends with 1 and writes nothing, nor does the Pulumi CLI", () => {
  const before = readFileSync(join(repository, place.page), "utf8");
  const folder = temporaryFolder();
  const home = join(folder, "home");
  writeFileSync(join(folder, "pulumi"), '#!/bin/sh\nmkdir -p "$PULUMI_HOME/logs"\necho v3.250.0\n', { mode: 0o755 });
  const path = [folder, process.env["PATH"]].join(delimiter);
  const env = { ...process.env, BUDGET: "0", PATH: path, PULUMI_HOME: home };
  const ended = spawnSync(process.execPath, ["measure/bench/run.cjs", "floor"], {
    cwd: repository,
    env,
    encoding: "utf8",
  });
  expect(ended.stdout).toContain("Did not run: round 1, 100 users, floor of the built-in engine: no time was left");
  expect(ended.status).toBe(1);
  expect(existsSync(home)).toBe(false);
  expect(readFileSync(join(repository, place.page), "utf8")).toBe(before);
});
