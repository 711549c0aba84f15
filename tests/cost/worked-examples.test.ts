import { costReport } from "../../governance/cost/estimate";
import { type EngineStep, subjectsOf } from "../../governance/cost/preview";
import { readPrices } from "../../governance/cost/read-prices";
import { serviceCatalogue } from "../../governance/cost/service";
import { dynamicToken } from "../../provider/core/pulumi-names";
import type { Values } from "../../provider/core/values/values";
import { createHarness, type Harness } from "../lifecycle/harness";
import { expectCost, usualDay, type WorkedExample, workedExamples } from "./worked-examples";

let harness: Harness;
beforeAll(async () => (harness = await createHarness()));
afterAll(() => harness.close());

const urnOf = ({ id, kind = "Deployment" }: WorkedExample): string =>
  `urn:pulumi:test::shop::${dynamicToken(kind)}::${id}`;

function stepOf(example: WorkedExample): EngineStep {
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
  const { prices, day = usualDay } = example;
  const catalogue = serviceCatalogue(harness.process().client, new AbortController().signal);
  const basis = { prices: readPrices(`currency: USD\n${prices}`, "prices.yaml"), day, catalogue };
  const report = await costReport(subjectsOf([stepOf(example)]), basis);
  expectCost(example, report);
});

test("there are at least thirty worked examples, each of its own name", () => {
  expect(new Set(workedExamples.map(({ id }) => id)).size).toBeGreaterThanOrEqual(30);
});
