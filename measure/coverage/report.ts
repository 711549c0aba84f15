import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { type Claim, groups } from "./claims";
import { pageOf } from "./page";
import { type Run, verdictOf } from "./verdict";

const page = resolve(__dirname, "../../docs/dev/measured/coverage.md");

/** A finished test, as jest reports it. */
export interface Tested {
  testFilePath: string;
  testResults: readonly { title: string; status: string }[];
}

/**
 * What a run has told: items from the files that `collect.ts` wrote to `folder`, tests from jest's results, and
 * what `switch-off.cjs` has found, where it ran.
 */
export function runOf(folder: string, results: readonly Tested[], unnoticed: Run["unnoticed"] = {}): Run {
  const items = readdirSync(folder).flatMap((file) => readFileSync(join(folder, file), "utf8").split("\n"));
  const passed = results.map(({ testFilePath, testResults }): [string, Set<string>] => [
    relative(resolve(__dirname, "../../tests"), testFilePath),
    new Set(testResults.filter(({ status }) => status === "passed").map(({ title }) => title)),
  ]);
  return { items: new Set(items), passed: new Map(passed), unnoticed };
}

const next = ({ items, tests }: Claim): string => {
  if (items.length > 0) return "request it from an emulator, in tests/emulator/application/crud.test.ts for instance";
  if (tests.length > 0) return "have these tests pass, or name others in tests/contract/reference/evidence.ts";
  return "name its tests in tests/contract/reference/evidence.ts";
};

/**
 * What stands against the page as it is; with `write`, it is written first, and only what no test has shown is left.
 */
export function problemsOf(run: Run, write: boolean): string[] {
  const claims = groups.flatMap((group) =>
    group.claims.flat().map((claim) => ({ group: group.title, claim, verdict: verdictOf(claim, run) })),
  );
  const told = claims.flatMap(({ group, claim, verdict }) => {
    const what = [...claim.items, ...claim.tests.map(([file, title]) => `${file}: ${title}`)].join("; ");
    const unnoticed = run.unnoticed[claim.off?.key ?? ""];
    if (unnoticed) return unnoticed.map((reason) => `${group}: \`${claim.name}\` was ${reason}`);
    if (verdict === "missing")
      return [`${group}: \`${claim.name}\` was shown by no test (${what || "none is named"}): ${next(claim)}`];
    if (verdict === "testable after all")
      return [`${group}: \`${claim.name}\` was shown (${what}), so that the reason why it cannot be is out of date`];
    return [];
  });
  const text = pageOf(run);
  if (write) writeFileSync(page, text);
  else if (told.length === 0 && readFileSync(page, "utf8") !== text)
    told.push("docs/dev/measured/coverage.md is out of date: run `npm run coverage`");
  return told;
}
