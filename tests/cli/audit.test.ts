import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createEmulator, type Emulator } from "../../emulator/index";
import { exported } from "../drift/support/stacks";
import type { Values } from "../values";
import { modelplatform, type Setting, temporaryFolder } from "./terminal";

let emulator: Emulator;
let url: string;

beforeEach(async () => {
  emulator = createEmulator({ clock: "manual", accounts: { demo: "demo-key", beta: "beta-key" } });
  ({ url } = await emulator.listen({ port: 0 }));
  put("User", "accounts/demo/users/eve", { email: "eve@example.com", role: "admin", state: "READY" });
});
afterEach(() => emulator.close());

const put = (kind: string, name: string, fields: Values): void =>
  emulator.world.put({ kind, name, fields: { name, ...fields } });

function place(env: { [name: string]: string } = {}): Setting & { cwd: string } {
  const cwd = temporaryFolder();
  const accounts = JSON.stringify({ beta: { apiKey: "beta-key" } });
  writeFileSync(join(cwd, "decided.yaml"), "admins-listed: mandatory\n");
  return {
    cwd,
    env: {
      MODELPLATFORM_ACCOUNT_ID: "demo",
      MODELPLATFORM_API_KEY: "demo-key",
      MODELPLATFORM_ACCOUNTS: accounts,
      MODELPLATFORM_BASE_URL: url,
      XDG_STATE_HOME: join(cwd, "state"),
      ...env,
    },
  };
}

const findings = (text: string): Values[] => (JSON.parse(text) as { findings: Values[] }).findings;

test("without stacks the default account is audited, and a breach ends with 2", async () => {
  const { code, stdout, stderr } = await modelplatform("audit --policy-pack-config decided.yaml --json", place());
  expect(code).toBe(2);
  expect(findings(stdout)).toMatchObject([{ ruleId: "policy/admins-listed", name: "accounts/demo/users/eve" }]);
  expect(stderr).toMatch(/^demo: read, 1 object\n(Time: [^\n]+\n)?$/);
});

test("with --all-accounts every account is, also beside stacks", async () => {
  put("User", "accounts/beta/users/mallory", { email: "mallory@example.com", role: "admin", state: "READY" });
  const setting = place();
  const live = { name: "accounts/demo/users/eve", email: "eve@example.com", role: "admin" };
  const { name: _, ...inputs } = live;
  const stack = exported([{ kind: "User", inputs, live, outputs: { endpoint: url } }]);
  writeFileSync(join(setting.cwd, "prod.json"), JSON.stringify(stack));
  const { stdout } = await modelplatform(
    "audit --policy-pack-config decided.yaml --all-accounts --stack-file prod.json --json",
    setting,
  );
  expect(findings(stdout)).toMatchObject([
    { account: "beta", stacks: [] },
    { account: "demo", stacks: ["shop/prod"], urn: expect.stringMatching(/::eve$/) },
  ]);
});

test.each([
  ["admins-listed: { emails: [eve@example.com] }", 0],
  ['{ "all": "disabled" }', 0],
  ['{ "all": "disabled", "admins-listed": {} }', 2],
  ['{ "admins-listed": "advisory" }', 0],
])("levels and options come from a file: %s ends with %i", async (config, code) => {
  const setting = place();
  writeFileSync(join(setting.cwd, "policies.yaml"), config);
  expect(await modelplatform("audit --policy-pack-config policies.yaml", setting)).toMatchObject({ code });
});

test.each<[config: string | undefined, says: string, code?: number]>([
  [undefined, "policies.json cannot be read: there is no such file (ENOENT). Check its name"],
  ["[]", "policies.json is not a configuration of policies"],
  ["{", "policies.json is not a configuration of policies"],
  ['{ "admin-listed": {} }', 'policies.json: There is no guardrail "admin-listed"; there are no-loosening-', 64],
  [
    '{ "admins-listed": { "mails": [] } }',
    "policies.json: The guardrail admins-listed cannot be configured like that",
    64,
  ],
  ['{ "admins-listed": "loud" }', "policies.json: The guardrail admins-listed cannot be configured like that", 64],
  ['{ "residency-required": { "allowed": ["EUROPA"] } }', 'names "EUROPA", which does not exist', 64],
  ['{ "residency-required": { "allowed": ["europe"] } }', 'names "europe", which does not exist', 64],
  ['{ "residency-required": { "allowed": ["MULTI_REGION_UNSPECIFIED"] } }', "which does not exist", 64],
  ['{ "admins-listed": { "presets": [" "] } }', "names no preset: it is blank", 64],
])("a configuration that is none is an error before anything is sent: %s", async (config, says, expected = 1) => {
  const setting = place();
  if (config !== undefined) writeFileSync(join(setting.cwd, "policies.json"), config);
  const { code, stdout, stderr } = await modelplatform("audit --policy-pack-config policies.json", setting);
  expect({ code, stdout, stderr }).toEqual({ code: expected, stdout: "", stderr: expect.stringContaining(says) });
  const answer = await fetch(`${url}/_emulator/requests`);
  expect(await answer.json()).toEqual({ requests: [] });
});

