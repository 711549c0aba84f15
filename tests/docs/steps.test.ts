import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../rooms";

interface Step {
  number: number;
  part: string;
  file: string;
  /** Text of the line to break at. */
  line: string;
}

const page = readFileSync(join(root, "docs/architecture.md"), "utf8");
const section = page.split("\n## The life of one create\n")[1]!.split("\nFrom the life cycle to the request")[0]!;

/** The steps of the page, each with the part of the way that its table is about. */
const steps: readonly Step[] = section.split(/^\*\*(?=.*\*\*$)/m).flatMap((text) =>
  [...text.matchAll(/^\| (\d+) \| `([^`]+)` \| `([^`]+)` \|/gm)].map(([, number, file = "", line = ""]) => ({
    number: Number(number),
    part: text.split("**")[0]!,
    file,
    line: line.replaceAll("\\|", "|"),
  })),
);

test("a create is followed in at most 65 steps, in order", () => {
  expect(steps.length).toBeGreaterThan(30);
  expect(steps.length).toBeLessThanOrEqual(65);
  expect(steps.map(({ number }) => number)).toEqual(steps.map((_, index) => index + 1));
});

test("each step names one line of its file to break at, the first of that text", () => {
  const missing = steps.filter(({ file, line }) => !readFileSync(join(root, file), "utf8").includes(line));
  expect(missing).toEqual([]);
});

test("the provider's files that the page names are files that run in a create", () => {
  const bench = [join(root, "measure/bench/run.cjs"), "hops", "files"];
  const flows = execFileSync(process.execPath, bench, { cwd: root, encoding: "utf8" })
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { title: string; files: string[] });
  const ran = new Set(flows.find(({ title }) => title === "create of a deployment")!.files);
  const within = steps.filter(({ part }) => !["Program", "Engine", "Back"].includes(part));
  expect(within.length).toBeGreaterThan(30);
  expect(within.map(({ file }) => file).filter((file) => !ran.has(file.replace(/\.ts$/, ".js")))).toEqual([]);
});
