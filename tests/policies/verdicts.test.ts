import fc from "fast-check";
import { guardrails, openRules } from "../../governance/policies/guardrails";
import { policies } from "../../governance/policies/index";
import type { PolicyContext } from "../../governance/policies/rule";
import { unknownValue } from "../../provider/core/values/values";

type Values = Record<string, unknown>;
type Verdict = "allowed" | "breach" | "unknown";

/** One field of one kind, by a rule: what else the object says, and values by what the rule makes of them. */
interface Row {
  rule: string;
  kind: string;
  field: string;
  others?: Values;
  options?: Values;
  allowed: readonly unknown[];
  breach: readonly unknown[];
  unknown: readonly unknown[];
}

const absent = undefined;
const priced = { acceleratorType: "VENDOR1_H100_80GB", acceleratorCount: 1, maxReplicaCount: 1 };
const ceiling = {
  stack: 10,
  prices: '{"currency": "USD", "accelerators": [{"type": "VENDOR1_H100_80GB", "hourly": 4.00}]}',
};
const shape = "accounts/platform/deploymentShapes/fast";
const base = "accounts/platform/models/open-8b";
const ofNumbers = ["2", "two", 1.5, -1, true, [2], {}, Number.NaN];

const rows: readonly Row[] = [
  {
    ...{ rule: "no-loosening-without-ticket", kind: "PolicySettings", field: "allowLoosening" },
    allowed: [absent, false],
    breach: [true],
    unknown: ["true", "false", 1, 0, [], {}],
  },
  {
    ...{ rule: "residency-required", kind: "PolicySettings", field: "residency" },
    allowed: ["EUROPE"],
    breach: [absent, null, "", "MULTI_REGION_UNSPECIFIED", "US", "us", " US ", "MULTI_REGION_US", "GLOBAL"],
    unknown: [
      "unspecified",
      "europe",
      "MULTI_REGION_EUROPE",
      "EUROPE ",
      "EU",
      "MARS",
      4,
      true,
      ["EUROPE"],
      { value: "EUROPE" },
    ],
  },
  {
    ...{ rule: "capacity-capped", kind: "Deployment", field: "maxReplicaCount", options: { replicas: 3 } },
    allowed: [absent, null, 0, 1, 3],
    breach: [4, 1000],
    unknown: ofNumbers,
  },
  {
    ...{ rule: "capacity-capped", kind: "Deployment", field: "maxWithRevocableReplicaCount", options: { replicas: 3 } },
    others: { maxReplicaCount: 1 },
    allowed: [absent, null, 0, 3],
    breach: [4, 1000],
    unknown: ofNumbers,
  },
  {
    ...{ rule: "capacity-capped", kind: "Deployment", field: "minReplicaCount", options: { replicas: 3 } },
    others: { maxReplicaCount: 1 },
    allowed: [absent, 0, 3],
    breach: [4],
    unknown: ofNumbers,
  },
  {
    ...{ rule: "capacity-capped", kind: "Deployment", field: "acceleratorCount" },
    ...{ others: { maxReplicaCount: 2 }, options: { accelerators: 5, perReplica: 2 } },
    allowed: [absent, 0, 1, 2],
    breach: [3, 8],
    unknown: ofNumbers,
  },
  {
    ...{ rule: "scale-to-zero-outside-production", kind: "Deployment", field: "minReplicaCount" },
    allowed: [absent, null, 0],
    breach: [1, 2],
    unknown: ofNumbers,
  },
  {
    ...{ rule: "annotations-required", kind: "Deployment", field: "annotations" },
    allowed: [{ "custom/team": "search" }],
    breach: [absent, null, {}, { "custom/team": "" }, { "custom/team": " " }, { "custom/TEAM": "search" }],
    unknown: ["search", 5, [], { "custom/team": 5 }, { "custom/team": ["search"] }],
  },
  {
    ...{ rule: "secrets-from-elsewhere", kind: "Secret", field: "value" },
    allowed: [absent, null],
    breach: ["hunter2", "", 5, {}, true],
    unknown: [],
  },
  {
    ...{ rule: "admins-listed", kind: "User", field: "role", others: { email: "eve@example.com" } },
    allowed: ["user", "contributor", "inference-user"],
    breach: ["admin", "ADMIN", "admin ", "Admin", "ROLE_ADMIN", " aDmIn\t"],
    unknown: [
      absent,
      null,
      "",
      5,
      true,
      ["user"],
      {},
      "User",
      "ROLE_USER",
      "inference_user",
      "owner",
      "superuser",
      "custom",
    ],
  },
  {
    ...{ rule: "admins-listed", kind: "User", field: "permissionPreset" },
    ...{ others: { email: "eve@example.com", role: "custom" }, options: { presets: ["readers"] } },
    allowed: ["readers"],
    breach: [],
    unknown: [absent, null, "", "Readers", "readers ", "admin", 5, ["readers"]],
  },
  {
    ...{ rule: "admins-listed", kind: "User", field: "email", others: { role: "admin" } },
    options: { emails: ["ada@example.com"] },
    allowed: ["ada@example.com", "ADA@example.com"],
    breach: [absent, null, "", "eve@example.com", "ada@example.com ", 5, ["ada@example.com"]],
    unknown: [],
  },
  {
    ...{ rule: "admins-listed", kind: "User", field: "userId", others: { role: "admin", serviceAccount: true } },
    options: { serviceAccounts: ["ci"] },
    allowed: ["ci"],
    breach: [absent, null, "", "CI", "ci ", "eve", 5, ["ci"]],
    unknown: [],
  },
  {
    ...{ rule: "admins-listed", kind: "User", field: "serviceAccount" },
    ...{ others: { email: "eve@example.com", role: "admin" }, options: { serviceAccounts: ["ci"] } },
    allowed: [],
    breach: [absent, null, false, true],
    unknown: ["true", 1, {}, []],
  },
  {
    ...{ rule: "no-shapeless-deployment", kind: "Deployment", field: "deploymentShape" },
    allowed: ["default", shape, `${shape}/versions/v1`],
    breach: [absent, null, "", " "],
    unknown: ["DEFAULT", "fast", `${shape} `, "accounts/platform/models/fast", 5, true, [shape], { name: shape }],
  },
  {
    ...{ rule: "no-shapeless-deployment", kind: "Deployment", field: "acceptShapelessRisk" },
    others: { deploymentShape: shape },
    allowed: [absent, null, false],
    breach: [true],
    unknown: ["true", "false", 1, 0, {}],
  },
  {
    ...{ rule: "max-hourly-cost", kind: "Deployment", field: "maxReplicaCount", others: priced, options: ceiling },
    allowed: [1, 2],
    breach: [3],
    unknown: ofNumbers,
  },
  {
    ...{ rule: "max-hourly-cost", kind: "Deployment", field: "acceleratorType", others: priced, options: ceiling },
    allowed: ["VENDOR1_H100_80GB"],
    breach: [],
    unknown: [absent, "", "vendor1_h100_80gb", "VENDOR9_X", 5, ["VENDOR1_H100_80GB"]],
  },
  {
    ...{ rule: "max-idle-hourly-cost", kind: "Deployment", field: "minReplicaCount", options: ceiling },
    others: { ...priced, maxReplicaCount: 9 },
    allowed: [absent, 0, 2],
    breach: [3],
    unknown: ofNumbers,
  },
  {
    ...{ rule: "retiring-model", kind: "Deployment", field: "baseModel", options: { dates: { [base]: "2030-02-01" } } },
    allowed: [absent, "accounts/platform/models/other"],
    breach: [base],
    unknown: [5, true, [base], { name: base }],
  },
];

