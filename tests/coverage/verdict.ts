import type { Claim } from "./claims";

/** What a run has told: items served, and tests passed, by file below `tests/`. */
export interface Run {
  items: ReadonlySet<string>;
  passed: ReadonlyMap<string, ReadonlySet<string>>;
}

export type Verdict = "tested" | "untestable" | "missing" | "testable after all";

export function verdictOf({ items, tests, reason }: Claim, run: Run): Verdict {
  const shown =
    items.length + tests.length > 0 &&
    items.every((item) => run.items.has(item)) &&
    tests.every(([file, title]) => hasPassed(run.passed.get(file), title));
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
