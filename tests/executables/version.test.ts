import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { root } from "../rooms";

const { version: current } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string };

/** A version that no file mentions. */
const next = "98.76.5";

/** Files whose numbers are not this package's version, with the reason. */
const others: readonly [path: RegExp, reason: string][] = [
  [/(^|\/)package-lock\.json$/, "versions of dependencies, and of examples"],
  [/^tools\/publish\/twine\.txt$/, "versions of dependencies"],
  [/(^|\/)go\.(sum|mod)$/, "versions of dependencies"],
  [/^examples\/.*\/package\.json$/, "an example has a version of its own"],
  [/^tests\//, "cases make up versions"],
];

const tracked = execFileSync("git", ["ls-files"], { cwd: root, encoding: "utf8" }).trim().split("\n");

let copy: string;
beforeAll(() => {
  copy = mkdtempSync(join(realpathSync(tmpdir()), "version-"));
  for (const path of [...tracked, "dist"])
    cpSync(join(root, path), join(copy, path), { recursive: true, dereference: true });
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
  // `tests/scripts` says what has the build start.
  writeFileSync(join(copy, "tools/build.mjs"), "");
});
afterAll(() => rmSync(copy, { recursive: true, force: true }));

const textOf = (path: string): string => readFileSync(join(copy, path), "utf8");

const setVersion = (...args: string[]): { status: number | null; stderr: string } =>
  spawnSync(process.execPath, [join(copy, "dist/tools/set-version.js"), ...args], { cwd: copy, encoding: "utf8" });

/** Lines of tracked files with the version `wanted`, as `path:line`. */
function linesWith(wanted: string): string[] {
  const whole = new RegExp(`(?<![\\d.])${wanted.replaceAll(".", "\\.")}(?![\\d]|\\.\\d)`);
  return tracked
    .filter((path) => !others.some(([other]) => other.test(path)))
    .flatMap((path) =>
      textOf(path)
        .split("\n")
        .filter((line) => whole.test(line))
        .map((line) => `${path}: ${line.trim()}`),
    );
}

test("a version below that of the sources is refused, and nothing is written", () => {
  const before = ["package.json", "CHANGELOG.md"].map(textOf);
  const { status, stderr } = setVersion("0.0.1");
  expect([status, stderr]).toEqual([64, expect.stringMatching(/^Nothing was changed: .*\n\nUsage: /)]);
  expect(["package.json", "CHANGELOG.md"].map(textOf)).toEqual(before);
});

test("a new version leaves the old one nowhere, and is refused a second time", () => {
  const isReleased = (line: string): boolean => line.startsWith(`CHANGELOG.md: ## [${current}] - `);
  expect(setVersion(next)).toMatchObject({ status: 0 });
  expect(linesWith(current).filter((line) => !isReleased(line))).toEqual([]);
  expect(linesWith(next)).toEqual([
    expect.stringMatching(/^CHANGELOG\.md: ## \[98\.76\.5\] - \d{4}-\d\d-\d\d$/),
    expect.stringMatching(/^README\.md: \*\*Status\.\*\* 98\.76\.5[, ]/),
    `package.json: "version": "${next}",`,
    `schema.json: "version": "${next}",`,
  ]);
  expect((JSON.parse(textOf("package-lock.json")) as { version: string }).version).toBe(next);
  const again = setVersion(next);
  expect([again.status, again.stderr]).toEqual([64, expect.stringContaining(`has a section for ${next} already`)]);
});

test("each reason to leave a file out is about a file that exists", () => {
  expect(others.filter(([path]) => !tracked.some((file) => path.test(file)))).toEqual([]);
});
