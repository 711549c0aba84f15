import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { commandSynonyms } from "../../cli/command/synonyms";
import { createEmulator } from "../../emulator/index";
import { resolveFromProgram } from "../../engine/processes/program";
import { oldestNode, unsupportedReason } from "../../provider/core/node-version";
import { didYouMean } from "../../provider/core/values/did-you-mean";
import { instantTime } from "../api/support/instant-time";
import { modelplatform, project, temporaryFolder } from "./terminal";

const program = "npx pulumi-modelplatform";
const does = (line: string): string => `The command that does it is \`${program} ${line}\`.`;
const meant = (name: string): string => `Did you mean \`${name}\`?`;
const toDelete = `To delete an object, remove it from the program and run \`${program} up\`.`;
const inQuotes = (name: string): string =>
  `The value of \`modelplatform:${name}\` has quotation marks around it. Leave them out.`;
const hyphens = (typed: string, flag: string): string =>
  `\`${typed}\` is not a flag: write \`--${flag}\`, with two hyphens.`;

/** What was typed, and the end of what is answered. */
const mistakes: [typed: string, answered: string][] = [
  // other tools' commands
  ["deploy", does("up")],
  ["apply", does("up")],
  ["update", does("up")],
  ["provision", does("up")],
  ["Deploy", does("up")],
  ["plan", does("preview")],
  ["diff", does("preview")],
  ["dry-run", does("preview")],
  ["validate", does("preview")],
  ["sync", does("refresh")],
  ["scan", does("drift")],
  ["reconcile", does("drift")],
  ["about", does("doctor")],
  ["whoami", does("doctor")],
  ["version", does("--version")],
  ["ls", does("stack ls")],
  ["list", does("stack ls")],
  ["select dev", does("stack select")],
  ["export", does("stack export")],
  ["outputs", does("stack output")],
  ["history", does("stack history")],
  ["workspace", does("stack")],
  ["set a b", does("config set")],
  ["force-unlock", does("cancel")],
  ["adopt", does("import")],
  ["generate", does("codify")],
  ["costs", does("cost")],
  ["policies", does("audit")],
  ["serve", does("emulator")],
  ["taint x", does("state taint")],
  ["mv a b", does("state move")],
  ["delete", toDelete],
  ["remove", toDelete],
  ["down", toDelete],
  ["teardown", toDelete],
  ["login", "There is nothing to log in to: set PULUMI_BACKEND_URL=file://<folder>, where state is stored."],
  ["console", "console is the Pulumi CLI's and not supported here."],
  // in groups
  ["stack list", does("stack ls")],
  ["stack create dev", does("stack init")],
  ["stack use dev", does("stack select")],
  ["stack delete dev", does("stack rm")],
  ["config list", does("config ls")],
  ["config unset a", does("config rm")],
  ["config delete a", does("config rm")],
  ["state rm x", does("state delete")],
  ["state list", does("stack export")],
  ["state push", does("stack import")],
  // slips
  ["prevue", meant("preview")],
  ["previwe", meant("preview")],
  ["refersh", meant("refresh")],
  ["dirft", meant("drift")],
  ["docter", meant("doctor")],
  ["emualtor", meant("emulator")],
  ["codfy", meant("codify")],
  ["stack inti dev", meant("init")],
  ["config gte a", meant("get")],
  ["dstroy", `\`${program} --help\` shows how it is used.`],
  ["destory", `\`${program} --help\` shows how it is used.`],
  ["frobnicate", `\`${program} --help\` shows how it is used.`],
  // flags
  ["up --auto-approve", meant("--yes")],
  ["up --force", meant("--yes")],
  ["up --dry-run", `To look only, run \`${program} preview\`.`],
  ["refresh --dry-run", meant("--preview-only")],
  ["up --parallelism 2", meant("--parallel")],
  ["up --only x", meant("--target")],
  ["up --chdir x", meant("--cwd")],
  ["up --workspace dev", meant("--stack")],
  ["up --no-color", meant("--color never")],
  ["up --diffs", meant("--diff")],
  ["up --targte x", meant("--target")],
  ["preview --detailed-exitcode", meant("--expect-no-changes")],
  ["drift -o x", meant("--output")],
  ["drift --account-id acme", meant("--account")],
  ["drift --unmanged", meant("--unmanaged")],
  ["up --api-key k", "Every process of the machine sees the arguments of a command: set MODELPLATFORM_API_KEY."],
  ["up --base-url u", "Set MODELPLATFORM_BASE_URL, or the stack's `modelplatform:baseUrl`."],
  ["up --policy-pack p", "For what only the Pulumi CLI takes, use that CLI: both share the stack's state."],
  ["stack rm --remove-backups=x", "use that CLI: both share the stack's state."],
  ["cost --frobnicate", `\`${program} cost --help\` shows how it is used.\n`],
  ["--versoin", meant("--version")],
  // names of before the first release
  ["operations", does("call --list")],
  ["codify --mode import", meant("--import")],
  ["codify --target python", meant("--for")],
  ["audit --allow-error", meant("--baseline-errors")],
  ["audit --stack-name dev", meant("--stack")],
  ["accept --body pr.md", meant("--format markdown --output <file>")],
  ["drift --watch 10m", "A schedule scans again"],
  ["drift --write-baseline b.json", does("drift baseline")],
  ["call listUsers --config=modelplatform:accountId=acme", `unknown option '--config'. ${meant("--setting")}`],
  ["drift -cmodelplatform:accountId=acme", `unknown option '-c'. ${meant("--setting")}`],
  ["up -yes", hyphens("-yes", "yes")],
  ["up –yes", hyphens("–yes", "yes")],
  ["up —yes", hyphens("—yes", "yes")],
  ["-stack dev up", hyphens("-stack", "stack")],
  // arguments
  ["up dev", "`up` takes no argument, and `dev` is another. If it is the stack, write `--stack dev`."],
  ["stack init", `error: missing required argument 'name'. \`${program} stack init --help\` shows how it is used.`],
  ["up --target", `argument missing. \`${program} up --help\` shows how it is used.`],
  ["-C", `argument missing. \`${program} --help\` shows how it is used.`],
  ["up --parallel 0", "It must be a whole number of at least 1."],
  // quotes
  ["drift --filter state = READY", "Put a value that has spaces in quotes."],
  ["config set modelplatform:baseUrl “https://api.example.com”", inQuotes("baseUrl")],
  ["config set modelplatform:accountId 'acme'", inQuotes("accountId")],
  ['up --yes -c modelplatform:accountId="acme"', inQuotes("accountId")],
  ['call createUser --yes --body {"email":"x"}', "and give `--body -`."],
  // settings that are none
  [
    "drift --setting recover=take",
    "--setting recover: there is no such setting; did you mean `modelplatform:recover`?",
  ],
  ["drift --setting modelplatform:recove=take", "there is no such setting; did you mean `modelplatform:recover`?"],
  [
    "drift --setting modelplatform:colour=red",
    "there is no such setting. With the prefix `modelplatform:`, there are accountId, baseUrl, requestsPerSecond,",
  ],
  ["drift --setting recover", "--setting takes a setting and its value, such as `modelplatform:accountId=acme`."],
  // settings without a namespace
  [
    "config set baseUrl https://api.example.com",
    "Write `modelplatform:baseUrl`, or `shop:baseUrl` if you mean your own.",
  ],
  ["config set account-id acme", "Write `modelplatform:accountId`, or `shop:account-id` if you mean your own."],
  ["up --yes -c accountId=acme", "Write `modelplatform:accountId`, or `shop:accountId` if you mean your own."],
];

