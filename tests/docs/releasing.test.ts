import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { registryNames } from "../../tools/publish/command";
import { repository } from "../e2e/engines";
import { isExecutable, placesOf } from "../executables";

const page = readFileSync(join(repository, "docs/dev/releasing.md"), "utf8");
const { scripts } = JSON.parse(readFileSync(join(repository, "package.json"), "utf8")) as {
  scripts: Readonly<Record<string, string>>;
};

/** Every command line of the page: lines of blocks for a shell, and code in a sentence that starts a tool. */
const lines = [
  ...[...page.matchAll(/```sh\n([^]*?)```/g)].flatMap(([, block]) => block!.split("\n").map((line) => line.trim())),
  ...[...page.replace(/```[^]*?```/g, "").matchAll(/`((?:npm|git|gh|node|pulumi) [^`]+)`/g)].map(([, code]) => code!),
].filter((line) => line !== "" && !line.startsWith("#"));

/** The words of a line; what a reader fills in, and what a shell puts in, is one word. */
const wordsOf = (line: string): string[] =>
  line
    .replace(/ +# .*$/, "")
    .replace(/"\$\([^)]*\)"|<[^>]*>/g, "X")
    .replaceAll("'", "")
    .split(/ +/);

const spelledFlags = (words: readonly string[]): string[] =>
  words.filter((word) => /^-/.test(word) && word !== "--").map((word) => word.split("=")[0]!);

const linesOf = (tool: string): string[][] =>
  lines.map(wordsOf).filter(([first, second]) => first === tool && !(tool === "npm" && second === "run"));

/** The part of a help that lists a flag with its short name or its other spelling. */
const lists = (help: string, flag: string): boolean =>
  new RegExp(`(^|[\\s\\[|(,])${flag.replaceAll("-", "\\-")}(?![\\w-])`, "m").test(help);

test("the page has command lines of these tools", () => {
  expect([...new Set(lines.map((line) => line.split(" ")[0]))].sort()).toEqual(["gh", "git", "node", "npm", "pulumi"]);
});

describe("npm's own help", () => {
  test.each(linesOf("npm").filter((words) => words[1] !== "test:nightly"))("has %s %s %s", (...words) => {
    const isNested = words[1] === "trust" || words[1] === "config";
    const command = words.slice(1, words[1] === "trust" ? 3 : 2);
    const { stdout } = spawnSync("npm", [...command, "--help"], { encoding: "utf8" });
    expect(stdout).toContain(`npm ${command.join(" ")}`);
    if (isNested) expect(stdout).toContain(`npm ${words[1]} ${words[2]}`);
    expect(spelledFlags(words).filter((flag) => !lists(stdout, flag))).toEqual([]);
  });
});

test.each(linesOf("git"))("git has %s %s", (_git, command, ...rest) => {
  const { stdout, stderr } = spawnSync("git", [command!, "-h"], { encoding: "utf8" });
  expect(`${stdout}${stderr}`).toMatch(new RegExp(`usage: git ${command}`));
  expect(spelledFlags(rest).filter((flag) => !lists(stdout, flag))).toEqual([]);
});

describe("gh, which is not here, by its manual", () => {
  const { parse } = require("../stand-ins/arguments.cjs") as {
    parse(commands: object, words: readonly string[]): unknown;
  };
  const commands = Object.entries(
    require("../stand-ins/gh-commands.cjs") as Readonly<Record<string, { flags: Readonly<Record<string, string>> }>>,
  ).map(([name, command]) => {
    // A file of the page is not here.
    const flags = Object.entries(command.flags).map(([flag, kind]) => [flag, kind === "file" ? "text" : kind]);
    return [name, { ...command, filesFrom: Number.POSITIVE_INFINITY, flags: Object.fromEntries(flags) }];
  });
  test.each(linesOf("gh"))("has %s %s %s", (_gh, ...words) => {
    expect(() => parse(Object.fromEntries(commands), words)).not.toThrow();
  });
});

const cli = placesOf(["pulumi"]).find(isExecutable);
const reason = cli === undefined ? " (skipped: no `pulumi` on the PATH)" : "";
(cli === undefined ? test.skip : test)(`the Pulumi CLI has what the page names${reason}`, () => {
  for (const [, ...words] of linesOf("pulumi")) {
    const { stdout } = spawnSync(cli!, [...words, "--help"], { encoding: "utf8" });
    expect(stdout).toContain(`pulumi ${words.join(" ")}`);
  }
});

test("scripts of the page are those of package.json", () => {
  const named = lines.flatMap((line) => /^npm run ([\w:]+)/.exec(line)?.[1] ?? []);
  expect(named.filter((name) => !(name in scripts))).toEqual([]);
  expect(named.length).toBeGreaterThan(3);
});

test("the publishing command of the page is the one there is", () => {
  expect(linesOf("node")).toEqual([["node", "dist/tools/release.js", "publish", "X", "--to", "X"]]);
  for (const name of registryNames) expect(page).toContain(name);
});
