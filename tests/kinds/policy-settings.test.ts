import fc from "fast-check";
import { policySettings } from "../../provider/kinds/policy-settings";
import { specs } from "../../provider/resources/index";
import { inputsOf } from "../core/arbitraries";
import type { Values } from "../values";

const loosened = policySettings.loosened!;
const forbids = policySettings.policyViolations!;
const deploying = specs.Deployment.preflight!;
const training = specs.SupervisedFineTuningJob.preflight!;
const unknown = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";
const model = "accounts/platform/models/m";
const all = { allowServerless: true, allowDedicatedDeployments: true, allowTraining: true, allowServerlessFast: true };
const none = {
  allowServerless: false,
  allowDedicatedDeployments: false,
  allowTraining: false,
  allowServerlessFast: false,
};
const noTraining = { ...all, allowTraining: false };
const everyGrant = Object.keys(all);

const rule = (model: string, permissions: Values) => ({ model, permissions });
const retention = (defaultEnforced: boolean, scopes: { inference?: string; training?: string } = {}) => ({
  zeroDataRetention: {
    defaultEnforced,
    ...Object.fromEntries(Object.entries(scopes).map(([scope, enforcement]) => [scope, { enforcement }])),
  },
});

type Row = [why: string, before: Values, after: Values, paths: string[]];

const grants: Row[] = [
  ["nothing changed", { defaultPermissions: noTraining }, { defaultPermissions: noTraining }, []],
  ["everything was allowed and is denied", {}, { defaultPermissions: none }, []],
  [
    "one default is granted",
    { defaultPermissions: noTraining },
    { defaultPermissions: all },
    ["defaultPermissions.allowTraining"],
  ],
  [
    "one is granted and another denied",
    { defaultPermissions: noTraining },
    { defaultPermissions: { ...all, allowServerless: false } },
    ["defaultPermissions.allowTraining"],
  ],
  [
    "the defaults are taken away, which grants everything",
    { defaultPermissions: none },
    {},
    everyGrant.map((name) => `defaultPermissions.${name}`),
  ],
  [
    "the defaults are cleared",
    { defaultPermissions: noTraining },
    { defaultPermissions: null },
    ["defaultPermissions.allowTraining"],
  ],
  [
    "the defaults are answered as an empty message, which is none",
    { defaultPermissions: noTraining },
    { defaultPermissions: {} },
    ["defaultPermissions.allowTraining"],
  ],
  [
    "defaults that were answered as an empty message were none",
    { defaultPermissions: {} },
    { defaultPermissions: all },
    [],
  ],
  [
    "a sparse answer leaves out what is denied",
    { defaultPermissions: { allowServerless: true } },
    { defaultPermissions: { ...none, allowServerless: true } },
    [],
  ],
  [
    "a rule grants what the defaults deny",
    { defaultPermissions: noTraining },
    { defaultPermissions: noTraining, rules: [rule("m1", all)] },
    ['rules["m1"].allowTraining'],
  ],
  [
    "a rule that denies what the defaults grant is dropped",
    { defaultPermissions: all, rules: [rule("m1", noTraining)] },
    { defaultPermissions: all },
    ['rules["m1"].allowTraining'],
  ],
  [
    "a rule that denies is dropped where there are no defaults",
    { rules: [rule("m1", noTraining)] },
    { rules: [] },
    ['rules["m1"].allowTraining'],
  ],
  [
    "a rule that is as strict as the defaults is dropped",
    { defaultPermissions: noTraining, rules: [rule("m1", noTraining)] },
    { defaultPermissions: noTraining },
    [],
  ],
  [
    "a rule that grants is dropped",
    { defaultPermissions: noTraining, rules: [rule("m1", all)] },
    { defaultPermissions: noTraining },
    [],
  ],
  [
    "the defaults grant, and a rule still denies",
    { defaultPermissions: noTraining, rules: [rule("m1", noTraining)] },
    { defaultPermissions: all, rules: [rule("m1", noTraining)] },
    ["defaultPermissions.allowTraining"],
  ],
  [
    "the defaults grant what a model without a rule inherits",
    { defaultPermissions: noTraining, rules: [rule("m1", none)] },
    { defaultPermissions: all },
    ["defaultPermissions.allowTraining", ...everyGrant.map((name) => `rules["m1"].${name}`)],
  ],
  [
    "rules change places",
    { rules: [rule("m1", noTraining), rule("m2", none)] },
    { rules: [rule("m2", none), rule("m1", noTraining)] },
    [],
  ],
  [
    "a rule moves to another model",
    { rules: [rule("m1", noTraining)] },
    { rules: [rule("m2", noTraining)] },
    ['rules["m1"].allowTraining'],
  ],
];

