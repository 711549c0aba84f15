import { spawnSync } from "node:child_process";
import { createInterruption } from "../../provider/pulumi/interruption";
import { repository } from "../e2e/engines";

/** A process that notes its exits, and time that passes on demand. */
function world() {
  const exits: number[] = [];
  const sleeps: { ms: number; end: () => void }[] = [];
  const interruption = createInterruption({
    exit: (code) => exits.push(code),
    sleep: (ms) => new Promise((resolve) => sleeps.push({ ms, end: resolve })),
  });
  return { exits, sleeps, interruption };
}

const settle = () => new Promise(setImmediate);

test("a process with nothing under way exits at once", async () => {
  const { exits, interruption } = world();
  interruption.interrupt(143);
  await settle();
  expect(exits).toEqual([143]);
});

test("what is under way is aborted, answered, and only then does the process exit", async () => {
  const { exits, sleeps, interruption } = world();
  const work = interruption.during(
    () => new Promise((resolve) => interruption.signal.addEventListener("abort", () => resolve("answered"))),
  );
  interruption.interrupt(130);
  expect(await work).toBe("answered");
  await settle();
  expect(exits).toEqual([]);
  sleeps.at(-1)!.end();
  await settle();
  expect(exits).toEqual([130]);
});

test("work that does not end is not waited for forever", async () => {
  const { exits, sleeps, interruption } = world();
  void interruption.during(() => new Promise(() => undefined));
  interruption.interrupt(0);
  for (const index of [0, 1]) {
    await settle();
    sleeps[index]!.end();
  }
  await settle();
  expect(exits).toEqual([0]);
});

test("an abort lets the process live until it is interrupted, which then ends as usual", async () => {
  const { exits, sleeps, interruption } = world();
  void interruption.during(() => new Promise(() => undefined));
  interruption.abort();
  await settle();
  expect([interruption.signal.aborted, exits]).toEqual([true, []]);
  interruption.interrupt(130);
  expect(exits).toEqual([]);
  for (const index of [0, 1]) {
    await settle();
    sleeps[index]!.end();
  }
  await settle();
  expect(exits).toEqual([130]);
});

test("a second interruption exits at once", () => {
  const { exits, interruption } = world();
  void interruption.during(() => new Promise(() => undefined));
  interruption.interrupt(130);
  interruption.interrupt(143);
  expect(exits).toEqual([143]);
});

test("work that fails is no longer under way", async () => {
  const { exits, interruption } = world();
  await expect(interruption.during(() => Promise.reject(new Error("no")))).rejects.toThrow("no");
  interruption.interrupt(0);
  await settle();
  expect(exits).toEqual([0]);
});

test("as many waits as an engine asks for listen without a warning of Node.js", () => {
  const program = `
    const { createInterruption } = require("./dist/provider/pulumi/interruption");
    const { signal } = createInterruption({});
    for (let waits = 0; waits < 32; waits += 1) signal.addEventListener("abort", () => {});`;
  expect(spawnSync(process.execPath, ["-e", program], { cwd: repository }).stderr.toString()).toBe("");
});
