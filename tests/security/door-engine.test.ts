import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { embeddedEngine } from "../../cli/operation/embedded-engine";
import { openSecrets } from "../../engine/state/passphrase";
import { systemTime } from "../../provider/api/time";
import { hiddenInput } from "../../provider/core/declaration/own-fields";
import { project, temporaryFolder } from "../cli/terminal";
import { exported } from "../drift/support/stacks";
import { repository } from "../e2e/engines";
import { hiddenOf } from "../lifecycle/harness";
import { testPairs } from "./pairs";
import { planted } from "./planted";
import { answers, type CommandEnding, ending, expectSpoken, listening, operator } from "./scene";

/**
 * The attacker has written a state, or the checkout around it. The operator refreshes or destroys the stack with the
 * built-in engine, without running the program. What the attacker wants is a program of theirs to be started.
 */
type Values = Record<string, unknown>;
type Entry = (text: string, index: number) => Values;

const userOf = (index: number): Values => ({
  name: `accounts/acme/users/u${index}`,
  email: `u${index}@example.com`,
  role: "user",
  state: "READY",
});

const providerUrn = "urn:pulumi:dev::shop::pulumi:providers:pulumi-nodejs::default";
const providerId = "11111111-2222-4333-8444-555555555555";
const providerEntry = {
  urn: providerUrn,
  custom: true,
  id: providerId,
  type: "pulumi:providers:pulumi-nodejs",
  inputs: {},
  outputs: {},
};

/** A recorded user whose provider is the attacker's text. */
const recordedUser = (text: string, index: number): Values => {
  const inputs = { email: `u${index}@example.com`, role: "user", userId: `u${index}` };
  const document = exported([{ kind: "User", inputs, live: userOf(index) }], { project: "shop", stack: "dev" });
  const [, entry] = (document as { deployment: { resources: Values[] } }).deployment.resources as [Values, Values];
  const told = { __provider: text, [hiddenInput]: { ...hiddenOf("User", `u${index}`, "dev"), stack: "dev" } };
  const provider = `${providerUrn}::${providerId}`;
  return {
    ...entry,
    provider,
    inputs: { ...(entry["inputs"] as Values), ...told },
    outputs: { ...(entry["outputs"] as Values), ...told },
  };
};

const typed =
  (type: string): Entry =>
  (text, index) => {
    const entry = recordedUser(text, index);
    return { ...entry, type, urn: `urn:pulumi:dev::shop::${type}::u${index}` };
  };

/**
 * Entries of a state, by what is odd about them. Dynamic resources of others are not among them: `docs/security.md`
 * says that their texts are run.
 */
const entries: readonly (readonly [string, Entry])[] = [
  ["a user of this package", recordedUser],
  ["a user that is about to be deleted", (text, index) => ({ ...recordedUser(text, index), delete: true })],
  ["a user that is only read", (text, index) => ({ ...recordedUser(text, index), external: true })],
  ["a user that is protected", (text, index) => ({ ...recordedUser(text, index), protect: true })],
  [
    "a user with the text in its outputs alone",
    (text, index) => {
      const entry = recordedUser(text, index);
      return { ...entry, inputs: { ...(entry["inputs"] as Values), __provider: "" } };
    },
  ],
  [
    "a user with the text in its inputs alone",
    (text, index) => {
      const entry = recordedUser(text, index);
      return { ...entry, outputs: { ...(entry["outputs"] as Values), __provider: "" } };
    },
  ],
  ["a kind that this package does not have", typed("pulumi-nodejs:dynamic/modelplatform:Robot")],
  ["a kind named like a member of every object", typed("pulumi-nodejs:dynamic/modelplatform:constructor")],
];

const lines = [
  "refresh --yes --skip-preview",
  "refresh --preview-only",
  "destroy --yes --skip-preview",
  "destroy --preview-only",
];

/** How a text gets hold of the process that loads it. */
const loaders: readonly (readonly [string, (ran: string) => string])[] = [
  ["as it is loaded", (ran) => `require("node:fs").writeFileSync(${JSON.stringify(ran)}, "");`],
  [
    "in its handler",
    (ran) =>
      `exports.handler = () => { require("node:fs").writeFileSync(${JSON.stringify(ran)}, ""); return { read: () => ({ id: "x", props: {} }) }; };`,
  ],
  [
    "in a getter",
    (ran) =>
      `Object.defineProperty(exports, "handler", { get() { require("fs").writeFileSync(${JSON.stringify(ran)}, ""); } });`,
  ],
  [
    "in a program of its own",
    (ran) => `require("node:child_process").execFileSync("touch", [${JSON.stringify(ran)}]);`,
  ],
];

/** One salt for all stacks: deriving a key takes most of a second, once in a process. */
let salt: Promise<string> | undefined;

