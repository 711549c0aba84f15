import type { Policies } from "@pulumi/policy";
import { type EnforcementLevel, type GuardrailOptions, policies } from "../../governance/policies/index";

type Values = Record<string, unknown>;
type Options = Readonly<Record<string, EnforcementLevel | GuardrailOptions>>;

interface Made {
  kind: string;
  name: string;
  props: Record<string, unknown>;
  stack?: string;
  token?: (kind: string) => string;
}

const dynamic = (kind: string): string => `pulumi-nodejs:dynamic/modelplatform:${kind}`;
const plugin = (kind: string): string => `modelplatform:index:${kind}`;

/** What the policy of that name says about the resources, as an engine would ask it. */
function objectionsTo(policy: string, made: readonly Made[], options: Options = {}, config: object = {}): string[] {
  const found = policies(options).find(({ name }) => name === policy)!;
  const told: string[] = [];
  const report = (message: string): void => void told.push(message);
  const resources = made.map(({ kind, name, props, stack = "dev", token = dynamic }) => ({
    ...{ type: token(kind), name, props, getConfig: <T>() => config as T },
    urn: `urn:pulumi:${stack}::shop::${token(kind)}::${name}`,
  }));
  for (const resource of resources) found.validateResource?.(resource, report);
  found.validateStack?.({ resources, getConfig: <T>() => config as T }, report);
  return told;
}

const deployment = (props: Record<string, unknown>, stack?: string): Made => ({
  ...{ kind: "Deployment", name: "chat", props, ...(stack && { stack }) },
});

const priced = {
  baseModel: "accounts/platform/models/open-8b",
  acceleratorType: "VENDOR1_H100_80GB",
  acceleratorCount: 2,
};
const prices = '{"currency": "USD", "accelerators": [{"type": "VENDOR1_H100_80GB", "hourly": 4.00}]}';
const team = { annotations: { "custom/team": "search" } };

const cases: [policy: string, kept: Made[], broken: Made[], says: string, options?: Options][] = [
  [
    "no-loosening-without-ticket",
    [{ kind: "PolicySettings", name: "policy", props: { allowLoosening: false } }],
    [{ kind: "PolicySettings", name: "policy", props: { allowLoosening: true } }],
    'PolicySettings policy may be loosened, but has no ticket. Remove `allowLoosening`, or name the ticket in the rule\'s `tickets`: { "policy": "OPS-1" }.',
  ],
  [
    "residency-required",
    [{ kind: "PolicySettings", name: "policy", props: { residency: "EUROPE" } }],
    [{ kind: "PolicySettings", name: "policy", props: { residency: "GLOBAL" } }],
    "PolicySettings policy has the residency GLOBAL. Set `residency` to EUROPE.",
  ],
  [
    "capacity-capped",
    [deployment({ maxReplicaCount: 4, acceleratorCount: 2 })],
    [deployment({ maxReplicaCount: 4, acceleratorCount: 2 }), deployment({ minReplicaCount: 1 })],
    "The deployments of the stack may run 9 accelerators, and 8 are allowed. Lower `maxReplicaCount`, or raise `accelerators` of the rule.",
    { "capacity-capped": { accelerators: 8 } },
  ],
  [
    "scale-to-zero-outside-production",
    [deployment({}), deployment({ minReplicaCount: 2 }, "prod-eu")],
    [deployment({ minReplicaCount: 2 }, "dev")],
    "Deployment chat keeps 2 replicas in the stack dev, which is not production. Remove `minReplicaCount`.",
  ],
  [
    "scale-to-zero-outside-production",
    [deployment({})],
    [deployment({ minReplicaCount: 1 }, "dev")],
    "Deployment chat keeps 1 replica in the stack dev, which is not production. Remove `minReplicaCount`.",
  ],
  [
    "annotations-required",
    [deployment({ annotations: { "custom/team": "search" } }), { kind: "User", name: "ada", props: {} }],
    [deployment({ annotations: { "custom/team": "" } })],
    "Deployment chat has no `custom/team`. Add it to `annotations`.",
  ],
  [
    "secrets-from-elsewhere",
    [{ kind: "Secret", name: "key", props: { keyName: "KEY", valueFrom: { env: "KEY" } } }],
    [{ kind: "Secret", name: "key", props: { keyName: "KEY", value: "hunter2" } }],
    'Secret key has its `value` stored in the state. Give `valueFrom` instead: { env: "NAME" } or { file: "path" }.',
  ],
  [
    "admins-listed",
    [
      { kind: "User", name: "ada", props: { email: "Ada@example.com", role: "admin" } },
      { kind: "User", name: "eve", props: { email: "eve@example.com", role: "user" } },
    ],
    [{ kind: "User", name: "eve", props: { email: "eve@example.com", role: "admin" } }],
    "User eve is an admin, and eve@example.com is not on the list. Choose another `role`, or add eve@example.com to `emails` of the rule.",
    { "admins-listed": { emails: ["ada@example.com"] } },
  ],
  [
    "no-shapeless-deployment",
    [deployment({ deploymentShape: "default" })],
    [deployment({ acceptShapelessRisk: true })],
    'Deployment chat has no validated shape. Set `deploymentShape`, to "default" to have one picked, and remove `acceptShapelessRisk`.',
  ],
  [
    "max-hourly-cost",
    [deployment({ ...priced, maxReplicaCount: 2 })],
    [deployment({ ...priced, maxReplicaCount: 4 })],
    // 4 replicas × 2 × 4.00 = 32
    "The stack: The cost of at most 32.00 USD per hour is 12.00 above the ceiling of 20.00. Deployment chat does most for it, with 32.00. Lower `maxReplicaCount`, or raise the ceiling.",
    { "max-hourly-cost": { stack: 20, prices } },
  ],
  [
    "max-hourly-cost",
    [deployment({ ...priced, maxReplicaCount: 4 }), deployment({ ...priced, ...team })],
    [deployment({ ...priced, ...team, maxReplicaCount: 2 })],
    // 2 × 2 × 4.00 = 16; one replica of the team is 8, and the other deployment is nobody's
    "`custom/team` search: The cost of at most 16.00 USD per hour is 5.50 above the ceiling of 10.50. Deployment chat does most for it, with 16.00. Lower `maxReplicaCount`, or raise the ceiling.",
    { "max-hourly-cost": { values: { search: 10.5 }, prices } },
  ],
  [
    "max-hourly-cost",
    [deployment({ ...priced, maxReplicaCount: 2 })],
    [deployment({ baseModel: priced.baseModel, deploymentShape: "default" })],
    "The stack: The cost of Deployment chat is not known, which counts as above the ceiling. Lower `maxReplicaCount`, or raise the ceiling.",
    { "max-hourly-cost": { stack: 20, strict: true, prices } },
  ],
  [
    "max-idle-hourly-cost",
    [deployment({ ...priced, maxReplicaCount: 9 })],
    [deployment({ ...priced, minReplicaCount: 1, maxReplicaCount: 9 })],
    // 1 × 2 × 4.00 = 8
    "The stack: The cost of at least 8.00 USD per hour is 3.00 above the ceiling of 5.00. Deployment chat does most for it, with 8.00. Lower `minReplicaCount`, or raise the ceiling.",
    { "max-idle-hourly-cost": { stack: 5, prices } },
  ],
];