test.each(mistakes)("`%s` is answered by what was meant, and writes nothing", async (typed, answered) => {
  const { cwd, env } = await project("dev");
  const before = readdirSync(cwd, { recursive: true });
  const { code, stdout, stderr } = await modelplatform(typed, { cwd, env });
  expect({ code, stdout }).toEqual({ code: 64, stdout: "" });
  expect(stderr).toMatch(/^error: [^\n]*\n$/);
  expect(stderr).toContain(answered);
  expect(stderr).not.toContain("destroy");
  expect(readdirSync(cwd, { recursive: true })).toEqual(before);
});

/** A command line that is right, in a situation that is not: what is changed, and what is answered with which code. */
const situations: [situation: string, typed: string, changed: Situation, code: number, answered: string][] = [
  ["a folder without a project", "preview", { folder: "elsewhere" }, 1, "Pulumi.yaml"],
  ["a folder that is not there", "-C nowhere preview", {}, 64, "--cwd: there is no folder"],
  ["a stack that is not there", "preview --stack prod", {}, 1, "stack init prod"],
  ["a stack that is nearly there", "preview --stack dve", {}, 1, "Did you mean dev?"],
  ["a stack of another project", "preview --stack organization/other/dev", {}, 1, "is not a stack of project shop"],
  ["no key", "drift --account acme", { env: { MODELPLATFORM_API_KEY: "" } }, 1, "MODELPLATFORM_API_KEY"],
  ["an expired key", "drift --account acme", { env: { MODELPLATFORM_API_KEY: "old" } }, 3, "401"],
  ["a key of another account", "drift --account beta", {}, 1, "beta"],
  ["a key in quotes", "drift --account acme", { env: { MODELPLATFORM_API_KEY: '"acme-key"' } }, 1, "without quotes"],
  [
    "keys whose quotes the shell has taken",
    "drift --account acme",
    { env: { MODELPLATFORM_ACCOUNTS: "{acme:{apiKey:x}}" } },
    1,
    "`MODELPLATFORM_ACCOUNTS` is not JSON",
  ],
  [
    "a base URL in quotes",
    "drift --account acme",
    { env: { MODELPLATFORM_BASE_URL: '"https://x"' } },
    1,
    "is not a URL",
  ],

  ["no base URL", "drift --account acme", { env: { MODELPLATFORM_BASE_URL: "" } }, 1, "MODELPLATFORM_BASE_URL"],
  ["a base URL of no URL", "drift --account acme", { env: { MODELPLATFORM_BASE_URL: "api" } }, 1, "base URL"],
  ["a base URL that ends in /v1", "drift --account acme", { suffix: "/v1" }, 1, "/v1"],
  [
    "nothing at the address",
    "drift --account acme",
    { env: { MODELPLATFORM_BASE_URL: "http://127.0.0.1:9" } },
    3,
    "ECONNREFUSED",
  ],
  ["an operation that is not there", "call getDeploymnet", {}, 64, "getDeployment"],
  ["a program without a compiler", "accept --report none.json", {}, 1, "npm install --save-dev typescript"],
  ["a state that is not there", "drift --stack-file none.json", {}, 1, "none.json"],
  ["a body that is not there", "call createUser --body none.json --yes", {}, 1, "none.json"],
];

