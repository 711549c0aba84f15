import { costReport } from "../../governance/cost/estimate";
import { type State, subjectsOf } from "../../governance/cost/preview";
import { readPrices } from "../../governance/cost/read-prices";
import { liveSubjects } from "../../governance/cost/service";
import type { CostSubject } from "../../governance/cost/subject";
import type { ResourceSpec } from "../../provider/core/declaration/resource";
import type { Values } from "../../provider/core/values/values";
import { specs } from "../../provider/resources/index";
import { createHarness } from "../lifecycle/harness";

const day = "2026-01-15";
const prices = readPrices(
  `currency: USD
accelerators:
  - { type: VENDOR1_H100_80GB, hourly: 4 }
  - { type: VENDOR1_H100_80GB, hourly: 5, geography: EUROPE }
training: [{ baseModel: accounts/platform/models/open-8b, perMillionTokens: 0.5 }]
datasets: { accounts/acme/datasets/d: 1000000 }
discounts: [{ account: acme, share: 0.5 }]
`,
  "prices",
);
const base = "accounts/platform/models/open-8b";

const costOf = async (kind: "Deployment" | "SupervisedFineTuningJob" | "RlorTrainerJob", after: Values) => {
  const subject: CostSubject = { spec: specs[kind] as unknown as ResourceSpec, name: "x", account: "acme", after };
  return (await costReport([subject], { prices, day })).resources[0]!;
};

test.each<[string, Values, { amount?: string; unknown?: RegExp }]>([
  // what the service says is what it will bill: no discount of ours comes on top
  [
    "what the service expects",
    { estimatedCost: { currencyCode: "USD", units: "12", nanos: 500_000_000 } },
    { amount: "12.5" },
  ],
  ["what it expects without a unit", { estimatedCost: { currencyCode: "USD", nanos: 1 } }, { amount: "0.000000001" }],
  [
    "what it expects in another currency",
    { estimatedCost: { currencyCode: "EUR", units: "12" } },
    { unknown: /in EUR/ },
  ],
  ["what is no amount", { estimatedCost: { currencyCode: "USD", units: "many" } }, { unknown: /not an amount/ }],
  // 1 million tokens × 3 epochs × 0.50 per million × half
  ["tokens, before it says so", { dataset: "accounts/acme/datasets/d", epochs: 3 }, { amount: "0.75" }],
  // 4 million tokens × 0.50 per million × half
  [
    "the tokens that it has read, once it is over",
    { state: "JOB_STATE_COMPLETED", jobProgress: { inputTokens: 4_000_000 } },
    { amount: "1" },
  ],
  ["tokens without epochs", { dataset: "accounts/acme/datasets/d" }, { unknown: /`epochs` is not set/ }],
])("a job costs %s", async (_, values, wanted) => {
  const { once } = await costOf("SupervisedFineTuningJob", { baseModel: base, ...values });
  expect(once?.amount).toBe(wanted.amount);
  expect(once?.unknown ?? "").toMatch(wanted.unknown ?? /^$/);
});

test("a job that runs on has no cost that is known", async () => {
  const { once } = await costOf("RlorTrainerJob", { trainingConfig: { baseModel: base, epochs: 1 }, keepAlive: true });
  expect(once?.unknown).toMatch(/`keepAlive` runs until it is stopped/);
});

test("where a deployment runs decides its price, whatever its placement allows", async () => {
  const running = { baseModel: base, acceleratorType: "VENDOR1_H100_80GB", acceleratorCount: 1, minReplicaCount: 1 };
  // half of 4 and of 5; and half of 5 in Frankfurt
  expect((await costOf("Deployment", running)).hourly).toMatchObject({ min: "2", max: "2.5" });
  expect((await costOf("Deployment", { ...running, region: "EU_FRANKFURT_1" })).hourly).toMatchObject({
    min: "2.5",
    max: "2.5",
  });
});

