import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { readCheckpoint } from "../../engine/state/checkpoint";
import { layoutOf } from "../../engine/state/layout";
import { StackFiles, type UpdateRecord } from "../../engine/state/stack-files";
import { type FileSystem, nodeFiles } from "../../io/files/durable";
import { CrashingDisk, PowerCut } from "./crashing-disk";
import { fixture, resource, snapshotOf } from "./states";
import { temporaryFolder } from "./temporary-folder";

// Random cases take as long as they take.
jest.setTimeout(120_000);

const clock = (): Date => new Date("2026-01-02T03:04:05.678Z");
const stackIn = (folder: string, files: FileSystem = nodeFiles): StackFiles =>
  new StackFiles({ project: "demo", name: "dev", layout: layoutOf(folder, "demo", "dev"), files, clock });
const idsIn = async (stack: StackFiles): Promise<(string | undefined)[] | undefined> =>
  (await stack.load())?.resources.map(({ id }) => id);
const record: UpdateRecord = {
  kind: "update",
  startTime: 1,
  endTime: 2,
  message: "",
  environment: {},
  config: {},
  result: "succeeded",
  resourceChanges: { create: 1 },
};

/** A folder with a state file as the CLI leaves it. */
function withState(name: string, bytes: Buffer): string {
  const root = temporaryFolder();
  mkdirSync(join(root, ".pulumi/stacks/demo"), { recursive: true });
  writeFileSync(join(root, ".pulumi/stacks/demo", name), bytes);
  writeFileSync(join(root, ".pulumi/stacks/demo", `${name}.attrs`), "{}");
  return root;
}
const filesOf = (root: string): string[] => readdirSync(join(root, ".pulumi/stacks/demo")).sort();

/** Saves four states, one after the other. */
async function saveUntilPowerFails(disk: CrashingDisk): Promise<{ acknowledged: number; attempted: number }> {
  const stack = stackIn("/state", disk);
  for (let attempted = 1; attempted <= 4; attempted++) {
    try {
      await stack.save(snapshotOf([resource(`r${attempted}`)]));
    } catch (error) {
      expect(error).toBeInstanceOf(PowerCut);
      return { acknowledged: attempted - 1, attempted };
    }
  }
  return { acknowledged: 4, attempted: 4 };
}