const old = "accounts/acme/models/old";
const taken = (days: number): Values => {
  const date = new Date(Date.now() + days * 86_400_000);
  return { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() };
};
const dayIn = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
const oldModel = (days: number): Made => ({
  ...{ kind: "Model", name: "old" },
  props: { accountId: "acme", modelId: "old", deprecationDate: taken(days) },
});

cases.push([
  "retiring-model",
  [deployment({ baseModel: old }), oldModel(91)],
  [deployment({ baseModel: old }), oldModel(90)],
  `Deployment chat is made from ${old}, whose serverless deployment is taken down on ${dayIn(90)}. Move it to another model, or accept it until then.`,
]);

test.each(cases)("%s is kept and broken", (policy, kept, broken, says, options = {}) => {
  expect(objectionsTo(policy, kept, options)).toEqual([]);
  expect(objectionsTo(policy, broken, options)).toEqual([says]);
});

test.each(cases)(
  "%s reads both types of a resource, and none of the inputs that are hidden",
  (policy, _, broken, says, options = {}) => {
    const asPlugin = broken.map((each) => ({ ...each, token: plugin }));
    expect(objectionsTo(policy, asPlugin, options)).toEqual([says]);
    const hidden = broken.map((each) => ({
      ...each,
      props: new Proxy(each.props, {
        get: (props, name) => {
          if (String(name).startsWith("__")) throw new Error(`${String(name)} was read`);
          return props[String(name)];
        },
      }),
    }));
    expect(objectionsTo(policy, hidden, options)).toEqual([says]);
  },
);

test("resources of other providers are ignored", () => {
  for (const { name } of policies())
    expect(
      objectionsTo(name, [{ kind: "Deployment", name: "x", props: {}, token: (kind) => `acme:index:${kind}` }]),
    ).toEqual([]);
});

