import { lstatSync, readdirSync, readFileSync, statSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileStore } from "../../provider/api/limits/rate-file";
import { writeText } from "../../provider/cli/drift/report";
import { createEmulator } from "../../provider/emulator/index";
import { type LockTime, underLock } from "../../provider/files/lock";
import { makeFolder, openPrivate, replaceFile } from "../../provider/files/write";
import { stateFolder } from "../../provider/lifecycle/identity/intents";
import { readProject } from "../../provider/state/project-file";
import { readStackConfig, writeStackConfig } from "../../provider/state/stack-config";
import { temporaryFolder } from "../state/temporary-folder";

let folder: string;
let victim: string;
beforeEach(() => {
  folder = temporaryFolder();
  victim = join(temporaryFolder(), "victim");
  writeFileSync(victim, "untouched", { mode: 0o644 });
});
afterEach(() => {
  expect([readFileSync(victim, "utf8"), statSync(victim).mode & 0o777]).toEqual(["untouched", 0o644]);
});

const modeOf = (path: string): number => statSync(path).mode & 0o777;

/** A clock that a pause moves on; it fails a test that would wait for ever. */
function lockTime(): LockTime & { paused: number } {
  const time = {
    paused: 0,
    now: () => Date.now() + time.paused,
    pause: (ms: number) => {
      time.paused += ms;
      if (time.paused > 60_000) throw new Error("it waits for ever");
    },
  };
  return time;
}

describe("a file that is replaced", () => {
  test("is refused where it is a link, which stays", () => {
    const path = join(folder, "report.json");
    symlinkSync(victim, path);
    expect(() => replaceFile(path, "text")).toThrow(`${path} is not written: it is a symbolic link`);
    expect(lstatSync(path).isSymbolicLink()).toBe(true);
  });

  test("is its owner's alone and leaves nothing beside it", () => {
    const path = join(folder, "report.json");
    writeFileSync(path, "old", { mode: 0o666 });
    replaceFile(path, "new");
    expect([readFileSync(path, "utf8"), modeOf(path), readdirSync(folder)]).toEqual(["new", 0o600, ["report.json"]]);
  });

  test("keeps its rights where it holds no data of an account", () => {
    const path = join(folder, "index.ts");
    writeFileSync(path, "old", { mode: 0o640 });
    replaceFile(path, "new", { shown: true });
    expect(modeOf(path)).toBe(0o640);
  });
});

test("a report and a patch are not written through a link", async () => {
  const path = join(folder, "out");
  symlinkSync(victim, path);
  await expect(writeText(path, "text")).rejects.toThrow("links are not followed");
});

test("a stack's config that is a link is not edited outside of the checkout", async () => {
  writeFileSync(join(folder, "Pulumi.yaml"), "name: shop\nruntime: nodejs\n");
  const config = await readStackConfig(await readProject(folder), "dev");
  symlinkSync(victim, config.file);
  await expect(writeStackConfig(config)).rejects.toThrow("links are not followed");
});

test("an emulator's folder with links in it changes no other file", async () => {
  for (const name of ["world.json.tmp", "changes-1.jsonl"]) symlinkSync(victim, join(folder, name));
  await createEmulator({ data: folder }).close();
  expect(lstatSync(join(folder, "world.json")).isFile()).toBe(true);
});

test("a file that is changed in place is its owner's alone, and no link", () => {
  const path = join(folder, "trace.har");
  writeFileSync(path, "", { mode: 0o666 });
  openPrivate(path, "change");
  expect(modeOf(path)).toBe(0o600);
  symlinkSync(victim, join(folder, "link.har"));
  expect(() => openPrivate(join(folder, "link.har"), "append")).toThrow("links are not followed");
});

describe("what is learnt of a rate", () => {
  const learn = (file: string): void =>
    fileStore(file, Date.now).change(() => ({ limits: { candidates: [] } }) as never);

  test("is not written through a link beside its file", () => {
    const file = join(folder, "key.rate");
    symlinkSync(victim, `${file}.new`);
    learn(file);
    expect(lstatSync(file).isFile()).toBe(true);
  });

  test("is not shared where its lock is a dangling link, and nothing waits for it", () => {
    const file = join(folder, "key.rate");
    symlinkSync(join(folder, "nowhere"), `${file}.lock`);
    learn(file);
    expect(readdirSync(folder)).toEqual(["key.rate.lock"]);
  });
});

describe("a lock", () => {
  test("that is a dangling link is refused", () => {
    symlinkSync(join(folder, "nowhere"), join(folder, "file.lock"));
    expect(() => underLock(join(folder, "file"), () => 1, lockTime())).toThrow("is not a regular file");
  });

  test("that is dated 2099 is taken for a left one", () => {
    writeFileSync(join(folder, "file.lock"), "");
    const then = new Date("2099-01-01T00:00:00Z");
    utimesSync(join(folder, "file.lock"), then, then);
    expect(underLock(join(folder, "file"), () => 1, lockTime())).toBe(1);
    expect(readdirSync(folder)).toEqual([]);
  });

  test("that somebody keeps renewing is waited for a second, and no longer", () => {
    const lock = join(folder, "file.lock");
    writeFileSync(lock, "");
    const time = lockTime();
    const renewing: LockTime = {
      now: time.now,
      pause: (ms) => {
        time.pause(ms);
        const now = new Date(time.now());
        utimesSync(lock, now, now);
      },
    };
    expect(() => underLock(join(folder, "file"), () => 1, renewing)).toThrow("has held this lock for a second");
    expect(time.paused).toBe(1000);
  });
});

test("a folder that can never be made is an error and does not hang", () => {
  expect(() => makeFolder("/proc/nope/state")).toThrow();
});

test.each(["", "state", "./x"])("XDG_STATE_HOME of %j puts nothing into the folder of a command", (given) => {
  expect(stateFolder({ XDG_STATE_HOME: given })).toBe(stateFolder({}));
});
