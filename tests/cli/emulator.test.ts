import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createEmulator } from "../../emulator/index";
import { modelplatform } from "./terminal";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "emulator-command-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Runs the command and stops it as soon as it listens. */
const emulator = (...args: string[]) =>
  modelplatform(["emulator", "--port", "0", ...args], {
    cwd: folder,
    onListen: (interrupt) => setImmediate(interrupt),
  });

test("the emulator prints its address, and nothing else", async () => {
  const { code, stdout, stderr } = await emulator();
  expect([code, stderr]).toEqual([0, ""]);
  expect(stdout).toMatch(/^emulator listening on http:\/\/127\.0\.0\.1:\d+\n$/);
});

test.each([
  [["--port", "70000"], "--port takes a number from 0 to 65535"],
  [["--speed", "0"], "--speed takes a number above 0"],
  [["--account", "canary-key"], "--account takes an account and its key, such as demo=demo-key"],
  [["--account", "a/b=canary-key"], "--account takes an account and its key"],
  [["--key", "demo=canary-key"], "--key takes an account, a role and a key"],
  [["--key", "demo:owner=canary-key"], "roles are admin, user, contributor, inference-user, custom"],
  [["--patch", "merge"], "Allowed choices are mask, derive, populated, replace"],
  [["--clock", "sundial"], "Allowed choices are real, manual"],
])("%j is a usage error that repeats no key", async (args, reason) => {
  const { code, stdout, stderr } = await emulator(...args);
  expect([code, stdout]).toEqual([64, ""]);
  expect(stderr).toContain(reason);
  expect(stderr).not.toContain("canary-key");
});

test.each([
  ["missing.json", undefined, "there is no such file"],
  ["broken.json", '{"canary-key', "broken.json: it is not JSON"],
  ["nonsense.json", '{"objects": {"accounts/demo/gadgets/x": {}}}', "`accounts/demo/gadgets/x` is not a resource name"],
])("a seed that cannot be used is a readable error: %s", async (name, content, reason) => {
  if (content !== undefined) writeFileSync(join(folder, name), content);
  const { code, stderr } = await emulator("--seed", name);
  expect(code).toBe(1);
  expect(stderr).toContain(reason);
  expect(stderr).not.toMatch(/canary-key| at /);
});

test("a port in use is a readable error", async () => {
  const other = createEmulator();
  const { port } = await other.listen({ port: 0 });
  const { code, stderr } = await modelplatform(["emulator", "--port", String(port)], { cwd: folder });
  await other.close();
  expect(code).toBe(1);
  expect(stderr).toContain(`error: port ${port} of 127.0.0.1 is in use`);
});

test("a data folder is relative to the command's folder, and is released", async () => {
  expect((await emulator("--data", "world")).code).toBe(0);
  expect((await emulator("--data", "world")).code).toBe(0);
});
