import { spawn } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import type { Writable } from "node:stream";
import { layoutOf } from "../../engine/state/layout";
import { LockLostError, StackLock } from "../../engine/state/lock";
import { thisProcess } from "../../engine/state/process-identity";
import { nodeFiles } from "../../io/files/durable";
import { Neighborhood } from "./neighborhood";
import { resource, snapshotOf } from "./states";

/** A lock as the Pulumi CLI writes it. */
const cliLock = { pid: 200, username: "bob", hostname: "here", timestamp: "2026-01-01T00:00:00Z" };

let all: Neighborhood;
beforeEach(() => {
  all = new Neighborhood();
});

describe("the lock of a stack", () => {
  test("is a file of the CLI's form in the CLI's place, gone after its release", async () => {
    const lock = all.machine("here").start(100);
    expect(await lock.acquire()).toEqual([]);
    expect(all.locks()).toEqual([expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f-]{27}\.json$/)]);
    expect(all.holders()).toMatchObject([
      { pid: 100, username: "ada", hostname: "here", timestamp: "2026-01-03T00:00:00.000Z" },
    ]);
    await lock.release();
    expect(all.locks()).toEqual([]);
    await lock.release();
  });

  test("can be taken again after its release, but not twice", async () => {
    const lock = all.machine("here").start(100);
    await lock.acquire();
    await expect(lock.acquire()).rejects.toThrow(/already locked by this operation/);
    await lock.release();
    await lock.acquire();
  });

  test("is given back when another one appeared at the same time", async () => {
    const { around } = all.machine("here").process(100);
    const lock = new StackLock(all.layout, {
      ...around,
      clock: () => {
        all.place("other.json", cliLock);
        return new Date(0);
      },
    });
    await expect(lock.acquire()).rejects.toThrow(/process 200/);
    expect(all.locks()).toEqual(["other.json", "other.json.attrs"]);
  });

  test("goes to exactly one of the operations that one process begins at once", async () => {
    const { around } = all.machine("here").process(100);
    // None looks for the others before each has written its file or is refused.
    let begun = 0;
    let allHaveBegun = () => {};
    const together = new Promise<void>((resolve) => (allHaveBegun = resolve));
    const begin = () => (begun += 1) === 3 && allHaveBegun();
    const rename: typeof nodeFiles.rename = async (from, to) => {
      await nodeFiles.rename(from, to);
      begin();
      await together;
    };
    const locks = [1, 2, 3].map(() => new StackLock(all.layout, { ...around, files: { ...nodeFiles, rename } }));
    const refused = (error: unknown) => {
      begin();
      throw error;
    };
    const taken = await Promise.allSettled(locks.map((lock) => lock.acquire().catch(refused)));
    expect(taken.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    const reasons = taken.flatMap((each) => (each.status === "rejected" ? [String(each.reason)] : []));
    for (const reason of reasons)
      expect(reason).toMatch(/is locked by another operation:\n {2}process 100 of ada@here/);
    expect(all.locks()).toHaveLength(1);
    await locks[taken.findIndex(({ status }) => status === "fulfilled")]!.release();
    await all.machine("here").start(100).acquire();
  });

  test("is broken, whoever holds it, when the operation is cancelled", async () => {
    const holder = all.machine("there").start(7);
    await holder.acquire();
    all.place("other.json", cliLock);
    all.place("damaged.json", "{");
    const cancel = all.machine("here").start(100);
    expect(await cancel.breakAll()).toHaveLength(2);
    expect(all.locks()).toEqual([]);
    expect(await cancel.breakAll()).toEqual([]);
    await expect(holder.confirm()).rejects.toThrow(LockLostError);
  });

  test("does not mind notes that the CLI left without their lock, and removes them", async () => {
    all.place("lost.json", cliLock);
    rmSync(`${all.layout.locks}/lost.json`);
    await all.machine("here").start(100).acquire();
    expect(all.locks()).toEqual([expect.stringMatching(/\.json$/)]);
  });
});

