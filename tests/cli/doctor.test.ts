import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { DoctorFinding } from "../../cli/platform/doctor/finding";
import { serviceFindings } from "../../cli/platform/doctor/service";
import { createEmulator, type Emulator } from "../../emulator/index";
import { openBackend } from "../../engine/state/backend";
import { createClient } from "../../provider/api/client";
import { createCatalogue } from "../../provider/api/operations";
import { resolveSettings } from "../../provider/api/settings/config";
import { systemTime } from "../../provider/api/time";
import { journalIn } from "../../provider/lifecycle/memory/journal-files";
import { allSpecs, managedSpecs } from "../../provider/resources/index";
import { instantTime } from "../api/support/instant-time";
import { modelplatform, project, temporaryFolder } from "./terminal";

let emulator: Emulator;
let url: string;

beforeEach(async () => {
  emulator = createEmulator({ accounts: { acme: "acme-key", beta: "beta-key" } });
  ({ url } = await emulator.listen({ port: 0 }));
});
afterEach(() => emulator.close());

const control = async (method: string, path: string, body?: unknown): Promise<unknown> =>
  (
    await fetch(`${url}/_emulator/${path}`, {
      method,
      ...(body !== undefined && { body: JSON.stringify(body), headers: { "content-type": "application/json" } }),
    })
  ).json();

const seed = (objects: Record<string, unknown>): Promise<unknown> => control("POST", "seed", { objects });

const environment = (): Record<string, string> => ({
  MODELPLATFORM_BASE_URL: url,
  MODELPLATFORM_ACCOUNT_ID: "acme",
  MODELPLATFORM_API_KEY: "acme-key",
  MODELPLATFORM_INTENTS: temporaryFolder(),
});

/** What `doctor --json` finds, by subject, beside its exit code. */
async function doctor(
  env: Record<string, string>,
  cwd = temporaryFolder(),
  ...flags: string[]
): Promise<{ code: number; of: Record<string, DoctorFinding>; text: string }> {
  const setting = { cwd, env, time: instantTime(Date.now(), undefined, 10_000) };
  const { code, stdout } = await modelplatform(["doctor", "--json", ...flags], setting);
  const { findings, summary } = JSON.parse(stdout) as {
    findings: DoctorFinding[];
    summary: Record<DoctorFinding["level"], number>;
  };
  for (const level of ["ok", "warning", "error"] as const)
    expect(summary[level]).toBe(findings.filter((finding) => finding.level === level).length);
  return { code, of: bySubject(findings), text: stdout };
}

const bySubject = (findings: readonly DoctorFinding[]): Record<string, DoctorFinding> =>
  Object.fromEntries(findings.map((finding) => [finding.subject, finding]));

test("a machine that is set up has no error, and nothing but reads is sent", async () => {
  const { code, of, text } = await doctor(environment());
  expect(code).toBe(0);
  expect(of["service of acme"]).toMatchObject({ level: "ok" });
  expect(of["reads of acme"]).toMatchObject({ level: "ok", found: `all ${managedSpecs.length} collections answer` });
  expect(of["policy of acme"]).toMatchObject({ level: "ok", found: expect.stringContaining("everything is allowed") });
  expect(of["sources of settings"]!.found).toContain("`apiKey` from the environment variable `MODELPLATFORM_API_KEY`");
  expect(text).not.toContain("acme-key");
  const { requests } = (await control("GET", "requests")) as { requests: { method: string }[] };
  expect(requests.length).toBeGreaterThan(0);
  expect(requests.filter(({ method }) => method !== "GET")).toEqual([]);
});

test("a collection counts as read, though one of its values cannot be used", async () => {
  const name = "accounts/acme/deployments/chat";
  await seed({ [name]: { baseModel: "accounts/platform/models/open-8b", maxReplicaCount: "many", state: "READY" } });
  const { of } = await doctor(environment());
  expect(of["reads of acme"]).toMatchObject({ level: "ok", found: `all ${managedSpecs.length} collections answer` });
});

test("people get a table that says what to do", async () => {
  const { stdout, code } = await modelplatform("doctor", { cwd: temporaryFolder(), env: {} });
  expect(code).toBe(1);
  expect(stdout).toMatch(/^error {4}keys +there is no API key\n +→ Set `MODELPLATFORM_API_KEY`/m);
  expect(stdout).toMatch(/\d+ ok, \d+ warnings?, \d+ errors?\n$/);
});

