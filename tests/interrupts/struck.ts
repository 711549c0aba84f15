import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Running, start } from "../e2e/commands";
import { builtIn } from "../e2e/engines";
import { account, type DeclaredProgram, Site } from "../e2e/site";
import { openFront } from "../model/processes/front";

/** What became of a command, as a process of its own, that signals struck. */
export interface Struck {
  /** Null where the system ended it. */
  code: number | null;
  output: string;
  /** Requests that it sent after the first signal. */
  later: number;
  /** Its processes that outlived it. */
  left: number;
  /** From the first signal to its end; undefined where there was none. */
  seconds: number | undefined;
}

/** A command, and what has to be there before it. */
export interface StruckCommand {
  args: readonly string[];
  /** It sends one request after another, so that none comes after a signal by chance. */
  isInTurn?: boolean;
  /** One of the programs of `tests/e2e`. */
  program?: string;
  prepare(site: Site): Promise<void> | void;
}

const names = ["ada", "bob", "eve", "kim", "lea", "max"];
const user = (name: string) => ({ kind: "User", email: `${name}@example.com`, role: "user" });
const secret = (name: string) => ({ kind: "Secret", keyName: `${name}_KEY`, value: { secret: `value of ${name}` } });

/** Enough for ten requests of each command. */
const resources: DeclaredProgram["resources"] = {
  ...Object.fromEntries(names.map((name) => [name, user(name)])),
  ...Object.fromEntries(["ONE", "TWO", "SIX", "TEN"].map((name) => [name, secret(name)])),
};

const source = [
  'import { User } from "pulumi-modelplatform";',
  ...names.map((name) => `new User("${name}", { email: "${name}@example.com", role: "user" });`),
].join("\n");

const stands = async (site: Site): Promise<void> => void (await site.up({ resources }));
const asks = [...["--account", account], ...["--concurrency", "1"]] as const;
const oneByOne = ["--stack", "dev", "--parallel", "1"];
const runs = [...oneByOne, "--yes", "--skip-preview"];

export const struckCommands: Readonly<Record<string, StruckCommand>> = {
  up: { isInTurn: true, args: ["up", ...runs], prepare: (site) => site.declare({ resources }) },
  "up with the plugin": {
    isInTurn: true,
    args: ["up", ...runs],
    prepare: (site) => site.declare({ resources, from: "pulumi-modelplatform/plugin" }),
  },
  preview: { isInTurn: true, args: ["preview", "--refresh", ...oneByOne], prepare: stands },
  refresh: { isInTurn: true, args: ["refresh", ...runs], prepare: stands },
  destroy: { isInTurn: true, args: ["destroy", ...runs], prepare: stands },
  accept: {
    args: ["accept", "--write", "--force", ...asks],
    program: "shop",
    prepare: async (site) => {
      writeFileSync(join(site.program, "index.ts"), source);
      await site.expect(0, "up");
      await site.tamper(site.resource("ada").id, { role: "contributor" });
    },
  },
  drift: { args: ["drift", "--unmanaged", ...asks], prepare: stands },
  audit: { args: ["audit", ...asks], prepare: () => undefined },
  probe: { args: ["probe"], prepare: () => undefined },
  doctor: { args: ["doctor"], prepare: () => undefined },
  codify: { args: ["codify"], prepare: () => undefined },
  call: { args: ["call", "listUsers", "--account", account], prepare: () => undefined },
};

/** A site where the command can run. */
export async function openFor({ program = "declared", prepare }: StruckCommand): Promise<Site> {
  const site = await Site.open(builtIn, { program });
  await prepare(site);
  return site;
}

/** Strikes a command at its `point`th request, which is never answered. */
export async function strike(
  site: Site,
  command: StruckCommand,
  point: number,
  signals: readonly NodeJS.Signals[],
): Promise<Struck> {
  const struck = { later: 0, began: undefined as number | undefined };
  let requests = 0;
  const front = await openFront(site.url, async () => {
    requests += 1;
    if (struck.began !== undefined) struck.later += 1;
    if (requests < point) return "pass";
    if (requests > point) return "keep";
    struck.began = performance.now();
    for (const signal of signals) running.signal(signal);
    return "keep";
  });
  const running = begin(site, command, { MODELPLATFORM_BASE_URL: front.url });
  const { code, output } = await running.ended;
  const seconds = struck.began === undefined ? undefined : (performance.now() - struck.began) / 1000;
  await front.close();
  return { code, output, later: struck.later, left: site.processes().length, seconds };
}

/** Strikes a command while it watches a lock that may have been left behind. */
export async function strikeAtLock(site: Site, command: StruckCommand, signal: NodeJS.Signals): Promise<Struck> {
  const folder = join(site.folder, "state/.pulumi/locks/organization", site.project, site.stack);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "theirs.json"), theirs);
  const running = begin(site, command, {});
  await site.until(() => running.output().includes("Waiting up to"));
  const began = performance.now();
  running.signal(signal);
  const { code, output } = await running.ended;
  const seconds = (performance.now() - began) / 1000;
  return { code, output, later: 0, left: site.processes().length, seconds };
}

/** A lock of a machine that nobody knows. */
const theirs = JSON.stringify({
  ...{ pid: 1, username: "ada", hostname: "elsewhere", timestamp: "2026-01-01T00:00:00Z" },
  lease: { heartbeat: 5, renewed: "000000000001", process: { kernel: "another", started: "1" } },
});

const begin = (site: Site, { args }: StruckCommand, env: Record<string, string>): Running =>
  start(builtIn, [...args, ...(args[0] === "accept" ? ["--backend", site.env["PULUMI_BACKEND_URL"]!] : [])], {
    ...{ cwd: site.program, env: { ...site.env, ...env } },
    rollCall: join(site.folder, "processes"),
  });
