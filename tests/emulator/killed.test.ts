import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { everyNth } from "../nightly";

const main = join(__dirname, "..", "..", "dist", "cli", "main.js");
const headers = { authorization: "Bearer demo-key" };

// Processes start slowly on a busy machine.
jest.setTimeout(60_000);

let folder: string;
const children: ChildProcess[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "emulator-killed-"));
});

afterEach(async () => {
  await Promise.all(children.splice(0).map((child) => ended(child, "SIGKILL")));
  rmSync(folder, { recursive: true, force: true });
});

/** Starts the command and gives the address that its first line tells. */
async function started(...args: string[]): Promise<{ child: ChildProcess; url: string; output: () => string }> {
  const child = spawn(process.execPath, [main, "emulator", "--port", "0", ...args], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  children.push(child);
  let output = "";
  child.stderr!.on("data", (chunk: Buffer) => (output += chunk.toString()));
  const url = await new Promise<string>((found, failed) => {
    child.once("exit", (code) => failed(new Error(`the emulator ended with ${code}: ${output}`)));
    child.stdout!.on("data", (chunk: Buffer) => {
      output += chunk.toString();
      const line = /^emulator listening on (http:\/\/127\.0\.0\.1:\d+)\n/.exec(output);
      if (line) found(line[1]!);
    });
  });
  return { child, url, output: () => output };
}

function ended(child: ChildProcess, signal: NodeJS.Signals): Promise<number | NodeJS.Signals | null> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve(child.exitCode ?? child.signalCode);
  return new Promise((done) => {
    child.once("exit", (code, by) => done(code ?? by));
    child.kill(signal);
  });
}

const createUser = (url: string, id: string) =>
  fetch(`${url}/v1/accounts/demo/users?userId=${id}`, {
    method: "POST",
    headers: { ...headers, "content-type": "application/json" },
    body: JSON.stringify({ role: "user", email: `${id}@example.com` }),
  });

test("what an emulator has answered survives kill -9", async () => {
  const first = await started("--data", folder);
  const acknowledged: string[] = [];
  let killed: Promise<unknown> | undefined;
  const writer = async (name: string) => {
    for (let index = 0; !killed; index++) {
      const id = `${name}-${index}`;
      const status = await createUser(first.url, id).then(
        (response) => response.status,
        () => undefined,
      );
      if (status !== 200) continue;
      acknowledged.push(id);
      if (acknowledged.length === 25) killed = ended(first.child, "SIGKILL");
    }
  };
  await Promise.all(["a", "b", "c", "d"].map(writer));
  await killed;

  const second = await started("--data", folder);
  const page = (await (await fetch(`${second.url}/v1/accounts/demo/users?pageSize=200`, { headers })).json()) as {
    users: { name: string }[];
  };
  const there = page.users.map(({ name }) => name.slice("accounts/demo/users/".length));
  expect(there).toEqual(expect.arrayContaining(acknowledged));
  expect((await createUser(second.url, "after")).status).toBe(200);
});

everyNth(2, 0, ["SIGINT", "SIGTERM"] as const, (signals) =>
  test.each(signals)("%s ends it cleanly, and a restart finds the world and its settings", async (signal) => {
    const first = await started("--data", folder, "--account", "eu=eu-key");
    await fetch(`${first.url}/_emulator/settings`, {
      method: "PUT",
      body: JSON.stringify({ denied: 404, patch: "derive" }),
    });
    expect(await ended(first.child, signal)).toBe(0);
    expect(first.output()).toBe(`emulator listening on ${first.url}\n`);

    const second = await started("--data", folder, "--patch", "replace");
    expect(await (await fetch(`${second.url}/_emulator/settings`)).json()).toMatchObject({
      denied: 404,
      patch: "replace",
    });
    expect((await fetch(`${second.url}/v1/accounts/eu`, { headers: { authorization: "Bearer eu-key" } })).status).toBe(
      200,
    );
  }),
);

test("a period without connections does not end it", async () => {
  const { child, url } = await started();
  await fetch(`${url}/_emulator/faults`, {
    method: "POST",
    body: JSON.stringify({ fault: { kind: "refuse", ms: 100 } }),
  });
  await expect(fetch(`${url}/v1/accounts`, { headers })).rejects.toThrow();
  let status: number | undefined;
  while (status === undefined && child.exitCode === null)
    status = await fetch(`${url}/v1/accounts`, { headers }).then(
      (response) => response.status,
      () => undefined,
    );
  expect(status).toBe(200);
  expect(await ended(child, "SIGTERM")).toBe(0);
});

test("a slow answer does not keep it from ending", async () => {
  const { child, url } = await started();
  await fetch(`${url}/_emulator/faults`, {
    method: "POST",
    body: JSON.stringify({ fault: { kind: "slow", ms: 3_600_000 } }),
  });
  const answer = fetch(`${url}/v1/accounts`, { headers }).catch(() => undefined);
  const struck = async () =>
    ((await (await fetch(`${url}/_emulator/faults`)).json()) as { faults: { hits: number }[] }).faults[0]!.hits;
  while ((await struck()) === 0);
  expect(await ended(child, "SIGTERM")).toBe(0);
  await answer;
});
