import { execFileSync } from "node:child_process";
import {
  chmodSync,
  closeSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { basename, join } from "node:path";
import { writeOutput } from "../../cli/command/output";
import { createEmulator } from "../../emulator/index";
import { readProject } from "../../engine/state/project";
import { readStackConfig, writeStackConfig } from "../../engine/state/stack-config";
import { makeFolder, makePrivateFolder } from "../../io/files/folders";
import { openLog } from "../../io/files/line-files";
import { type LockTime, underLock } from "../../io/files/lock";
import { stateFolder } from "../../io/files/user-folders";
import { createFile, moveFile, openPrivate, openRegular, removeFile, replaceFile } from "../../io/files/write";
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

  test("is readable by its owner only, and leaves no other file beside it", () => {
    const path = join(folder, "report.json");
    writeFileSync(path, "old", { mode: 0o666 });
    replaceFile(path, "new");
    expect([readFileSync(path, "utf8"), modeOf(path), readdirSync(folder)]).toEqual(["new", 0o600, ["report.json"]]);
  });

  test.each([
    [0o640, 0o640],
    [0o666, 0o664],
  ])("keeps its rights of %i where it is for others, but theirs to write it", (before, after) => {
    const path = join(folder, "index.ts");
    writeFileSync(path, "old");
    chmodSync(path, before);
    replaceFile(path, "new", { worldReadable: true });
    expect(modeOf(path)).toBe(after);
  });
});

describe("a file that is made", () => {
  test("is its owner's alone, and never one that is there", () => {
    const path = join(folder, "note.json");
    createFile(path, "first");
    expect(() => createFile(path, "second")).toThrow("EEXIST");
    expect([readFileSync(path, "utf8"), modeOf(path)]).toEqual(["first", 0o600]);
  });

  test("is not made where a link leads, be there something or not", () => {
    for (const target of [victim, join(folder, "nowhere")]) {
      const path = join(folder, basename(target));
      symlinkSync(target, path);
      expect(() => createFile(path, "text")).toThrow("EEXIST");
    }
    expect(readdirSync(folder).sort()).toEqual(["nowhere", "victim"]);
  });

  test("gets another name only where that is free", () => {
    const [from, to] = [join(folder, "Pulumi.dev.yaml"), join(folder, "Pulumi.prod.yaml")];
    for (const path of [from, to]) writeFileSync(path, path);
    expect(() => moveFile(from, to)).toThrow(`${to} is not written: there is something of this name already`);
    expect(readFileSync(to, "utf8")).toBe(to);
  });
});

test("a link is removed, and not what it leads to", () => {
  symlinkSync(victim, join(folder, "link"));
  removeFile(join(folder, "link"));
  expect(readdirSync(folder)).toEqual([]);
});

test("only a regular file is opened for reading, and a pipe keeps nobody waiting", () => {
  execFileSync("mkfifo", [join(folder, "pipe")]);
  symlinkSync(victim, join(folder, "link"));
  const opened = ["pipe", "link", "nothing", "."].map((name) => openRegular(join(folder, name)));
  expect(opened).toEqual([undefined, undefined, undefined, undefined]);
  const file = openRegular(victim)!;
  expect(readFileSync(file, "utf8")).toBe("untouched");
  closeSync(file);
});

describe("a log", () => {
  test("holds each text whole and in order, is its owner's alone, and is no link", async () => {
    const path = join(folder, "log.jsonl");
    const [one, other] = [openLog(path), openLog(path)];
    for (const [index, log] of [one, other, one].entries()) await log.append(`${index}\n`);
    for (const log of [one, other]) log.close();
    expect([readFileSync(path, "utf8"), modeOf(path)]).toEqual(["0\n1\n2\n", 0o600]);
    symlinkSync(victim, join(folder, "link"));
    expect(() => openLog(join(folder, "link"))).toThrow("links are not followed");
  });
});

/** A user that owns neither the folders of this test nor is root. */
const stranger = 4242;
const asMine = (path: string, uid = 4243): void => {
  if (process.getuid?.() === 0) lchownSync(path, uid, uid);
};
const self = (): number => (process.getuid?.() === 0 ? 4243 : process.getuid!());

