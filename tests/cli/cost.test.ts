import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createEmulator, type Emulator } from "../../emulator/index";
import { dynamicToken } from "../../provider/core/pulumi-names";
import { exported, type RecordedResource } from "../drift/support/stacks";
import { modelplatform, type Setting, temporaryFolder } from "./terminal";

const h100 = "VENDOR1_H100_80GB";
const prices = `currency: USD\naccelerators:\n  - { type: ${h100}, hourly: 4.00 }\n`;
const inputs = {
  baseModel: "accounts/platform/models/open-8b",
  acceleratorType: h100,
  acceleratorCount: 2,
  minReplicaCount: 1,
  maxReplicaCount: 2,
  annotations: { "custom/team": "assistants" },
};
const name = "accounts/demo/deployments/chat";
const live = { name, ...inputs, state: "READY", replicaCount: 1, region: "US_IOWA_1" };
const urn = `urn:pulumi:prod::shop::${dynamicToken("Deployment")}::chat`;

let emulator: Emulator;
let url: string;

beforeAll(async () => {
  emulator = createEmulator({ clock: "manual" });
  ({ url } = await emulator.listen({ port: 0 }));
});
afterAll(() => emulator.close());

/** A folder with an exported stack, a price file and a preview that raises a bound. */
function place(env: { [name: string]: string } = {}, priceFile = prices): Setting & { cwd: string } {
  const cwd = temporaryFolder();
  const recorded: RecordedResource = { kind: "Deployment", inputs, live, outputs: { endpoint: url } };
  writeFileSync(join(cwd, "prod.json"), JSON.stringify(exported([recorded])));
  writeFileSync(join(cwd, "prices.yaml"), priceFile);
  writeFileSync(join(cwd, "preview.json"), JSON.stringify(previewOf(8)));
  return { cwd, env: { MODELPLATFORM_PRICES: "prices.yaml", XDG_STATE_HOME: join(cwd, "state"), ...env } };
}

const state = (values: object, outputs?: object) => ({
  urn,
  type: dynamicToken("Deployment"),
  custom: true,
  id: name,
  inputs: { accountId: "demo", ...values },
  ...(outputs && { outputs }),
});
const previewOf = (maxReplicaCount: number) => ({
  steps: [
    {
      op: "update",
      urn,
      oldState: state(inputs, { ...live, accountId: "demo" }),
      newState: state({ ...inputs, maxReplicaCount }),
    },
  ],
  changeSummary: { update: 1 },
});

test("a stack costs what it records, in decimal texts", async () => {
  const { code, stdout } = await modelplatform("cost --stack-file prod.json --json", place());
  expect(code).toBe(0);
  const { resources, ...report } = JSON.parse(stdout);
  // least 1 × 2 × 4.00 = 8; most 2 × 2 × 4.00 = 16; a month 16 × 730 = 11680
  expect(report).toEqual({
    schemaVersion: 1,
    currency: "USD",
    day: expect.stringMatching(/^\d{4}-\d{2}-\d{2}$/),
    total: {
      hourly: { min: "8", max: "16", before: "16", beforeMin: "8" },
      monthly: "11680",
      monthlyMin: "5840",
      once: "0",
      unknown: 0,
    },
  });
  expect(resources).toEqual([
    {
      urn: expect.stringContaining("Deployment"),
      name,
      kind: "Deployment",
      account: "demo",
      stack: expect.any(String),
      quantity: { acceleratorType: h100, perReplica: 2, min: 1, max: 2 },
      hourly: { min: "8", max: "16" },
    },
  ]);
});

test("a preview shows what it was and will be, on standard input too", async () => {
  const setting = place();
  const { stdout } = await modelplatform("cost --preview-json preview.json", setting);
  expect(stdout).toMatch(/^Cost: 8\.00 to 64\.00 USD per hour/);
  expect(stdout).toMatch(
    /Deployment chat +1–8 × 2 VENDOR1_H100_80GB +8\.00 +16\.00 → 64\.00 +11,680\.00 → 46,720\.00\n/,
  );
  const piped = await modelplatform("cost --preview-json - --json", {
    ...setting,
    stdin: readFileSync(join(setting.cwd, "preview.json"), "utf8"),
  });
  expect(JSON.parse(piped.stdout).total.hourly).toEqual({ min: "8", max: "64", before: "16", beforeMin: "8" });
});

