import fc from "fast-check";
import { headline } from "../../drift/report/wording";
import type { Values } from "../values";
import { auditScene } from "./scene";

const eve = "accounts/acme/users/eve";
const chat = "accounts/acme/deployments/chat";
const settings = "accounts/acme/policySettings";

const prices = '{"currency": "USD", "accelerators": [{"type": "VENDOR1_H100_80GB", "hourly": 4.00}]}';
const rules = {
  "admins-listed": { presets: ["readers"] },
  "annotations-required": { keys: ["custom/team"] },
  "max-hourly-cost": { stack: 10, prices },
  "max-idle-hourly-cost": { stack: 10, prices },
};

/** Objects that no rule objects to. */
const kept: Readonly<Record<string, Values>> = {
  [eve]: { email: "eve@example.com", state: "READY", role: "user", permissionPreset: "readers" },
  [settings]: { residency: "EUROPE" },
  [chat]: {
    ...{ state: "READY", baseModel: "accounts/acme/models/own", annotations: { "custom/team": "search" } },
    ...{ deploymentShape: "accounts/platform/deploymentShapes/fast", acceleratorType: "VENDOR1_H100_80GB" },
    ...{ acceleratorCount: 1, minReplicaCount: 0, maxReplicaCount: 1, maxWithRevocableReplicaCount: 1 },
  },
};

/** What the service answers for the object, alone in its list. */
const answers: Readonly<Record<string, { operation: string; body: (object: Values) => Values }>> = {
  [eve]: { operation: "listUsers", body: (object) => ({ users: [object] }) },
  [settings]: { operation: "getPolicySettings", body: (object) => object },
  [chat]: { operation: "listDeployments", body: (object) => ({ deployments: [object] }) },
};

/** An audit of these objects, one of which the service answers with another value, byte by byte. */
async function audited(name: string, field: string, value: unknown) {
  const scene = auditScene();
  for (const [each, fields] of Object.entries(kept)) scene.put(each, fields);
  const { operation, body } = answers[name]!;
  const answer = body({ name, ...kept[name], [field]: value });
  await scene.fault({ match: { operation }, fault: { kind: "status", status: 200, body: answer }, times: 1000 });
  return scene.audit([], { rules });
}

const roles = ["user", "contributor", "inference-user", "custom"];

test.each(roles)("the role %s in the reference's own spelling is no breach", async (role) => {
  const report = await audited(eve, "role", role);
  expect([headline(report), report.exitCode, report.findings]).toEqual(["No breach", 0, []]);
});

test.each([
  ["Admin", "breach", 2],
  ["ADMIN ", "breach", 2],
  ["ROLE_ADMIN", "breach", 2],
  ["User", "error", 3],
  [" user", "error", 3],
  ["ROLE_USER", "error", 3],
  ["CONTRIBUTOR", "error", 3],
  ["contributor\t", "error", 3],
  ["role_contributor", "error", 3],
  ["inference_user", "error", 3],
  ["INFERENCE-USER", "error", 3],
  ["Inference User", "error", 3],
  ["Custom", "error", 3],
  ["custom ", "error", 3],
  ["ROLE_CUSTOM", "error", 3],
])("a live role %j is a finding with the verdict %s", async (role, verdict, exitCode) => {
  const report = await audited(eve, "role", role);
  expect(report.findings).toMatchObject([{ ruleId: "policy/admins-listed", name: eve, verdict }]);
  expect(report.findings[0]!.reason).toContain(verdict === "breach" ? "is an admin" : JSON.stringify(role));
  expect(report.exitCode).toBe(exitCode);
});

test("what is a breach whatever the spelling stays one", async () => {
  const report = await audited(chat, "minReplicaCount", "3");
  const { verdict } = report.findings.find(({ ruleId }) => ruleId === "policy/scale-to-zero-outside-production")!;
  expect(verdict).toBe("breach");
});

