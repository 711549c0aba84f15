import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { repository } from "../e2e/engines";

/** What a recorded run of random scenarios on an engine has come to. */
export interface Figure {
  engine: string;
  /** When it began. */
  date: string;
  /** Of the first scenario. */
  seed: number;
  scenarios: number;
  minutes: number;
  violations: number;
  /** What has happened in it, by name; a model counts its scenarios alone. */
  counts: Readonly<Record<string, number>>;
}

const data = join(__dirname, "figures.json");
const document = join(repository, "docs/dev/measured/random-programs.md");

export const readFigures = (): Figure[] => JSON.parse(readFileSync(data, "utf8")) as Figure[];

export const readPage = (): string => readFileSync(document, "utf8");

/** Takes a run in where `RANDOM_RECORD` asks for it: in place of an earlier one of the same scenarios. */
export function record(figure: Figure): void {
  if (process.env["RANDOM_RECORD"] === undefined) return;
  const isSame = ({ engine, seed }: Figure): boolean => engine === figure.engine && seed === figure.seed;
  const figures = [...readFigures().filter((each) => !isSame(each)), figure];
  figures.sort((one, other) => one.engine.localeCompare(other.engine) || one.seed - other.seed);
  writeFileSync(data, `${JSON.stringify(figures, undefined, 2)}\n`);
  writeFileSync(document, page(figures));
}

/** The page `docs/dev/measured/random-programs.md`. */
export function page(figures: readonly Figure[]): string {
  const rows = figures.map(({ engine, date, seed, scenarios, minutes, violations, counts }) => {
    const told = Object.entries(counts).map(([what, count]) => `${count} ${what}`);
    const cells = [engine, date.slice(0, 10), seed, scenarios, told.join(", ") || "–", minutes, violations];
    return `| ${cells.join(" | ")} |`;
  });
  const engines = [...new Set(figures.map(({ engine }) => engine))];
  const sums = engines.map((engine) => {
    const runs = figures.filter((each) => each.engine === engine);
    const sum = (count: (figure: Figure) => number): number => runs.reduce((total, each) => total + count(each), 0);
    return `- On ${engine}: ${sum(({ scenarios }) => scenarios)} scenarios, ${sum(({ violations }) => violations)} broken promises.`;
  });
  return [
    "<!-- Written with RANDOM_RECORD=1: do not edit. -->",
    "# Random programs",
    "",
    "Programs, edits, outside changes, faults, kills and a second team, drawn from a seed. After each program one command brings",
    "the account to what is declared, and nothing is orphaned, taken or deleted wrongly",
    "([how it is judged](../../decisions/170-ownership-as-tables.md#how-it-is-judged)).",
    "",
    "| engine | date | first seed | scenarios | in them | minutes | broken promises |",
    "|---|---|---|---|---|---|---|",
    ...rows,
    ...(sums.length > 0 ? ["", ...sums] : []),
    "",
    "The same seed runs the same programs:",
    "",
    "```sh",
    "RANDOM_RECORD=1 RANDOM_ENGINE=builtin RANDOM_PROGRAMS=500 npm run test:nightly -- tests/model/processes   # RANDOM_SEED=…",
    "RANDOM_RECORD=1 RANDOM_ENGINE=pulumi  RANDOM_PROGRAMS=200 npm run test:nightly -- tests/model/processes",
    "RANDOM_RECORD=1 RANDOM_HOST=plugin    RANDOM_PROGRAMS=100 npm run test:nightly -- tests/model/processes",
    "RANDOM_RECORD=1 npm run test:nightly -- tests/model                                                     # SEED=…",
    "```",
    "",
  ].join("\n");
}
