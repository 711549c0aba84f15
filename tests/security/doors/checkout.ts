import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../../cli/terminal";
import { exported } from "../../drift/support/stacks";
import { cross, type Probe, probe } from "../probe";
import { checkout, honest, user } from "./checkout-scene";
import { linkedPrograms } from "./linked-programs";
import { answers, ending, expectSpoken, listening, operator, operatorKey, stranger } from "./scene";

/**
 * The attacker has written everything in a checkout. The operator, who has keys and tokens in the environment, runs a
 * command in it that is not said to run the project's code, and does not trust it.
 */
const lines = [
  "doctor",
  "doctor --json",
  "drift --backend file://. --unmanaged --account acme",
  "codify",
  "codify --backend file://.",
  "import accounts/acme/users/ada",
  "call listUsers",
  "probe",
] as const;
const named = lines.map((line) => [`\`${line}\``, line] as const);

/** Files that name an address, by what carries it. */
const carriers: readonly (readonly [string, (url: string) => Record<string, string>])[] = [
  ["the stack's config", (url) => ({ "Pulumi.dev.yaml": `config:\n  modelplatform:baseUrl: ${url}\n` })],
  [
    "the project's defaults",
    (url) => ({
      "Pulumi.yaml": `name: shop\nruntime: nodejs\nconfig:\n  modelplatform:baseUrl:\n    value: ${url}\n`,
    }),
  ],
  [
    "a table of accounts in the stack's config",
    (url) => ({ "Pulumi.dev.yaml": `config:\n  modelplatform:accounts: '{"acme":{"baseUrl":"${url}"}}'\n` }),
  ],
  ["a file of environment variables", (url) => ({ ".env": `MODELPLATFORM_BASE_URL=${url}\nHTTPS_PROXY=${url}\n` })],
];

const addresses = cross(
  named,
  carriers,
  (line, carrier) => `${line} sends nothing to the address in ${carrier}`,
  async (line, files) => {
    const [{ url, seen }, service] = [await stranger(), await honest()];
    const cwd = await checkout(files(url));
    const { said } = await ending(line, { cwd, env: operator(service.url) });
    expectSpoken(said);
    expect(seen).toEqual([]);
    expect(said).not.toContain(operatorKey);
  },
);

/** Without an address of their own the operator gets an error, not the attacker's address. */
const missing: Probe[] = named.map(([name, line]) =>
  probe(`${name} without an address in the environment takes none of the checkout`, async () => {
    const { url, seen } = await stranger();
    const cwd = await checkout({ ...carriers[0]![1](url), ...carriers[1]![1](url) });
    const env = operator(url);
    delete env["MODELPLATFORM_BASE_URL"];
    const { said } = await ending(line, { cwd, env });
    expectSpoken(said);
    expect(seen.filter(({ headers }) => headers.authorization !== undefined)).toEqual([]);
  }),
);

/** An address that a state records is the attacker's word, too. */
const recorded: Probe[] = (
  [
    "drift --stack-file prod.json",
    "drift --stack-file prod.json --unmanaged --account acme",
    "codify --stack-file prod.json",
  ] as const
).map((line) =>
  probe(`\`${line}\` sends no key to the address that a state records`, async () => {
    const [{ url, seen }, service] = [await stranger(), await honest()];
    const state = exported([
      { kind: "User", inputs: { email: user.email, role: "user" }, live: user, outputs: { endpoint: url } },
    ]);
    const cwd = await checkout({ "prod.json": JSON.stringify(state) });
    const { said } = await ending(line, { cwd, env: operator(service.url) });
    expectSpoken(said);
    expect(seen).toEqual([]);
  }),
);

/** Commands that the project's files name. */
const programs: Probe[] = [
  ...named,
  ["`stack ls`", "stack ls"],
  ["`stack output`", "stack output"],
  ["`config`", "config ls"],
].map(([name, line]) =>
  probe(`${name} runs no key command of the checkout`, async () => {
    const ran = join(temporaryFolder(), "ran");
    const { url } = await honest();
    const command = JSON.stringify({ acme: { keyCommand: ["touch", ran] } });
    const cwd = await checkout({ "Pulumi.dev.yaml": `config:\n  modelplatform:accounts: '${command}'\n` });
    const env = operator(url);
    delete env["MODELPLATFORM_API_KEY"];
    expectSpoken((await ending(String(line), { cwd, env })).said);
    expect(existsSync(ran)).toBe(false);
  }),
);

const packages = ["typescript", "@pulumi/pulumi", "yaml", "undici", "pulumi-modelplatform"];
const modules: Probe[] = named.map(([name, line]) =>
  probe(`${name} loads no package of the checkout`, async () => {
    const ran = join(temporaryFolder(), "ran");
    const { url } = await honest();
    const text = `require("node:fs").writeFileSync(${JSON.stringify(ran)}, __filename);`;
    const planted = packages.flatMap((each) => [
      [`node_modules/${each}/package.json`, JSON.stringify({ name: each, version: "3.248.0", main: "index.js" })],
      [`node_modules/${each}/index.js`, text],
    ]);
    const own = [
      ["index.ts", `${text}\n`],
      ["package.json", '{"main":"index.ts"}'],
      ["pulumi-modelplatform.config.js", text],
    ];
    const cwd = await checkout(Object.fromEntries([...planted, ...own]) as Record<string, string>);
    expectSpoken((await ending(line, { cwd, env: operator(url) })).said);
    expect(existsSync(ran)).toBe(false);
  }),
);

