import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pageAt, unreadyFiles } from "../../tools/publication";
import { nightly } from "../nightly";
import { root } from "../rooms";

/** The steps before the tag of the first release, as `docs/dev/releasing.md` has them, in a copy. */
const owner = "acme-ml";
const version = "98.76.5";

let copy: string;
const run = (...args: string[]) => spawnSync(process.execPath, args, { cwd: copy, encoding: "utf8" });

nightly("a copy is built, packed and tested", () => {
  beforeAll(() => {
    copy = mkdtempSync(join(realpathSync(tmpdir()), "first-release-"));
    const files = execFileSync("git", ["ls-files"], { cwd: root, encoding: "utf8" }).trim().split("\n");
    for (const path of [...files, "dist", "plugin"])
      cpSync(join(root, path), join(copy, path), { recursive: true, dereference: true });
    symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
    // Suites ask git which files there are.
    execFileSync("git", ["init", "--quiet"], { cwd: copy });
    const path = join(copy, "tools/publisher.ts");
    const text = readFileSync(path, "utf8");
    const changed = text
      .replace('"example-organization"', `"${owner}"`)
      .replace("published: boolean = false", "published: boolean = true");
    expect(changed).not.toBe(text);
    writeFileSync(path, changed);
  });
  afterAll(() => rmSync(copy, { recursive: true, force: true }));

  test("the steps before the tag leave nothing that the checks of a release refuse", () => {
    for (const line of [["tools/bootstrap.mjs"], ["dist/tools/generate.js"], ["dist/tools/set-version.js", version]])
      expect(run(...line)).toMatchObject({ status: 0 });
    const checks = `console.log(JSON.stringify(require("./dist/tools/release.js").releaseChecks("${version}", "v${version}")))`;
    const { stdout } = run("-e", checks);
    const failed = (JSON.parse(stdout) as { what: string; holds: boolean }[]).filter(({ holds }) => !holds);
    expect(failed).toEqual([]);
    expect(readFileSync(join(copy, "README.md"), "utf8")).toContain(`**Status.** ${version} · `);
    expect(readFileSync(join(copy, "plugin/pulumi-resource-modelplatform"), "utf8")).not.toContain(
      "example-organization",
    );
  });

  test("the suites that know the publisher are green in the copy", () => {
    const jest = require.resolve("jest/bin/jest");
    const suites = [
      "tests/docs/pages",
      "tests/docs/sentences",
      "tests/executables/release",
      "tests/executables/sdk-packages",
      "tests/pulumi/schema",
    ];
    const { status, stderr } = run(jest, "--config", "tests/jest.config.cjs", "-w", "1", ...suites);
    expect([status, stderr.match(/^ +●.*/gm) ?? []]).toEqual([0, []]);
  });
});

test("a page and a schema that are not ready are noticed", () => {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), "unready-"));
  const files = {
    "a.md": "Until there is a release, wait.",
    "b.json": '"ExampleOrganization.X"',
    "c.md": "npm install it.",
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  expect(unreadyFiles(folder, Object.keys(files))).toEqual(["a.md", "b.json"]);
  rmSync(folder, { recursive: true });
});

test("a page says the same again before and after a publication", () => {
  const page = readFileSync(join(root, "README.md"), "utf8");
  const at = (published: boolean, organization: string) => (text: string) =>
    pageAt(text, { organization, published, version: "1.2.3" });
  const before = at(false, "one")(page);
  expect(at(true, "two")(before)).not.toBe(before);
  expect(at(false, "one")(at(true, "two")(before))).toBe(before);
});