const enforcement: Row[] = [
  ["the policy is dropped", retention(true), {}, ["zeroDataRetention.inference", "zeroDataRetention.training"]],
  [
    "the policy is cleared",
    retention(false, { training: "ENFORCED" }),
    { zeroDataRetention: null },
    ["zeroDataRetention.training"],
  ],
  [
    "the default is turned off and both scopes inherit it",
    retention(true),
    retention(false),
    ["zeroDataRetention.inference", "zeroDataRetention.training"],
  ],
  [
    "the default is turned off and one scope stays enforced",
    retention(true, { inference: "ENFORCED" }),
    retention(false, { inference: "ENFORCED" }),
    ["zeroDataRetention.training"],
  ],
  [
    "the default is turned off and each scope says it for itself",
    retention(true),
    retention(false, { inference: "ENFORCED", training: "ENFORCED" }),
    [],
  ],
  [
    "a scope goes from enforced to inheriting off",
    retention(false, { inference: "ENFORCED" }),
    retention(false),
    ["zeroDataRetention.inference"],
  ],
  ["a scope goes from enforced to inheriting on", retention(true, { inference: "ENFORCED" }), retention(true), []],
  ["an unspecified scope inherits", retention(true, { inference: "ENFORCEMENT_UNSPECIFIED" }), retention(true), []],
  [
    "a scope that inherited on is exempted",
    retention(true),
    retention(true, { training: "NOT_ENFORCED" }),
    ["zeroDataRetention.training"],
  ],
  ["a scope that was exempt inherits on", retention(true, { training: "NOT_ENFORCED" }), retention(true), []],
  [
    "an exempt scope loses the policy around it",
    retention(true, { training: "NOT_ENFORCED" }),
    {},
    ["zeroDataRetention.inference"],
  ],
];

const geography: Row[] = [
  ["one geography instead of all", {}, { residency: "EUROPE" }, []],
  ["one geography instead of an unspecified one", { residency: "MULTI_REGION_UNSPECIFIED" }, { residency: "US" }, []],
  ["one geography instead of the globe", { residency: "GLOBAL" }, { residency: "US" }, []],
  ["the restriction is dropped", { residency: "EUROPE" }, {}, ["residency"]],
  ["the restriction is cleared", { residency: "EUROPE" }, { residency: null }, ["residency"]],
  [
    "the restriction becomes unspecified",
    { residency: "EUROPE" },
    { residency: "MULTI_REGION_UNSPECIFIED" },
    ["residency"],
  ],
  ["the restriction becomes the globe", { residency: "EUROPE" }, { residency: "GLOBAL" }, ["residency"]],
  [
    "a move sideways lets data into a place where it was not",
    { residency: "EUROPE" },
    { residency: "US" },
    ["residency"],
  ],
  ["the globe, unspecified and none are one", { residency: "GLOBAL" }, {}, []],
  ["an empty text is none", { residency: "" }, { residency: "US" }, []],
];

const guards: Row[] = [
  ["keys are required", { cmekRequired: false }, { cmekRequired: true }, []],
  ["keys are no longer required", { cmekRequired: true }, { cmekRequired: false }, ["cmekRequired"]],
  ["keys are no longer required because nothing says so", { cmekRequired: true }, {}, ["cmekRequired"]],
];

