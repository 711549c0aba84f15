import Ajv from "ajv/dist/2020";
import { formats } from "../../drift/report/formats";
import { headline } from "../../drift/report/wording";
import { baselineOf, openBaseline } from "../../drift/scan/baseline";
import { driftSchema } from "../../drift/scan/document";
import { mergeReports } from "../../drift/scan/merge";
import { guardrails } from "../../governance/policies/index";
import { type RecordedResource, secretText } from "../drift/support/stacks";
import type { Values } from "../values";
import { auditScene, breachesOf, today } from "./scene";

const baseModel = "accounts/platform/models/open-8b";
const annotations = { "custom/team": "search" };
const shape = "accounts/platform/deploymentShapes/open-8b-fast/versions/v1";
const sound: Values = { baseModel, annotations, deploymentShape: shape, state: "READY", maxReplicaCount: 1 };
const chat = "accounts/acme/deployments/chat";

/** Everything that breaks a rule by itself, by resource name, and what the rule says. */
const planted: Readonly<Record<string, { rule: string; fields: Values; says: string }>> = {
  "deployments/busy": {
    rule: "scale-to-zero-outside-production",
    fields: { ...sound, minReplicaCount: 2, maxReplicaCount: 2 },
    says: "keeps 2 replicas in the account acme, which is not production. Remove `minReplicaCount`.",
  },
  "deployments/nobody": {
    rule: "annotations-required",
    fields: { ...sound, annotations: {} },
    says: "has no `custom/team`. Add it to `annotations`.",
  },
  "deployments/shapeless": {
    rule: "no-shapeless-deployment",
    fields: { ...sound, deploymentShape: "" },
    says: "has no validated shape.",
  },
  "users/eve": {
    rule: "admins-listed",
    fields: { email: "eve@example.com", role: "admin", state: "READY" },
    says: "is an admin, and eve@example.com is not on the list.",
  },
  policySettings: {
    rule: "residency-required",
    fields: { residency: "US", updateTime: "2029-01-01T00:00:00Z" },
    says: "has the residency US. Set `residency` to EUROPE.",
  },
};

function plantedScene() {
  const scene = auditScene();
  scene.put(chat, sound);
  scene.put("accounts/acme/users/ada", { email: "ada@example.com", role: "user", state: "READY" });
  for (const [name, { fields }] of Object.entries(planted)) {
    const [collection] = name.split("/");
    if (collection === "policySettings")
      scene.emulator.world.put({
        kind: "PolicySettings",
        name: `accounts/acme/${name}`,
        fields: { name: `accounts/acme/${name}`, ...fields },
      });
    else scene.put(`accounts/acme/${name}`, fields);
  }
  return scene;
}

test("objects in no stack are held against each rule, and sound ones pass", async () => {
  const report = await plantedScene().audit();
  const expected = Object.entries(planted).map(([name, { rule }]) => `${rule} accounts/acme/${name}`);
  expect(breachesOf(report).sort()).toEqual(expected.sort());
  for (const [name, { says }] of Object.entries(planted))
    expect(report.findings.find((finding) => finding.name.endsWith(name))!.reason).toContain(says);
  expect(report).toMatchObject({ drifted: true, exitCode: 2, complete: true, summary: { breach: expected.length } });
  expect(report.policies!.map(({ name }) => name)).toEqual(guardrails.map(({ name }) => name));
});

test("the report fits the schema, and a fingerprint stands for object and rule", async () => {
  const report = await plantedScene().audit();
  const validate = new Ajv({ strict: false, formats: { "date-time": true, date: true } }).compile(driftSchema());
  expect([validate(report), validate.errors]).toEqual([true, null]);
  const again = await plantedScene().audit();
  expect(again.findings.map(({ fingerprint }) => fingerprint)).toEqual(report.findings.map((each) => each.fingerprint));
  expect(new Set(report.findings.map(({ fingerprint }) => fingerprint)).size).toBe(report.findings.length);
});

