import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../rooms";

interface Step {
  number: number;
  file: string;
  /** Text of the line to break at. */
  line: string;
}

const page = readFileSync(join(root, "docs/architecture.md"), "utf8");
const section = page.split("\n## The life of one create\n")[1]!.split("\nFrom the life cycle to the request")[0]!;

const steps: readonly Step[] = [...section.matchAll(/^\| (\d+) \| `([^`]+)` \| `([^`]+)` \|/gm)].map(
  ([, number, file = "", line = ""]) => ({ number: Number(number), file, line: line.replaceAll("\\|", "|") }),
);

test("a create is followed in at most 65 steps, in order", () => {
  expect(steps.length).toBeGreaterThan(30);
  expect(steps.length).toBeLessThanOrEqual(65);
  expect(steps.map(({ number }) => number)).toEqual(steps.map((_, index) => index + 1));
});

const timesIn = ({ file, line }: Pick<Step, "file" | "line">): number =>
  readFileSync(join(root, file), "utf8").split(line).length - 1;

test("each break point of the other calls names one line of its file", () => {
  const others = page.split("\n## Break points of a refresh, an update and a delete\n")[1]!.split("\n## ")[0]!;
  const points = [...others.matchAll(/^\|[^|]*\| `([^`]+)` \| `([^`]+)` \|/gm)].map(([, file = "", line = ""]) => ({
    file,
    line,
  }));
  expect(points.length).toBeGreaterThan(20);
  expect(points.filter((point) => timesIn(point) !== 1)).toEqual([]);
});

test("each step names one line of its file to break at", () => {
  expect(steps.filter((step) => timesIn(step) !== 1)).toEqual([]);
  const [first] = steps as [Step, ...Step[]];
  expect(timesIn({ ...first, line: "import " })).toBeGreaterThan(1);
});

const creation = "provider/lifecycle/creation";
const stepsOfCreate = [
  ...page
    .split("\n### The steps of a create\n")[1]!
    .split("\n### ")[0]!
    .matchAll(/^\| (\d+) \| ([^|]+) \| `([^`]+)` \|/gm),
].map(([, number, names = "", file = ""]) => ({
  number: Number(number),
  file,
  names: [...names.matchAll(/`(\w+)`/g)].map(([, name]) => name!),
}));

test("the steps of a create are functions of their files, and leave no file out", () => {
  expect(stepsOfCreate.map(({ number }) => number)).toEqual(stepsOfCreate.map((_, index) => index + 1));
  const isMissing = (file: string, name: string): boolean =>
    !new RegExp(`^(export )?(async )?(function|const) ${name}\\b`, "m").test(readFileSync(join(root, file), "utf8"));
  expect(
    stepsOfCreate.flatMap(({ file, names }) =>
      names.filter((name) => isMissing(file, name)).map((name) => [file, name]),
    ),
  ).toEqual([]);
  const files = new Set(stepsOfCreate.map(({ file }) => file));
  expect(readdirSync(join(root, creation)).filter((file) => !files.has(`${creation}/${file}`))).toEqual([]);
  expect(isMissing(`${creation}/send.ts`, "adopt")).toBe(true);
});
