import * as fc from "fast-check";
import { costReport } from "../../governance/cost/estimate";
import { nanosIn } from "../../governance/cost/money";
import { readPrices } from "../../governance/cost/read-prices";
import { liveSubjects, serviceCatalogue } from "../../governance/cost/service";
import type { CostSubject } from "../../governance/cost/subject";
import type { ResourceSpec } from "../../provider/core/declaration/resource";
import type { Values } from "../../provider/core/values/values";
import { specs } from "../../provider/resources/index";
import { createHarness } from "../lifecycle/harness";

const day = "2026-01-15";
const deployment = specs.Deployment as unknown as ResourceSpec;
const types = ["VENDOR1_H100_80GB", "VENDOR1_L4_24GB"];

const price = fc.bigInt({ min: 0n, max: 100_000_000_000n }).map((nanos) => {
  const digits = String(nanos).padStart(10, "0");
  return `${digits.slice(0, -9)}.${digits.slice(-9)}`;
});
const share = fc
  .bigInt({ min: 0n, max: 1_000_000_000n })
  .map((nanos) => (nanos === 1_000_000_000n ? "1" : `0.${String(nanos).padStart(9, "0")}`));
const priceFile = fc.tuple(price, price, share, share).map(([first, second, revocable, discount]) =>
  readPrices(
    `currency: USD
accelerators:
  - { type: ${types[0]}, hourly: ${first} }
  - { type: ${types[1]}, hourly: ${second}, geography: US }
  - { type: ${types[1]}, hourly: ${first} }
revocable: ${revocable}
discounts: [{ account: acme, share: ${discount} }]
`,
    "prices",
  ),
);
const count = fc.nat({ max: 50 });
const inputs = fc
  .record({
    type: fc.constantFrom(...types),
    per: fc.integer({ min: 1, max: 8 }),
    least: count,
    more: count,
    beyond: count,
  })
  .map(({ type, per, least, more, beyond }) => ({
    baseModel: "accounts/platform/models/open-8b",
    acceleratorType: type,
    acceleratorCount: per,
    minReplicaCount: least,
    maxReplicaCount: least + more,
    maxWithRevocableReplicaCount: least + more + beyond,
  }));
const subjectOf = (after: Values, index = 0): CostSubject => ({
  spec: deployment,
  name: `d${index}`,
  account: "acme",
  after,
});

const sum = (texts: readonly (string | undefined)[]): bigint =>
  texts.reduce((total, text) => total + nanosIn(text!)!, 0n);

test("the total is the sum of its parts to the billionth", async () => {
  await fc.assert(
    fc.asyncProperty(priceFile, fc.array(inputs, { maxLength: 8 }), async (prices, all) => {
      const grouping = {
        by: "kind",
        keyOf: ({ quantity }: { quantity?: { max: number } | undefined }) => String((quantity?.max ?? 0) % 3),
      };
      const { resources, groups, total } = await costReport(all.map(subjectOf), { prices, day, grouping });
      for (const bound of ["min", "max"] as const) {
        expect(nanosIn(total.hourly[bound])).toBe(sum(resources.map(({ hourly }) => hourly[bound])));
        expect(nanosIn(total.hourly[bound])).toBe(sum(groups!.map(({ hourly }) => hourly[bound])));
      }
      expect(nanosIn(total.monthly)).toBe(nanosIn(total.hourly.max)! * 730n);
    }),
  );
});

test("raising a bound never lowers the most, nor the least", async () => {
  const bounds = ["minReplicaCount", "maxReplicaCount", "maxWithRevocableReplicaCount"] as const;
  await fc.assert(
    fc.asyncProperty(priceFile, inputs, fc.constantFrom(...bounds), count, async (prices, before, bound, by) => {
      const raised = { ...before, [bound]: before[bound] + by };
      const costs = await costReport([subjectOf(before), subjectOf(raised)], { prices, day });
      const [was, is] = costs.resources.map(({ hourly }) => [nanosIn(hourly.min!)!, nanosIn(hourly.max!)!] as const);
      expect(is![0]).toBeGreaterThanOrEqual(was![0]);
      expect(is![1]).toBeGreaterThanOrEqual(was![1]);
    }),
  );
});

test("what was just created costs live what its preview says, at its replicas", async () => {
  const harness = await createHarness();
  try {
    const program = harness.process();
    const prices = readPrices(
      "currency: USD\naccelerators:\n  - { type: VENDOR1_H200_141GB, hourly: 6.25 }\n  - { type: VENDOR1_L4_24GB, hourly: 0.85 }\n",
      "prices",
    );
    const { signal } = new AbortController();
    const catalogue = serviceCatalogue(program.client, signal);
    const declared = [
      {
        baseModel: "accounts/platform/models/open-70b",
        deploymentShape: "accounts/platform/deploymentShapes/open-70b-fast",
        minReplicaCount: 2,
        maxReplicaCount: 2,
      },
      {
        baseModel: "accounts/platform/models/embed-400m",
        deploymentShape: "default",
        minReplicaCount: 3,
        maxReplicaCount: 3,
      },
    ];
    const preview = await costReport(declared.map(subjectOf), { prices, day, catalogue });
    for (const [index, each] of declared.entries()) await program.create("Deployment", `d${index}`, each);
    const live = await costReport(await liveSubjects(program.client, ["acme"], signal), { prices, day });
    // 2 × 4 × 6.25 = 50, and 3 × 0.85 = 2.55
    expect(preview.total.hourly).toMatchObject({ min: "52.55", max: "52.55" });
    expect(live.total.hourly.now).toBe(preview.total.hourly.max);
    expect(live.resources.map(({ quantity }) => quantity?.now).sort()).toEqual([2, 3]);
  } finally {
    await harness.close();
  }
});