const recorded = (inputs: Values, live: Values, more: Partial<RecordedResource> = {}): RecordedResource => ({
  ...{ kind: "Deployment", inputs, live: { name: chat, ...live } },
  ...more,
});

test("a stack says which object is whose, and what its program has chosen", async () => {
  const scene = auditScene();
  scene.put(chat, { ...sound, minReplicaCount: 2, maxReplicaCount: 2 });
  const inProduction = await scene.audit([recorded({ baseModel, minReplicaCount: 2 }, sound)]);
  expect(inProduction.findings).toEqual([]);
  const outside = await scene.audit([recorded({ baseModel, minReplicaCount: 2 }, sound)], {
    rules: { "scale-to-zero-outside-production": { production: "^live" } },
  });
  expect(outside.findings).toMatchObject([
    { urn: expect.stringMatching(/::chat$/), stacks: ["shop/prod"], reason: expect.stringContaining("the stack prod") },
  ]);
});

test("options of a program are held where a stack records them, without secrets", async () => {
  const scene = auditScene();
  const settings = "accounts/acme/policySettings";
  const key = "accounts/acme/secrets/key";
  scene.emulator.world.put({ kind: "PolicySettings", name: settings, fields: { name: settings, residency: "EUROPE" } });
  scene.put(key, { keyName: "KEY" });
  const stack: RecordedResource[] = [
    {
      kind: "PolicySettings",
      inputs: { residency: "EUROPE", allowLoosening: true },
      live: { name: settings, residency: "EUROPE" },
    },
    {
      kind: "Secret",
      inputs: { keyName: "KEY", value: secretText("v1:c2VjcmV0") },
      live: { name: key, keyName: "KEY" },
    },
  ];
  const report = await scene.audit(stack);
  expect(breachesOf(report)).toEqual([`no-loosening-without-ticket ${settings}`, `secrets-from-elsewhere ${key}`]);
  expect(JSON.stringify(report)).not.toContain("c2VjcmV0");
  const elsewhere = { ...stack[1]!, inputs: { keyName: "KEY", valueFrom: { env: "KEY" } } };
  expect(breachesOf(await scene.audit([elsewhere]))).toEqual([]);
});

test("rules of a whole stack are held against each account", async () => {
  const scene = auditScene({ accounts: ["acme", "beta"] });
  for (const id of ["one", "two"])
    scene.put(`accounts/acme/deployments/${id}`, { ...sound, maxReplicaCount: 6, acceleratorCount: 1 });
  scene.put("accounts/beta/deployments/one", { ...sound, maxReplicaCount: 6 });
  const report = await scene.audit([], { rules: { "capacity-capped": { replicas: 8 } } });
  expect(report.findings).toMatchObject([
    {
      ruleId: "policy/capacity-capped",
      type: "Account",
      name: "accounts/acme",
      urn: null,
      reason:
        "The deployments of the account may run 12 replicas, and 8 are allowed. Lower `maxReplicaCount`, or raise `replicas` of the rule.",
    },
  ]);
  const prices = '{"currency": "USD", "accelerators": [{"type": "VENDOR1_H100_80GB", "hourly": 4.00}]}';
  scene.put("accounts/beta/deployments/dear", {
    ...sound,
    acceleratorType: "VENDOR1_H100_80GB",
    acceleratorCount: 2,
    replicaCount: 3,
    minReplicaCount: 0,
    maxReplicaCount: 3,
  });
  const dear = await scene.audit([], {
    rules: { "max-hourly-cost": { stack: 20, prices }, "capacity-capped": "disabled" },
  });
  // 3 replicas × 2 accelerators × 4.00 = 24
  expect(dear.findings).toMatchObject([
    {
      ...{ name: "accounts/acme", verdict: "error" },
      reason: expect.stringMatching(/^The account: The cost of Deployment one, Deployment two is not known/),
    },
    {
      ...{ name: "accounts/beta", verdict: "breach" },
      reason: expect.stringMatching(
        /^The account: The cost of .*24\.00 USD per hour is 4\.00 above .* Deployment dear does most/,
      ),
    },
  ]);
});

