import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import {
  type ChoiceSource,
  type CommandName,
  type TrustPolicy,
  trustPolicies,
} from "../../cli/checkout/trust-policies";
import { commands } from "../../cli/commands";
import { instantTime } from "../api/support/instant-time";
import { modelplatform, project, temporaryFolder } from "../cli/terminal";
import { listener } from "./listener";

/** How each command is called in a checkout of somebody else. Those that run the user's own project have no line. */
const lines: Readonly<Partial<Record<CommandName, readonly string[]>>> = {
  codify: ["codify accounts/acme/users/ada", "codify --all-accounts", "codify --stack acme/shop/prod"],
  cost: ["cost --live --account acme", "cost --backend file://.", "cost --stack acme/shop/prod"],
  drift: ["drift --account acme --backend file://.", "drift --stack acme/shop/prod"],
  audit: ["audit --all-accounts", "audit --backend file://.", "audit --stack acme/shop/prod"],
  doctor: ["doctor", "doctor --stack dev --json"],
  new: ["new", "new --template ../..", "new --name shop"],
  call: ["call listAccounts", "call getPolicySettings --account acme"],
  probe: ["probe"],
  emulator: ["emulator --help"],
  review: ["review --preview-json package.json", "review --preview-json Pulumi.dev.yaml --output review.md"],
};

/** Commands on the user's own project; these have no use for its addresses, keys, folders and programs. */
const onOwnProjects = ["import accounts/acme/users/ada", "stack ls", "stack output --stack dev", "config ls"];

const ownKey = "operators-own-key-1";
const token = "pul-0123456789abcdef0123456789abcdef01234567";

interface Trap {
  cwd: string;
  /** Programs of the checkout that have run. */
  ran(): string[];
  /** Files in a folder that only the checkout names. */
  written(): string[];
  env: Record<string, string>;
}

/** Everything that a checkout can name: a backend, a service, keys, commands that make keys, folders, programs. */
async function trap(url: string): Promise<Trap> {
  const { cwd, env } = await project("dev");
  const [marks, elsewhere] = [temporaryFolder(), temporaryFolder()];
  const plant = (folder: string, name: string): void => {
    mkdirSync(join(cwd, folder), { recursive: true });
    writeFileSync(join(cwd, folder, name), `#!/bin/sh\ntouch ${marks}/${name}\n`, { mode: 0o755 });
  };
  const accounts = JSON.stringify({
    acme: { keyCommand: [join(cwd, "key-command")], baseUrl: url },
    beta: { apiKey: "beta-key", baseUrl: url },
  });
  const settings = {
    baseUrl: url,
    apiKey: "attackers-own-key-1",
    accountId: "acme",
    intents: join(elsewhere, "notes"),
    accounts: `'${accounts}'`,
    operations: `'{"listUsers":{"path":"/v1/accounts/{account}/steal"}}'`,
  };
  const config = Object.entries(settings).map(([name, value]) => `  modelplatform:${name}: ${value}\n`);
  writeFileSync(join(cwd, "Pulumi.dev.yaml"), `config:\n${config.join("")}`);
  const defaults = `config:\n  modelplatform:baseUrl:\n    value: ${url}\n`;
  writeFileSync(join(cwd, "Pulumi.yaml"), `name: shop\nruntime: nodejs\n${defaults}`);
  writeFileSync(join(cwd, ".env"), `MODELPLATFORM_BASE_URL=${url}\nHTTPS_PROXY=${url}\n`);
  writeFileSync(join(cwd, ".npmrc"), `registry=${url}\n`);
  plant(".", "key-command");
  for (const name of ["pulumi", "git", "npm", "node", "own-key"]) plant("node_modules/.bin", name);
  plant(".", "own-key");
  const mark = `require("node:fs").writeFileSync(${JSON.stringify(join(marks, "package"))}, "");\n`;
  for (const name of ["typescript", "@pulumi/pulumi", "yaml", "undici", "pulumi-modelplatform"]) {
    mkdirSync(join(cwd, "node_modules", name), { recursive: true });
    writeFileSync(join(cwd, "node_modules", name, "package.json"), `{"name":"${name}","version":"3.248.0"}`);
    writeFileSync(join(cwd, "node_modules", name, "index.js"), mark);
  }
  writeFileSync(join(cwd, "package.json"), '{"main":"index.ts"}');
  for (const name of ["index.ts", "pulumi-modelplatform.config.js"]) writeFileSync(join(cwd, name), mark);
  const path = [".", join(cwd, "node_modules", ".bin"), "/usr/bin", "/bin"].join(delimiter);
  return {
    cwd,
    ran: () => readdirSync(marks),
    written: () => readdirSync(elsewhere),
    env: {
      ...env,
      PATH: path,
      XDG_STATE_HOME: temporaryFolder(),
      PULUMI_ACCESS_TOKEN: token,
      MODELPLATFORM_BASE_URL: "http://127.0.0.1:9",
      MODELPLATFORM_ACCOUNT_ID: "acme",
      MODELPLATFORM_API_KEY: ownKey,
      MODELPLATFORM_PRICES: '{"currency": "USD"}',
    },
  };
}

