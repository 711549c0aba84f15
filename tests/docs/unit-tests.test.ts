import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { npmRegistry } from "../../measure/sdk/registry";
import { unless } from "../e2e/hosts";
import { isNightly, nightly } from "../nightly";
import { root } from "../rooms";
import { ownBlocksOf } from "./played/page";

/** The tests of `docs/unit-tests.md`, as its readers run them. */

const page = join(root, "docs/unit-tests.md");
const blocks = ownBlocksOf(page);
const files = blocks.flatMap((block) => (block.kind === "file" ? [block] : []));
const textOf = (name: string, part: string): string =>
  files.find((file) => file.name === name && file.text.includes(part))!.text;

/** The commands of a section, the installation left out. */
const commandsOf = (title: string): string => {
  const section = readFileSync(page, "utf8").split(`\n## ${title}\n`)[1]!.split("\n## ")[0]!;
  return /```sh\n([\s\S]*?)```/.exec(section)![1]!.replace(/^npm install .*\n/m, "");
};

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(realpathSync(tmpdir()), "unit-tests-"));
  writeFileSync(join(folder, "package.json"), '{ "name": "quick", "private": true, "main": "index.ts" }');
  for (const name of ["tsconfig.json", "service.ts", "mocks.ts"]) writeFileSync(join(folder, name), textOf(name, ""));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Installs what this repository has. */
const link = (name = "."): void =>
  symlinkSync(join(root, "node_modules", name), join(folder, "node_modules", name), "junction");

/** What the commands of a section print with this test. A key and a service are at hand, and must not be used. */
function played(title: string, test: string): string {
  writeFileSync(join(folder, "service.test.ts"), test);
  const { NODE_OPTIONS: _, NODE_TEST_CONTEXT: __, JEST_WORKER_ID: ___, ...env } = process.env;
  const service = { MODELPLATFORM_BASE_URL: "http://127.0.0.1:1", MODELPLATFORM_API_KEY: "key" };
  return execFileSync("sh", ["-ec", `exec 2>&1\n${commandsOf(title)}`], {
    cwd: folder,
    env: { ...env, ...service, NO_COLOR: "1" },
    encoding: "utf8",
  });
}

const withVitest = textOf("service.test.ts", "vitest");

nightly("compilers and runners start, for ten seconds each", () => {
  test("the tests of the page pass under node:test", () => {
    link();
    expect(played("With node:test", textOf("service.test.ts", "node:test"))).toMatch(/pass 1\n.*fail 0\n/s);
  }, 60_000);

  test("the tests of the page pass under jest", () => {
    const line = /`(import [^`]+@jest\/globals";)`/.exec(readFileSync(page, "utf8"))![1]!;
    const withJest = withVitest.replace(/import .* from "vitest";/, line);
    link();
    expect(played("With jest", withJest)).toMatch(/Tests: +3 passed, 3 total/);
  }, 120_000);

  unless(withoutRegistry(), "with vitest", () => {
    test("the tests of the page pass under vitest, as npm installs it", () => {
      execFileSync("npm", ["install", "--no-audit", "--no-fund", "vitest"], { cwd: folder, stdio: "pipe" });
      mkdirSync(join(folder, "node_modules/@pulumi"), { recursive: true });
      for (const name of ["pulumi-modelplatform", "@pulumi/pulumi"]) link(name);
      expect(played("With vitest", withVitest)).toMatch(/Tests +3 passed \(3\)/);
    }, 300_000);
  });
});

/** Why nothing can be installed; empty where it can. */
function withoutRegistry(): string {
  if (!isNightly) return "";
  try {
    npmRegistry.versions("vitest", "latest");
    return "";
  } catch (error) {
    return `skipped: ${(error as Error).message}`;
  }
}