interface Situation {
  folder?: string;
  suffix?: string;
  env?: Record<string, string>;
}

test.each(situations)("%s: `%s` says so and writes nothing", async (_, typed, changed, code, answered) => {
  const emulator = createEmulator({ accounts: { acme: "acme-key" } });
  const { url } = await emulator.listen({ port: 0 });
  const { cwd: home, env } = await project("dev");
  const cwd = changed.folder === undefined ? home : temporaryFolder();
  const before = readdirSync(cwd, { recursive: true });
  const settings = {
    MODELPLATFORM_BASE_URL: `${url}${changed.suffix ?? ""}`,
    MODELPLATFORM_ACCOUNT_ID: "acme",
    MODELPLATFORM_API_KEY: "acme-key",
    MODELPLATFORM_INTENTS: temporaryFolder(),
  };
  const all = { ...env, ...settings, ...changed.env };
  const told = await modelplatform(typed, { cwd, env: all, time: instantTime(Date.now(), undefined, 10_000) });
  await emulator.close();
  expect(`${told.stdout}${told.stderr}`).toContain(answered);
  expect(told.code).toBe(code);
  expect(`${told.stdout}${told.stderr}`).not.toMatch(/^ +at .*:\d+:\d+\)?$/m);
  expect(readdirSync(cwd, { recursive: true })).toEqual(before);
});

