import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Child } from "../../engine/processes/child";

function start(script: string): { child: Child; lines: string[]; told: (line: string) => Promise<void> } {
  const lines: string[] = [];
  const waiting: { line: string; resolve: () => void }[] = [];
  const onLine = (line: string, stream: string) => {
    lines.push(`${stream}: ${line}`);
    for (const each of waiting) if (each.line === line) each.resolve();
  };
  const child = new Child({ args: ["-e", script], cwd: tmpdir(), env: process.env, onLine });
  return { child, lines, told: (line) => new Promise((resolve) => waiting.push({ line, resolve })) };
}

test("a process's exit is reported after its last output", async () => {
  const { child, lines } = start(
    'console.log("one\\ntwo"); console.error("three"); process.stdout.write("four"); process.exitCode = 3',
  );
  expect(await child.exited).toEqual({ code: 3, signal: null });
  expect(lines.sort()).toEqual(["stderr: three", "stdout: four", "stdout: one", "stdout: two"]);
});

test("a process that ignores SIGTERM is killed", async () => {
  const { child, told } = start(
    'process.on("SIGTERM", () => console.log("no")); setInterval(() => {}, 1000); console.log("ready")',
  );
  await told("ready");
  expect(await child.end(1)).toEqual({ code: null, signal: "SIGKILL" });
});

test("a process's children end with it, and signals to ended processes are not errors", async () => {
  const { child, lines, told } = start(
    'const { spawn } = require("node:child_process"); spawn(process.execPath, ["-e", "console.log(process.pid); setInterval(() => {}, 1000)"], { stdio: "inherit" }); setTimeout(() => console.log("ready"), 0); setInterval(() => {}, 1000)',
  );
  await told("ready");
  await child.end(5000);
  child.signal("SIGKILL");
  for (const pid of lines.flatMap((line) => line.match(/\d+$/) ?? []))
    expect(() => process.kill(Number(pid), 0)).toThrow("ESRCH");
});

test("a process that cannot start, because no more files may be open, says what to do", () => {
  const text = `
    const { openSync } = require("node:fs");
    const { Child } = require(${JSON.stringify(join(__dirname, "../../engine/processes/child.ts"))});
    try { for (;;) openSync("/dev/null"); } catch {}
    const options = { args: [], cwd: ".", env: process.env, onLine() {}, onRequest() {} };
    new Child(options).exited.catch(({ message }) => console.log(message));`;
  const node = [process.execPath, "--require", join(__dirname, "../compiled.cjs"), "-e", text];
  const limited = spawnSync("sh", ["-c", 'ulimit -n 60 && exec "$@"', "sh", ...node], { encoding: "utf8" });
  expect(limited.stdout).toMatch(/spawn .* EMFILE: .*Raise the limit of open files, .*`ulimit -n 4096`/);
});

/** Connects and waits. It ends with its connection, so that a failed test leaves nothing behind. */
const waiting = (port: number): string =>
  `require("node:net").connect(${port}, "127.0.0.1").on("close", () => process.exit()); setInterval(() => {}, 1000)`;

/** A process that has inherited the arguments of the lifeline, though not the lifeline, comes to its own end. */
const starting = `require("node:child_process").execFileSync(process.execPath, [...process.execArgv.slice(0, 1), "-e", "0"]);`;

/** A process that starts one with `script`, as an engine does. */
function startEngine(script: string) {
  const compiled = join(__dirname, "../compiled.cjs");
  const child = join(__dirname, "../../engine/processes/child.ts");
  const text = `
    const { Child } = require(${JSON.stringify(child)});
    new Child({ args: ["-e", ${JSON.stringify(script)}], cwd: ".", env: process.env, onLine: console.log });`;
  return spawn(process.execPath, ["--require", compiled, "-e", text], { stdio: "ignore" });
}

test.each([
  ["waits", ""],
  ["has started another one in the same way", starting],
])("a process that %s ends when its engine is killed", async (_, before) => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  const engine = startEngine(before + waiting(port));
  const [connection] = (await once(server, "connection")) as [Socket];
  engine.kill("SIGKILL");
  await once(connection.resume(), "close");
  server.close();
});
