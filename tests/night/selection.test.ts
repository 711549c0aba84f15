import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { root } from "../rooms";

const runner = join(root, "node_modules/jest/bin/jest.js");

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(realpathSync(tmpdir()), "selection-"));
  const { transform } = require("../jest.config.cjs") as { transform: Record<string, [string, object]> };
  const config = {
    testMatch: ["**/*.test.ts"],
    testEnvironment: join(root, "tests/jest-environment/environment.cjs"),
    runtime: join(root, "tests/jest-environment/runtime.cjs"),
    transform: Object.fromEntries(
      Object.entries(transform).map(([files, [name, options]]) => [files, [require.resolve(name), options]]),
    ),
  };
  writeFileSync(join(folder, "jest.config.json"), JSON.stringify(config));
  const marks = JSON.stringify(join(root, "tests/nightly.ts"));
  writeFileSync(
    join(folder, "day.test.ts"),
    `import { everyNth, isNightly, longerAtNight, nightly } from ${marks};
    let prepared = 0;
    beforeAll(() => void (prepared += 1));
    test("by day", () => undefined);
    describe("within", () => {
      nightly("it takes long", () => {
        test("at night 1", () => expect(prepared).toBe(1));
        test.skip("cannot run", () => undefined);
        describe("deeper", () => void test("at night 2", () => undefined));
      });
      test("by day, too", () => undefined);
    });
    everyNth(2, 0, ["a", "b", "c"], (some) => void test.each(some)("case %s", () => undefined));
    longerAtNight(() => void test("in two lengths", () => expect(isNightly).toBe(process.env["NIGHTLY"] === "true")));\n`,
  );
  writeFileSync(join(folder, "own.nightly.test.ts"), `test("whole", () => undefined);\n`);
  writeFileSync(join(folder, "none.test.ts"), `test("by day alone", () => undefined);\n`);
});
afterAll(() => rmSync(folder, { recursive: true }));

/** The tests of a run, by what became of them. */
function play(env: Readonly<Record<string, string>>, ...flags: string[]): Record<string, string[]> {
  const output = join(folder, "results.json");
  const { NIGHTLY: _, ...others } = process.env;
  const args = [runner, "--rootDir", folder, "--json", `--outputFile=${output}`, "--maxWorkers=1", ...flags];
  spawnSync(process.execPath, args, { cwd: folder, env: { ...others, ...env } as Record<string, string> });
  const { testResults } = JSON.parse(readFileSync(output, "utf8")) as {
    testResults: { assertionResults: { title: string; status: string }[] }[];
  };
  const told: Record<string, string[]> = {};
  for (const { title, status } of testResults.flatMap(({ assertionResults }) => assertionResults))
    (told[status] ??= []).push(title);
  for (const titles of Object.values(told)) titles.sort();
  return told;
}

const day = ["by day", "by day alone", "by day, too", "case a", "case c", "in two lengths"];
const night = ["at night 1", "at night 2", "case b", "in two lengths", "whole"];

test("a normal run and a night together run each test once", () => {
  expect(play({}, "--testPathIgnorePatterns", "nightly.test")).toEqual({
    ...{ passed: day, pending: ["at night 1", "at night 2", "cannot run", "case b"] },
  });
  const { passed, pending } = play({ NIGHTLY: "true" });
  expect({ passed, pending }).toEqual({ passed: night, pending: ["by day alone", "cannot run"] });
});
