import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { groups, mutable, titleOf } from "../../measure/coverage/claims";
import { mutants } from "../../measure/coverage/mutants";
import { pageOf } from "../../measure/coverage/page";
import { mutated, sourceOf } from "../../measure/coverage/sources";
import type { Run } from "../../measure/coverage/verdict";

const tests = join(__dirname, "..");

const claims = groups.flatMap((group) => group.claims.flat());

const named = claims.flatMap((claim) => claim.tests);

test("the page shows all that the contract tables have, as a complete run would", () => {
  const possible = claims.filter(({ reason }) => reason === undefined);
  const passed = new Map<string, Set<string>>();
  for (const test of possible.flatMap((claim) => claim.tests))
    passed.set(test[0], (passed.get(test[0]) ?? new Set()).add(titleOf(test)));
  const everything: Run = { items: new Set(possible.flatMap(({ items }) => items)), passed, unnoticed: {} };
  expect(readFileSync(join(tests, "../docs/dev/measured/coverage.md"), "utf8")).toBe(pageOf(everything));
});

test("nothing of the tables is without a test or a reason", () => {
  expect(
    claims
      .filter(
        ({ items, tests: by, reason }) => reason === "" || (items.length + by.length === 0 && reason === undefined),
      )
      .map(({ name }) => name),
  ).toEqual([]);
});

test("every test that is named as evidence is there, under that title", () => {
  const absent = named.filter(
    ([file, title]) => !existsSync(join(tests, file)) || !readFileSync(join(tests, file), "utf8").includes(title),
  );
  expect(absent).toEqual([]);
});

test("every rule that tests show can be switched off, and nothing else can", () => {
  expect(Object.keys(mutants).sort()).toEqual(mutable.flatMap(({ off }) => (off ? [off.key] : [])).sort());
});

test.each(mutable.map(({ off }) => [off!.key, off!.mutants] as const))(
  "%s is switched off where it stands",
  (_, ways) => {
    expect(ways.length).toBeGreaterThan(0);
    for (const mutant of ways) expect(mutated(mutant, sourceOf(mutant))).not.toBe(sourceOf(mutant));
  },
);
