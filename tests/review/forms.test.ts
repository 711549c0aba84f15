import { costReport } from "../../governance/cost/estimate";
import { readPreview, subjectsOf } from "../../governance/cost/preview";
import { readPrices } from "../../governance/cost/read-prices";
import { type Refusal, refusals, refusedRows } from "../../governance/review/gates";
import { reviewDocument } from "../../governance/review/report";
import type { RowRule } from "../../governance/review/row";
import { dynamicToken } from "../../provider/core/pulumi-names";
import { unknownValue } from "../../provider/core/values/values";
import { hooksOf } from "../../provider/kinds/index";
import { managedSpecs } from "../../provider/resources/index";
import { preview, reviewed, written } from "./recorded";

const secret = { "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270", ciphertext: "x" };
/** What a preview, or somebody who writes one, may have where a value of another form belongs. */
const forms: readonly unknown[] = [
  ...[undefined, null, 5, -1.5, true, "", "x", unknownValue, "<computed>", secret],
  ...[[], [null], [5], [[]], ["x"], [unknownValue], [{}], [{ model: null, permissions: 5 }]],
  ...[{}, { x: null }, { x: unknownValue }, { model: [] }, { inference: 5, training: [] }],
];

const prices = readPrices("currency: USD\naccelerators:\n  - { type: VENDOR1_H100_80GB, hourly: 4 }\n", "prices");

let count = 0;
const step = (kind: string, op: string, old: unknown, fresh: unknown, more: object = {}): object => {
  const urn = `urn:pulumi:prod::shop::${dynamicToken(kind)}::it-${count++}`;
  const state = (inputs: unknown) => ({
    urn,
    type: dynamicToken(kind),
    id: "accounts/a/x/it",
    inputs,
    outputs: inputs,
  });
  return { op, urn, oldState: state(old), newState: op === "delete" ? undefined : state(fresh), ...more };
};

test.each(managedSpecs)("no value of another form ends a review of a $kind", async ({ kind, fields }) => {
  for (const { name } of [...fields.message, ...fields.behaviours]) {
    const ops = ["create", "update", "replace", "import", "delete"];
    const steps = forms.flatMap((form, index) => {
      const op = ops[index % ops.length]!;
      const detailedDiff = { [name]: { kind: "update" } };
      return [
        step(kind, op, { [name]: form }, {}, { detailedDiff }),
        step(kind, op, {}, { [name]: form }),
        step(kind, "update", { [name]: form }, { [name]: forms[index + 1] }, { detailedDiff }),
        step(kind, "update", form, form, { detailedDiff: form, diffs: form, replaceReasons: form }),
      ];
    });
    const text = preview(steps);
    const review = reviewed(text);
    // Whole: a search for the rows that fit would write each some twenty times.
    expect(written([review], { maxLength: Number.MAX_SAFE_INTEGER })).toContain("<!-- modelplatform review");
    expect(JSON.stringify(reviewDocument([review]))).toContain('"rows"');
    expect(() => refusedRows(review.rows, refusals)).not.toThrow();
    const costs = await costReport(subjectsOf(readPreview(text).steps), { prices, day: "2026-01-15" });
    expect(Number(costs.total.hourly.max)).toBeGreaterThanOrEqual(0);
  }
});

test.each(managedSpecs)("no value of another form ends what a $kind does beyond its declaration", (spec) => {
  const { beforeChange, loosened, onImport, onUndeletable, policyViolations } = hooksOf(spec);
  const preflights = managedSpecs.flatMap(({ preflight }) => preflight ?? []);
  for (const { name } of [...spec.fields.message, ...spec.fields.behaviours])
    for (const form of forms) {
      const values = { [name]: form };
      expect(() => {
        for (const [before, after] of [
          [values, {}],
          [{}, values],
          [values, values],
          [values, strict],
          [strict, values],
        ] as const) {
          beforeChange?.(before, after, after);
          loosened?.(before, after);
        }
        onImport?.(values);
        onUndeletable?.(values);
        for (const preflight of preflights) policyViolations?.(values, preflight, strict);
        for (const preflight of preflights) policyViolations?.(strict, preflight, values);
      }).not.toThrow();
    }
});

const strict = {
  defaultPermissions: { allowTraining: false },
  rules: [{ model: "accounts/a/models/m", permissions: { allowTraining: false } }],
  zeroDataRetention: { defaultEnforced: true, inference: { enforcement: "ENFORCED" } },
  residency: "EUROPE",
  cmekRequired: true,
};
const refusedBy = (refusal: Refusal, kind: string, old: object, fresh: object): number =>
  refusedRows(reviewed(preview([step(kind, "update", old, fresh)])).rows, [refusal]).length;

test.each(Object.keys(strict))("`%s` of another form may loosen, and is refused as what loosens", (name) => {
  const held = strict as Record<string, unknown>;
  for (const form of [5, "x", unknownValue, "<computed>", secret, [null], [[]], { x: unknownValue }]) {
    const after = { ...strict, [name]: form };
    expect([form, refusedBy("loosening", "PolicySettings", strict, after)]).toEqual([form, 1]);
    expect([form, refusedBy("unknown", "PolicySettings", strict, after)]).toEqual([
      form,
      isText(held[name], form) ? 0 : 1,
    ]);
  }
  expect(refusedBy("loosening", "PolicySettings", strict, strict)).toBe(0);
});

/** A geography that nobody knows is one all the same. */
const isText = (held: unknown, form: unknown): boolean => typeof held === "string" && form === "x";

test.each([
  ["role", "User", { role: "user" }, "role"],
  ["role", "User", { role: "custom", permissionPreset: "readers" }, "permissionPreset"],
  ["public", "Model", { public: false }, "public"],
] as const)("what is not known of `%s` of a %s is refused", (rule, kind, old, name) => {
  for (const form of [5, "x", unknownValue, "<computed>", secret, [], {}])
    expect([form, refusedBy(rule, kind, old, { ...old, [name]: form })]).toEqual([form, 1]);
});

test.each<[RowRule, string, object, object]>([
  ["loosening", "PolicySettings", { ...strict, onDelete: "retain" }, { ...strict, residency: "GLOBAL" }],
  ["loosening", "PolicySettings", strict, { ...strict, accountId: "acme", residency: unknownValue }],
  ["loosening", "PolicySettings", strict, {}],
  ["role", "User", { email: "ada@example.com", role: "user" }, { email: "Ada@example.com", role: "contributor" }],
])("what opens up under another name in the program is refused as %s", (rule, kind, old, fresh) => {
  const [going, coming] = [step(kind, "delete", old, {}), step(kind, "create", undefined, fresh)];
  const rows = (steps: object[]) =>
    refusedRows(
      reviewed(preview(steps)).rows.filter(({ op }) => op === "create"),
      [rule],
    );
  expect(rows([going, coming])).toHaveLength(1);
  expect(rows([coming])).toHaveLength(0);
});

test("a protection that is known later may be none", () => {
  for (const form of [unknownValue, "<computed>", secret, "true", 1])
    expect(refusedBy("protection", "Deployment", { deletionProtection: true }, { deletionProtection: form })).toBe(1);
});