describe("the files of a stack", () => {
  test.each([0, 0.25, 0.5, 0.75, 1])(
    "hold an acknowledged state wherever the power fails; %d of the rest survives",
    async (surviving) => {
      const whole = new CrashingDisk();
      await saveUntilPowerFails(whole);
      for (let failsAt = 0; failsAt < whole.count; failsAt++) {
        const disk = new CrashingDisk(failsAt, surviving);
        const { acknowledged, attempted } = await saveUntilPowerFails(disk);
        const restarted = disk.afterPowerCut();
        const possible = [acknowledged, attempted].map((number) => (number === 0 ? undefined : [`id-r${number}`]));
        expect(possible).toContainEqual(await idsIn(stackIn("/state", restarted)));
        await stackIn("/state", restarted).save(snapshotOf([resource("next")]));
        expect(await idsIn(stackIn("/state", restarted))).toEqual(["id-next"]);
      }
    },
  );

  test("keep the state before as `.bak`, and no other trace of a save", async () => {
    const root = temporaryFolder();
    const stack = stackIn(root);
    for (const name of ["a", "b", "c"]) await stack.save(snapshotOf([resource(name)]));
    expect(filesOf(root)).toEqual(["dev.json", "dev.json.bak"]);
    expect(readCheckpoint(readFileSync(join(root, ".pulumi/stacks/demo/dev.json.bak"))).resources[0]!.id).toBe("id-b");
  });

  test("are written with one sync of the content and one of the folder, and no more", async () => {
    const root = temporaryFolder();
    await stackIn(root).save(snapshotOf([resource("a")]));
    const calls: string[] = [];
    const counting = new Proxy(nodeFiles, {
      get: (files, name: keyof FileSystem) =>
        ((...args: never[]) => {
          calls.push(name);
          return (files[name] as (...given: never[]) => unknown)(...args);
        }) as unknown,
    });
    const stack = stackIn(root, counting);
    await stack.save(snapshotOf([resource("b")]));
    calls.length = 0;
    await stack.save(snapshotOf([resource("c")]));
    expect(calls).toEqual(["write", "duplicate", "rename", "rename", "syncFolder"]);
  });

  test("stay as they are where the next one could not be read again", async () => {
    const root = temporaryFolder();
    const stack = stackIn(root);
    await stack.save(snapshotOf([resource("a")]));
    const large = resource("b", { outputs: { text: "x".repeat(128 * 1024 * 1024) } });
    await expect(stack.save(snapshotOf([resource("a"), large]))).rejects.toThrow(/dev\.json is not written: .* 129 MB/);
    expect((await stackIn(root).load())!.resources.map(({ id }) => id)).toEqual(["id-a"]);
  });

  test("lose what a save that was cut off has left, and nothing else", async () => {
    const root = temporaryFolder();
    await stackIn(root).save(snapshotOf([resource("a")]));
    const left = "01234567-89ab-cdef-0123-456789abcdef.tmp";
    const names = [`dev.json.${left}`, `dev.json.bak.${left}`, `dev2.json.${left}`, "dev.json.mine.tmp"];
    for (const name of names) writeFileSync(join(root, ".pulumi/stacks/demo", name), "");
    await stackIn(root).save(snapshotOf([resource("b")]));
    expect(filesOf(root)).toEqual(["dev.json", "dev.json.bak", "dev.json.mine.tmp", `dev2.json.${left}`]);
  });

  test("that are a link are refused, and what it leads to keeps its rights", async () => {
    const root = temporaryFolder();
    const stack = stackIn(root);
    await stack.save(snapshotOf([resource("a")]));
    const target = join(temporaryFolder(), "target");
    writeFileSync(target, "untouched", { mode: 0o644 });
    rmSync(await stack.path());
    symlinkSync(target, await stack.path());
    await expect(stack.save(snapshotOf([resource("b")]))).rejects.toThrow("links are not followed");
    expect(statSync(target).mode & 0o777).toBe(0o644);
  });

  test("that are a link to a file elsewhere are not read, and a link among them is", async () => {
    const root = temporaryFolder();
    const [stack, other] = [stackIn(root), stackIn(temporaryFolder())];
    for (const each of [stack, other]) await each.save(snapshotOf([resource("a")]));
    const path = await stack.path();
    renameSync(path, `${path}.real`);
    symlinkSync(`${path}.real`, path);
    expect((await stack.load())?.resources).toHaveLength(1);
    rmSync(path);
    symlinkSync(await other.path(), path);
    await expect(stack.load()).rejects.toThrow("is a symbolic link that leads out of");
    await expect(stack.loadIfNamed("id", new Set(["a"]))).rejects.toThrow("is a symbolic link that leads out of");
  });

  test("of the CLI lose the notes that no longer hold", async () => {
    const root = withState("dev.json", fixture("state.json"));
    await stackIn(root).save(snapshotOf([]));
    expect(filesOf(root)).toEqual(["dev.json", "dev.json.bak"]);
  });

  test.each([
    [".gz", "state.json.gz", ["dev.json.gz", "dev.json.gz.bak"], Buffer.from([0x1f, 0x8b])],
    [".zst", "state.json.zst", ["dev.json", "dev.json.zst.bak"], Buffer.from('{"')],
  ])(
    "that are compressed as %s are one current file after a save as well",
    async (extension, name, expected, start) => {
      const root = withState(`dev.json${extension}`, fixture(name));
      const stack = stackIn(root);
      expect(await idsIn(stack)).toContain("id-a");
      await stack.save(snapshotOf([resource("new")]));
      expect(filesOf(root)).toEqual(expected);
      expect(readFileSync(await stack.path()).subarray(0, 2)).toEqual(start);
      expect(await idsIn(stackIn(root))).toEqual(["id-new"]);
    },
  );

  test("are read from the newest where there are several, as the CLI does", async () => {
    const root = withState("dev.json", fixture("state.json"));
    const compressed = join(root, ".pulumi/stacks/demo/dev.json.gz");
    writeFileSync(compressed, fixture("state.json.gz"));
    utimesSync(compressed, 1, 1);
    expect(await stackIn(root).path()).toMatch(/dev\.json$/);
    utimesSync(join(root, ".pulumi/stacks/demo/dev.json"), 0, 0);
    expect(await stackIn(root).path()).toMatch(/dev\.json\.gz$/);
  });

  test("are found without a look at the other stacks of their folder", async () => {
    const listed: string[] = [];
    const list = (folder: string) => (listed.push(folder), nodeFiles.list(folder));
    const root = withState("dev.json", fixture("state.json"));
    expect(await stackIn(root, { ...nodeFiles, list }).load()).toBeDefined();
    expect(listed).toEqual([]);
  });

  test("do not exist before the first save", async () => {
    const stack = stackIn(temporaryFolder());
    expect([await stack.exists(), await stack.load(), await stack.history()]).toEqual([false, undefined, []]);
  });

  test("that cannot be read say where the state before is", async () => {
    const root = withState("dev.json", Buffer.from("{"));
    const path = join(root, ".pulumi/stacks/demo/dev.json");
    const advice = async (): Promise<string> =>
      String(
        await stackIn(root)
          .load()
          .catch((error: Error) => error.message),
      );
    expect(await advice()).toMatch(
      new RegExp(`^${path} cannot be read as a state: .* No earlier state .* is kept here`),
    );
    const backups = join(root, ".pulumi/backups/demo/dev");
    mkdirSync(backups, { recursive: true });
    writeFileSync(join(backups, "dev.1.json"), "{}");
    utimesSync(join(backups, "dev.1.json"), 1, 1);
    writeFileSync(join(backups, "dev.2.json"), "{}");
    expect(await advice()).toContain(`An earlier state is ${join(backups, "dev.2.json")}: copy it to ${path}`);
    writeFileSync(`${path}.bak`, "{}");
    expect(await advice()).toContain(`An earlier state is ${path}.bak: copy it to ${path}`);
  });
});

