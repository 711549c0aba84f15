import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { project, temporaryFolder } from "../../cli/terminal";
import { type Probe, probe } from "../probe";
import { answers, ending, expectSpoken, listening, operator } from "./scene";

/** What commands keep for the next one: where it lies, under which lock, and what somebody has laid there. */
const precious = "the operator's only copy";
const user = { name: "accounts/acme/users/ada", email: "ada@example.com", role: "user", state: "READY" };

const main = join(__dirname, "../../../dist/cli/main.js");

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

/** A service that asks to slow down every other time, so that what was learnt is kept. */
const slowing = () => {
  let asked = 0;
  return listening(
    answers({
      "GET /v1/": () => {
        asked += 1;
        return asked % 2 === 1
          ? { status: 429, headers: { "retry-after-ms": "1" }, body: { code: 8, message: "slow down" } }
          : { body: { users: [user] } };
      },
    }),
  );
};

/** Where a command may keep what it learns, when the environment is odd. */
const homes: Probe[] = (
  [
    ["an empty XDG_STATE_HOME", { XDG_STATE_HOME: "" }],
    ["a relative XDG_STATE_HOME", { XDG_STATE_HOME: "kept" }],
    ["neither XDG_STATE_HOME nor a readable home", { XDG_STATE_HOME: "", HOME: "/proc/nope" }],
    ["a home that is a file", { XDG_STATE_HOME: "", HOME: "/etc/hostname" }],
    ["an empty home", { XDG_STATE_HOME: "", HOME: "" }],
  ] as const
).map(([what, env]) =>
  probe(`with ${what}, a command puts nothing into the folder it is run in`, async () => {
    const [cwd, { url }] = [temporaryFolder(), await slowing()];
    const { signal, said } = await alone("call listUsers", cwd, operator(url, env));
    expectSpoken(said);
    expect([signal, readdirSync(cwd)]).toEqual([null, []]);
  }),
);

/** An `up` that creates an object, in a project whose package is this one. */
async function creating(env: Readonly<Record<string, string>>): Promise<{ signal: unknown; said: string }> {
  const { cwd, env: own } = await project("dev");
  const packages = join(__dirname, "../../..");
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
  return alone("up --yes --skip-preview --stack dev", cwd, { ...operator(url), ...own, ...env });
}

/** Homes in which nothing can be kept. A create has to be noted before it is sent. */
const unwritable: Probe[] = (
  [
    ["an XDG_STATE_HOME below a file", { XDG_STATE_HOME: "/etc/hostname/state" }],
    ["a home that can never be made", { XDG_STATE_HOME: "", HOME: "/proc/nope" }],
    ["an XDG_STATE_HOME below a device", { XDG_STATE_HOME: "/dev/null/state" }],
  ] as const
).map(([what, env]) =>
  probe(`with ${what}, a create is refused in words, and soon`, async () => {
    const { signal, said } = await creating(env);
    expectSpoken(said);
    expect(signal).toBeNull();
    expect(said.replace(/\s+/g, " ")).toMatch(
      /cannot be written to \S+: a (part of its path is a file|folder of its path)/,
    );
  }),
);

const locks: Probe[] = (
  [
    ["a link to where nothing is", (path: string) => symlinkSync("/nonexistent/lock", path)],
    [
      "a lock of the year 2099",
      (path: string) => {
        writeFileSync(path, "");
        utimesSync(path, new Date("2099-01-01"), new Date("2099-01-01"));
      },
    ],
    ["a folder", (path: string) => mkdirSync(path)],
    ["a pipe", (path: string) => void execFileSync("mkfifo", [path])],
  ] as const
).map(([what, lay]) =>
  probe(`a command ends although ${what} lies where it wants a lock`, async () => {
    const [cwd, notes] = [temporaryFolder(), temporaryFolder()];
    const { url } = await slowing();
    const env = operator(url, { MODELPLATFORM_INTENTS: notes });
    await ending("call listUsers", { cwd, env });
    const kept = readdirSync(notes, { recursive: true, encoding: "utf8" }).filter((name) =>
      lstatSync(join(notes, name)).isFile(),
    );
    expect(kept).not.toEqual([]);
    for (const name of kept) if (!existsSync(join(notes, `${name}.lock`))) lay(join(notes, `${name}.lock`));
    const { signal, said } = await alone("call listUsers", cwd, env);
    expect([signal, said.includes("ada@example.com")]).toEqual([null, true]);
  }),
);

const notes: Probe[] = ["new", "tmp", "lock"].map((suffix) =>
  probe(`what a command learns is not written through a link at the name with .${suffix}`, async () => {
    const [cwd, folder] = [temporaryFolder(), temporaryFolder()];
    const target = join(temporaryFolder(), "target");
    writeFileSync(target, precious);
    const { url } = await slowing();
    const env = operator(url, { MODELPLATFORM_INTENTS: folder });
    await ending("call listUsers", { cwd, env });
    const kept = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => !name.endsWith("lock"));
    for (const name of kept)
      if (lstatSync(join(folder, name)).isFile()) symlinkSync(target, join(folder, `${name}.${suffix}`));
    for (let run = 0; run < 2; run += 1) await ending("call listUsers", { cwd, env });
    expect(readFileSync(target, "utf8")).toBe(precious);
  }),
);

export const noteProbes: Probe[] = [...homes, ...unwritable, ...locks, ...notes];
