import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { oldestNode, unsupportedReason } from "../../provider/core/node-version";
import { temporaryFolder } from "./terminal";

const root = join(__dirname, "..", "..");
const main = join(root, "dist", "cli", "main.js");
const plugin = join(root, "dist", "provider", "plugin", "main.js");

function spawn(
  args: string[],
  {
    script = main,
    nodeArgs = [],
    env = {},
  }: { script?: string; nodeArgs?: string[]; env?: { [name: string]: string } } = {},
) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [...nodeArgs, script, ...args], {
    cwd: temporaryFolder(),
    env: { PATH: process.env["PATH"], ...env },
    encoding: "utf8",
  });
  return { status, stdout, stderr };
}

test("the version is the package's", () => {
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string };
  expect(spawn(["--version"])).toEqual({ status: 0, stdout: `${version}\n`, stderr: "" });
});

test.each([
  ["help", ["--help"], /^@|protobuf|zod|undici|hono|yaml|log-update/],
  ["a drift scan", ["drift", "--help"], /^@|protobuf|hono|yaml|log-update|typescript|diff/],
])("%s needs none of the heavy packages", (_, line, heavy) => {
  const { status, stderr } = spawn(line, {
    nodeArgs: ["--require", join(__dirname, "fixtures", "loaded-packages.cjs")],
  });
  expect(status).toBe(0);
  const loaded = JSON.parse(stderr) as string[];
  expect(loaded).toContain("commander");
  expect(loaded.filter((name) => heavy.test(name))).toEqual([]);
});

test("a Node.js that is too old is a clear error of every command, before any package", () => {
  const old = join(temporaryFolder(), "old.cjs");
  writeFileSync(
    old,
    `Object.defineProperty(process.versions, "node", { value: "18.20.4" });
     const { Module } = require("module"), { _load } = Module;
     Module._load = (name, ...rest) => {
       if (!/^[./]/.test(name) && !name.startsWith("node:")) throw new Error("require() of ES Module " + name);
       return _load(name, ...rest);
     };`,
  );
  const refused = {
    status: 1,
    stdout: "",
    stderr:
      "error: pulumi-modelplatform needs Node.js 20.19.0 or newer, and this is 18.20.4. Install a newer one: https://nodejs.org/\n",
  };
  for (const line of [["doctor"], ["up", "--yes"], ["--help"]])
    expect(spawn(line, { nodeArgs: ["--require", old] })).toEqual(refused);
  expect(spawn(["127.0.0.1:1"], { nodeArgs: ["--require", old], script: plugin })).toEqual(refused);
});

test.each([
  ["18.20.4", false],
  ["20.18.3", false],
  ["20.19.0", true],
  ["21.0.0", true],
  ["24.0.0-nightly", true],
])("Node.js %s will do: %s", (version, will) => {
  expect(unsupportedReason(version) === undefined).toBe(will);
});

test("the oldest supported Node.js is the one in package.json", () => {
  const { engines } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { engines: { node: string } };
  expect(oldestNode).toMatch(engines.node.replace(">=", ""));
});

test("an unknown command ends with 64, an error with 1 and one line", () => {
  expect(spawn(["prevue"])).toEqual({
    status: 64,
    stdout: "",
    stderr: "error: unknown command 'prevue'. Did you mean `preview`?\n",
  });
  const { status, stderr } = spawn(["preview"]);
  expect(status).toBe(1);
  expect(stderr).toMatch(/^Reading the project and the state of its stack …\nerror: [^\n]+\n$/);
});

test("a closed reader is not an error", () => {
  const { stdout, stderr, status } = spawnSync(
    "bash",
    ["-c", `"${process.execPath}" "${main}" up --help | head -c 1; echo "\${PIPESTATUS[0]}"`],
    { encoding: "utf8" },
  );
  expect({ stdout, stderr, status }).toEqual({ stdout: "U0\n", stderr: "", status: 0 });
});