test.each([...grants, ...enforcement, ...geography, ...guards])("%s (A062)", (_, before, after, paths) => {
  expect(loosened(before, after).map(({ path }) => path)).toEqual(paths);
});

test("a loosened value is described in words", () => {
  expect(
    loosened(
      { residency: "EUROPE", ...retention(true), defaultPermissions: noTraining, cmekRequired: true },
      { residency: "US", defaultPermissions: all },
    ),
  ).toEqual([
    { path: "defaultPermissions.allowTraining", before: "denied", after: "allowed" },
    { path: "zeroDataRetention.inference", before: "enforced", after: "not enforced" },
    { path: "zeroDataRetention.training", before: "enforced", after: "not enforced" },
    { path: "residency", before: "EUROPE", after: "US" },
    { path: "cmekRequired", before: "true", after: "false" },
  ]);
});

const policies = inputsOf(specs.PolicySettings);

test("no policy is looser than itself", () => {
  fc.assert(fc.property(policies, (policy) => expect(loosened(policy, policy)).toEqual([])));
});

test("no policy is looser than none", () => {
  fc.assert(fc.property(policies, (policy) => expect(loosened({}, policy)).toEqual([])));
});

test("what is loosened one way is not loosened the other way, residency aside", () => {
  fc.assert(
    fc.property(policies, policies, (one, other) => {
      const there = loosened(one, other).map(({ path }) => path);
      const back = loosened(other, one).map(({ path }) => path);
      expect(there.filter((path) => path !== "residency" && back.includes(path))).toEqual([]);
    }),
  );
});

test.each([
  ["no policy", {}, 0],
  ["empty permissions, which are none", { defaultPermissions: {} }, 0],
  ["a denial that is left out of a sparse answer", { defaultPermissions: { allowServerless: true } }, 1],
  ["another model's denial", { rules: [{ model: `${model}-2`, permissions: {} }] }, 0],
  [
    "a row that replaces the defaults as a whole",
    { defaultPermissions: all, rules: [{ model, permissions: { ...all, allowTraining: false } }] },
    1,
  ],
  ["permissions that are not known yet", { defaultPermissions: { ...all, allowTraining: unknown } }, 0],
  ["retention that is not known yet", { zeroDataRetention: unknown }, 0],
  [
    "retention without a scope",
    { zeroDataRetention: { defaultEnforced: true, inference: { enforcement: "NOT_ENFORCED" } } },
    1,
  ],
  [
    "retention of another scope",
    { zeroDataRetention: { defaultEnforced: false, inference: { enforcement: "ENFORCED" } } },
    0,
  ],
  [
    "an unspecified scope, which inherits",
    { zeroDataRetention: { defaultEnforced: true, training: { enforcement: "ENFORCEMENT_UNSPECIFIED" } } },
    1,
  ],
  ["residency, which training has nothing to do with", { residency: "EUROPE" }, 0],
  [
    "a permission and retention at once",
    { defaultPermissions: {}, rules: [{ model, permissions: {} }], zeroDataRetention: { defaultEnforced: true } },
    2,
  ],
])("training under %s (A064)", (_, policy, count) => {
  expect(forbids(policy, training, { baseModel: model })).toHaveLength(count);
});

test.each([
  ["US_IOWA_1", "US", true],
  ["EU_ICELAND_2", "EUROPE", true],
  ["AP_TAIWAN_1", "APAC", true],
  ["NA_BRITISHCOLUMBIA_3", "CANADA", true],
  ["NA_BRITISHCOLUMBIA_3", "US", false],
  ["US_IOWA_1", "MULTI_REGION_UNSPECIFIED", true],
  ["REGION_UNSPECIFIED", "EUROPE", true],
  ["NA_MEXICO_1", "EUROPE", true],
])("a replica in %s under the residency %s is allowed: %s (A064)", (region, residency, allowed) => {
  expect(forbids({ residency }, deploying, { baseModel: model, placement: { region } }).length === 0).toBe(allowed);
});