describe("somebody else's lock", () => {
  test("is refused at once where its process runs: who, where, since when, what to do", async () => {
    const here = all.machine("here");
    await here.start(200).acquire();
    const error = await here.start(100).acquire().catch(String);
    for (const part of [
      "organization/demo/dev",
      "process 200 of ada@here",
      "2026-01-03",
      "pulumi-modelplatform cancel",
    ])
      expect(error).toContain(part);
    expect(all.waited).toBe(0);
    expect(all.holders()).toMatchObject([{ pid: 200 }]);
  });

  test("is refused to a second operation of the same process", async () => {
    const here = all.machine("here").process(100);
    const first = new StackLock(all.layout, here.around);
    await first.acquire();
    await expect(new StackLock(all.layout, here.around).acquire()).rejects.toThrow(/process 100/);
    await first.release();
    await expect(new StackLock(all.layout, here.around).acquire()).resolves.toEqual([]);
  });

  test.each([
    ["ended", (here: ReturnType<Neighborhood["machine"]>) => here.kill(200)],
    [
      "ended, and another one has its id",
      (here: ReturnType<Neighborhood["machine"]>) => {
        here.kill(200);
        here.start(200);
      },
    ],
  ])("is removed at once where its process has %s", async (_, end) => {
    const here = all.machine("here");
    await here.start(200).acquire();
    end(here);
    expect(await here.start(100).acquire()).toMatchObject([{ pid: 200, because: "it has ended" }]);
    expect(all.holders()).toMatchObject([{ pid: 100 }]);
    expect(all.waited).toBe(0);
  });

  test.each([
    ["the Pulumi CLI, whose process is not there", cliLock],
    ["the Pulumi CLI on another machine", { ...cliLock, hostname: "there" }],
    ["a program that damages it", "{"],
    ["a program that says nothing", {}],
    ["a release that renews it once a day", { ...cliLock, lease: { heartbeat: 86_400, renewed: "1" } }],
  ])("is never removed where it is of %s", async (_, content) => {
    all.place("other.json", content);
    await expect(all.machine("here").start(100).acquire()).rejects.toThrow(/is locked/);
    expect(all.locks()).toEqual(["other.json", "other.json.attrs"]);
  });
});

/** Where a process id says nothing about who holds the lock. */
const elsewhere: [where: string, Partial<{ name: string; kernel: string | undefined; clock: string }>][] = [
  ["in another container of this machine, with its host name", { name: "here", kernel: "boot-1 pid:[2]" }],
  ["on another machine", { name: "there", kernel: "boot-2 pid:[1]" }],
  [
    "on another machine whose clock is a day behind",
    { name: "there", kernel: "boot-2", clock: "2026-01-02T00:00:00Z" },
  ],
  [
    "on another machine whose clock is a year ahead",
    { name: "there", kernel: "boot-2", clock: "2027-01-03T00:00:00Z" },
  ],
  ["on a system that does not tell processes apart", { name: "here", kernel: undefined }],
];

describe.each(elsewhere)("a lock held %s", (_, { name = "there", ...of }) => {
  test("stays while its holder works, whatever process has its id here", async () => {
    await all.machine(name, of).start(100).acquire();
    const before = all.locks();
    await expect(all.machine("here").start(300).acquire()).rejects.toThrow(/process 100 .* since/);
    expect(all.locks()).toEqual(before);
    expect(all.waited).toBeLessThanOrEqual(6);
  });

  test("is removed 30 seconds after its holder was killed, and the wait is announced", async () => {
    const there = all.machine(name, of);
    await there.start(100).acquire();
    there.kill(100);
    const said: string[] = [];
    const broken = await all
      .machine("here")
      .start(300)
      .acquire({ onWait: (message) => said.push(message) });
    expect(broken).toMatchObject([{ pid: 100, hostname: name, because: "it has not renewed its lock" }]);
    expect(said).toEqual([expect.stringMatching(/Waiting up to 30 seconds.*\n.*process 100 of ada@/)]);
    expect(all.waited).toBe(30);
    expect(all.holders()).toMatchObject([{ pid: 300 }]);
  });

  test("is waited for no longer once it is released", async () => {
    const there = all.machine(name, of);
    const lock = there.start(100);
    await lock.acquire();
    there.kill(100);
    all.after(3, () => lock.release());
    await all.machine("here").start(300).acquire();
    expect(all.waited).toBe(3);
  });

  test("goes to one of two who wait for it", async () => {
    const there = all.machine(name, of);
    await there.start(100).acquire();
    there.kill(100);
    const ends = await Promise.allSettled([1, 2].map((pid) => all.machine("here").start(pid).acquire()));
    expect(ends.filter(({ status }) => status === "fulfilled").length).toBeLessThanOrEqual(1);
    expect(all.holders().map(({ pid }) => pid)).not.toContain(100);
  });
});

