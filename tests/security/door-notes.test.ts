import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { project, temporaryFolder } from "../cli/terminal";
import { everyNth, nightly } from "../nightly";
import { answers, expectSpoken, listening, operator } from "./scene";

/** What commands keep for the next one: where it lies, under which lock, and what somebody has laid there. */
const precious = "the operator's only copy";

const main = join(__dirname, "../../dist/cli/main.js");

/**
 * Runs the command line in a process of its own, which no test can hang in; a signal ends it after a minute. Where the
 * environment names no home, the user has an empty one.
 */
async function alone(
  line: string,
  cwd: string,
  env: Record<string, string>,
): Promise<{ signal: unknown; said: string }> {
  const child = spawn(process.execPath, ["--require", join(__dirname, "account.cjs"), main, ...line.split(" ")], {
    cwd,
    env: { ACCOUNT_HOME: temporaryFolder(), ...env },
    timeout: 60_000,
    killSignal: "SIGKILL",
  });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (piece: Buffer) => void (said += piece));
  const [, signal] = (await once(child, "close")) as [unknown, unknown];
  return { signal, said };
}

/** A project whose package is this one and whose `up` creates an object, of which it keeps a note before it is sent. */
async function shop(env: Readonly<Record<string, string>>): Promise<{
  cwd: string;
  up(): Promise<{ signal: unknown; said: string }>;
}> {
  const { cwd, env: own } = await project("dev");
  const packages = join(__dirname, "../..");
  mkdirSync(join(cwd, "node_modules", "@pulumi"), { recursive: true });
  symlinkSync(packages, join(cwd, "node_modules", "pulumi-modelplatform"));
  symlinkSync(join(packages, "node_modules/@pulumi/pulumi"), join(cwd, "node_modules", "@pulumi", "pulumi"));
  writeFileSync(join(cwd, "package.json"), '{"name":"shop","main":"index.js"}');
  writeFileSync(
    join(cwd, "index.js"),
    'const { User } = require("pulumi-modelplatform");\n' +
      'new User("ada", { accountId: "acme", email: "ada@example.com", role: "user" });\n',
  );
  const { url } = await listening(answers({ "GET /v1/accounts/acme/users": { body: { users: [] } }, "GET /v1/": {} }));
  return { cwd, up: () => alone("up --yes --skip-preview --stack dev", cwd, { ...operator(url), ...own, ...env }) };
}

/** Where a command may keep its notes, when the environment is odd. */
const homes = [
  ["an empty XDG_STATE_HOME", { XDG_STATE_HOME: "" }],
  ["a relative XDG_STATE_HOME", { XDG_STATE_HOME: "kept" }],
  ["neither XDG_STATE_HOME nor a readable home", { XDG_STATE_HOME: "", HOME: "/proc/nope" }],
  ["a home that is a file", { XDG_STATE_HOME: "", HOME: "/etc/hostname" }],
  ["an empty home", { XDG_STATE_HOME: "", HOME: "" }],
] as const;

everyNth(
  5,
  3,
  homes,
  (cases) =>
    void test.each(cases)("with %s, up puts the stack's settings alone into the project", async (_, env) => {
      const { cwd, up } = await shop(env);
      const expected = [...readdirSync(cwd), "Pulumi.dev.yaml"].sort();
      const { signal, said } = await up();
      expectSpoken(said);
      expect([signal, readdirSync(cwd).sort()]).toEqual([null, expected]);
    }),
);

/** Homes in which nothing can be kept. A create has to be noted before it is sent. */
const unwritable = [
  ["an XDG_STATE_HOME below a file", { XDG_STATE_HOME: "/etc/hostname/state" }],
  ["a home that can never be made", { XDG_STATE_HOME: "", HOME: "/proc/nope" }],
  ["an XDG_STATE_HOME below a device", { XDG_STATE_HOME: "/dev/null/state" }],
] as const;

nightly("a note that cannot be kept is refused in `lifecycle/journal`; here it is two processes", () => {
  test.each(unwritable)("with %s, a create is refused in words, and soon", async (_, env) => {
    const { signal, said } = await (await shop(env)).up();
    expectSpoken(said);
    expect(signal).toBeNull();
    expect(said.replace(/\s+/g, " ")).toMatch(
      /cannot be written to \S+: a (part of its path is a file|folder of its path)/,
    );
  });
});

const filesBelow = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => lstatSync(join(folder, name)).isFile());

/** A shop that has noted something, and the paths of its notes. */
async function noted() {
  const notes = temporaryFolder();
  const { up } = await shop({ MODELPLATFORM_INTENTS: notes });
  await up();
  const kept = filesBelow(notes)
    .filter((name) => !name.endsWith("lock"))
    .map((name) => join(notes, name));
  expect(kept).not.toEqual([]);
  return { kept, up };
}

async function expectEnded(up: Awaited<ReturnType<typeof shop>>["up"]): Promise<void> {
  const { signal, said } = await up();
  expectSpoken(said);
  expect(signal).toBeNull();
}

const makePipe = (path: string) => void execFileSync("mkfifo", [path]);

test("a command ends beside a pipe for a lock, and writes through no link", async () => {
  const target = join(temporaryFolder(), "target");
  writeFileSync(target, precious);
  const { kept, up } = await noted();
  for (const note of kept) makePipe(`${note}.lock`);
  await expectEnded(up);
  for (const note of kept)
    for (const suffix of ["new", "tmp", "lock"]) {
      rmSync(`${note}.${suffix}`, { force: true });
      symlinkSync(target, `${note}.${suffix}`);
    }
  await up();
  expect(readFileSync(target, "utf8")).toBe(precious);
});

const locks = [
  ["a link to where nothing is", (path: string) => symlinkSync("/nonexistent/lock", path)],
  [
    "a lock of the year 2099",
    (path: string) => {
      writeFileSync(path, "");
      utimesSync(path, new Date("2099-01-01"), new Date("2099-01-01"));
    },
  ],
  ["a folder", (path: string) => mkdirSync(path)],
] as const;

nightly("each is three processes; what a lock may be is judged in `files/write` and `lifecycle/journal`", () => {
  test.each(locks)("a command ends although %s lies where it wants a lock", async (_, lay) => {
    const { kept, up } = await noted();
    for (const note of kept) lay(`${note}.lock`);
    await expectEnded(up);
  });
});