describe("the history of a stack", () => {
  test("has an entry, a copy and a backup for each operation, under the CLI's names", async () => {
    const root = temporaryFolder();
    const stack = stackIn(root);
    await stack.save(snapshotOf([resource("a")]));
    await stack.record(record);
    const time = "1767323045678000000";
    expect(readdirSync(join(root, ".pulumi/history/demo/dev"))).toEqual([
      `dev-${time}.checkpoint.json`,
      `dev-${time}.history.json`,
    ]);
    expect(readdirSync(join(root, ".pulumi/backups/demo/dev"))).toEqual([`dev.${time}.json`]);
    expect(readFileSync(join(root, `.pulumi/history/demo/dev/dev-${time}.history.json`), "utf8")).toBe(
      '{"kind":"update","startTime":1,"message":"","environment":{},"config":{},"version":0,"result":"succeeded","endTime":2,"resourceChanges":{"create":1}}',
    );
  });

  test("keeps operations apart that end at the same time, and lists the newest first", async () => {
    const stack = stackIn(temporaryFolder());
    await stack.save(snapshotOf([]));
    for (const startTime of [1, 2, 3]) await stack.record({ ...record, startTime });
    expect((await stack.history()).map(({ startTime }) => startTime)).toEqual([3, 2, 1]);
  });

  test("is removed with the stack; its last state stays as `.bak`", async () => {
    const root = temporaryFolder();
    const stack = stackIn(root);
    await stack.save(snapshotOf([resource("a")]));
    await stack.record(record);
    await stack.remove();
    expect(await stack.exists()).toBe(false);
    expect(filesOf(root)).toEqual(["dev.json.bak"]);
    expect(await stack.history()).toEqual([]);
    expect(existsSync(join(root, ".pulumi/backups/demo/dev"))).toBe(true);
  });
});