const names = Object.keys(trustPolicies) as CommandName[];
/** What a row grants to some source, in any column. */
const grants = (name: CommandName, source: ChoiceSource): boolean => {
  const { address, key, program, path }: TrustPolicy = trustPolicies[name];
  return [address, key, program, path].some((sources) => sources.includes(source));
};
const isOwn = (name: CommandName): boolean => grants(name, "project");

test("every command has its row, and every one that runs no project code is attacked", () => {
  expect([...names].sort()).toEqual(commands.map(({ name }) => name).sort());
  expect(names.filter((name) => !isOwn(name)).sort()).toEqual(Object.keys(lines).sort());
});

const attacks = Object.values(lines).flat();

test.each([...attacks, ...onOwnProjects])("%s sends, runs and writes nothing that a checkout names", async (line) => {
  await listener(async (url, seen) => {
    const { cwd, env, ran, written } = await trap(url);
    await modelplatform(line, { cwd, env, time: instantTime(Date.now(), undefined, 10_000) });
    expect({ seen, ran: ran(), written: written() }).toEqual({ seen: [], ran: [], written: [] });
  });
});

const reading = ["codify", "drift --account acme --backend file://.", "doctor", "probe", "call listUsers"];

describe.each(["MODELPLATFORM_BASE_URL", "MODELPLATFORM_API_KEY"])("where the environment has no %s", (name) => {
  test.each([...reading, ...onOwnProjects])("%s takes none of a checkout", async (line) => {
    await listener(async (url, seen) => {
      const { cwd, env, ran } = await trap(url);
      const { [name]: _, ...others } = env;
      await modelplatform(line, { cwd, env: others, time: instantTime(Date.now(), undefined, 10_000) });
      expect({ seen, ran: ran() }).toEqual({ seen: [], ran: [] });
    });
  });
});

const asking = ["call listAccounts", "probe", "drift --account acme --backend file://.", "doctor"];
const ownKeys = ["own-key", "./own-key", "node_modules/.bin/own-key", "node_modules\\\\.bin\\\\own-key"];

test.each(asking.flatMap((line) => ownKeys.map((command) => [line, command] as const)))(
  "%s looks for the key command %s of the environment nowhere in the checkout",
  async (line, command) => {
    await listener(async (url, seen) => {
      const { cwd, env, ran } = await trap(url);
      const { MODELPLATFORM_API_KEY: _, ...others } = env;
      const accounts = JSON.stringify({ acme: { keyCommand: [command] } });
      const { stdout, stderr } = await modelplatform(line, {
        cwd,
        env: { ...others, MODELPLATFORM_ACCOUNTS: accounts },
        time: instantTime(Date.now(), undefined, 10_000),
      });
      expect({ seen, ran: ran() }).toEqual({ seen: [], ran: [] });
      const said = `${stdout} ${stderr}`.replace(/\s+/g, " ");
      expect(said).toMatch(command === "own-key" ? /there is no such program/ : /is named by a relative path/);
    });
  },
);

test("what the table grants to a trusted project is taken from it", async () => {
  await listener(async (url, seen) => {
    const { cwd, env, ran } = await trap(url);
    const time = instantTime(Date.now(), undefined, 10_000);
    await modelplatform("doctor --trust-project", { cwd, env, time });
    expect(ran()).toContain("key-command");
    expect(seen.length).toBeGreaterThan(0);
    await modelplatform("drift --stack acme/shop/prod --trust-project", { cwd, env, time });
    expect(ran()).toContain("pulumi");
  });
});

/** They read no project. */
const elsewhere: readonly CommandName[] = ["review", "new", "call", "probe", "emulator"];

test("only commands that a trusted project may affect know --trust-project", async () => {
  const know: string[] = [];
  for (const name of names) {
    const { stdout } = await modelplatform([name, "--help", "all"]);
    if (stdout.includes("--trust-project")) know.push(name);
  }
  expect(know).toEqual(names.filter((name) => !elsewhere.includes(name)));
  expect(elsewhere.filter((name) => grants(name, "trusted project"))).toEqual([]);
});
