import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { repository } from "../e2e/engines";
import { cells } from "./cells";
import { commands } from "./commands";
import { defectOf, defects } from "./defects";
import { fates } from "./fates";
import { variants } from "./kinds";
import { page } from "./page";
import { layouts } from "./subject";

const file = join(repository, "docs/dev/measured/ownership-matrix.md");

test("every command meets every fate, or says why it cannot", () => {
  const all = cells();
  expect(all).toHaveLength(commands.length * fates.length);
  expect(all.filter(({ subjects, reason }) => (subjects.length === 0) === (reason === undefined))).toEqual([]);
});

test("each kind and each layout meets each command and each other", () => {
  const met = new Set(
    cells().flatMap(({ command, subjects }) =>
      subjects.flatMap(({ variant, layout }) => [
        `${command.title} × ${variant.title}`,
        `${command.title} × ${layout}`,
        `${variant.title} × ${layout}`,
      ]),
    ),
  );
  const pairs = [
    ...commands.flatMap(({ title }) =>
      [...variants.map((each) => each.title), ...layouts].map((each) => `${title} × ${each}`),
    ),
    ...variants.flatMap(({ title }) => layouts.map((layout) => `${title} × ${layout}`)),
  ];
  expect(pairs.filter((pair) => !met.has(pair))).toEqual([]);
});

test("every known defect is of a cell that there is", () => {
  const known = cells().flatMap(({ command, subjects }) => subjects.map((subject) => defectOf(command, subject)));
  expect(known.filter((each) => each !== undefined)).toHaveLength(defects.length);
});

test("the page of the matrix is as the rules have it", () => {
  if (process.env["MATRIX"] === "write") writeFileSync(file, page());
  expect(readFileSync(file, "utf8")).toBe(page());
});