/** Programs that are looked up by name, where the way there leads through the checkout. */
const paths: Probe[] = ["", ".", "./node_modules/.bin", "bin"].flatMap((entry) =>
  ["doctor", "drift --stack acme/shop/dev"].map((line) =>
    probe(`\`${line}\` runs nothing of the checkout where PATH begins with ${JSON.stringify(entry)}`, async () => {
      const ran = join(temporaryFolder(), "ran");
      const { url } = await honest();
      const shim = `#!/bin/sh\ntouch ${ran}\n`;
      const places = ["", "node_modules/.bin/", "bin/"].flatMap((folder) =>
        ["pulumi", "git", "npm", "node"].map((name) => [`${folder}${name}`, shim]),
      );
      const cwd = await checkout(Object.fromEntries(places) as Record<string, string>);
      const before = process.cwd();
      process.chdir(cwd);
      try {
        const env = operator(url, { PATH: `${entry}:/usr/bin:/bin` });
        expectSpoken((await ending(line, { cwd, env })).said);
      } finally {
        process.chdir(before);
      }
      expect(existsSync(ran)).toBe(false);
    }),
  ),
);

/** Behaves as the Pulumi CLI does: the backend is that of the nearest Pulumi.yaml above, and gets the token. */
const cli = `#!${process.execPath}
const { existsSync, readFileSync, appendFileSync } = require("node:fs");
const { dirname, join } = require("node:path");
let folder = process.cwd();
const at = process.argv.findIndex((word) => word === "--cwd" || word === "-C");
if (at > 0) folder = process.argv[at + 1];
while (!existsSync(join(folder, "Pulumi.yaml")) && dirname(folder) !== folder) folder = dirname(folder);
const file = join(folder, "Pulumi.yaml");
const named = existsSync(file) ? /url:\\s*(\\S+)/.exec(readFileSync(file, "utf8"))?.[1] : undefined;
const backend = process.env.PULUMI_BACKEND_URL || named || "https://app.example.com";
appendFileSync(process.env.WITNESS, JSON.stringify({ backend, token: process.env.PULUMI_ACCESS_TOKEN ?? "" }) + "\\n");
console.log(JSON.stringify({ version: 3, deployment: { manifest: {}, resources: [] } }));
`;

const tokens: Probe[] = [
  "drift --stack acme/shop/dev",
  "codify --stack acme/shop/dev",
  "accept --stack acme/shop/dev",
].flatMap((line) =>
  (
    [
      ["in the checkout", (cwd: string) => cwd],
      ["in a folder below it", (cwd: string) => join(cwd, "infra")],
      ["in a folder that is a project as well", (cwd: string) => join(cwd, "nested")],
    ] as const
  ).map(([where, placeOf]) =>
    probe(`\`${line}\` ${where} hands the Pulumi token to no address of the checkout`, async () => {
      const bin = temporaryFolder();
      const witness = join(bin, "witness");
      writeFileSync(join(bin, "pulumi"), cli, { mode: 0o755 });
      writeFileSync(witness, "");
      const { url } = await honest();
      const hostile = "name: shop\nruntime: nodejs\nbackend:\n  url: https://evil.example\n";
      const cwd = await checkout({
        ...{ "Pulumi.yaml": hostile, "nested/Pulumi.yaml": hostile, "infra/index.ts": "" },
        "index.ts": "",
      });
      const env = operator(url, {
        ...{ PATH: `${bin}:/usr/bin:/bin`, WITNESS: witness, PULUMI_ACCESS_TOKEN: "pul-0123456789" },
      });
      expectSpoken((await ending(line, { cwd: placeOf(cwd), env })).said);
      expect(readFileSync(witness, "utf8")).not.toContain("evil.example");
    }),
  ),
);

/** Folders that the project's files name are not written to. */
const folders: Probe[] = named.map(([name, line]) =>
  probe(`${name} writes nothing where the checkout says that notes lie`, async () => {
    const victim = temporaryFolder();
    let asked = 0;
    const { url } = await listening(
      answers({
        "GET /v1/": () => {
          asked += 1;
          return asked === 1
            ? { status: 429, headers: { "retry-after-ms": "1" }, body: { code: 8, message: "slow down" } }
            : {};
        },
      }),
    );
    const cwd = await checkout({
      "Pulumi.dev.yaml": `config:\n  modelplatform:intents: ${victim}\n`,
    });
    expectSpoken((await ending(line, { cwd, env: operator(url) })).said);
    expect(readdirSync(victim)).toEqual([]);
  }),
);

export const checkoutDoorProbes: Probe[] = [
  ...addresses,
  ...missing,
  ...recorded,
  ...programs,
  ...modules,
  ...paths,
  ...linkedPrograms,
  ...tokens,
  ...folders,
];
