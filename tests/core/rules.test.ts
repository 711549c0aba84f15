import { brokenRules, type Rule } from "../../provider/core/declaration/rules";

const unknown = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

const exclusive: Rule = { rule: "exclusive", fields: ["baseModel", "warmStartFrom"] };
const exactlyOne: Rule = { rule: "exactlyOne", fields: ["value", "valueFrom"] };
const oneWithin: Rule = {
  rule: "exactlyOne",
  within: "placement",
  fields: ["placement.region", "placement.multiRegion"],
};
const anyOf: Rule = {
  rule: "anyOf",
  groups: [[{ field: "email" }], [{ field: "serviceAccount", in: [true] }, { field: "userId" }]],
};
const requires: Rule = { rule: "requires", field: "draftModel", needs: "draftTokenCount" };
const onlyWith: Rule = {
  rule: "onlyWith",
  field: "hotLoad",
  conditions: [
    { field: "serviceMode", in: [true] },
    { field: "keepAlive", in: [true] },
  ],
};
const requiredWith: Rule = {
  rule: "requiredWith",
  field: "peftDetails",
  condition: { field: "kind", in: ["PEFT", "TEFT"], absentIs: "PEFT" },
};
const notAbove: Rule = { rule: "notAbove", field: "min", bound: "max" };
const uniqueBy: Rule = { rule: "uniqueBy", field: "rules", key: "model" };

const kept: [why: string, rule: Rule, values: Record<string, unknown>][] = [
  ["none of two that exclude each other", exclusive, {}],
  ["one of two that exclude each other", exclusive, { baseModel: "m" }],
  ["an empty text beside the other", exclusive, { baseModel: "m", warmStartFrom: "" }],
  ["null beside the other", exclusive, { baseModel: "m", warmStartFrom: null }],
  [
    "a flag that is off beside the other",
    { rule: "exclusive", fields: ["acceptShapelessRisk", "deploymentShape"] },
    { acceptShapelessRisk: false, deploymentShape: "default" },
  ],
  ["exactly one", exactlyOne, { value: "v" }],
  ["exactly one within a message", oneWithin, { placement: { region: "US_OHIO_1" } }],
  ["a message that is not there", oneWithin, {}],
  ["a message that is null", oneWithin, { placement: null }],
  ["something that is no message, of which the type is judged elsewhere", oneWithin, { placement: "US" }],
  ["the first of the groups", anyOf, { email: "a@b" }],
  ["the whole second group", anyOf, { serviceAccount: true, userId: "bot" }],
  ["what is needed is there", requires, { draftModel: "d", draftTokenCount: 0 }],
  ["what is needed without what needs it", requires, { draftTokenCount: 4 }],
  ["an empty draft model needs nothing", requires, { draftModel: "" }],
  ["one of the conditions holds", onlyWith, { hotLoad: "d", keepAlive: true }],
  ["there is nothing to allow", onlyWith, {}],
  ["what its kind requires", requiredWith, { kind: "TEFT", peftDetails: {} }],
  ["another kind requires nothing", requiredWith, { kind: "CUSTOM" }],
  ["a bound that is met", notAbove, { min: 2, max: 2 }],
  ["a bound that is not given", notAbove, { min: 2 }],
  ["null is no bound", notAbove, { min: 2, max: null }],
  ["each key once", uniqueBy, { rules: [{ model: "a" }, { model: "b" }] }],
  ["no list", uniqueBy, { rules: null }],
];

test.each(kept)("kept: %s", (_, rule, values) => {
  expect(brokenRules([rule], values)).toEqual([]);
});

const broken: [why: string, rule: Rule, values: Record<string, unknown>, path: string, reason: string][] = [
  [
    "two that exclude each other",
    exclusive,
    { baseModel: "m", warmStartFrom: "a" },
    "warmStartFrom",
    "only one of `baseModel`, `warmStartFrom` may be set; drop `warmStartFrom` or `baseModel`",
  ],
  ["none of which one must be", exactlyOne, {}, "value", "exactly one of `value`, `valueFrom` must be set; none is"],
  [
    "two of which one must be",
    exactlyOne,
    { value: "v", valueFrom: { env: "V" } },
    "valueFrom",
    "exactly one of `value`, `valueFrom` must be set; `value`, `valueFrom` are",
  ],
  [
    "an empty message of which one member must be",
    oneWithin,
    { placement: {} },
    "placement",
    "exactly one of `placement.region`, `placement.multiRegion` must be set; none is",
  ],
  ["no group", anyOf, {}, "email", "set `email`, or `serviceAccount` `true` with `userId`"],
  ["half a group", anyOf, { serviceAccount: true }, "email", "set `email`, or `serviceAccount` `true` with `userId`"],
  [
    "what is needed is missing",
    requires,
    { draftModel: "d" },
    "draftTokenCount",
    "must be set together with `draftModel`",
  ],
  [
    "no condition holds",
    onlyWith,
    { hotLoad: "d", keepAlive: false },
    "hotLoad",
    "is allowed only with `serviceMode` `true` or `keepAlive` `true`",
  ],
  [
    "what its kind requires is missing",
    requiredWith,
    { kind: "TEFT" },
    "peftDetails",
    "must be set with `kind` `PEFT` or `TEFT`",
  ],
  [
    "what the kind requires that is meant when none is given",
    requiredWith,
    {},
    "peftDetails",
    "must be set with `kind` `PEFT` or `TEFT`",
  ],
  ["above the bound", notAbove, { min: 3, max: 2 }, "min", "must not be above `max` (2)"],
  [
    "a key twice",
    uniqueBy,
    { rules: [{ model: "a" }, { model: "b" }, { model: "a" }] },
    "rules[2].model",
    "appears twice in `rules`; keep one entry for it",
  ],
];

test.each(broken)("broken: %s", (_, rule, values, path, reason) => {
  expect(brokenRules([rule], values)).toEqual([{ path, reason }]);
});

const undecided: [why: string, rule: Rule, values: Record<string, unknown>][] = [
  ["one that excludes another", exclusive, { baseModel: unknown, warmStartFrom: "a" }],
  ["one of which one must be", exactlyOne, { value: unknown, valueFrom: { env: "V" } }],
  ["a member within", oneWithin, { placement: { region: unknown, multiRegion: "US" } }],
  ["the message around", oneWithin, { placement: unknown }],
  ["a member of a group", anyOf, { serviceAccount: unknown, userId: "bot" }],
  ["what is needed", requires, { draftModel: "d", draftTokenCount: unknown }],
  ["what needs", requires, { draftModel: unknown }],
  ["a condition", onlyWith, { hotLoad: "d", keepAlive: unknown }],
  ["what decides whether it is required", requiredWith, { kind: unknown }],
  ["a bound", notAbove, { min: 3, max: unknown }],
  ["a key of a list", uniqueBy, { rules: [{ model: unknown }, { model: "a" }, { model: "a" }] }],
  ["a whole list", uniqueBy, { rules: unknown }],
];

test.each(undecided)("not broken yet while it is unknown: %s", (_, rule, values) => {
  expect(brokenRules([rule], values)).toEqual([]);
});

test("all broken rules are reported at once", () => {
  expect(
    brokenRules([exclusive, notAbove, requires], {
      baseModel: "m",
      warmStartFrom: "a",
      min: 3,
      max: 2,
      draftModel: "d",
    }).map(({ path }) => path),
  ).toEqual(["warmStartFrom", "min", "draftTokenCount"]);
});
