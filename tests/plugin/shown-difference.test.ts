import fc from "fast-check";
import { changesBetween } from "../../provider/core/comparison/diff";
import { diffEntries } from "../../provider/plugin/diff-answer";
import { specs } from "../../provider/resources/index";
import { answerFor, services } from "../core/answering-service";
import { checkedInputsOf, specCases } from "../core/arbitraries";
import { outputsFor } from "../core/records";
import { isNightly, longerAtNight } from "../nightly";
import type { Values } from "../values";

const { PolicySettings } = specs;

const all = { allowServerless: true, allowDedicatedDeployments: true, allowTraining: true, allowServerlessFast: true };
const rule = (model: string, permissions: Values = {}): Values => ({
  model: `accounts/acme/models/${model}`,
  permissions: { ...all, ...permissions },
});
const [a, b, c, d] = ["a", "b", "c", "d"].map((model) => rule(model)) as [Values, Values, Values, Values];

/** What a preview of a change of `rules` shows, by path. */
function shownFor(before: readonly Values[], after: readonly Values[]): Values {
  const program = (rules: readonly Values[]): Values => ({ defaultPermissions: all, rules });
  const [oldInputs, inputs] = [program(before), program(after)];
  const outputs = outputsFor(PolicySettings, oldInputs, { name: "accounts/acme/policySettings", ...oldInputs });
  const found = changesBetween(PolicySettings, outputs, inputs);
  const shown = diffEntries(PolicySettings, found, [], { oldInputs, outputs, inputs });
  return Object.fromEntries([...shown].map(([path, { kind }]) => [path, kind]));
}

test.each([
  [
    "a changed permission",
    [a, b],
    [a, rule("b", { allowTraining: false })],
    { "rules[1].permissions.allowTraining": "update" },
  ],
  ["a rule added at the end", [a], [a, b], { "rules[1]": "add" }],
  ["a rule added before another", [b], [a, b], { "rules[0]": "add" }],
  ["a rule removed before another", [a, b, c], [a, c], { "rules[1]": "delete" }],
  ["a rule removed and another added", [a, b, c], [a, c, d], { "rules[1]": "delete", "rules[2]": "add" }],
  ["a rule in place of another", [a, b], [a, c], { "rules[1]": "update" }],
  ["a rule that moved and changed", [a, b], [b, rule("a", { allowTraining: false })], { rules: "update" }],
  ["rules in another order", [a, b, c], [c, a, b], {}],
])("%s is shown at the index where an engine finds it", (_, before, after, shown) => {
  expect(shownFor(before, after)).toEqual(shown);
});

test("a value that is written again is shown at what makes it so", () => {
  const { Secret } = specs;
  const before = { keyName: "STORAGE_KEY", valueFrom: { env: "STORAGE_KEY" } };
  const outputs = outputsFor(Secret, before, { name: "accounts/acme/secrets/storage-key", ...before });
  const shownFor = (inputs: Values, isUnchanged: boolean): Values =>
    Object.fromEntries(
      diffEntries(
        Secret,
        changesBetween(Secret, outputs, inputs, () => isUnchanged),
        [],
        {
          oldInputs: before,
          outputs,
          inputs,
        },
      ),
    );
  expect(shownFor({ ...before, valueVersion: "2" }, true)).toEqual({
    valueVersion: { kind: "add", replaces: false, inputDiff: true },
  });
  expect(shownFor(before, false)).toEqual({ valueFrom: { kind: "update", replaces: false, inputDiff: false } });
});

/** How an engine walks a path: members by name, entries of lists by index, and nothing else. */
function findsAt(value: unknown, path: string): boolean {
  const steps = [...path.matchAll(/\[(\d+)\]|\["((?:[^"\\]|\\.)*)"\]|([^.[\]]+)/g)].map(([, index, quoted, name]) =>
    index === undefined ? (quoted === undefined ? name! : (JSON.parse(`"${quoted}"`) as string)) : Number(index),
  );
  let at = value;
  for (const step of steps) {
    if (typeof at !== "object" || at === null || Array.isArray(at) !== (typeof step === "number")) return false;
    if (!Object.hasOwn(at, step)) return false;
    at = (at as Values)[step];
  }
  return at !== undefined;
}

longerAtNight(() => {
  test.each(specCases)("an engine finds every difference between two programs of %s", (_, spec) => {
    fc.assert(
      fc.property(
        checkedInputsOf(spec),
        checkedInputsOf(spec),
        services,
        fc.boolean(),
        fc.gen(),
        (oldInputs, inputs, service, isUnchanged, draw) => {
          const outputs = outputsFor(spec, oldInputs, answerFor(draw, service, spec, oldInputs));
          const found = changesBetween(spec, outputs, inputs, () => isUnchanged);
          const shown = diffEntries(spec, found, [], { oldInputs, outputs, inputs });
          const lost = [...shown].filter(
            ([path, { inputDiff }]) => ![inputDiff ? oldInputs : outputs, inputs].some((side) => findsAt(side, path)),
          );
          expect(lost).toEqual([]);
          expect([...new Set([...shown.keys()].map((path) => path.split(/[.[]/)[0]))].sort()).toEqual(
            [...new Set(found.map(({ path }) => path.split(/[.[]/)[0]))].sort(),
          );
        },
      ),
      { numRuns: isNightly ? 40 : 6 },
    );
  });
});