test("a spelling that the dialect declares is the value that it declares", async () => {
  const scene = auditScene({ env: { MODELPLATFORM_DIALECT: '{"values":{"user":"User","admin":"Root"}}' } });
  const users = [
    { name: eve, ...kept[eve], role: "User" },
    { name: `${eve}2`, ...kept[eve], role: "Root" },
  ];
  const fault = { kind: "status", status: 200, body: { users } };
  await scene.fault({ match: { operation: "listUsers" }, fault, times: 1000 });
  const report = await scene.audit();
  expect(report.findings).toMatchObject([{ ruleId: "policy/admins-listed", name: `${eve}2`, verdict: "breach" }]);
});

/** A field that a rule reads, and the values that it may allow. */
interface Vocabulary {
  object: string;
  field: string;
  /** Which other values are as good: those of free text, or of a number. */
  isOfIt(value: unknown): boolean;
}

const words =
  (...all: unknown[]) =>
  (value: unknown): boolean =>
    all.includes(value);
const isCount = (value: unknown): boolean =>
  value === undefined || value === null || (Number.isSafeInteger(value) && (value as number) >= 0);
const isText = (value: unknown): boolean => typeof value === "string" || value === undefined || value === null;
const isTextMap = (value: unknown): boolean =>
  typeof value === "object" && value !== null && !Array.isArray(value) && Object.values(value).every(isText);

const vocabularies: readonly Vocabulary[] = [
  { object: eve, field: "role", isOfIt: words(...roles) },
  { object: settings, field: "residency", isOfIt: words("EUROPE") },
  { object: chat, field: "minReplicaCount", isOfIt: isCount },
  { object: chat, field: "maxReplicaCount", isOfIt: isCount },
  { object: chat, field: "maxWithRevocableReplicaCount", isOfIt: isCount },
  { object: chat, field: "acceleratorCount", isOfIt: isCount },
  { object: chat, field: "acceleratorType", isOfIt: words("VENDOR1_H100_80GB") },
  { object: chat, field: "annotations", isOfIt: isTextMap },
  { object: chat, field: "deploymentShape", isOfIt: isText },
  { object: chat, field: "baseModel", isOfIt: isText },
];

/** Texts that look like it, or fold to it, in Unicode: long s, dotless i, full width, a soft hyphen, an escape. */
const unicodeSpellings = (text: string): string[] => [
  text.replaceAll("s", "\u017f"),
  text.replaceAll("i", "\u0131"),
  text.replace(/[!-~]/g, (letter) => String.fromCharCode(letter.charCodeAt(0) + 0xfee0)),
  ...["\u00ad", "\u200b", "\u0000", "\ufeff", "\u00a0"].flatMap((mark) => [`${text}${mark}`, `${mark}${text}`]),
];

/** The value in another spelling, as another JSON type, or any other value. */
const changed = (value: unknown): fc.Arbitrary<unknown> => {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return fc.oneof(
    fc.mixedCase(fc.constant(text)),
    fc.constantFrom(text, ` ${text}`, `${text}\n`, `ROLE_${text}`, `MULTI_REGION_${text}`, text.replaceAll("-", "_")),
    fc.constantFrom(...unicodeSpellings(text)),
    fc.constantFrom(null, undefined, 0, 1, 5, 1.5, -1, true, false, "0", "1", "", {}, [], [value], { value }),
    fc.constantFrom([{ key: "custom/team", value: "search" }], { "custom/team": 5 }, { "custom/team": true }),
    fc.jsonValue({ maxDepth: 1 }),
  );
};

const cases = fc
  .constantFrom(...vocabularies)
  .chain((each) => fc.tuple(fc.constant(each), changed(kept[each.object]![each.field])))
  .filter(([{ isOfIt }, value]) => !isOfIt(value));

test("an audit never passes a value outside its vocabulary", async () => {
  await fc.assert(
    fc.asyncProperty(cases, async ([{ object, field }, value]) => {
      const report = await audited(object, field, value);
      expect([field, value, headline(report)]).not.toContain("No breach");
      expect([2, 3]).toContain(report.exitCode);
    }),
    { numRuns: 100 },
  );
});
