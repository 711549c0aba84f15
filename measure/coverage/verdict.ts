import { type Claim, titleOf } from "./claims";

/** What a run has told: items served, and tests passed, by file below `tests/`. */
export interface Run {
  items: ReadonlySet<string>;
  passed: ReadonlyMap<string, ReadonlySet<string>>;
  /** Rules that no test notices when they are switched off, by key, each with what was found. */
  unnoticed: Readonly<Record<string, readonly string[]>>;
}

export type Verdict = "tested" | "untestable" | "missing" | "testable after all";

export function verdictOf({ items, tests, reason, off }: Claim, run: Run): Verdict {
  const noticed = off === undefined || (off.mutants.length > 0 && run.unnoticed[off.key] === undefined);
  const shown =
    noticed &&
    items.length + tests.length > 0 &&
    items.every((item) => run.items.has(item)) &&
    tests.every((test) => hasPassed(run.passed.get(test[0]), titleOf(test)));
  if (reason !== undefined && reason !== "") return shown ? "testable after all" : "untestable";
  return shown ? "tested" : "missing";
}

/** A title with placeholders stands for each test that it makes. */
function hasPassed(titles: ReadonlySet<string> | undefined, title: string): boolean {
  if (titles === undefined) return false;
  if (titles.has(title)) return true;
  const pattern = title
    .split(/%[sij#]|\$\w+/)
    .map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&"))
    .join(".*");
  return pattern !== title && [...titles].some((each) => new RegExp(`^${pattern}$`).test(each));
}
