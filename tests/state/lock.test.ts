import { spawn } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Writable } from "node:stream";
import { layoutOf } from "../../provider/state/layout";
import { type LockSurroundings, StackLock } from "../../provider/state/lock";
import { temporaryFolder } from "./temporary-folder";

const me = { pid: 100, username: "ada", hostname: "here" };
const other = { pid: 200, username: "bob", hostname: "here", timestamp: "2026-01-01T00:00:00Z" };
const started = Date.parse("2026-01-02T00:00:00Z");

let root: string;
const folder = (): string => join(root, ".pulumi/locks/organization/demo/dev");
const files = (): string[] => readdirSync(folder()).sort();
const lockOf = (around: Partial<LockSurroundings> = {}): StackLock =>
  new StackLock(layoutOf(root, "demo", "dev"), {
    clock: () => new Date("2026-01-03T00:00:00Z"),
    holder: me,
    startedAt: started,
    isAlive: () => true,
    ...around,
  });

/** A lock file of another process, with the note that the CLI's storage library keeps beside it. */
function place(name: string, content: unknown): void {
  mkdirSync(folder(), { recursive: true });
  writeFileSync(join(folder(), name), typeof content === "string" ? content : JSON.stringify(content));
  writeFileSync(join(folder(), `${name}.attrs`), "{}");
}

beforeEach(() => {
  root = temporaryFolder();
});

describe("the lock of a stack", () => {
  test("is a file of the CLI's form in the CLI's place, gone after its release", async () => {
    const lock = lockOf();
    expect(await lock.acquire()).toEqual([]);
    expect(files()).toEqual([expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f-]{27}\.json$/)]);
    expect(JSON.parse(readFileSync(join(folder(), files()[0]!), "utf8"))).toEqual({
      ...me,
      timestamp: "2026-01-03T00:00:00.000Z",
    });
    await lock.release();
    expect(files()).toEqual([]);
    await lock.release();
  });

  test("can be taken again after its release, but not twice", async () => {
    const lock = lockOf();
    await lock.acquire();
    await expect(lock.acquire()).rejects.toThrow(/already locked by this operation/);
    await lock.release();
    await lock.acquire();
    await lock.release();
  });

  test("is refused while another has it, with who, where, since when and what to do", async () => {
    place("other.json", other);
    const error = await lockOf().acquire().catch(String);
    for (const part of [
      "organization/demo/dev",
      "200",
      "bob@here",
      "2026-01-01T00:00:00Z",
      "npx pulumi-modelplatform cancel",
    ])
      expect(error).toContain(part);
    expect(files()).toEqual(["other.json", "other.json.attrs"]);
  });

  test("is refused to a second operation of the same process", async () => {
    const first = lockOf();
    await first.acquire();
    await expect(lockOf().acquire()).rejects.toThrow(/process 100/);
    await first.release();
    await expect(lockOf().acquire()).resolves.toEqual([]);
  });

  test("is given back when another one appeared at the same time", async () => {
    const lock = lockOf({
      clock: () => {
        place("other.json", other);
        return new Date(0);
      },
    });
    await expect(lock.acquire()).rejects.toThrow(/process 200/);
    expect(files()).toEqual(["other.json", "other.json.attrs"]);
  });

  test.each([
    ["the process is dead", other, false, true],
    ["the process is dead, but on another host", { ...other, hostname: "there" }, false, false],
    ["the process lives", other, true, false],
    ["it has our own process id and is older than we are", { ...other, pid: me.pid }, true, true],
    [
      "it has our own process id and is younger than we are",
      { ...other, pid: me.pid, timestamp: "2026-01-02T12:00:00Z" },
      true,
      false,
    ],
    ["it cannot be read", "{", false, false],
    ["it says nothing", {}, false, false],
  ])("of another is judged when %s", async (_, content, alive, broken) => {
    place("other.json", content);
    const lock = lockOf({ isAlive: () => alive });
    if (broken) {
      expect(await lock.acquire()).toEqual([content]);
      expect(files()).toHaveLength(1);
      await lock.release();
    } else {
      await expect(lock.acquire()).rejects.toThrow(/is locked/);
      expect(files()).toEqual(["other.json", "other.json.attrs"]);
    }
  });

  test("is broken, whoever holds it, when the operation is cancelled", async () => {
    place("other.json", { ...other, hostname: "there" });
    place("damaged.json", "{");
    expect(await lockOf().breakAll()).toEqual([{ ...other, hostname: "there" }]);
    expect(files()).toEqual([]);
    expect(await lockOf().breakAll()).toEqual([]);
  });

  test("does not mind notes that the CLI left without their lock, and removes them", async () => {
    place("old.json", other);
    mkdirSync(folder(), { recursive: true });
    writeFileSync(join(folder(), "lost.json.attrs"), "{}");
    await lockOf({ isAlive: () => false }).acquire();
    expect(files()).toEqual([expect.stringMatching(/\.json$/)]);
  });

  test("of a process that was really killed is broken", async () => {
    const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"]);
    const lock = (): StackLock => new StackLock(layoutOf(root, "demo", "dev"), { holder: me });
    place("other.json", { ...other, pid: child.pid });
    await expect(lock().acquire()).rejects.toThrow(/is locked/);
    const ended = new Promise((resolve) => child.on("exit", resolve));
    child.kill("SIGKILL");
    await ended;
    expect(await lock().acquire()).toEqual([{ ...other, pid: child.pid }]);
  });

  // What a process is beyond its id can be asked on Linux only.
  (process.platform === "linux" ? test : test.skip)(
    "of a process that has ended is broken, also while its parent has not noticed",
    async () => {
      // The child ends with its input, once its parent has become a program that never looks after children.
      const parent = spawn("sh", ["-c", "cat <&3 & echo $!; exec sleep 600"], {
        stdio: ["ignore", "pipe", null, "pipe"],
      });
      const pid = await new Promise<number>((resolve) =>
        parent.stdout!.once("data", (text: Buffer) => resolve(Number(text))),
      );
      const until = async (holds: () => boolean): Promise<void> => {
        while (!holds()) await new Promise((resolve) => setImmediate(resolve));
      };
      await until(() => readFileSync(`/proc/${parent.pid}/comm`, "utf8") === "sleep\n");
      (parent.stdio[3] as Writable).end();
      await until(() => readFileSync(`/proc/${pid}/stat`, "utf8").includes(") Z "));
      place("other.json", { ...other, pid });
      expect(await new StackLock(layoutOf(root, "demo", "dev"), { holder: me }).acquire()).toEqual([{ ...other, pid }]);
      parent.kill();
    },
  );
});
