import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { verdicts } from "../../../provider/drift/document";
import { formats } from "../../../provider/drift/report/index";

const folder = join(__dirname, "..", "..", "..", "docs");
const guide = readFileSync(join(folder, "drift.md"), "utf8");
const firstCells = [...guide.matchAll(/^\| `([^`]+)` \| (?:`([^`]+)`)?/gm)].map(([, first, second]) => [first, second]);

test("the guide has a row for every format, with its file", () => {
  expect(
    Object.entries(formats).filter(
      ([name, { extension }]) =>
        !firstCells.some(([first, second]) => first === name && second === `drift.${extension}`),
    ),
  ).toEqual([]);
});

test("the guide has a row for every verdict, in the order in which the first stands", () => {
  expect(
    firstCells.map(([first]) => first).filter((first) => (verdicts as readonly string[]).includes(first!)),
  ).toEqual([...verdicts]);
});

test("what the guide points to is there", () => {
  const targets = [...guide.matchAll(/\]\(([^)#]+)\)/g)].map(([, target]) => target!);
  expect(targets.length).toBeGreaterThan(3);
  expect(targets.filter((target) => !existsSync(join(folder, target)))).toEqual([]);
});