/** Runs the engine on a state of these entries, where the service has every user. */
async function run(
  line: string,
  made: readonly Values[],
  files: Readonly<Record<string, string>> = {},
): Promise<CommandEnding> {
  const users = Array.from({ length: 60 }, (_, index) => userOf(index));
  const { url } = await listening(
    answers({
      "GET /v1/accounts/acme/users/": ({ url: asked }) => ({
        body: users.find(({ name }) => asked.split("?")[0]!.endsWith(String(name))) ?? {},
      }),
      "GET /v1/accounts/acme/users": { body: { users } },
      "GET /v1/": {},
      "DELETE /v1/": { status: 501, body: { code: 12, message: "not implemented" } },
    }),
  );
  const { cwd } = await project("dev");
  const document = exported([], { project: "shop", stack: "dev" }) as { deployment: { resources: Values[] } };
  document.deployment.resources.push(providerEntry, ...made);
  writeFileSync(join(cwd, "state.json"), JSON.stringify(document));
  const env = operator(url, { MODELPLATFORM_ALLOW_ENDPOINT_CHANGE: "true" });
  salt ??= openSecrets({ passphrase: env["PULUMI_CONFIG_PASSPHRASE"]! }).then(({ state }) => state.salt);
  writeFileSync(join(cwd, "Pulumi.dev.yaml"), `encryptionsalt: ${await salt}\n`);
  writeFileSync(join(cwd, "index.js"), "");
  writeFileSync(join(cwd, "package.json"), '{"main":"index.js"}');
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(cwd, name, ".."), { recursive: true });
    writeFileSync(join(cwd, name), text, { mode: 0o755 });
  }
  for (const name of ["@pulumi", "pulumi-modelplatform", "typescript", "ts-node", "google-protobuf", "@grpc"]) {
    const [from, to] = [join(repository, "node_modules", name), join(cwd, "node_modules", name)];
    mkdirSync(join(cwd, "node_modules"), { recursive: true });
    if (existsSync(from) && !existsSync(to)) symlinkSync(from, to);
  }
  const setting = {
    ...{ cwd, env },
    engine: async () => embeddedEngine(),
    time: systemTime,
  };
  const taken = await ending("stack import --stack dev --file state.json --force", setting);
  if (taken.code !== 0) return taken;
  return ending(`${line} --stack dev`, setting);
}

/** All entries with all texts in one run of the engine; what ran is a file of its own. */
const once = new Map<string, Promise<{ ended: CommandEnding; ran: readonly string[] }>>();
function together(line: string): Promise<{ ended: CommandEnding; ran: readonly string[] }> {
  const known = once.get(line);
  if (known) return known;
  const folder = temporaryFolder();
  const made = entries.flatMap(([, entry], at) =>
    loaders.map(([, loader], index) => entry(loader(join(folder, `${at}-${index}`)), at * loaders.length + index)),
  );
  const running = run(line, made).then((ended) => ({ ended, ran: readdirSync(folder) }));
  once.set(line, running);
  return running;
}

for (const line of lines) {
  const command = line.replace(" --yes --skip-preview", "");
  for (const [at, [what]] of entries.entries()) {
    test(`\`${command}\` starts nothing that the state says of ${what}`, async () => {
      const { ended, ran } = await together(line);
      expectSpoken(ended.said);
      expect(ran.filter((name) => name.startsWith(`${at}-`))).toEqual([]);
    });
  }
}

/** One entry alone, since one that is refused may hide what would have become of the others. */
for (const [what, entry] of entries.slice(6).concat(entries.slice(0, 1))) {
  test(`a refresh of ${what} alone starts nothing and ends, or is one clear error`, async () => {
    const ran = join(temporaryFolder(), "ran");
    const { code, said } = await run("refresh --yes --skip-preview", [entry(loaders[0]![1](ran), 0)]);
    expectSpoken(said);
    expect(existsSync(ran)).toBe(false);
    expect(code === 0 || /error:/.test(said)).toBe(true);
  });
}

testPairs(
  planted,
  [
    ["refresh", "refresh --yes --skip-preview"],
    ["destroy", "destroy --preview-only"],
  ],
  (what, command) => `\`${command}\` starts nothing of a checkout that has ${what}`,
  async (files, line) => {
    const ran = join(temporaryFolder(), "ran");
    const text = `require("node:fs").writeFileSync(${JSON.stringify(ran)}, "");`;
    const { said } = await run(line, [recordedUser("exports.handler = () => ({});", 0)], files(text, ran));
    expectSpoken(said);
    expect(existsSync(ran)).toBe(false);
  },
);

/** The type of what the engine is asked to run is this package's own, so that the attack reaches the engine at all. */
test("a refresh of a state that nobody has touched reads its users", async () => {
  const text = 'exports.handler = () => require("pulumi-modelplatform/runtime").provider("User");';
  const { code, said } = await run("refresh --yes --skip-preview", [recordedUser(text, 0)]);
  expect({ code, said }).toMatchObject({ code: 0, said: expect.stringContaining("1 as recorded") });
});
