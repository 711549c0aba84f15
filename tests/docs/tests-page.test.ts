import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const tests = join(__dirname, "..");
const page = readFileSync(join(tests, "README.md"), "utf8");
const map = page.slice(page.indexOf("## Where is"));
const named = [...map.matchAll(/^\| [^|]+ \| (.+) \|$/gm)].flatMap(([, cell]) =>
  [...cell!.matchAll(/`([\w/-]+)`/g)].map(([, suite]) => suite!),
);

test("the map of the tests names suites that exist", () => {
  const exists = (suite: string) =>
    ["", "lifecycle/contract/", "engine/"].some(
      (folder) => existsSync(join(tests, folder, suite)) || existsSync(join(tests, folder, `${suite}.test.ts`)),
    );
  expect(named.filter((suite) => !exists(suite) && !existsSync(join(tests, "engine", `${suite}.ts`)))).toEqual([]);
});

test("the map of the tests names every folder of suites", () => {
  const folders = readdirSync(tests, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  const unnamed = folders
    .map(({ name }) => name)
    .filter((name) => !named.some((suite) => suite.split("/")[0] === name));
  // They hold no suites of behavior: mutants, and the pictures of the README.
  expect(unnamed.filter((name) => !["mutants", "pictures"].includes(name))).toEqual([]);
});
