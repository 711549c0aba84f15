import { execFile } from "node:child_process";
import { statSync, writeFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { promisify } from "node:util";
import { createEmulator } from "../../emulator/index";
import { exported } from "../drift/support/stacks";
import { temporaryFolder } from "./terminal";

const dist = join(__dirname, "..", "..", "dist");
const run = promisify(execFile);

/** Files that a command's process has loaded when it writes its first word, or ends without one. */
async function loadedBy(args: readonly string[], settings: NodeJS.ProcessEnv = {}): Promise<string[]> {
  const script = `
    const { stdout } = process;
    const write = stdout.write.bind(stdout);
    let said;
    stdout.write = () => (said ??= write(JSON.stringify(Object.keys(require.cache)), () => process.exit(0)));
    process.once("exit", () => {
      if (said === undefined) require("node:fs").writeSync(1, JSON.stringify(Object.keys(require.cache)));
      process.exitCode = 0;
    });
    process.argv.splice(1, 0, "");
    require(${JSON.stringify(join(dist, "cli", "main.js"))});
  `;
  const env = { ...process.env, ...settings };
  const { stdout } = await run(process.execPath, ["-e", script, "--", ...args], { env });
  return (JSON.parse(stdout) as string[]).map((file) => relative(dist, file).split(sep).join("/"));
}

/** What a command's help is made of: the command line's own files, and the library that reads it. */
const ofHelp =
  /^(cli|io)\/|^provider\/core\/(errors|error-topics|node-version)|^provider\/api\/time\.|\/node_modules\/commander\//;

test("the help of the command line is written by its own files, few of them", async () => {
  const loaded = await loadedBy(["--help"]);
  expect(loaded.filter((file) => !ofHelp.test(file))).toEqual([]);
  expect(loaded.length).toBeLessThan(30);
});

/** Declarations, the client and its connections, and what runs a stack. */
const ofWork =
  /^(provider\/(resources|lifecycle|api\/client)|emulator|cli\/host|drift)|^engine\/(?!display|values|state)|\/(undici|@grpc)\//;

test.each(["preview", "up", "refresh", "destroy", "config"])(
  "the help of %s loads nothing of what the command does",
  async (name) => expect((await loadedBy([name, "--help"])).filter((file) => ofWork.test(file))).toEqual([]),
);

/** Scanning, states, and how objects live. */
const ofScans =
  /^drift\/(?!report\/formats|notify\/forms|scan\/(verdicts|shard|selection))|^provider\/(lifecycle|kinds|api\/(?!time))|^engine|^governance/;

/** Declarations, the schema of reports, and what draws text. */
const ofReports = /^provider\/(resources|core\/(declaration|zod))|\/(string-width|picocolors)\//;

test.each([
  "drift --help",
  "drift --shard 5/4",
  "drift --notify-dry-run",
  "drift baseline --stack-file prod.json --output accepted.json --owner me --reason x --expires 2999-01-01",
  "drift merge prod.json --format text --format html",
  "audit --help",
  "audit --fail-on worse",
  "audit --format text --format html",
])("%s loads no scanner and no declarations", async (line) => {
  const loaded = await loadedBy(line.split(" "));
  expect(loaded).toContain("cli/drift/drift.js");
  expect(loaded.filter((file) => ofScans.test(file) || ofReports.test(file))).toEqual([]);
});

test("a filter that makes no sense is refused before a scanner is loaded", async () => {
  const loaded = await loadedBy("drift --stack-file prod.json --unmanaged --filter =".split(" "));
  expect(loaded).toContain("filters/grammar.js");
  expect(loaded.filter((file) => ofScans.test(file))).toEqual([]);
});

test.each([
  ["call --help", 180],
  ["doctor --json", 280],
])("%s has loaded fewer than %d files when it answers", async (line, most) => {
  const loaded = await loadedBy(line.split(" "), { MODELPLATFORM_API_KEY: "", XDG_STATE_HOME: temporaryFolder() });
  expect(loaded.length).toBeLessThan(most);
  expect(
    loaded.filter((file) =>
      /^(cli\/host|emulator|provider\/(sdk|plugin)|protocol)\/|\/(@grpc|@pulumi|zod)\//.test(file),
    ),
  ).toEqual([]);
});

const ofRequests =
  /^provider\/(resources|core\/(fields|wire))\/|^provider\/core\/zod|^emulator\/(answering|http\/control|lists|services\/table)/;

test("an emulator says that it listens before it loads what only requests need", async () => {
  const loaded = await loadedBy(["emulator", "--port", "0"]);
  expect(loaded).toContain("emulator/world/store.js");
  expect(loaded.filter((file) => ofRequests.test(file))).toEqual([]);
});

test("the schema library is one file, of what the sources name of it", () => {
  expect(statSync(join(dist, "provider", "core", "zod.js")).size).toBeLessThan(200_000);
  const { z } = require(join(dist, "provider", "core", "zod.js")) as { z: object };
  expect(Object.keys(z)).toEqual(expect.arrayContaining(["strictObject", "string", "toJSONSchema"]));
  expect(z).not.toHaveProperty("fromJSONSchema");
});

/** Other formats of the report, layouts of other commands, and what nothing uses of libraries. */
const ofOthers =
  /^drift\/report\/(html|page|markdown|sarif|junit|csv)|\/(zod|yaml\/|undici\/(index|lib\/(mock|cache|web\/web)))/;

test.each(["drift", "audit"])("%s loads the format that it writes, and what it uses of libraries", async (command) => {
  const emulator = createEmulator({ clock: "manual" });
  const { url } = await emulator.listen({ port: 0 });
  try {
    const cwd = temporaryFolder();
    const live = { name: "accounts/demo/users/ada", email: "ada@example.com", role: "user" };
    const { name, ...inputs } = live;
    emulator.world.put({ kind: "User", name, fields: live });
    const stack = join(cwd, "stack.json");
    writeFileSync(stack, JSON.stringify(exported([{ kind: "User", inputs, live, outputs: { endpoint: url } }])));
    const loaded = await loadedBy([command, "--stack-file", stack], {
      MODELPLATFORM_ACCOUNT_ID: "demo",
      MODELPLATFORM_API_KEY: "demo-key",
      MODELPLATFORM_BASE_URL: url,
      XDG_STATE_HOME: join(cwd, "state"),
    });
    expect(loaded).toEqual(expect.arrayContaining(["drift/report/text.js", "provider/api/http/dispatcher.js"]));
    expect(loaded.filter((file) => file !== "provider/core/zod.js" && ofOthers.test(file))).toEqual([]);
  } finally {
    await emulator.close();
  }
});

test("a signal that comes while a command works without a pause ends it, too", async () => {
  const script = `
    const write = process.stdout.write.bind(process.stdout);
    process.stdout.write = (...all) => {
      process.stdout.write = write;
      process.kill(process.pid, "SIGINT");
      return write(...all);
    };
    process.argv.splice(1, 0, "");
    require(${JSON.stringify(join(dist, "cli", "main.js"))});
  `;
  const ended = await run(process.execPath, ["-e", script, "--", "--version"]).catch((error: unknown) => error);
  expect(ended).toMatchObject({ code: 130, stderr: "error: interrupted\n" });
});

test("a stray SIGUSR1 opens no inspector, and no report has the environment", async () => {
  const script = `
    process.on("exit", () => {
      const { excludeEnv } = process.report;
      require("node:fs").writeSync(1, JSON.stringify([process.listenerCount("SIGUSR1"), excludeEnv]));
    });
    process.argv.splice(1, 0, "");
    require(${JSON.stringify(join(dist, "cli", "main.js"))});
  `;
  const { stdout } = await run(process.execPath, ["-e", script, "--", "--version"]);
  expect(stdout).toContain("[1,true]");
});

test("an output on a full disk ends nothing half-way, and is no success", async () => {
  const script = `
    const { writeSync } = require("node:fs");
    let stderr = "";
    process.stderr.write = (text, done) => ((stderr += text), typeof done === "function" && done(), true);
    process.stdout.write = (text, done) => {
      if (typeof done === "function") done();
      else process.stdout.emit("error", Object.assign(new Error("write"), { code: "ENOSPC" }));
      return true;
    };
    process.on("exit", (code) => writeSync(1, JSON.stringify([code, stderr])));
    process.argv.splice(1, 0, "");
    require(${JSON.stringify(join(dist, "cli", "main.js"))});
  `;
  const ended = (await run(process.execPath, ["-e", script, "--", "--version"]).catch((error: unknown) => error)) as {
    stdout: string;
  };
  expect(JSON.parse(ended.stdout)).toEqual([1, expect.stringMatching(/to its end: .*\(ENOSPC\)\. The command/)]);
});

test("a folder of work that is gone is said in a sentence", async () => {
  const line = ["-c", 'rmdir "$PWD" && exec "$0" "$1" --version', process.execPath, join(dist, "cli", "main.js")];
  const ended = await run("sh", line, { cwd: temporaryFolder() }).catch((error: unknown) => error);
  expect(ended).toMatchObject({ code: 1, stderr: expect.stringMatching(/^error: the folder .* is gone\. .*\n$/) });
});