const context = (of: PolicyContext["of"]): PolicyContext => ({
  ...{ of, day: "2030-01-15", env: {}, cwd: "/", modelOf: of === "account" ? () => ({}) : undefined },
});

const urn = (kind: string): string => `urn:pulumi:dev::shop::pulumi-nodejs:dynamic/modelplatform:${kind}::one`;

function verdictOf({ rule, kind, field, others, options = {} }: Row, value: unknown): Verdict {
  const open = openRules({ [rule]: options }).find(({ guardrail }) => guardrail.name === rule)!;
  const inputs = { ...others, ...(value === absent ? {} : { [field]: value }) };
  if (value === absent) delete inputs[field];
  const declared = { kind, name: "one", urn: urn(kind), stack: "dev", account: "acme", inputs };
  const objections = open.guardrail.objections([declared], open.config(), context("account"));
  if (objections.length === 0) return "allowed";
  return objections.some(({ isUnknown }) => !isUnknown) ? "breach" : "unknown";
}

const columns = ["allowed", "breach", "unknown"] as const;
const cells = rows.flatMap((row) =>
  columns.flatMap((verdict) => row[verdict].map((value) => ({ row, value, verdict, says: JSON.stringify(value) }))),
);

test.each(cells)("$row.rule makes of $row.field $says: $verdict", ({ row, value, verdict }) => {
  expect(verdictOf(row, value)).toBe(verdict);
});