test.each<[string, string, number, RegExp]>([
  [
    "above",
    "--fail-above 60/h",
    2,
    /64\.00 USD per hour is 4\.00 above the ceiling of 60\.00\. Deployment chat does most for it, with 64\.00, 48\.00 more than before\./,
  ],
  ["at", "--fail-above 64/h", 0, /^$/],
  ["below", "--fail-above 120.50/h", 0, /^$/],
])("a cost %s the ceiling", async (_, flags, code, told) => {
  const outcome = await modelplatform(`cost --preview-json preview.json ${flags}`, place());
  expect({ code: outcome.code, told: outcome.stderr.trim() }).toEqual({ code, told: expect.stringMatching(told) });
});

test("an unknown cost breaks the ceiling only with --strict", async () => {
  const unpriced = place({}, "currency: USD\n");
  const line = "cost --stack-file prod.json --fail-above 1/h";
  expect((await modelplatform(line, unpriced)).code).toBe(0);
  const strict = await modelplatform(`${line} --strict`, unpriced);
  expect(strict.code).toBe(2);
  expect(strict.stderr).toMatch(/The cost of Deployment chat is not known/);
  expect(strict.stdout).toMatch(
    /Deployment chat is not known, because the price file has no price for\s+VENDOR1_H100_80GB\./,
  );
});

test.each<[string, { [name: string]: string }]>([
  ["--account demo", { MODELPLATFORM_API_KEY: "demo-key" }],
  [
    "",
    { MODELPLATFORM_ACCOUNTS: JSON.stringify({ "*": { keyCommand: [process.execPath, "-p", "'{account}-key'"] } }) },
  ],
])("live accounts cost what runs now, in a stack or not: %s with %j", async (account, keys) => {
  emulator.world.put({ kind: "Deployment", name, fields: live });
  const setting = place({
    MODELPLATFORM_ACCOUNT_ID: "demo",
    MODELPLATFORM_BASE_URL: url,
    ...keys,
  });
  const { stdout, code } = await modelplatform(
    `cost --live ${account} --json --by annotation:custom/team`.replace("  ", " "),
    setting,
  );
  expect(code).toBe(0);
  const { total, groups, resources } = JSON.parse(stdout);
  // 1 replica × 2 × 4.00 = 8
  expect(total.hourly).toMatchObject({ now: "8", max: "16" });
  expect(groups).toEqual([
    expect.objectContaining({ by: "annotation:custom/team", key: "assistants", monthly: "11680" }),
  ]);
  expect(resources[0].quantity).toEqual({ acceleratorType: h100, perReplica: 2, min: 1, max: 2, now: 1 });
});