test("what is derived, gone or over is no breach", async () => {
  const scene = auditScene();
  scene.put(chat, sound);
  scene.put("accounts/acme/deployments/gone", { baseModel, state: "DELETED" });
  scene.put("accounts/acme/supervisedFineTuningJobs/old", { baseModel, dataset: "d", state: "JOB_STATE_COMPLETED" });
  expect(breachesOf(await scene.audit([recorded({ baseModel }, sound)]))).toEqual([]);
});

test("levels decide whether a breach fails the audit, unless --fail-on asks for more", async () => {
  const scene = plantedScene();
  const advisory = Object.fromEntries(guardrails.map(({ name }) => [name, "advisory" as const]));
  const report = await scene.audit([], { rules: advisory });
  expect(report).toMatchObject({ drifted: false, exitCode: 0, summary: { breach: 5 } });
  expect(report.findings.every(({ severity }) => severity === "warning")).toBe(true);
  expect(await scene.audit([], { rules: advisory, failOn: ["error", "warning"] })).toMatchObject({ exitCode: 2 });
  const only = { ...Object.fromEntries(guardrails.map(({ name }) => [name, "disabled" as const])) };
  const one = await scene.audit([], { rules: { ...only, "admins-listed": { emails: ["EVE@example.com"] } } });
  expect(one).toMatchObject({ exitCode: 0, findings: [], policies: [{ name: "admins-listed", level: "mandatory" }] });
});

test("a policy that throws is one error; the report stands, and is incomplete", async () => {
  const scene = plantedScene();
  const thrown = await scene.audit([], {
    rules: { "max-hourly-cost": { stack: 1 }, "max-idle-hourly-cost": { stack: 1 } },
  });
  expect(thrown.failedPolicies).toEqual([
    { name: "max-hourly-cost", reason: expect.stringContaining("A ceiling needs prices"), times: 1 },
    { name: "max-idle-hourly-cost", reason: expect.stringContaining("A ceiling needs prices"), times: 1 },
  ]);
  expect(thrown).toMatchObject({ exitCode: 3, complete: false, drifted: true, summary: { breach: 5 } });
  const text = formats["text"]!.render(thrown, { columns: 200, color: false });
  expect(text).toContain(
    "policy/max-hourly-cost ended in an error 1 time and says nothing there: A ceiling needs prices",
  );
});

test("a policy that throws for many objects is one error that counts them", async () => {
  const scene = auditScene({ accounts: ["a".repeat(40)] });
  const account = "a".repeat(40);
  for (const id of ["one", "two", "three"])
    scene.put(`accounts/${account}/deployments/${id}`, { ...sound, minReplicaCount: 1 });
  const report = await scene.audit([], { rules: { "scale-to-zero-outside-production": { production: "^(a|aa)+$!" } } });
  expect(report.failedPolicies).toEqual([
    { name: "scale-to-zero-outside-production", reason: expect.stringContaining("takes longer than"), times: 3 },
  ]);
  expect(report).toMatchObject({ exitCode: 3, complete: false, findings: [] });
  expect(headline(report)).toBe("Not everything could be judged");
});

test("an unreadable account is reported, and only its rows are missing", async () => {
  const scene = auditScene({ accounts: ["acme", "beta"], wrongKeys: ["beta"] });
  scene.put("accounts/acme/users/eve", { email: "eve@example.com", role: "admin", state: "READY" });
  const report = await scene.audit();
  expect(report).toMatchObject({ exitCode: 3, complete: false, drifted: true });
  expect(breachesOf(report)).toEqual(["admins-listed accounts/acme/users/eve"]);
});

