import fs, { mkdtempSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { RunClaims, shareClaims } from "../../provider/lifecycle/memory/claims";

const now = Date.parse("2026-01-01T00:00:00Z");

let folder: string;
let running: Set<number>;
beforeEach(() => {
  folder = join(mkdtempSync(join(tmpdir(), "claims-")), "runs");
  running = new Set([1, 2, 3]);
});

const share = (pid: number, run = "127.0.0.1:4000") =>
  shareClaims({ folder, run, pid, isRunning: (other) => running.has(other), now: () => now });
const joined = (pid: number, run?: string): RunClaims => new RunClaims(share(pid, run));
const files = (): string[] => readdirSync(folder);

test("processes of one run know each other's claims, and those of another run do not", () => {
  const [one, two, other] = [joined(1), joined(2), joined(3, "127.0.0.1:5000")];
  expect(one.declare("a", ["chat"])).toEqual(new Map());
  one.hold("a", "deployments/chat");
  expect(two.declare("b", ["chat"])).toEqual(new Map([["chat", "a"]]));
  expect(two.otherHolderOf("deployments/chat", "b")).toBe("a");
  expect(two.otherDeclarerOf(["none", "chat"], "b")).toBe("a");
  expect(other.otherDeclarerOf(["chat"], "b")).toBeUndefined();
  expect(other.otherHolderOf("deployments/chat", "b")).toBeUndefined();
});

test("a declaration that claims another object frees the former and keeps its own", () => {
  const [one, two] = [joined(1), joined(2)];
  one.declare("a", ["chat"]);
  one.hold("a", "deployments/chat");
  one.declare("a", ["talk"]);
  expect(two.declare("b", ["chat"])).toEqual(new Map());
  expect(two.otherHolderOf("deployments/chat", "b")).toBe("a");
  one.hold("a", undefined);
  expect(two.otherHolderOf("deployments/chat", "b")).toBeUndefined();
});

test("the first declaration of an object keeps it, also if the second checks again", () => {
  const claims = new RunClaims();
  claims.declare("a", ["chat"]);
  for (let round = 0; round < 2; round++) expect(claims.declare("b", ["chat"])).toEqual(new Map([["chat", "a"]]));
  expect(claims.declare("a", ["chat"])).toEqual(new Map());
});

test("the file of an earlier run at the same address is ignored", () => {
  joined(1).declare("a", ["chat"]);
  running.delete(1);
  expect(joined(2).otherDeclarerOf(["chat"], "b")).toBeUndefined();
});

test("a process that joins before another one has claimed anything shares its file", () => {
  const [one, two] = [share(1), share(2)];
  one.receive();
  const second = new RunClaims(two);
  new RunClaims(one).declare("a", ["chat"]);
  expect(second.otherDeclarerOf(["chat"], "b")).toBe("a");
  expect(files()).toHaveLength(1);
});

test("files of runs that are over go, once they have been quiet for a while", () => {
  joined(1, "127.0.0.1:5000").declare("a", ["chat"]);
  running.delete(1);
  const [quiet] = files();
  utimesSync(join(folder, quiet!), now / 1000, now / 1000 - 3600);
  joined(2).declare("b", ["talk"]);
  expect(files()).not.toContain(quiet);
});

test("a truncated or foreign line is skipped", () => {
  const one = joined(1);
  one.declare("a", ["chat"]);
  const path = join(folder, files()[0]!);
  writeFileSync(path, `${readFileSync(path, "utf8")}nonsense\n{"pid":"x"}\n{"pid":3,"urn":"c"`);
  expect(joined(2).otherDeclarerOf(["chat"], "b")).toBe("a");
});

test("only the user can read the file of claims", () => {
  joined(1).declare("a", ["chat"]);
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  expect(statSync(join(folder, files()[0]!)).mode & 0o777).toBe(0o600);
});

test("a folder that cannot be written leaves each process with its own claims", () => {
  writeFileSync(folder, "a file is in the way");
  const [one, two] = [joined(1), joined(2)];
  one.declare("a", ["chat"]);
  expect(one.otherDeclarerOf(["chat"], "b")).toBe("a");
  expect(two.otherDeclarerOf(["chat"], "b")).toBeUndefined();
});

test.each([0, 1])("a full disk at write %s of a run's claims is an error that names the file", (before) => {
  const claims = joined(1);
  const full = Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC" });
  if (before > 0) claims.declare("a", ["chat"]);
  const written = jest.spyOn(fs, "writeSync").mockImplementation(() => {
    throw full;
  });
  expect(() => claims.declare("b", ["talk"])).toThrow(
    new RegExp(`${folder}/\\w+\\.jsonl cannot be written: the disk is full \\(ENOSPC\\)\\. Free space on it`),
  );
  written.mockRestore();
});

test("the end of the run removes its file", () => {
  const shared = share(1);
  new RunClaims(shared).declare("a", ["chat"]);
  shared.remove();
  expect(files()).toEqual([]);
});

describe("a URN of the stack's former name", () => {
  const urn = (stack: string, name: string): string => `urn:pulumi:${stack}::shop::modelplatform:index:User::${name}`;

  test("continues as the declaration of the same type and name, in every process", () => {
    const [one, two] = [joined(1), joined(2)];
    one.declare(urn("after", "ada"), []);
    expect(two.currentUrnOf(urn("before", "ada"), "users/ada")).toBe(urn("after", "ada"));
    expect(two.currentUrnOf(urn("before", "grace"), "users/ada")).toBeUndefined();
  });

  test("is another declaration where the program declares it", () => {
    const claims = new RunClaims();
    for (const stack of ["before", "after"]) claims.declare(urn(stack, "ada"), []);
    expect(claims.currentUrnOf(urn("before", "ada"), "users/ada")).toBeUndefined();
  });
});

test("processes of one run know what its engine has shown, and what is gone of it", () => {
  const [one, two] = [joined(1), joined(2)];
  const [ada, grace] = [{ name: "users/ada", createTime: "2026-01-01T00:00:00Z" }, { name: "users/grace" }];
  one.noteEngineRecord("urn:pulumi:before::shop::user::it", ada, "shown");
  expect(two.hasRefreshed()).toBe(false);
  one.noteEngineRecord("urn:pulumi:before::shop::user::it", grace, "read");
  expect(two.hasRefreshed()).toBe(true);
  expect(two.recordedUnder(["urn:pulumi:after::shop::user::it"])).toEqual([ada, grace]);
  one.noteEngineRecord("urn:pulumi:before::shop::user::it", ada, "gone");
  expect(two.recordedUnder(["urn:pulumi:after::shop::user::it", "urn:pulumi:after::shop::user::x"])).toEqual([grace]);
});