test("half an installation is answered by the package that is missing, and where", () => {
  const folder = temporaryFolder();
  const run = "@pulumi/pulumi/cmd/run";
  const missing = `"@pulumi/pulumi" is not installed in ${folder} or above it: run \`npm install\` there first`;
  expect(() => resolveFromProgram(folder, run)).toThrow(new Error(missing));
  expect(resolveFromProgram(join(__dirname), run)).toContain("node_modules");
});

test.each(["18.20.4", "20.18.3", "16.0.0"])("Node.js %s is refused by one line", (version) => {
  expect(unsupportedReason(version)).toBe(
    `pulumi-modelplatform needs Node.js ${oldestNode} or newer, and this is ${version}. Install a newer one: https://nodejs.org/`,
  );
});

const advised = Object.values(commandSynonyms)
  .flatMap((advice) => Object.values(advice))
  .flatMap((text) => /`npx pulumi-modelplatform ([a-z ]+)`/.exec(text)?.[1] ?? []);

test.each([...new Set(advised)])("%s, which another tool's word is answered with, is a command", async (line) => {
  const { code, stdout } = await modelplatform(`${line} --help`);
  expect(code).toBe(0);
  expect(stdout).toContain(`Usage: ${program} ${line}`);
});

test("a value of one's own program may be called like a setting", async () => {
  const { cwd, env } = await project("dev");
  expect(await modelplatform("config set shop:baseUrl x", { cwd, env })).toMatchObject({ code: 0, stderr: "" });
  expect(readFileSync(join(cwd, "Pulumi.dev.yaml"), "utf8")).toContain("shop:baseUrl: x");
});

test("a folder is taken for the backend of a scan, as its URL is", async () => {
  const { cwd, env } = await project("dev");
  const byPath = await modelplatform("drift --backend .", { cwd, env });
  expect(byPath).toMatchObject({ code: 0 });
  expect(byPath.stdout).toContain("1 stack");
});

test.each([
  ["has no stack yet", ".", 0, "there is nothing to declare"],
  ["is not there", "./nowhere", 1, "There is no Pulumi state in file://./nowhere"],
])("where the folder of states %s, codify says so", async (_, folder, code, text) => {
  const emulator = createEmulator({ accounts: { acme: "acme-key" } });
  const { url } = await emulator.listen({ port: 0 });
  const settings = { MODELPLATFORM_BASE_URL: url, MODELPLATFORM_ACCOUNT_ID: "acme", MODELPLATFORM_API_KEY: "acme-key" };
  const env = { ...settings, PULUMI_BACKEND_URL: `file://${folder}` };
  const told = await modelplatform("codify", { cwd: temporaryFolder(), env });
  await emulator.close();
  expect(told.stdout + told.stderr).toContain(text);
  expect(told.code).toBe(code);
});

const fields = ["baseModel", "deploymentShape", "minReplicaCount", "maxReplicaCount", "acceleratorType", "apiKey"];

test.each([
  ["maxReplicas", "`maxReplicaCount`"],
  ["model", "`baseModel`"],
  ["gpuType", "`acceleratorType`"],
  ["shape", "`deploymentShape`"],
  ["replicas", "`minReplicaCount` or `maxReplicaCount`"],
  ["token", "`apiKey`"],
])("%s is another word for %s", (given, names) => {
  expect(didYouMean(given, fields)).toBe(`; did you mean ${names}?`);
});