test.each<[string, Record<string, string>, string, DoctorFinding["level"], string]>([
  [
    "no settings",
    { MODELPLATFORM_BASE_URL: "", MODELPLATFORM_ACCOUNT_ID: "", MODELPLATFORM_API_KEY: "" },
    "keys",
    "error",
    "no API key",
  ],
  ["no base URL", { MODELPLATFORM_BASE_URL: "" }, "base URL", "error", "none is set"],
  ["a wrong base URL", { MODELPLATFORM_BASE_URL: "http://example.com" }, "settings", "error", "http"],
  ["no default account", { MODELPLATFORM_ACCOUNT_ID: "" }, "default account", "warning", "none is set"],
  ["an unknown key", { MODELPLATFORM_API_KEY: "wrong" }, "service of acme", "error", "401"],
  [
    "an address where nobody listens",
    { MODELPLATFORM_BASE_URL: "http://127.0.0.1:9" },
    "service of acme",
    "error",
    "ECONNREFUSED",
  ],
  [
    "a proxy",
    { HTTP_PROXY: "http://user:hunter2@127.0.0.1:9", NO_PROXY: "127.0.0.1" },
    "base URL",
    "ok",
    "`HTTP_PROXY`",
  ],
])(
  "%s",
  async (_, changed, subject, level, found) => {
    const { of, code, text } = await doctor({ ...environment(), ...changed });
    expect(of[subject]).toMatchObject({ level, found: expect.stringContaining(found) });
    if (level !== "ok") expect(of[subject]!.advice).toMatch(/\w/);
    expect(code).toBe(Object.values(of).some((finding) => finding.level === "error") ? 1 : 0);
    expect(text).not.toContain("hunter2");
  },
  60_000,
);

test("the default account is checked with the key that a pattern makes", async () => {
  const { MODELPLATFORM_API_KEY: _, ...others } = environment();
  const keyCommand = [process.execPath, "-p", "'{account}-key'"];
  const { of } = await doctor({ ...others, MODELPLATFORM_ACCOUNTS: JSON.stringify({ "*": { keyCommand } }) });
  expect(of["keys"]).toMatchObject({ level: "ok", found: "of `*`" });
  expect(of["service of acme"]).toMatchObject({ level: "ok" });
});

test("each available key is checked, and a refused one affects its own account only", async () => {
  const { of } = await doctor({
    ...environment(),
    MODELPLATFORM_ACCOUNTS: JSON.stringify({ beta: { apiKey: "wrong" } }),
  });
  expect(of["service of acme"]).toMatchObject({ level: "ok" });
  expect(of["service of beta"]).toMatchObject({ level: "error" });
});

test.each([
  ["nobody who could be it is known", [], "warning", "may run with an admin key"],
  ["every member is an admin", ["admin"], "warning", "would run with an admin key"],
  ["some members are admins", ["admin", "user"], "warning", "1 of 2 members"],
  ["no member is an admin", ["inference-user"], "ok", "none of its 1 members"],
])("a scan with an admin key is warned of: %s", async (_, roles, level, found) => {
  await seed(
    Object.fromEntries(
      roles.map((role, index) => [
        `accounts/acme/users/u${index}`,
        { role, email: `${index}@example.com`, state: "READY" },
      ]),
    ),
  );
  const { of } = await doctor(environment());
  expect(of["least privilege in acme"]).toMatchObject({ level, found: expect.stringContaining(found) });
});

test("a key that cannot list users passes least privilege; its reads get a warning", async () => {
  await control("POST", "faults", {
    match: { operation: "listUsers" },
    fault: { kind: "status", status: 403, body: { code: 7, message: "no" } },
    times: null,
  });
  const { of } = await doctor(environment());
  expect(of["least privilege in acme"]).toMatchObject({ level: "ok" });
  expect(of["reads of acme"]).toMatchObject({ level: "warning", found: expect.stringContaining("users is forbidden") });
});

test("a missing operation is reported with the setting that moves it", async () => {
  await control("POST", "faults", {
    match: { operation: "listDeployments" },
    fault: { kind: "status", status: 501, body: { code: 12, message: "Method Not Allowed" } },
    times: null,
  });
  const { of } = await doctor(environment());
  expect(of["reads of acme"]).toMatchObject({
    level: "warning",
    found: expect.stringContaining("deployments is unsupported"),
    advice: expect.stringContaining("`operations`"),
  });
});