test("a rule is configured by the pack, and by the engine's configuration", () => {
  const policy = [{ kind: "PolicySettings", name: "policy", props: { allowLoosening: true, residency: "US" } }];
  expect(objectionsTo("residency-required", policy, { "residency-required": { allowed: ["US"] } })).toEqual([]);
  expect(objectionsTo("residency-required", policy, {}, { allowed: ["US"] })).toEqual([]);
  expect(objectionsTo("no-loosening-without-ticket", policy, {}, { tickets: { policy: "OPS-1" } })).toEqual([]);
  expect(objectionsTo("no-loosening-without-ticket", policy, {}, { tickets: { policy: "please" } })).toHaveLength(1);
});

test("a ceiling without prices is an error; an unknown cost breaks only a strict one", () => {
  const shaped = [deployment({ baseModel: priced.baseModel, deploymentShape: "default" })];
  expect(() => objectionsTo("max-hourly-cost", shaped, { "max-hourly-cost": { stack: 20 } })).toThrow(
    /A ceiling needs prices/,
  );
  expect(objectionsTo("max-hourly-cost", shaped, { "max-hourly-cost": { stack: 20, prices } })).toEqual([]);
});

test("a rule that needs a decision is off until the pack names it", () => {
  const levelsOf = (options?: Parameters<typeof policies>[0]): Record<string, string> =>
    Object.fromEntries(policies(options).map(({ name, enforcementLevel }) => [name, enforcementLevel]));
  const on = Object.entries(levelsOf()).filter(([, level]) => level !== "disabled");
  expect(on).toEqual([
    ["no-loosening-without-ticket", "mandatory"],
    ["retiring-model", "advisory"],
  ]);
  const options = { "admins-listed": "advisory", "residency-required": { allowed: ["US"] } } as const;
  expect(levelsOf({ ...options, "no-shapeless-deployment": "mandatory" })).toMatchObject({
    "admins-listed": "advisory",
    "residency-required": "mandatory",
    "no-shapeless-deployment": "mandatory",
    "annotations-required": "disabled",
  });
});

test("an unknown name or option is an error that lists the known ones", () => {
  expect(() => policies({ "no-admins": "advisory" })).toThrow(
    /no guardrail "no-admins"; there are no-loosening-without-ticket, /,
  );
  expect(() => policies({ "residency-required": { allow: ["EUROPE"] } })).toThrow(
    /residency-required cannot be configured like that/,
  );
});

test("the policies are what a policy pack takes", () => {
  const taken: Policies = policies();
  expect(taken.map(({ name }) => name)).toEqual([...new Set(cases.map(([name]) => name))]);
});

test("a configured pattern that would take years is an error, and delays nobody", () => {
  const ada = { kind: "PolicySettings", name: "policy", props: { allowLoosening: true } };
  const ticket = { tickets: { policy: `${"a".repeat(60)}!` }, pattern: "^(a+)+$" };
  const asked = (): string[] => objectionsTo("no-loosening-without-ticket", [ada], {}, ticket);
  for (const _ of [1, 2]) expect(asked).toThrow('The pattern "^(a+)+$" takes longer than 500 ms to match.');
  const chat = deployment({ minReplicaCount: 2 }, `${"a".repeat(60)}!`);
  const slow = (): string[] =>
    objectionsTo("scale-to-zero-outside-production", [chat], {}, { production: "^(a|aa)+$" });
  expect(slow).toThrow("takes longer than");
});

test("a model's end is known by the dates of the rule, and by way of addons", () => {
  const addon = {
    kind: "Model",
    name: "addon",
    props: { accountId: "acme", modelId: "addon", peftDetails: { baseModel: old } },
  };
  const made = [deployment({ baseModel: "accounts/acme/models/addon" }), addon];
  const options = { "retiring-model": { dates: { [old]: dayIn(10) } } };
  expect(objectionsTo("retiring-model", made, options)).toHaveLength(2);
  expect(objectionsTo("retiring-model", made)).toEqual([]);
  expect(() => policies({ "retiring-model": { dates: { [old]: "soon" } } })).toThrow(/cannot be configured like that/);
  const over = {
    kind: "SupervisedFineTuningJob",
    name: "job",
    props: { baseModel: old, state: "JOB_STATE_COMPLETED" },
  };
  expect(objectionsTo("retiring-model", [over], options)).toEqual([]);
});

test("a mandatory rule about models objects from the days of an error on", () => {
  const asked = (days: number, options: GuardrailOptions, config = {}): number =>
    objectionsTo(
      "retiring-model",
      [deployment({ baseModel: old }), oldModel(days)],
      { "retiring-model": options },
      config,
    ).length;
  expect(asked(40, { enforcementLevel: "mandatory", errorDays: 30 })).toBe(0);
  expect(asked(30, { enforcementLevel: "mandatory", errorDays: 30 })).toBe(1);
  expect(asked(40, { errorDays: 30 })).toBe(1);
  expect(asked(40, { errorDays: 30 }, { enforcementLevel: "mandatory" })).toBe(0);
});
