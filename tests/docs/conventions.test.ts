import { readdirSync, readFileSync, statSync } from "node:fs";
import { join, relative } from "node:path";
import { rooms, root } from "../rooms";

const page = readFileSync(join(root, "docs/conventions.md"), "utf8");
const rows = page.split("\n").filter((line) => line.startsWith("| <a id="));
const numberOf = (row: string): string => row.match(/<\/a>(A\d{3}) \|/)![1]!;

/** Where numbers may be cited; `except` the page itself. */
const places = [...rooms, "tests", "docs", "examples", "README.md", "schema.json"];
const except = ["docs/conventions.md", "tests/docs/conventions.test.ts"];

function filesBelow(path: string): string[] {
  if (!statSync(path).isDirectory()) return /\.(ts|c?js|mjs|json|md)$/.test(path) ? [path] : [];
  return readdirSync(path).flatMap((entry) => (entry === "node_modules" ? [] : filesBelow(join(path, entry))));
}

/** Files by the number that they cite. */
const cited = new Map<string, string[]>();
for (const file of places.flatMap((place) => filesBelow(join(root, place)))) {
  const name = relative(root, file);
  if (except.includes(name)) continue;
  for (const number of new Set(readFileSync(file, "utf8").match(/\bA\d{3}\b/g)))
    cited.set(number, [...(cited.get(number) ?? []), name]);
}

test("every convention that the project cites is on the page", () => {
  const known = new Set(rows.map(numberOf));
  const unknown = [...cited].filter(([number]) => !known.has(number));
  expect(unknown).toEqual([]);
});

test("every convention on the page is cited by the code and by a test", () => {
  const isUsed = (number: string, within: readonly string[]) =>
    cited.get(number)?.some((file) => within.includes(file.split("/")[0]!));
  const unused = rows
    .map(numberOf)
    .flatMap((number) => (isUsed(number, rooms) && isUsed(number, ["tests"]) ? [] : [number]));
  expect(unused).toEqual([]);
});

test("conventions are in the order of their numbers, each with its anchor", () => {
  const numbers = rows.map(numberOf);
  expect(numbers).toEqual([...new Set(numbers)].sort());
  expect(rows.map((row) => row.match(/id="(\w+)"/)![1])).toEqual(numbers.map((number) => number.toLowerCase()));
});

test("the page and the emulator's guide agree on which setting varies which convention", () => {
  const guide = readFileSync(join(root, "docs/emulator.md"), "utf8");
  const varied = [...guide.matchAll(/^\| `(\w+)` \|.*\| (A\d{3})\b[^|]*\|$/gm)].map(([, name, number]) => [
    number,
    name,
  ]);
  const named = rows.flatMap((row) =>
    [
      ...row
        .split(" | ")
        .at(-1)!
        .matchAll(/`(\w+)`/g),
    ].map(([, name]) => [numberOf(row), name]),
  );
  expect(varied.length).toBeGreaterThan(10);
  for (const pair of varied) expect(named).toContainEqual(pair);
});