test.each([
  ["audit --policy-pack-config decided.yaml --format odd", 'does not know "odd"'],
  ["audit --policy-pack-config decided.yaml --format json,ics", "give --output"],
  [
    "audit --policy-pack-config decided.yaml --fail-on breach",
    '--fail-on does not know "breach"; there are error, warning, note',
  ],
  ["audit --policy-pack-config decided.yaml --write-baseline b.json", "A baseline needs --owner"],
  ["audit --policy-pack-config decided.yaml --unmanaged", "unknown option '--unmanaged'"],
  ["audit --policy-pack-config decided.yaml --watch 10m", "unknown option '--watch'"],
])("%s is a usage error", async (line, says) => {
  const { code, stderr } = await modelplatform(line, place());
  expect({ code, stderr }).toEqual({ code: 64, stderr: expect.stringContaining(says) });
});

test("a policy that throws is one error on standard error, and the report stands", async () => {
  put("Deployment", "accounts/demo/deployments/chat", {
    baseModel: "accounts/platform/models/open-8b",
    state: "READY",
  });
  const setting = place();
  writeFileSync(join(setting.cwd, "policies.json"), '{ "all": "disabled", "max-hourly-cost": { "stack": 20 } }');
  const { code, stdout, stderr } = await modelplatform("audit --policy-pack-config policies.json --json", setting);
  expect({ code, findings: findings(stdout) }).toEqual({ code: 3, findings: [] });
  expect(stderr.match(/^error: .*$/gm)).toEqual([
    expect.stringContaining("error: the policy max-hourly-cost could not be held: A ceiling needs prices"),
  ]);
});

test("prices of the environment hold accounts to a ceiling", async () => {
  const hardware = { acceleratorType: "VENDOR1_H100_80GB", acceleratorCount: 8, maxReplicaCount: 1, replicaCount: 1 };
  const baseModel = "accounts/platform/models/open-8b";
  put("Deployment", "accounts/demo/deployments/chat", { baseModel, state: "READY", ...hardware });
  const prices = '{"currency": "USD", "accelerators": [{"type": "VENDOR1_H100_80GB", "hourly": 4.00}]}';
  const setting = place({ MODELPLATFORM_PRICES: prices });
  writeFileSync(join(setting.cwd, "policies.json"), '{ "all": "disabled", "max-hourly-cost": { "stack": 20 } }');
  const { code, stdout } = await modelplatform("audit --policy-pack-config policies.json", setting);
  expect(code).toBe(2);
  // 8 accelerators × 4.00
  expect(stdout.replace(/\s+/g, " ")).toContain("32.00 USD per hour is 12.00 above the ceiling of 20.00");
});

test.each(["ics", "csv"])("--format %s prints what it writes to a file", async (format) => {
  const setting = place();
  await modelplatform(`audit --format ${format} --output report`, setting);
  const { stdout } = await modelplatform(`audit --format ${format}`, setting);
  const untimed = (text: string): string => text.replace(/\d{4}-?\d\d-?\d\dT\d\d:?\d\d:?[\d.]+Z|\d\d:\d\d:\d\d/g, "");
  expect(untimed(stdout)).toBe(untimed(readFileSync(join(setting.cwd, "report"), "utf8")));
});

test("several formats are a folder, and shards are put together", async () => {
  const setting = place();
  await modelplatform(
    "audit --policy-pack-config decided.yaml --format json,ics --format sarif --output reports",
    setting,
  );
  expect(readdirSync(join(setting.cwd, "reports")).sort()).toEqual(["audit.ics", "audit.json", "audit.sarif"]);
  expect(readFileSync(join(setting.cwd, "reports", "audit.ics"), "utf8")).toMatch(/^BEGIN:VCALENDAR\r\n/);
  for (const index of [1, 2])
    await modelplatform(
      `audit --policy-pack-config decided.yaml --all-accounts --shard ${index}/2 --format json --output shard-${index}.json`,
      setting,
    );
  const merged = await modelplatform("audit merge shard-1.json shard-2.json --format json", setting);
  expect(merged.code).toBe(2);
  expect(findings(merged.stdout)).toMatchObject([{ ruleId: "policy/admins-listed" }]);
  const loose = "audit --policy-pack-config loose.yaml --all-accounts --shard";
  writeFileSync(join(setting.cwd, "loose.yaml"), "admins-listed: { emails: [eve@example.com] }\n");
  for (const index of [1, 2])
    await modelplatform(`${loose} ${index}/2 --format json --output loose-${index}.json`, setting);
  for (const files of ["loose-1.json shard-2.json", "shard-1.json loose-2.json"])
    expect(await modelplatform(`audit merge ${files}`, setting)).toMatchObject({
      ...{ code: 1, stderr: expect.stringContaining("other flags, or other options of policies") },
    });
  expect(await modelplatform("drift merge shard-1.json shard-2.json", setting)).toMatchObject({
    ...{ code: 1, stderr: expect.stringContaining("is a report of `audit`") },
  });
});