test("names in another form are an error, with what ends it", async () => {
  await seed({ "accounts/acme/users/ada": { email: "ada@example.com", role: "user", state: "READY" } });
  await control("PUT", "settings", { wrongName: true });
  const { of, code } = await doctor(environment());
  await control("PUT", "settings", { wrongName: false });
  expect(code).toBe(1);
  expect(of["reads of acme"]).toMatchObject({
    level: "error",
    found: expect.stringMatching(
      /"accounts\/acme-1\/users\/\w+" at `users\[0\].name`: expected an object of account `acme`/,
    ),
    advice: expect.stringContaining("`modelplatform:accountId`"),
  });
});

test("what the account's policy forbids is reported", async () => {
  await seed({
    "accounts/acme/policySettings": {
      defaultPermissions: {
        allowServerless: true,
        allowServerlessFast: true,
        allowDedicatedDeployments: true,
        allowTraining: false,
      },
      residency: "EUROPE",
      updateTime: "2026-01-01T00:00:00Z",
    },
  });
  const { of } = await doctor(environment());
  expect(of["policy of acme"]).toMatchObject({ level: "ok", found: 'allowTraining: false, residency: "EUROPE"' });
});

test("a key of another account is one error, which names the accounts that it reaches", async () => {
  const { of, code, text } = await doctor({ ...environment(), MODELPLATFORM_ACCOUNT_ID: "beta" });
  expect(code).toBe(1);
  expect(of["service of beta"]).toMatchObject({
    level: "error",
    found: expect.stringContaining("403"),
    advice: "The key reaches `acme`: set that account, or use a key of `beta`.",
  });
  expect(of["least privilege in beta"]).toBeUndefined();
  expect(text.match(/ 403 /g) ?? []).toHaveLength(1);
});

test("a clock an hour ahead is reported, except that of a service on this machine", async () => {
  const time = { ...systemTime, now: () => Date.now() + 3_600_000 };
  const settings = resolveSettings({ env: environment() });
  for (const [loopback, level, found] of [
    [false, "warning", /^this machine is (1h 00m|59m \d\ds) ahead of the service$/],
    [
      true,
      "ok",
      /^this machine is (1h 00m|59m \d\ds) ahead of the service, which runs here and keeps a time of its own$/,
    ],
  ] as const) {
    const endpoint = { ...settings.endpoint!, loopback };
    const client = createClient({
      settings: { ...settings, endpoint },
      catalogue: createCatalogue(allSpecs),
      env: {},
      time,
    });
    const of = bySubject(await serviceFindings(client, managedSpecs, time.now));
    expect(of["clock of acme"]).toMatchObject({ level, found: expect.stringMatching(found) });
    await client.close();
  }
});

test("a stack's config is a source, and its lock, passphrase and state are checked", async () => {
  const { cwd, env } = await project("dev");
  writeFileSync(
    join(cwd, "Pulumi.dev.yaml"),
    `config:\n  modelplatform:accountId: acme\n  modelplatform:baseUrl: ${url}\n`,
  );
  const all = { ...env, MODELPLATFORM_API_KEY: "acme-key", MODELPLATFORM_INTENTS: temporaryFolder() };
  const { of, code } = await doctor(all, cwd, "--trust-project");
  expect(of).toMatchObject({
    project: { level: "ok" },
    stack: { level: "ok" },
    lock: { level: "ok", found: "free" },
    passphrase: { level: "ok" },
    "service of acme": { level: "ok" },
  });
  expect(of["sources of settings"]!.found).toContain("`accountId` from the config `modelplatform:accountId`");
  expect(code).toBe(0);

  const lock = openBackend("file://.", { cwd }).lock("shop", "dev");
  await lock.acquire();
  expect((await doctor(all, cwd, "--trust-project")).of["lock"]).toMatchObject({
    level: "warning",
    found: expect.stringContaining(`process ${process.pid}`),
  });
  // As an operation leaves it that was killed: the process that it names has ended.
  const folder = join(cwd, ".pulumi/locks/organization/shop/dev");
  const file = join(folder, readdirSync(folder)[0]!);
  const dead = spawnSync(process.execPath, ["--version"]).pid;
  writeFileSync(file, readFileSync(file, "utf8").replace(`"pid":${process.pid}`, `"pid":${dead}`));
  expect((await doctor(all, cwd, "--trust-project")).of["lock"]).toMatchObject({
    level: "ok",
    found: expect.stringMatching(`^left by process ${dead} of .*, which has ended: the next operation removes it$`),
  });
  await lock.release();

  expect((await doctor(all, cwd, "--stack", "prod")).of["stack"]).toMatchObject({
    level: "warning",
    found: "there is no prod",
  });
  const { PULUMI_CONFIG_PASSPHRASE: _, ...without } = all as Record<string, string>;
  expect((await doctor(without, cwd)).of["passphrase"]).toMatchObject({ level: "warning" });
});