test("live, what is gone and what is over costs nothing more", async () => {
  const harness = await createHarness();
  try {
    const put = (collection: string, id: string, fields: Values) =>
      harness.put(`accounts/acme/${collection}/${id}`, { baseModel: base, ...fields });
    await put("deployments", "runs", { state: "READY", replicaCount: 1 });
    await put("deployments", "goes", { state: "DELETING", replicaCount: 1 });
    await put("supervisedFineTuningJobs", "over", { state: "JOB_STATE_COMPLETED", dataset: "d" });
    const { client } = harness.process();
    const found = await liveSubjects(client, ["acme"], new AbortController().signal);
    expect(found.map(({ name }) => name)).toEqual(["accounts/acme/deployments/runs"]);
  } finally {
    await harness.close();
  }
});

test("what a kind declares as its bill names fields that it has", () => {
  const named = (billing: object): string[] =>
    Object.values(billing).flatMap((value) => (typeof value === "object" ? named(value as object) : [String(value)]));
  const billed = Object.values(specs).filter((spec) => "billing" in spec && spec.billing !== undefined);
  expect(billed.map(({ kind }) => kind)).toEqual(["Deployment", "SupervisedFineTuningJob", "RlorTrainerJob"]);
  for (const spec of billed as unknown as ResourceSpec[]) {
    const fields = new Set([...spec.fields.message, ...spec.fields.outputs].map(({ name }) => name));
    const { by: _, ...rest } = spec.billing!;
    expect(named(rest).filter((path) => !fields.has(path.split(".")[0]!))).toEqual([]);
  }
});

test.each<[string, Partial<State>, string]>([
  ["deleted", {}, "none"],
  ["retained by the engine", { retainOnDelete: true }, "live"],
  ["adopted", { outputs: { adopted: true } }, "live"],
])("a deployment that leaves the stack (%s, %j) is: %s", (_, of, after) => {
  const urn = "urn:pulumi:dev::shop::pulumi-nodejs:dynamic/modelplatform:Deployment::chat";
  const old: State = {
    ...{ urn, type: "pulumi-nodejs:dynamic/modelplatform:Deployment", id: "accounts/acme/deployments/chat" },
    ...{ inputs: { baseModel: base }, ...of },
  };
  const [subject] = subjectsOf([{ op: "delete", urn, old }]);
  expect(subject!.before).toMatchObject({ baseModel: base });
  expect(subject!.after).toEqual(after === "none" ? "none" : subject!.before);
});

test.each<[string, Values, unknown[]]>([
  ["the same shape and model", {}, ["VENDOR1_H100_80GB", 2]],
  ["another shape", { deploymentShape: "fast" }, [undefined, undefined]],
  ["another model", { baseModel: "accounts/platform/models/open-70b" }, [undefined, undefined]],
  ["hardware of its own", { acceleratorType: "VENDOR1_H200_141GB" }, ["VENDOR1_H200_141GB", undefined]],
])("a replacement with %s runs on what is known of it", (_, change, after) => {
  const urn = "urn:pulumi:dev::shop::pulumi-nodejs:dynamic/modelplatform:Deployment::chat";
  const inputs = { baseModel: base, deploymentShape: "default" };
  const of = { urn, type: "pulumi-nodejs:dynamic/modelplatform:Deployment" };
  const outputs = { acceleratorType: "VENDOR1_H100_80GB", acceleratorCount: 2 };
  const step = {
    old: { ...of, inputs, outputs },
    new: { ...of, inputs: { ...inputs, enableHotLoad: true, ...change } },
  };
  const steps = ["create-replacement", "replace", "delete-replaced"].map((op) => ({ op, urn, ...step }));
  for (const seen of [steps, steps.slice(1, 2)]) {
    const { acceleratorType, acceleratorCount } = subjectsOf(seen)[0]!.after as Values;
    expect([acceleratorType, acceleratorCount]).toEqual(after);
  }
});
