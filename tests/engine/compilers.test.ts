import { readFileSync } from "node:fs";
import { join } from "node:path";
import { nativeCompiler } from "../../engine/processes/native-check";
import { repository } from "../e2e/engines";
import { nightly } from "../nightly";
import { bothOf, mistakenPrograms, programs } from "./compiler-corpus";

const nodenext = {
  target: "es2022",
  module: "nodenext",
  moduleResolution: "nodenext",
  strict: true,
  skipLibCheck: true,
};

const inTurn = nativeCompiler() === undefined ? test.skip : test;

test("at least 200 programs have a mistake", () => {
  expect(mistakenPrograms.length).toBeGreaterThanOrEqual(200);
});

/**
 * Codes by which the native compiler names the same error: it leads with the missing property, and it suggests a name
 * where the other one finds none that is near.
 */
const otherCodes: Readonly<Record<string, string>> = { TS2345: "TS2741", TS2304: "TS2552" };

/** File, line, column and code. */
const placesOf = (errors: readonly string[]): string[] =>
  errors.map((line) => /^(.*?\)): error (TS\d+)/.exec(line)!.slice(1).join(" "));

/** Programs of the types' tests, which import the package by its name. */
const typesPrograms = Object.fromEntries(
  ["mistakes.ts", "options.ts", "programs.ts"].map((name) => [
    name,
    readFileSync(join(repository, "tests/types", name), "utf8").replaceAll(
      "../../provider/index",
      "pulumi-modelplatform",
    ),
  ]),
);

nightly("what both find changes with the two compilers alone, and each check reads all packages", () => {
  inTurn("both compilers find the same mistakes, at the same places", async () => {
    const options = { ...nodenext, noImplicitReturns: true };
    const { own, native, fallbacks } = await bothOf(Object.fromEntries(mistakenPrograms), options);
    expect(fallbacks).toEqual([]);
    const found = placesOf(native);
    const expected = placesOf(own).map((place, index) =>
      place === found[index] ? place : place.replace(/TS\d+$/, (code) => otherCodes[code] ?? code),
    );
    expect(found).toEqual(expected);
    expect(new Set(own.map((line) => line.split("(")[0])).size).toBeGreaterThan(mistakenPrograms.length / 2);
  });

  // Together, because each check first reads the packages.
  inTurn("both compilers find every example right, and the same in the programs of the types' tests", async () => {
    expect(programs.size).toBeGreaterThan(15);
    const { own, native, fallbacks } = await bothOf({ ...Object.fromEntries(programs), ...typesPrograms }, nodenext);
    expect({ native, fallbacks }).toEqual({ native: own, fallbacks: [] });
    const wrong = new Set(own.map((line) => line.split("(")[0]!));
    expect([...programs.keys()].filter((name) => wrong.has(name))).toEqual([]);
  });
});