test("a base URL of the project that nobody vouches for is one finding", async () => {
  const { cwd, env } = await project("dev");
  writeFileSync(
    join(cwd, "Pulumi.dev.yaml"),
    `config:\n  modelplatform:accountId: acme\n  modelplatform:baseUrl: ${url}\n`,
  );
  const all = { ...env, MODELPLATFORM_API_KEY: "acme-key", MODELPLATFORM_INTENTS: temporaryFolder() };
  const { of, text, code } = await doctor(all, cwd);
  expect(of["trust in `baseUrl`"]).toMatchObject({
    level: "warning",
    advice: expect.stringContaining("--trust-project"),
  });
  expect(of["service of acme"]).toBeUndefined();
  expect(text).not.toContain("no base URL is given");
  expect(code).toBe(0);
  const vouched = await doctor({ ...all, MODELPLATFORM_BASE_URL: url }, cwd);
  expect(vouched.of["trust in `baseUrl`"]).toBeUndefined();
  expect(vouched.of["service of acme"]).toMatchObject({ level: "ok" });
});

test("a config's key that wins over the environment's is a warning that shows neither", async () => {
  const { cwd, env } = await project("dev");
  writeFileSync(join(cwd, "Pulumi.dev.yaml"), "config:\n  modelplatform:apiKey: committed-admin-key\n");
  const keys = { ...environment(), MODELPLATFORM_ACCOUNTS: '{"acme": {"apiKey": "acme-key"}}' };
  const { of, text } = await doctor({ ...env, ...keys } as Record<string, string>, cwd);
  expect(of["key of acme"]).toMatchObject({
    level: "warning",
    found: expect.stringMatching(/config `modelplatform:apiKey`, which wins over .*`MODELPLATFORM_ACCOUNTS`/),
    advice: expect.stringContaining("config rm modelplatform:apiKey"),
  });
  expect(text).not.toContain("committed-admin-key");
  const same = { ...environment(), MODELPLATFORM_API_KEY: "committed-admin-key" };
  expect((await doctor({ ...env, ...same } as Record<string, string>, cwd)).of["key of acme"]).toBeUndefined();
});

