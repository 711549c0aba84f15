// First, so that keys cost nothing.
import "../state/quick-keys";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { EmbeddedStack as ProgramsStack } from "../../cli/host/embedded-stack";
import { EmbeddedStack } from "../../engine/stack";
import { passphrase, Workshop } from "./workshop";

const workshop = new Workshop();
afterAll(() => workshop.remove());

const at = (stackName: string) => ({
  stackName,
  workDir: workshop.program,
  backendUrl: `file://${workshop.backend}`,
  passphrase,
});
const secretKey = "4dabf18193072939515e22adb298388d";
const plaintext = (value: string) => ({
  [secretKey]: "1b47061264138c4ac30d75fd1eb44270",
  plaintext: JSON.stringify(value),
});

const exported = (stack: string) => ({
  version: 3,
  deployment: {
    manifest: { time: "2026-01-01T00:00:00Z", magic: "", version: "" },
    resources: [
      {
        urn: `urn:pulumi:${stack}::boxes::pulumi:pulumi:Stack::boxes-${stack}`,
        custom: false,
        type: "pulumi:pulumi:Stack",
        outputs: { open: [1], hidden: plaintext("hunter2") },
      },
    ],
  },
});

test("a stack is created once, and selected when it exists", async () => {
  await expect(EmbeddedStack.select(at("one"))).rejects.toThrow("has no stack one");
  await EmbeddedStack.create(at("one"));
  await expect(EmbeddedStack.create(at("one"))).rejects.toThrow("already exists");
  expect((await EmbeddedStack.select(at("organization/boxes/one"))).name).toBe("one");
  expect((await EmbeddedStack.createOrSelect(at("one"))).project.name).toBe("boxes");
  await expect(EmbeddedStack.select(at("organization/other/one"))).rejects.toThrow("not a stack of project boxes");
});

test("config is kept in the stack's file, secrets encrypted", async () => {
  const stack = await EmbeddedStack.createOrSelect(at("two"));
  await stack.setConfig("plain", { value: "text" });
  await stack.setConfig("other:hidden", { value: "hunter2", secret: true });
  expect(await stack.getConfig("plain")).toEqual({ value: "text", secret: false });
  expect(await stack.getConfig("other:hidden")).toEqual({ value: "hunter2", secret: true });
  expect(readFileSync(join(workshop.program, "Pulumi.two.yaml"), "utf8")).not.toContain("hunter2");
  await stack.removeConfig("plain");
  expect(await stack.getConfig("plain")).toBeUndefined();
});

test("a state goes out encrypted and comes in with its secrets in the clear or not", async () => {
  const stack = await EmbeddedStack.createOrSelect(at("three"));
  await stack.importStack(exported("three"));
  expect(await stack.outputs()).toEqual({
    open: { value: [1], secret: false },
    hidden: { value: "hunter2", secret: true },
  });
  const document = await stack.exportStack();
  expect(JSON.stringify(document)).not.toContain("hunter2");
  await stack.importStack(document);
  expect(await stack.outputs()).toMatchObject({ hidden: { value: "hunter2" } });
  await expect(stack.importStack(exported("four"))).rejects.toThrow("of another stack");
});

test("cancel breaks locks and says whose they were", async () => {
  const stack = await EmbeddedStack.createOrSelect(at("five"));
  const folder = join(workshop.backend, ".pulumi/locks/organization/boxes/five");
  mkdirSync(folder, { recursive: true });
  const holder = { pid: 1, username: "someone", hostname: "elsewhere", timestamp: "2026-01-01T00:00:00Z" };
  writeFileSync(join(folder, "a.json"), JSON.stringify(holder));
  await expect(stack.destroy()).rejects.toThrow(/someone|elsewhere/);
  expect(await stack.cancel()).toEqual([holder]);
  expect(await stack.cancel()).toEqual([]);
});

test("a wrong passphrase, no project and another language are reported before a run", async () => {
  await EmbeddedStack.createOrSelect(at("three"));
  const wrong = await EmbeddedStack.select({ ...at("three"), passphrase: "wrong" });
  await expect(wrong.outputs()).rejects.toThrow("passphrase");
  await expect(EmbeddedStack.select({ ...at("three"), workDir: workshop.folder })).rejects.toThrow("Pulumi.yaml");
  const python = join(workshop.folder, "python");
  mkdirSync(python);
  writeFileSync(join(python, "Pulumi.yaml"), "name: boxes\nruntime: python\n");
  const stack = await EmbeddedStack.createOrSelect({ ...at("six"), workDir: python });
  const errors: string[] = [];
  const report = await stack.up({
    onEvent: (event) => event.kind === "diagnostic" && event.severity === "error" && errors.push(event.message),
  });
  expect(report.result).toBe("failed");
  expect(errors).toEqual([
    expect.stringMatching(/The runtime "python" is not supported by the built-in engine.*Pulumi CLI/),
  ]);
});

test("an operation of a program that fails rejects with its errors and report", async () => {
  const stack = await ProgramsStack.createOrSelect(at("failing"));
  workshop.declare({ resources: [], throw: "boom" });
  const failure = await stack.up().catch((error: unknown) => error);
  expect(failure).toMatchObject({
    name: "OperationFailedError",
    message: expect.stringMatching(/^The up of the stack failing failed\.\n {2}[^]*boom/),
    report: { result: "failed" },
  });
  await expect(stack.preview()).rejects.toThrow("The preview of the stack failing failed.");
  workshop.declare({ resources: [] });
  expect(await stack.up()).toMatchObject({ result: "succeeded" });
});
