import { dynamicToken } from "../../provider/core/fields/tokens";
import type { Values } from "../../provider/core/values/values";
import { serviceCatalogue } from "../../provider/cost/catalogue";
import { estimate } from "../../provider/cost/estimate";
import { readPrices } from "../../provider/cost/prices/read-prices";
import { reportOf } from "../../provider/cost/report";
import { type Step, subjectsOf } from "../../provider/cost/sources/changes";
import { createHarness, type Harness } from "../lifecycle/harness";
import { type WorkedExample, workedExamples } from "./worked-examples";

let harness: Harness;
beforeAll(async () => (harness = await createHarness()));
afterAll(() => harness.close());

const urnOf = ({ id, kind = "Deployment" }: WorkedExample): string =>
  `urn:pulumi:test::shop::${dynamicToken(kind)}::${id}`;

function stepOf(example: WorkedExample): Step {
  const { kind = "Deployment", inputs, before, account = "acme" } = example;
  const urn = urnOf(example);
  const state = (values: Values, recorded?: Values) => ({
    urn,
    type: dynamicToken(kind),
    inputs: { accountId: account, ...values },
    ...(recorded && { id: `accounts/${account}/deployments/${example.id}`, outputs: { ...values, ...recorded } }),
  });
  const old = before && state(before.inputs, before.recorded ?? {});
  if (inputs === null) return { op: "delete", urn, old };
  return { op: old ? "update" : "create", urn, old, new: state(inputs) };
}

test.each(workedExamples.map((example) => [example.title, example] as const))("%s", async (_, example) => {
  const { prices, day = "2026-01-15", expect: wanted } = example;
  const catalogue = serviceCatalogue(harness.process().client, new AbortController().signal);
  const basis = { prices: readPrices(`currency: USD\n${prices}`, "prices.yaml"), day, catalogue };
  const lines = await Promise.all(subjectsOf([stepOf(example)]).map((subject) => estimate(subject, basis)));
  const { resources, total } = reportOf([lines[0]!], { currency: "USD", day });
  const { hourly, once } = resources[0]!;
  const { min, max, before, beforeMin, monthly, unknown } = wanted;
  const isUnknown = unknown !== undefined;
  if (wanted.once === undefined && example.kind === undefined) {
    expect({ min: hourly.min, max: hourly.max }).toEqual({ min, max });
    expect([hourly.before, hourly.beforeMin]).toEqual(before === undefined ? ["0", "0"] : [before, beforeMin]);
  } else expect(once?.amount).toBe(wanted.once);
  if (monthly !== undefined) expect(total.monthly).toBe(monthly);
  const reasons = [hourly.unknown, once?.unknown].filter((reason) => reason !== undefined).join();
  expect(reasons).toMatch(unknown ?? /^$/);
  expect(total.unknown).toBe(isUnknown ? 1 : 0);
});

test("there are at least thirty worked examples, each of its own name", () => {
  expect(new Set(workedExamples.map(({ id }) => id)).size).toBeGreaterThanOrEqual(30);
});