test("the plugin that a project names is found, of the package's version, or an error", async () => {
  const { cwd, env } = await project("dev");
  const named = (path: string) =>
    writeFileSync(join(cwd, "Pulumi.yaml"), `name: shop\nruntime: python\npackages:\n  modelplatform: ${path}\n`);
  const found = async () => (await doctor(env as Record<string, string>, cwd)).of;
  const executable =
    process.platform === "win32" ? "pulumi-resource-modelplatform.cmd" : "pulumi-resource-modelplatform";
  const install = (folder: string, version: string) => {
    mkdirSync(join(cwd, folder, "plugin"), { recursive: true });
    writeFileSync(join(cwd, folder, "package.json"), JSON.stringify({ name: "pulumi-modelplatform", version }));
    writeFileSync(join(cwd, folder, "plugin", executable), "");
  };
  install("node_modules/pulumi-modelplatform", "0.2.0");

  expect((await found())["plugin"]).toBeUndefined();
  named("./vendor");
  expect(await found()).toMatchObject({
    project: { level: "ok", found: expect.stringContaining("the Pulumi CLI runs python") },
    plugin: { level: "error", found: expect.stringContaining("there is no pulumi-resource-modelplatform in it") },
  });

  named("./node_modules/pulumi-modelplatform/plugin");
  expect((await found())["plugin"]).toMatchObject({ level: "ok", found: expect.stringMatching(/^0\.2\.0, /) });
  install("vendor", "0.1.0");
  named("./vendor/plugin");
  expect((await found())["plugin"]).toMatchObject({
    level: "warning",
    found: expect.stringMatching(/^0\.1\.0 at .*vendor.*, and the program's package is 0\.2\.0$/),
  });
});

test("settings that nothing reads are reported, of the config and the environment", async () => {
  const { cwd, env } = await project("dev");
  writeFileSync(join(cwd, "Pulumi.dev.yaml"), "config:\n  modelplatform:acountId: acme\n");
  const { of, code } = await doctor({ ...environment(), ...env, MODELPLATFORM_PREFLIHGT: "true" }, cwd);
  expect(of["stack config"]).toMatchObject({
    level: "warning",
    found: expect.stringContaining("`modelplatform:acountId` is not a setting"),
    advice: expect.stringContaining("Pulumi.dev.yaml"),
  });
  expect(of["environment"]).toMatchObject({
    level: "warning",
    found: expect.stringContaining("did you mean `MODELPLATFORM_PREFLIGHT`?"),
  });
  expect(code).toBe(0);
});

test("notes are looked for in the folder of the stack's config, and nothing hangs", async () => {
  const { cwd, env } = await project("dev");
  const notes = join(cwd, "notes");
  mkdirSync(notes);
  execFileSync("mkfifo", [join(notes, `${"0".repeat(40)}.json`)]);
  writeFileSync(join(cwd, "Pulumi.dev.yaml"), "config:\n  modelplatform:intents: notes\n");
  const { MODELPLATFORM_INTENTS: _, ...own } = environment();
  expect((await doctor({ ...own, ...env }, cwd)).of["intents"]).toMatchObject({
    level: "ok",
    found: expect.stringContaining(notes),
  });
});

test("a key in plain text in a stack's file is an error that does not show it", async () => {
  const { cwd, env } = await project("dev");
  writeFileSync(join(cwd, "Pulumi.dev.yaml"), "config:\n  modelplatform:apiKey: hunter2hunter2\n");
  const { of, text } = await doctor(env, cwd);
  expect(of["stack config"]).toMatchObject({ level: "error", found: expect.stringContaining("plain text") });
  expect(text).not.toContain("hunter2");
});

test.each([
  ["no project", () => undefined, "project", "warning"],
  [
    "a project of another language",
    (cwd: string) => writeFileSync(join(cwd, "Pulumi.yaml"), "name: shop\nruntime: python\n"),
    "project",
    "error",
  ],
  [
    "a project file with a key that nobody knows",
    (cwd: string) => writeFileSync(join(cwd, "Pulumi.yaml"), "name: shop\nruntime: nodejs\noption: {}\n"),
    "project",
    "warning",
  ],
  [
    "a project without stacks",
    (cwd: string) => writeFileSync(join(cwd, "Pulumi.yaml"), "name: shop\nruntime: nodejs\n"),
    "state",
    "ok",
  ],
  [
    "a state that is no state",
    (cwd: string) => {
      writeFileSync(join(cwd, "Pulumi.yaml"), "name: shop\nruntime: nodejs\n");
      mkdirSync(join(cwd, ".pulumi", "stacks", "shop"), { recursive: true });
      writeFileSync(join(cwd, ".pulumi", "meta.yaml"), "version: 1\n");
      writeFileSync(join(cwd, ".pulumi", "stacks", "shop", "dev.json"), "{");
    },
    "stack",
    "error",
  ],
])("%s", async (_, prepare, subject, level) => {
  const cwd = temporaryFolder();
  prepare(cwd);
  const before = readdirSync(cwd, { recursive: true });
  expect((await doctor(environment(), cwd)).of[subject]).toMatchObject({ level });
  expect(readdirSync(cwd, { recursive: true })).toEqual(before);
});

test("a pending create is reported with the owner that its object names now", async () => {
  const folder = temporaryFolder();
  const name = "accounts/acme/deployments/chat";
  const marks = { "custom/pulumi-stack": "organization/shop/prod", "custom/pulumi-urn": "t::chat" };
  await seed({ [name]: { baseModel: "accounts/platform/models/open-8b", state: "READY", annotations: marks } });
  await journalIn(folder, () => 1_000).append({
    fact: "sent",
    id: "1",
    kind: "Deployment",
    urn: "urn:1",
    origin: url,
    account: "acme",
    at: 1_000,
    place: { name },
    digest: "d",
  });
  const { of } = await doctor({ ...environment(), MODELPLATFORM_INTENTS: folder });
  expect(of["intents"]).toMatchObject({
    level: "warning",
    found: expect.stringContaining("t::chat of the stack organization/shop/prod"),
  });
});