test("each rule has a row", () => {
  expect([...new Set(rows.map(({ rule }) => rule))]).toEqual(guardrails.map(({ name }) => name));
});

/** What a policy pack reports. */
function reportedBy({ rule, kind, field, others, options = {} }: Row, value: unknown): string[] {
  const policy = policies({ [rule]: options }).find(({ name }) => name === rule)!;
  const reported: string[] = [];
  const getConfig = <T>() => ({}) as T;
  const props = { ...others, [field]: value };
  const resource = { type: urn(kind).split("::")[2]!, name: "one", urn: urn(kind), props, getConfig };
  const report = (message: string): void => void reported.push(message);
  policy.validateResource?.(resource, report);
  policy.validateStack?.({ resources: [resource], getConfig }, report);
  return reported;
}

// What a program does not set is the service's or a shape's to decide: a ceiling does not object to that.
const known = cells.filter(({ row, value }) => !row.rule.endsWith("hourly-cost") || (value !== absent && value !== ""));

test.each(known.filter(({ verdict }) => verdict === "unknown"))(
  "a policy pack has no third answer: $row.rule objects to $row.field $says",
  ({ row, value }) => expect(reportedBy(row, value)).toHaveLength(1),
);

test.each(rows.filter(({ rule }) => rule !== "secrets-from-elsewhere" && rule !== "retiring-model"))(
  "what a preview does not know yet of $field is left to `up` by $rule",
  (row) => expect(reportedBy(row, unknownValue)).toEqual([]),
);

/** Another spelling of text, or a value of another JSON type. */
const changed = (value: unknown): fc.Arbitrary<unknown> =>
  fc.oneof(
    fc.jsonValue(),
    fc.string(),
    ...(typeof value === "string"
      ? [
          fc.mixedCase(fc.constant(value)),
          fc.constantFrom(` ${value}`, `${value}\n`, `X_${value}`, `${value}_1`, value.replaceAll("-", "_")),
          fc.constantFrom([value], { value }),
        ]
      : [fc.constantFrom(String(value), [value], { value })]),
  );

/** Free text and addresses are not words of a vocabulary: of these, other text may be as good. */
const free: readonly string[] = ["annotations", "email", "deploymentShape", "baseModel"];

/** Whether a rule may allow the value: one of the reference's vocabulary, or none. */
function mayAllow({ field, allowed }: Row, value: unknown): boolean {
  if (value === null || allowed.some((each) => JSON.stringify(each) === JSON.stringify(value))) return true;
  if (typeof value === "number") return Number.isSafeInteger(value) && value >= 0 && field.endsWith("Count");
  if (typeof value === "string") return value.trim() === "" || free.includes(field);
  return field === "annotations" && typeof value === "object";
}

test("no rule allows a word outside its vocabulary, or of another type", () => {
  const arbitrary = fc
    .constantFrom(...rows)
    .chain((row) => fc.tuple(fc.constant(row), fc.constantFrom(...row.allowed, ...row.breach).chain(changed)));
  fc.assert(
    fc.property(arbitrary, ([row, value]) => {
      if (!mayAllow(row, value)) expect([row.rule, row.field, value, verdictOf(row, value)]).not.toContain("allowed");
    }),
    { numRuns: 2000 },
  );
});
