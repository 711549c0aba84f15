import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, utimesSync, watch, writeFileSync } from "node:fs";
import { join } from "node:path";
import { managedSpecs } from "../../provider/resources/index";
import type { Reply } from "../api/support/scripted-server";
import { temporaryFolder } from "../cli/terminal";
import { exported } from "../drift/support/stacks";
import { everyNth } from "../nightly";
import { testPairs } from "./pairs";
import { listening, operator, operatorKey } from "./scene";

/**
 * A signal ends a command that waits for what never comes. No time is measured: what holds the command up is there
 * until the test ends, so that only the signal can end it.
 */
const main = join(__dirname, "../../dist/cli/main.js");
// Processes start slowly on a busy machine.
jest.setTimeout(240_000);

const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
});

const users = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    name: `accounts/acme/users/${"a".repeat(60)}-${index}`,
    email: `${index}@example.com`,
    role: "user",
    state: "READY",
  }));

const signals = ["SIGINT", "SIGTERM"] as const;

/** Both signals have one listener: by day each place meets one of them. */
const onSignal = (place: number, title: string, run: (signal: NodeJS.Signals) => Promise<void>): void =>
  everyNth(signals.length, place, signals, (now) => test.each(now)(title, run));

/** A scan in a folder of its own; `state` is where it keeps what it has read. */
async function scanning(answer: Reply, args: readonly string[], files: Readonly<Record<string, string>> = {}) {
  const [cwd, state] = [temporaryFolder(), temporaryFolder()];
  for (const [name, text] of Object.entries({ "prod.json": JSON.stringify(exported([])), ...files }))
    writeFileSync(join(cwd, name), text);
  const { url } = await listening(answer);
  const start = (): ChildProcess => {
    const line = ["drift", "--stack-file", "prod.json", "--unmanaged", "--account", "acme", ...args];
    const env = { ...operator(url), XDG_STATE_HOME: state };
    const child = spawn(process.execPath, [main, ...line], { cwd, env, stdio: "ignore" });
    children.push(child);
    return child;
  };
  return { cwd, state, start };
}

const json: Reply = (response, request) => {
  response.setHeader("content-type", "application/json");
  response.end(JSON.stringify(request.url.includes("/users") ? { users: users(2000) } : {}));
};

onSignal(0, "%s ends a scan that waits for the lock of its trace", async (signal) => {
  let child: ChildProcess | undefined;
  const { cwd, start } = await scanning(
    (response, request) => {
      const lock = join(cwd, "t.har.lock");
      const soon = new Date(Date.now() + 1900);
      // Held from now on: the answer is traced next.
      writeFileSync(lock, "");
      utimesSync(lock, soon, soon);
      json(response, request);
      child!.kill(signal);
    },
    ["--trace", "t.har"],
  );
  child = start();
  expect(await once(child, "exit")).toEqual([130, null]);
  expect(existsSync(join(cwd, "t.har.lock"))).toBe(true);
});

onSignal(1, "%s ends a scan that reads a pipe which nobody writes into", async (signal) => {
  const { cwd, start } = await scanning(json, ["--ignore", "ignore"]);
  await once(spawn("mkfifo", [join(cwd, "ignore")]), "exit");
  const child = start();
  // Opened for writing once the scan has opened it for reading.
  const writer = spawn("sh", ["-c", "exec 3> ignore; echo open; exec sleep 1000"], {
    cwd,
    stdio: ["ignore", "pipe", "ignore"],
  });
  children.push(writer);
  await once(writer.stdout!, "data");
  child.kill(signal);
  // As an INT does it: no exit waits for the pipe, and a shell gives 130 for either.
  expect(await once(child, "exit")).toEqual([null, "SIGINT"]);
});

onSignal(0, "%s ends a scan that matches patterns for hours", async (signal) => {
  const pattern = `acme/User/${"*a".repeat(40)}*b\n`;
  const { state, start } = await scanning(json, ["--ignore", "ignore"], { ignore: pattern.repeat(10_000) });
  const kept = join(state, "pulumi-modelplatform", "drift");
  mkdirSync(kept, { recursive: true });
  const watcher = watch(kept);
  // Each collection that was read has a file there until the report is made.
  const read = new Promise<void>((resolve) =>
    watcher.on("change", () => readdirSync(kept).length === managedSpecs.length && resolve()),
  );
  const child = start();
  await read;
  watcher.close();
  child.kill(signal);
  expect(await once(child, "exit")).toEqual([130, null]);
});

/** What a gateway that has seen the key says of it, as much as the client reads. */
const echo = `${operatorKey.slice(0, -1)} `.repeat(500_000);

const lines = [
  "call listUsers --account acme",
  "doctor",
  "codify",
  "probe",
  "drift --account acme --unmanaged --stack-file prod.json",
];

testPairs(
  lines.map((line) => [line.split(" ")[0]!, line] as const),
  signals.map((signal) => [signal, signal] as const),
  (name, signal) => `${signal} while a hostile text is being masked ends ${name}`,
  async (line, signal) => {
    let child: ChildProcess | undefined;
    // A request that is sent again: only the signal ends the command.
    const { url } = await listening((response) => {
      response.writeHead(503, { "content-type": "text/plain" });
      response.end(echo, () => child!.kill(signal));
    });
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, "prod.json"), JSON.stringify(exported([])));
    child = spawn(process.execPath, [main, ...line.split(" ")], { cwd, env: operator(url), stdio: "ignore" });
    children.push(child);
    expect(await once(child, "exit")).toEqual([130, null]);
  },
);
