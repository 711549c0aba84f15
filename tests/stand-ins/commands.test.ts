import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { isExecutable, placesOf } from "../executables";

interface Command {
  flags: Readonly<Record<string, string>>;
}

const tables = ["gh", "dotnet", "pulumi"].map(
  (tool) => [tool, require(`./${tool}-commands.cjs`) as Readonly<Record<string, Command>>] as const,
);

for (const [tool, commands] of tables) {
  const place = placesOf([tool]).find(isExecutable);
  const reason = place === undefined ? ` (skipped: no \`${tool}\` on the PATH)` : "";
  (place === undefined ? describe.skip : describe)(`${tool}'s own help${reason}`, () => {
    test.each(Object.entries(commands))("lists the flags of %s", (name, { flags }) => {
      const { stdout, stderr } = spawnSync(place!, [...name.split(" "), "--help"], { encoding: "utf8" });
      const help = `${stdout}${stderr}`;
      expect(Object.keys(flags).filter((flag) => !new RegExp(`(^|[\\s,|])${flag}(?![\\w-])`, "m").test(help))).toEqual(
        [],
      );
    });
  });
}

const run = (tool: string, ...args: string[]) => {
  const script = join(__dirname, `${tool}.cjs`);
  return spawnSync(process.execPath, [script, ...args], { encoding: "utf8", env: { PULUMI_HOME: "/nowhere" } });
};

test.each([
  ["dotnet", ["nuget", "push", "no-such.nupkg", "--source", "x"], "open no-such.nupkg: no such file or directory"],
  ["dotnet", ["nuget", "push", "--sauce", "x", "y"], "unknown flag: --sauce"],
  ["dotnet", ["nuget", "pull"], "unknown command"],
  ["pulumi", ["plugin", "install", "resource", "x", "1.0.0", "--file", "no-such.tar.gz"], "open no-such.tar.gz"],
  ["pulumi", ["plugin", "install", "resource", "x", "1.0.0", "--file"], "flag needs an argument: --file"],
  ["pulumi", ["plugin", "install", "a", "b", "c", "d"], "takes other arguments"],
])("%s %j is refused", (tool, args, message) => {
  expect(run(tool, ...args)).toMatchObject({ status: 1, stderr: expect.stringContaining(message) });
});

const { parse } = require("./arguments.cjs") as {
  parse(commands: object, argv: readonly string[]): { command: string; flags: object; args: string[] };
};

test.each([
  ["release", "create", "v1", "--draft", "--verify-tag", "-t", "v1", "--repo=a/b", __filename],
  ["release", "create", "v1", "--title", "v1", __filename, "-d", "-R", "a/b", "--verify-tag"],
])("gh takes %j", (...argv) => {
  expect(parse(tables[0]![1], argv)).toEqual({
    command: "release create",
    flags: { "--draft": true, "--verify-tag": true, "--title": "v1", "--repo": "a/b" },
    args: ["v1", __filename],
  });
});

test.each([
  [["release", "create", "v1", "--drafts"], "unknown flag: --drafts"],
  [["release", "upload", "v1"], "takes other arguments"],
  [["release", "upload", "v1", "no-such.tgz"], "open no-such.tgz"],
  [["release", "publish", "v1"], "unknown command"],
  [["pr", "create", "--body-file", "no-such.md"], "open no-such.md"],
])("gh %j is refused", (argv, message) => {
  expect(() => parse(tables[0]![1], argv)).toThrow(message);
});

test("a switch that is false is one", () => {
  expect(parse(tables[0]![1], ["release", "edit", "v1", "--draft=false"]).flags).toEqual({ "--draft": false });
});