test("a plan says what differs, and its stack the rest", async () => {
  const setting = place();
  const goal = { type: dynamicToken("Deployment"), name: "chat", custom: true };
  const plan = {
    manifest: {},
    resourcePlans: {
      [urnOf(setting)]: { goal: { ...goal, inputDiff: { updates: { maxReplicaCount: 3 } } }, steps: ["update"] },
    },
  };
  writeFileSync(join(setting.cwd, "plan.json"), JSON.stringify(plan));
  const { stdout } = await modelplatform("cost --plan plan.json --stack-file prod.json --json", setting);
  // 3 × 2 × 4.00 = 24
  expect(JSON.parse(stdout).total.hourly).toEqual({ min: "8", max: "24", before: "16", beforeMin: "8" });
  const alone = await modelplatform("cost --plan plan.json", setting);
  expect(alone.code).toBe(1);
  expect(alone.stderr).toMatch(/says only what differs\. Give the stack's state as well/);
});

const urnOf = ({ cwd }: { cwd: string }): string =>
  JSON.parse(readFileSync(join(cwd, "prod.json"), "utf8")).deployment.resources.find(
    ({ type }: { type: string }) => type === dynamicToken("Deployment"),
  ).urn;

test.each<[string, string, string, RegExp]>([
  ["no JSON", "Previewing update", "--preview-json p", /not JSON/],
  [
    "a version that is not known",
    JSON.stringify({ version: 9, steps: [] }),
    "--preview-json p",
    /form that this version does not know: it has `version` 9/,
  ],
  ["another document", JSON.stringify({ resources: [] }), "--preview-json p", /it has no `steps`/],
  [
    "steps of another form",
    JSON.stringify({ steps: [{ action: "create" }] }),
    "--preview-json p",
    /`steps\[0\]` has no `op` and `urn`/,
  ],
  [
    "another provider's preview",
    JSON.stringify({
      steps: [
        { op: "create", urn: "urn:pulumi:a::b::aws:s3/bucket:Bucket::x", newState: { type: "aws:s3/bucket:Bucket" } },
      ],
    }),
    "--preview-json p",
    /no resource of this package, only of others, such as "aws:s3\/bucket:Bucket"/,
  ],
  [
    "another provider's plan",
    JSON.stringify({
      resourcePlans: {
        "urn:pulumi:a::b::aws:s3/bucket:Bucket::x": { goal: { type: "aws:s3/bucket:Bucket" }, steps: ["create"] },
      },
    }),
    "--plan p",
    /The plan has no resource of this package/,
  ],
  [
    "another plan",
    JSON.stringify({ planned_values: {} }),
    "--plan p",
    /The plan is of a form that this version does not know/,
  ],
])("%s is one clear error, and nothing is computed", async (_, document, flags, reason) => {
  const setting = place();
  writeFileSync(join(setting.cwd, "p"), document);
  const { code, stdout, stderr } = await modelplatform(`cost ${flags}`, setting);
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  expect(stderr).toMatch(reason);
});

test("a preview with values of a wrong form leaves the cost unknown, and never fails", async () => {
  const setting = place();
  const odd = { ...inputs, minReplicaCount: 1.5, maxReplicaCount: "many", annotations: 7, placement: 3 };
  const steps = [
    { op: "create", urn, newState: { type: dynamicToken("Deployment"), id: 5, inputs: odd } },
    { op: "create", urn: `${urn}-2`, newState: { type: dynamicToken("Deployment"), inputs: "none", outputs: [] } },
    {
      op: "create",
      urn: `${urn}-3`,
      newState: { type: dynamicToken("Deployment"), inputs: { ...inputs, acceleratorCount: 0.5 } },
    },
  ];
  writeFileSync(join(setting.cwd, "p"), JSON.stringify({ steps }));
  const { code, stdout } = await modelplatform("cost --preview-json p --json", setting);
  expect(code).toBe(0);
  const { resources } = JSON.parse(stdout) as { resources: { hourly: { max?: string; unknown?: string } }[] };
  expect(resources.map(({ hourly }) => [hourly.max, hourly.unknown !== undefined])).toEqual([
    [undefined, true],
    [undefined, true],
    [undefined, true],
  ]);
});

test.each([
  [
    "no source",
    "cost",
    /needs to know which stacks: .*, or give --backend, --stack-file, --preview-json, --plan or --live\./,
  ],
  ["two sources", "cost --live --stack-file prod.json", /a stack and --live do not go together/],
  ["an account of no live report", "cost --stack-file prod.json --account demo", /--account goes with --live/],
  [
    "a ceiling of no amount",
    "cost --stack-file prod.json --fail-above 120/day",
    /--fail-above takes an amount per hour/,
  ],
  ["strictness without a ceiling", "cost --stack-file prod.json --strict", /--strict goes with --fail-above/],
  ["an unknown format", "cost --stack-file prod.json --format pdf", /--format does not know "pdf"/],
  ["an unknown grouping", "cost --stack-file prod.json --by team", /--by takes account, stack, kind or annotation:KEY/],
])("%s is a usage error", async (_, line, reason) => {
  const { code, stderr } = await modelplatform(line, place());
  expect(code).toBe(64);
  expect(stderr).toMatch(reason);
});

test("without prices there is nothing to compute with", async () => {
  const { code, stderr } = await modelplatform("cost --stack-file prod.json", { ...place(), env: {} });
  expect(code).toBe(1);
  expect(stderr).toMatch(
    /no prices are given .*MODELPLATFORM_PRICES.*, and this package has none\. Export `MODELPLATFORM_PRICES`/,
  );
});

test("prices may stand in the variable itself", async () => {
  const inline = JSON.stringify({ currency: "EUR", accelerators: [{ type: h100, hourly: 1.5 }] });
  const { stdout } = await modelplatform("cost --stack-file prod.json --json", place({ MODELPLATFORM_PRICES: inline }));
  expect(JSON.parse(stdout)).toMatchObject({ currency: "EUR", total: { hourly: { min: "3", max: "6" } } });
});