describe("a folder for data of an account", () => {
  test("is its owner's alone where it is made", () => {
    makePrivateFolder(join(folder, "a", "b"));
    expect([modeOf(join(folder, "a")), modeOf(join(folder, "a", "b"))]).toEqual([0o700, 0o700]);
  });

  test("is not used where it belongs to another user, whom root believes", () => {
    asMine(folder);
    expect(() => makePrivateFolder(folder, stranger)).toThrow(`${folder} is not written: it belongs to another user`);
    expect(() => makePrivateFolder(folder, self())).not.toThrow();
    expect(() => makePrivateFolder(folder, 0)).not.toThrow();
  });

  test("loses everybody's right to write there, and no other right", () => {
    for (const [before, after] of [[0o777, 0o775] as const, [0o1777, 0o1777] as const, [0o770, 0o770] as const]) {
      chmodSync(folder, before);
      makePrivateFolder(folder);
      expect(statSync(folder).mode & 0o7777).toBe(after);
    }
  });

  test("is not used behind a link that another user could have laid", () => {
    const [shared, mine] = [temporaryFolder(), temporaryFolder()];
    const link = join(shared, "state");
    symlinkSync(mine, link);
    for (const path of [shared, mine]) asMine(path);
    asMine(link, stranger);
    if (process.getuid?.() === 0)
      expect(() => makePrivateFolder(join(link, "intents"), self())).toThrow(
        `${link} is not written: it is a symbolic link of another user (${stranger})`,
      );
    asMine(link);
    expect(() => makePrivateFolder(join(link, "intents2"), self())).not.toThrow();
  });
});

describe("a file that the user has named in the folder of a command", () => {
  test("is not written where a link on the way leads out of the folder", () => {
    symlinkSync(temporaryFolder(), join(folder, "out"));
    for (const name of ["out/report.json", "out/deep/report.json"])
      expect(() => writeOutput(name, "text", { cwd: folder })).toThrow(
        `${join(folder, name)} is not written: a symbolic link on the way leads out of ${folder}`,
      );
    expect(readdirSync(join(folder, "out"))).toEqual([]);
  });

  test("is written where the link stays in the folder, or the user named another one", () => {
    mkdirSync(join(folder, "build"));
    symlinkSync("build", join(folder, "out"));
    writeOutput("out/report.json", "text", { cwd: folder });
    const elsewhere = temporaryFolder();
    writeOutput(join(elsewhere, "report.json"), "text", { cwd: folder });
    expect([readdirSync(join(folder, "build")), readdirSync(elsewhere)]).toEqual([["report.json"], ["report.json"]]);
  });
});

test("nothing is written to the null device, and it is no error", () => {
  writeOutput("/dev/null", "text", { cwd: folder });
  expect(statSync("/dev/null").isCharacterDevice()).toBe(true);
});

test("a report and a patch are not written through a link", () => {
  symlinkSync(victim, join(folder, "out"));
  expect(() => writeOutput("out", "text", { cwd: folder })).toThrow("links are not followed");
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
    expect(() => underLock(join(folder, "file"), () => 1, renewing)).toThrow("another process holds this lock");
    expect(time.paused).toBe(1000);
  });

  test("is waited for only briefly after another one was waited for in vain", () => {
    const time = lockTime();
    const soon = new Date(time.now() + 1900);
    for (const name of ["a", "b", "c", "d"]) {
      writeFileSync(join(folder, `${name}.lock`), "");
      utimesSync(join(folder, `${name}.lock`), soon, soon);
      expect(() => underLock(join(folder, name), () => 1, time)).toThrow("another process holds this lock");
    }
    expect(time.paused).toBeLessThan(1500);
  });
});

test("a folder that can never be made is an error and does not hang", () => {
  expect(() => makeFolder("/proc/nope/state")).toThrow();
});

test.each(["", "state", "./x"])("XDG_STATE_HOME of %j puts nothing into the folder of a command", (given) => {
  expect(stateFolder({ XDG_STATE_HOME: given })).toBe(stateFolder({}));
});
