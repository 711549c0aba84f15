import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fingerprintOf, sizeOf } from "../../tools/rehearsal/registries";
import { Sandbox, type SandboxCommandError } from "../../tools/rehearsal/sandbox";

let sandbox: Sandbox;
beforeEach(() => void (sandbox = new Sandbox()));
afterEach(() => sandbox.close());

const place = () => ({ cwd: sandbox.folder, env: sandbox.home("somebody") });
const script = (text: string): [string, string[]] => [process.execPath, ["-e", text]];

function isRunning(id: number): boolean {
  try {
    process.kill(id, 0);
    return true;
  } catch {
    return false;
  }
}

describe("a command", () => {
  test("runs in a home of its own, and its output is what it printed", async () => {
    const home = await sandbox.run(...script("console.error('progress'); console.log(process.env.HOME)"), place());
    expect(home.trim()).toBe(join(sandbox.folder, "somebody", "home"));
  });

  test("that fails is named, with its exit code and its last lines", async () => {
    const failing = sandbox.run(...script("console.error('no space'); process.exitCode = 28"), place());
    await expect(failing).rejects.toMatchObject({
      ending: 28,
      output: "no space",
    } satisfies Partial<SandboxCommandError>);
    await expect(failing).rejects.toThrow(/^`node -e .*` ended with 28:\nno space$/);
  });

  test("whose program is not here is named", async () => {
    await expect(sandbox.run("no-such-program", ["x"], place())).rejects.toThrow("there is no such program");
  });

  test("with exit codes that have meanings is not rejected", async () => {
    expect(await sandbox.attempt(...script("process.exitCode = 3"), place())).toMatchObject({ code: 3 });
  });
});

describe("the end of a rehearsal", () => {
  // A child in a process group of its own, as the Pulumi CLI starts providers.
  const parent = `
    const child = require("node:child_process").spawn(process.execPath, ["-e", "setInterval(() => {}, 1e6)"], { detached: true });
    console.log(child.pid);
    setInterval(() => {}, 1e6);`;

  test("ends servers and what they have started, and removes every file", async () => {
    const child = Number(await sandbox.serve(...script(parent), place()));
    mkdirSync(join(sandbox.folder, "read-only"), { mode: 0o500 });
    expect(isRunning(child)).toBe(true);
    sandbox.close();
    while (isRunning(child)) await new Promise<void>((next) => setImmediate(next));
    expect(existsSync(sandbox.folder)).toBe(false);
  });

  test("names a server that ends before its first line", async () => {
    const server = sandbox.serve(...script("console.error('port is taken'); process.exitCode = 1"), place());
    await expect(server).rejects.toThrow("ended with 1:\nport is taken");
  });
});

test("a fingerprint differs once a file is another one, or was written again", () => {
  const folder = sandbox.newFolder("storage", "package");
  const storage = join(sandbox.folder, "storage");
  writeFileSync(join(folder, "a.tgz"), "content");
  const first = fingerprintOf(storage);
  expect([fingerprintOf(storage), sizeOf(storage)]).toEqual([first, 7]);
  writeFileSync(join(folder, "a.tgz"), "changed");
  const second = fingerprintOf(storage);
  writeFileSync(join(folder, "b.tgz"), "");
  expect(new Set([first, second, fingerprintOf(storage)]).size).toBe(3);
});