describe("a machine that sleeps", () => {
  test("does not overwrite the state of who took over, and learns at the next heartbeat", async () => {
    const laptop = all.machine("laptop", { kernel: "boot-2" });
    const lost: Error[] = [];
    const written = await all.backendOf(laptop, 100).locked(
      "demo",
      "dev",
      async (files) => {
        await files.save(snapshotOf([resource("before")]));
        laptop.suspend();
        await all
          .backendOf(all.machine("here"), 300)
          .locked("demo", "dev", (other) => other.save(snapshotOf([resource("theirs")])));
        laptop.resume();
        await all.pass(5);
        return files.save(snapshotOf([resource("stale")])).catch((error: unknown) => error);
      },
      { onLost: (error) => lost.push(error) },
    );
    expect(written).toBeInstanceOf(LockLostError);
    expect(lost).toEqual([expect.any(LockLostError)]);
    const state = await all.backendOf(laptop, 100).stack("demo", "dev").load();
    expect(state?.resources.map(({ urn }) => urn)).toEqual([resource("theirs").urn]);
    expect(all.locks()).toEqual([]);
  });

  test("continues where nobody took over", async () => {
    const laptop = all.machine("laptop", { kernel: "boot-2" });
    await all.backendOf(laptop, 100).locked("demo", "dev", async (files) => {
      laptop.suspend();
      await all.pass(3600);
      laptop.resume();
      await files.save(snapshotOf([resource("late")]));
    });
    expect((await all.backendOf(laptop, 100).stack("demo", "dev").load())?.resources).toHaveLength(1);
  });

  test("takes no lock because of the time that it slept while it waited", async () => {
    // Both run on the same laptop, in two virtual machines.
    const [one, two] = [all.machine("one", { kernel: "boot-2" }), all.machine("two", { kernel: "boot-3" })];
    await one.start(100).acquire();
    all.after(2, () => {
      for (const machine of [one, two]) machine.setClock("2026-01-04T00:00:00Z");
    });
    await expect(two.start(300).acquire()).rejects.toThrow(/process 100/);
  });
});

test("an interrupt ends the wait for a lock at once, and changes nothing", async () => {
  const there = all.machine("there", { kernel: "boot-2" });
  await there.start(100).acquire();
  there.kill(100);
  const before = all.locks();
  const interrupt = new AbortController();
  // The pause is that of the product: where it does not listen, the wait takes 30 seconds.
  const { pause: _, ...around } = all.machine("here").process(300).around;
  const lock = new StackLock(all.layout, around);
  const onWait = () => interrupt.abort(new Error("^C"));
  await expect(lock.acquire({ signal: interrupt.signal, onWait })).rejects.toThrow("^C");
  expect(all.locks()).toEqual(before);
});

test("a disk that refuses a heartbeat refuses the state, and is tried again", async () => {
  let full = true;
  const { around } = all.machine("here").process(100);
  const refusal = Object.assign(new Error("no space"), { code: "ENOSPC" });
  const files = {
    ...nodeFiles,
    overwrite: (path: string, bytes: Uint8Array) => (full ? Promise.reject(refusal) : nodeFiles.overwrite(path, bytes)),
  };
  const lost: Error[] = [];
  const lock = new StackLock(all.layout, { ...around, files });
  await lock.acquire({ onLost: (error) => lost.push(error) });
  await all.pass(60);
  await expect(lock.confirm()).rejects.toThrow("no space");
  full = false;
  await lock.confirm();
  expect(lost).toEqual([]);
});

// What a process is beyond its id can be asked on Linux only.
const onLinux = process.platform === "linux" ? describe : describe.skip;
onLinux("real processes", () => {
  const lock = () => new StackLock(layoutOf(all.folder, "demo", "dev"));
  /** As that process itself would have written it. */
  const lockOf = (pid: number) => {
    const line = readFileSync(`/proc/${pid}/stat`, "utf8");
    const started = line.slice(line.lastIndexOf(")") + 2).split(" ")[19];
    const lease = { heartbeat: 5, renewed: "0", process: { kernel: thisProcess()!.kernel, started } };
    return { ...cliLock, pid, lease };
  };

  test("a lock of one that was killed is removed, and of one that runs it is not", async () => {
    const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"]);
    all.place("other.json", lockOf(child.pid!));
    await expect(lock().acquire()).rejects.toThrow(/is locked/);
    const ended = new Promise((resolve) => child.on("exit", resolve));
    child.kill("SIGKILL");
    await ended;
    expect(await lock().acquire()).toMatchObject([{ pid: child.pid }]);
  });

  test("a lock of one that has ended is removed, also while its parent has not noticed", async () => {
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
    all.place("other.json", lockOf(pid));
    (parent.stdio[3] as Writable).end();
    await until(() => readFileSync(`/proc/${pid}/stat`, "utf8").includes(") Z "));
    expect(await lock().acquire()).toMatchObject([{ pid }]);
    parent.kill();
  });
});