test("audits share a history with scans, and neither ends what the other found", async () => {
  const setting = place();
  writeFileSync(join(setting.cwd, "prod.json"), JSON.stringify(exported([])));
  const decided = "--policy-pack-config decided.yaml --all-accounts";
  const history = "--history history --notify https://hooks.example.com/x --notify-dry-run";
  const lines = () =>
    readdirSync(join(setting.cwd, "history")).flatMap((day) =>
      readFileSync(join(setting.cwd, "history", day), "utf8")
        .trim()
        .split("\n"),
    );
  const changes = () => lines().flatMap((line) => (JSON.parse(line) as Values)["change"] ?? []);
  expect((await modelplatform(`audit ${decided} ${history}`, setting)).stderr).toContain("modelplatform.audit.news");
  const found = changes().length;
  expect(
    (await modelplatform("drift --stack-file prod.json --all-accounts --unmanaged --history history", setting)).code,
  ).toBe(2);
  expect(changes().length).toBeGreaterThan(found);
  await modelplatform(`audit ${decided} --shard 1/1 --format json --output shard.json`, setting);
  expect((await modelplatform(`audit merge shard.json ${history}`, setting)).stderr).toContain("Would send nothing");
  expect([...new Set(changes())]).toEqual(["found"]);
});

test("a baseline is written and used, and an earlier report leaves only what is new", async () => {
  const setting = place();
  const day = new Date(Date.now() + 30 * 86_400_000).toISOString().slice(0, 10);
  const terms = `--write-baseline b.json --owner team --reason moving --expires ${day}`;
  await modelplatform(
    `audit --policy-pack-config decided.yaml --json --output first.json ${terms} --baseline-errors`,
    setting,
  );
  expect(
    await modelplatform("audit --policy-pack-config decided.yaml --baseline b.json --baseline-errors", setting),
  ).toMatchObject({ code: 0 });
  expect(await modelplatform("audit --policy-pack-config decided.yaml --baseline b.json", setting)).toMatchObject({
    code: 2,
  });
  expect(await modelplatform("audit --policy-pack-config decided.yaml --since first.json", setting)).toMatchObject({
    code: 0,
  });
  put("User", "accounts/demo/users/mallory", { email: "mallory@example.com", role: "admin", state: "READY" });
  const { code, stdout } = await modelplatform(
    "audit --policy-pack-config decided.yaml --since first.json --json",
    setting,
  );
  expect({ code, names: findings(stdout).map(({ name }) => name) }).toEqual({
    code: 2,
    names: ["accounts/demo/users/mallory"],
  });
});

test.each(["audit --policy-pack-config decided.yaml --help", "audit merge --help"])(
  "%s shows an example",
  async (line) => {
    const { code, stdout } = await modelplatform(line);
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: expect.stringMatching(/Example:\n {2}\$ npx pulumi-modelplatform audit /),
    });
  },
);

test("without a configuration only what needs no decision is held", async () => {
  const setting = place();
  const { code, stdout } = await modelplatform("audit", setting);
  expect(code).toBe(0);
  const [, yaml] = stdout.split("in the file of --policy-pack-config\n");
  expect(yaml).toMatch(/^residency-required:\n {2}allowed: \["EUROPE"\]\n/);
  expect(yaml).toContain('admins-listed:\n  emails: ["ada@example.com"]\n');
  writeFileSync(join(setting.cwd, "all.yaml"), yaml!);
  const configured = await modelplatform("audit --policy-pack-config all.yaml --json", setting);
  expect(configured.code).toBe(2);
  expect(findings(configured.stdout)).toMatchObject([
    { ruleId: "policy/residency-required", name: "accounts/demo/policySettings" },
    { ruleId: "policy/admins-listed" },
  ]);
  expect(JSON.parse(configured.stdout)).toMatchObject({ unconfiguredPolicies: [] });
});