test("a baseline accepts a breach of one rule by its values until it expires", async () => {
  const scene = plantedScene();
  const report = await scene.audit();
  const terms = { owner: "team", reason: "moving", expires: "2030-03-01", allowError: true };
  const accepted = baselineOf(report, terms);
  const at = (day: string) => openBaseline(accepted, "baseline.json", Date.parse(day), true);
  expect(await scene.audit([], { baseline: at(today) })).toMatchObject({
    exitCode: 0,
    drifted: false,
    summary: { breach: 5 },
  });
  expect(await scene.audit([], { baseline: at("2030-03-02") })).toMatchObject({ exitCode: 2 });
  await scene.change("accounts/acme/deployments/busy", { minReplicaCount: 3, maxReplicaCount: 3 });
  const open = (await scene.audit([], { baseline: at(today) })).findings.filter(({ suppressed }) => !suppressed);
  expect(open).toMatchObject([{ name: "accounts/acme/deployments/busy", reason: expect.stringContaining("keeps 3") }]);
  const last = accepted.entries.at(-1);
  const one = openBaseline({ version: 1, entries: [last] }, "b.json", Date.parse(today), true);
  const left = (await scene.audit([], { baseline: one })).findings.filter(({ suppressed }) => suppressed);
  expect(left).toHaveLength(1);
});

test("shards find what one audit finds, and are put together", async () => {
  const accounts = ["acme", "beta", "gamma", "delta"];
  const scene = auditScene({ accounts });
  for (const account of accounts)
    scene.put(`accounts/${account}/users/eve`, { email: "eve@example.com", role: "admin", state: "READY" });
  const rules = { "max-hourly-cost": { stack: 1 } };
  for (const account of accounts) scene.put(`accounts/${account}/deployments/chat`, sound);
  const whole = await scene.audit([], { rules });
  const parts = await Promise.all(
    [1, 2].map(async (index) => ({
      file: `${index}.json`,
      report: await scene.audit([], { rules, shard: { index, count: 2 } }),
    })),
  );
  const merged = mergeReports(parts) as { report: typeof whole };
  const { scope: _, startedAt: __, finishedAt: ___, accounts: ____, ...same } = whole;
  expect(merged.report).toMatchObject(same);
  const drift = { file: "drift.json", report: { ...parts[1]!.report, policies: undefined } };
  expect(mergeReports([parts[0]!, drift as never])).toEqual({
    problem: expect.stringContaining("is of other policies"),
  });
});

test("every format says that it is an audit", async () => {
  const report = await plantedScene().audit();
  const shown = { columns: 120, color: false };
  expect(formats["text"]!.render(report, shown)).toMatch(
    /^Breaches found: 5 breaches of policies\n7 unmanaged · 5 in breach\n/,
  );
  expect(formats["html"]!.render(report, shown)).toContain("modelplatform audit</title>");
  const unconfigured = {
    ...report,
    unconfiguredPolicies: [{ name: "a", description: "A.", configuration: { a: { allowed: ["EUROPE"] } } }],
  };
  expect(formats["text"]!.render(unconfigured, { ...shown, columns: 80 })).toContain("--policy-pack-config\n");
  expect(formats["html"]!.render(unconfigured, shown)).toContain("<pre>a:\n  allowed: [");
  expect(formats["junit"]!.render(report, shown)).toContain('<testsuites name="audit"');
  expect(formats["markdown"]!.render(report, shown)).toContain("### in breach (5)");
  const { runs } = JSON.parse(formats["sarif"]!.render(report, shown)) as { runs: Values[] };
  expect(runs[0]).toMatchObject({
    automationDetails: { id: "audit/" },
    tool: {
      driver: {
        rules: expect.arrayContaining([
          expect.objectContaining({
            id: "policy/admins-listed",
            shortDescription: { text: "Only users on the list are admins." },
          }),
        ]),
      },
    },
  });
});
