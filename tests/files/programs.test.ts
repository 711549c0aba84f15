import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { readStacks } from "../../drift/scan/stacks";
import { runProgram } from "../../io/programs";
import { commandsWith } from "../../provider/api/settings/keyring";
import { systemTime, type Time } from "../../provider/api/time";
import { instantTime } from "../api/support/instant-time";
import { rejection } from "../rejection";
import { temporaryFolder } from "../state/temporary-folder";

const env = process.env;

/** Prints, ignores signals, and leaves a child that keeps its output open. */
const stubborn = 'trap "" TERM INT HUP; echo $$ > started; sleep 20 & wait';

/** Resolves once the program has begun. */
async function begun(folder: string): Promise<number> {
  const file = join(folder, "started");
  while (!existsSync(file) || readFileSync(file, "utf8") === "") await new Promise(setImmediate);
  return Number(readFileSync(file, "utf8"));
}

/** A clock whose deadlines pass once a program has begun in the folder. */
const passingIn = (folder: string): Time => ({ ...systemTime, sleep: async () => void (await begun(folder)) });

const isRunning = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

async function ended(pid: number): Promise<void> {
  while (isRunning(pid)) await new Promise(setImmediate);
}

test("a program that ignores signals ends with its signal, at once", async () => {
  const folder = temporaryFolder();
  const stop = new AbortController();
  const running = rejection(runProgram("sh", ["-c", stubborn], { signal: stop.signal, cwd: folder, env }));
  const pid = await begun(folder);
  stop.abort(new Error("enough"));
  expect((await running).message).toBe("enough");
  await ended(pid);
});

test("a program that is not begun in time does not stay", async () => {
  const options = { signal: AbortSignal.abort(new Error("late")), cwd: temporaryFolder(), env };
  await expect(runProgram("sleep", ["600"], options)).rejects.toThrow("late");
});

test("what a program prints comes back, and what it says of a failure", async () => {
  const options = { signal: new AbortController().signal, cwd: "/", env };
  expect(await runProgram("printf", ["%s", "out"], options)).toBe("out");
  await expect(runProgram("sh", ["-c", "echo why >&2; exit 3"], options)).rejects.toMatchObject({
    code: 3,
    stderr: "why\n",
  });
});

test("a key command that ignores signals took too long", async () => {
  const folder = temporaryFolder();
  const run = commandsWith(env, folder, passingIn(folder));
  await expect(run("sh", ["-c", stubborn])).rejects.toMatchObject({ killed: true });
  await ended(await begun(folder));
});

test("an export by the Pulumi CLI that does not end is named", async () => {
  const folder = temporaryFolder();
  const programs = { cwd: folder, env, find: () => "/bin/sh" };
  const shell = { ...programs, env: { ...env, ENV: "" } };
  const surroundings = { cwd: folder, env, programs: shell, time: instantTime(0, () => 0, Number.POSITIVE_INFINITY) };
  await expect(readStacks({ stacks: ["acme/shop/prod"] }, surroundings)).rejects.toThrow(
    "`pulumi stack export` did not end within 10 minutes.",
  );
});
