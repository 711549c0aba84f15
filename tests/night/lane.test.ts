import { readdirSync } from "node:fs";
import { join } from "node:path";
import { root } from "../rooms";
import { nightSuites } from "./suites";

const { isLaneSuite, isOfLane } = require("./lane.cjs") as Record<
  "isLaneSuite" | "isOfLane",
  (path: string) => boolean
>;

const suites = readdirSync(join(root, "tests"), { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".test.ts"))
  .map((file) => join("tests", file));

test("what a landing may leave out, the night has", () => {
  const left = suites.filter(isLaneSuite);
  expect(left.length).toBeGreaterThan(10);
  expect(nightSuites()).toEqual(expect.arrayContaining(left));
});

test.each([
  ["tools/release.ts", true],
  ["package-lock.json", true],
  ["examples/first/package.json", true],
  ["examples/ci/github/drift.yml", true],
  ["tests/publish/publish.test.ts", true],
  ["tests/night/landing.ts", true],
  ["provider/core/errors.ts", false],
  ["docs/errors.md", false],
  ["tests/cli/up.test.ts", false],
])("a change of %s is judged by the lane: %p", (file, is) => {
  expect(isOfLane(file)).toBe(is);
});
