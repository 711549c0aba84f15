import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { auditFormats, figuresFormats, formats } from "../../../drift/report/formats";
import { verdicts } from "../../../drift/scan/verdicts";
import { formats as costFormats } from "../../../governance/cost/formats";

const folder = join(__dirname, "..", "..", "..", "docs");
const read = (file: string) => readFileSync(join(folder, file), "utf8");
const guide = read("drift.md");

test.each([
  ["drift-reports.md", "drift", formats],
  ["policies.md", "audit", { ics: auditFormats["ics"]! }],
])("%s has a row for every format, with its file and purpose", (file, stem, table) => {
  const rows = read(file).split("\n");
  const missing = Object.entries(table).filter(
    ([name, { extension, purpose }]) =>
      !rows.some((row) => row.startsWith(`| \`${name}\` | \`${stem}.${extension}\` | ${purpose}`)),
  );
  expect(missing).toEqual([]);
});

test.each([
  ["drift-reports.md", "history", figuresFormats],
  ["cost.md", "cost", costFormats],
])("%s has every format of `%s` in one line", (file, stem, table) => {
  const sentences = read(file).split("\n");
  const words = Object.keys(table).map((name) => `\`${name}\``);
  expect(
    sentences.filter((line) => line.includes(`\`${stem}.`) && words.every((word) => line.includes(word))),
  ).toHaveLength(1);
});

test("the guide has a row for every verdict, in the order in which the first stands", () => {
  const firstCells = [...guide.matchAll(/^\| `([^`]+)` \|/gm)].map(([, first]) => first!);
  expect(firstCells.filter((first) => (verdicts as readonly string[]).includes(first))).toEqual([...verdicts]);
});

test("what the guide points to is there", () => {
  const targets = [...guide.matchAll(/\]\(([^)#]+)\)/g)].map(([, target]) => target!);
  expect(targets.length).toBeGreaterThan(3);
  expect(targets.filter((target) => !existsSync(join(folder, target)))).toEqual([]);
});
