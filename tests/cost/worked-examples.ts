import type { CostReport } from "../../governance/cost/report";
import type { Values } from "../../provider/core/values/values";

/** Programs and price files with what they cost, worked out by hand in the comments. */
export interface WorkedExample {
  /** Id of the example, and name of its resource. */
  id: string;
  title: string;
  /** Lines of the price file after `currency: USD`. */
  prices: string;
  kind?: "Deployment" | "SupervisedFineTuningJob";
  /** What the program says now; null: nothing, so that the object is deleted. */
  inputs: Values | null;
  /** What it said before, and what the service recorded besides. Absent: the object is new. */
  before?: { inputs: Values; recorded?: Values };
  account?: string;
  day?: string;
  expect: {
    min?: string;
    max?: string;
    before?: string;
    beforeMin?: string;
    monthly?: string;
    once?: string;
    unknown?: RegExp;
  };
}

const models = "accounts/platform/models";
const shapes = "accounts/platform/deploymentShapes";
const [h100, h200, l4] = ["VENDOR1_H100_80GB", "VENDOR1_H200_141GB", "VENDOR1_L4_24GB"];
const plain = { baseModel: `${models}/open-8b`, acceleratorType: h100, acceleratorCount: 1 };

const usual = `accelerators:
  - { type: ${h100}, hourly: 4.00 }
  - { type: ${h200}, hourly: 6.25 }
  - { type: ${l4}, hourly: 0.85 }
`;
const training = `training:
  - { baseModel: ${models}/open-8b, perMillionTokens: 0.50 }
datasets:
  accounts/acme/datasets/tickets: 12000000
`;
const job = { baseModel: `${models}/open-8b`, dataset: "accounts/acme/datasets/tickets", epochs: 2 };

export const workedExamples: readonly WorkedExample[] = [
  {
    id: "one-replica",
    title: "one replica that always runs",
    prices: usual,
    inputs: { ...plain, minReplicaCount: 1, maxReplicaCount: 1 },
    // 1 replica × 1 accelerator × 4.00 = 4; a month 4 × 730 = 2920
    expect: { min: "4", max: "4", monthly: "2920" },
  },
  {
    id: "autoscaled",
    title: "autoscaling between one and four replicas of two accelerators",
    prices: usual,
    inputs: { ...plain, acceleratorCount: 2, minReplicaCount: 1, maxReplicaCount: 4 },
    // least 1 × 2 × 4.00 = 8; most 4 × 2 × 4.00 = 32; a month 32 × 730 = 23360
    expect: { min: "8", max: "32", monthly: "23360" },
  },
  {
    id: "scale-to-zero",
    title: "scaling to zero costs nothing at the least",
    prices: usual,
    inputs: { ...plain, acceleratorType: l4, minReplicaCount: 0, maxReplicaCount: 3 },
    // least 0; most 3 × 1 × 0.85 = 2.55; a month 2.55 × 730 = 1861.5
    expect: { min: "0", max: "2.55", monthly: "1861.5" },
  },
  {
    id: "default-bounds",
    title: "bounds that nobody sets are the documented ones: 0 and 1",
    prices: usual,
    inputs: plain,
    // least 0; most max(0, 1) × 4.00 = 4
    expect: { min: "0", max: "4" },
  },
  {
    id: "default-most",
    title: "an unset maximum is the minimum where that is larger",
    prices: usual,
    inputs: { ...plain, minReplicaCount: 3 },
    // least 3 × 4.00 = 12; most max(3, 1) × 4.00 = 12
    expect: { min: "12", max: "12" },
  },
  {
    id: "parked",
    title: "a parked deployment costs nothing, whatever it would run on",
    prices: usual,
    inputs: { baseModel: `${models}/open-8b`, acceptShapelessRisk: true, minReplicaCount: 0, maxReplicaCount: 0 },
    expect: { min: "0", max: "0", monthly: "0" },
  },
  {
    id: "shape-version",
    title: "a version of a shape says the hardware",
    prices: usual,
    inputs: {
      baseModel: `${models}/open-8b`,
      deploymentShape: `${shapes}/open-8b-fast/versions/2b3c4d5e`,
      minReplicaCount: 1,
      maxReplicaCount: 2,
    },
    // the version has 1 × H100: least 1 × 4.00 = 4; most 2 × 4.00 = 8
    expect: { min: "4", max: "8" },
  },
  {
    id: "shape-id",
    title: "a shape's name stands for its latest validated version",
    prices: usual,
    inputs: {
      baseModel: `${models}/open-70b`,
      deploymentShape: `${shapes}/open-70b-fast`,
      minReplicaCount: 1,
      maxReplicaCount: 2,
    },
    // the version has 4 × H200: least 4 × 6.25 = 25; most 2 × 25 = 50
    expect: { min: "25", max: "50" },
  },
  {
    id: "default-shape",
    title: "the one shape that matches `default`",
    prices: usual,
    inputs: { baseModel: `${models}/embed-400m`, deploymentShape: "default", maxReplicaCount: 8 },
    // 1 × L4: least 0; most 8 × 0.85 = 6.8
    expect: { min: "0", max: "6.8" },
  },
  {
    id: "several-shapes",
    title: "of several shapes that match, the dearest is the most",
    prices: usual,
    inputs: { baseModel: `${models}/open-8b`, deploymentShape: "default", maxReplicaCount: 2 },
    // no replicas cost nothing; two run on 1 × H100 = 4.00, or on 2 × H200 = 12.50 each
    expect: { min: "0", max: "25" },
  },
  {
    id: "constrained-shape",
    title: "a field of the program decides among the shapes that match",
    prices: usual,
    inputs: {
      baseModel: `${models}/open-8b`,
      deploymentShape: "default",
      acceleratorType: h200,
      minReplicaCount: 1,
      maxReplicaCount: 3,
    },
    // 2 × H200: least 2 × 6.25 = 12.5; most 3 × 12.5 = 37.5
    expect: { min: "12.5", max: "37.5" },
  },
  {
    id: "discounted",
    title: "a negotiated discount of 15%",
    prices: `${usual}discounts: [{ account: acme, share: 0.15 }]\n`,
    inputs: { ...plain, minReplicaCount: 1, maxReplicaCount: 2 },
    // 4.00 × 0.85 = 3.4; twice 6.8; a month 6.8 × 730 = 4964
    expect: { min: "3.4", max: "6.8", monthly: "4964" },
  },
  {
    id: "not-discounted",
    title: "a discount of another account",
    prices: `${usual}discounts: [{ account: beta, share: 0.15 }]\n`,
    inputs: { ...plain, minReplicaCount: 1 },
    expect: { min: "4", max: "4" },
  },
  {
    id: "discount-over",
    title: "a discount that has ended",
    prices: `${usual}discounts: [{ account: acme, share: 0.15, to: 2025-12-31 }]\n`,
    inputs: { ...plain, minReplicaCount: 1 },
    expect: { min: "4", max: "4" },
  },
  {
    id: "revocable",
    title: "replicas on revocable capacity cost their share",
    prices: `${usual}revocable: 0.4\n`,
    inputs: { ...plain, minReplicaCount: 1, maxReplicaCount: 2, maxWithRevocableReplicaCount: 5 },
    // least 4; most 2 × 4.00 + (5 − 2) × 4.00 × 0.4 = 8 + 4.8 = 12.8
    expect: { min: "4", max: "12.8" },
  },
  {
    id: "revocable-unpriced",
    title: "revocable capacity without a share leaves the most unknown",
    prices: usual,
    inputs: { ...plain, minReplicaCount: 1, maxReplicaCount: 2, maxWithRevocableReplicaCount: 5 },
    expect: { min: "4", unknown: /no share for revocable capacity/ },
  },
  {
    id: "preemptible",
    title: "a preemptible deployment costs its share",
    prices: `${usual}preemptible: 0.5\n`,
    inputs: { ...plain, acceleratorCount: 8, preemptible: true, minReplicaCount: 1, maxReplicaCount: 2 },
    // least 8 × 4.00 × 0.5 = 16; most 2 × 16 = 32
    expect: { min: "16", max: "32" },
  },
  {
    id: "one-region",
    title: "the price of the one region that it may run in",
    prices: `${usual}  - { type: ${h100}, hourly: 5.20, region: EU_FRANKFURT_1 }\n`,
    inputs: { ...plain, placement: { region: "EU_FRANKFURT_1" }, minReplicaCount: 2, maxReplicaCount: 2 },
    // 2 × 5.20 = 10.4
    expect: { min: "10.4", max: "10.4" },
  },
  {
    id: "one-geography",
    title: "a geography whose regions have different prices gives a range",
    prices: `${usual}  - { type: ${h100}, hourly: 5.20, region: EU_FRANKFURT_1 }
  - { type: ${h100}, hourly: 4.60, geography: EUROPE }\n`,
    inputs: { ...plain, placement: { multiRegion: "EUROPE" }, minReplicaCount: 1, maxReplicaCount: 3 },
    // least 1 × 4.60 in Iceland or the Netherlands; most 3 × 5.20 = 15.6 in Frankfurt
    expect: { min: "4.6", max: "15.6" },
  },
  {
    id: "several-regions",
    title: "a list of regions in two geographies",
    prices: `${usual}  - { type: ${h100}, hourly: 5.00, geography: APAC }\n`,
    inputs: {
      ...plain,
      placement: { regions: ["US_IOWA_1", "AP_TOKYO_1"] },
      minReplicaCount: 1,
      maxReplicaCount: 1,
    },
    // least 4.00 in Iowa; most 5.00 in Tokyo
    expect: { min: "4", max: "5" },
  },
  {
    id: "region-unpriced",
    title: "a region that it may run in has no price",
    prices: `accelerators:\n  - { type: ${h100}, hourly: 4.00, geography: US }\n`,
    inputs: { ...plain, minReplicaCount: 1 },
    expect: { unknown: /the price of VENDOR1_H100_80GB in [A-Z]+_\w+, where it may run, is not in the price file/ },
  },
  {
    id: "price-until",
    title: "the last day of a price",
    prices: `accelerators:
  - { type: ${h100}, hourly: 4.00, to: 2026-06-30 }
  - { type: ${h100}, hourly: 3.75, from: 2026-07-01 }\n`,
    inputs: { ...plain, minReplicaCount: 1 },
    day: "2026-06-30",
    expect: { min: "4", max: "4" },
  },
  {
    id: "price-from",
    title: "the first day of the next price",
    prices: `accelerators:
  - { type: ${h100}, hourly: 4.00, to: 2026-06-30 }
  - { type: ${h100}, hourly: 3.75, from: 2026-07-01 }\n`,
    inputs: { ...plain, minReplicaCount: 1 },
    day: "2026-07-01",
    expect: { min: "3.75", max: "3.75" },
  },
  {
    id: "out-of-date",
    title: "a price that is out of date",
    prices: `accelerators:\n  - { type: ${h100}, hourly: 4.00, to: 2025-12-31 }\n`,
    inputs: { ...plain, minReplicaCount: 1 },
    expect: { unknown: /the price of VENDOR1_H100_80GB is out of date: it ended on 2025-12-31/ },
  },
  {
    id: "unpriced",
    title: "a type that the price file does not have",
    prices: `accelerators:\n  - { type: ${l4}, hourly: 0.85 }\n`,
    inputs: { ...plain, minReplicaCount: 1 },
    expect: { unknown: /no price for VENDOR1_H100_80GB/ },
  },
  {
    id: "raised",
    title: "a maximum that is raised from two to eight",
    prices: usual,
    before: { inputs: { ...plain, minReplicaCount: 1, maxReplicaCount: 2 } },
    inputs: { ...plain, minReplicaCount: 1, maxReplicaCount: 8 },
    // before 2 × 4.00 = 8; after 8 × 4.00 = 32; a month 32 × 730 = 23360
    expect: { beforeMin: "4", before: "8", min: "4", max: "32", monthly: "23360" },
  },
  {
    id: "removed",
    title: "an object that the program no longer has",
    prices: usual,
    before: { inputs: { ...plain, minReplicaCount: 1, maxReplicaCount: 2 } },
    inputs: null,
    expect: { beforeMin: "4", before: "8", min: "0", max: "0", monthly: "0" },
  },
  {
    id: "reshaped",
    title: "another shape brings other hardware",
    prices: usual,
    before: {
      inputs: {
        baseModel: `${models}/open-8b`,
        deploymentShape: `${shapes}/open-8b-fast`,
        minReplicaCount: 1,
        maxReplicaCount: 1,
      },
      recorded: {
        deploymentShape: `${shapes}/open-8b-fast/versions/3c4d5e6f`,
        acceleratorType: h100,
        acceleratorCount: 1,
      },
    },
    inputs: {
      baseModel: `${models}/open-8b`,
      deploymentShape: `${shapes}/open-8b-throughput`,
      minReplicaCount: 1,
      maxReplicaCount: 1,
    },
    // before 1 × H100 = 4; after 2 × H200 = 12.5
    expect: { beforeMin: "4", before: "4", min: "12.5", max: "12.5" },
  },
  {
    id: "reshaped-least",
    title: "of several shapes that match, the cheapest is the least",
    prices: usual,
    inputs: { baseModel: `${models}/open-8b`, deploymentShape: "default", minReplicaCount: 2, maxReplicaCount: 2 },
    // 2 × (1 × H100) = 8.00 to 2 × (2 × H200) = 25.00
    expect: { min: "8", max: "25" },
  },
  {
    id: "bound-dropped",
    title: "a minimum that the program no longer sets goes back to 0",
    prices: usual,
    before: { inputs: { ...plain, minReplicaCount: 2, maxReplicaCount: 2 } },
    inputs: { ...plain, maxReplicaCount: 2 },
    // before 2 × 4.00 = 8; after 0 to 8
    expect: { beforeMin: "8", before: "8", min: "0", max: "8" },
  },
  {
    id: "exact",
    title: "amounts are exact where binary fractions are not",
    prices: `accelerators: [{ type: ${h100}, hourly: 0.1 }]\n`,
    inputs: { ...plain, minReplicaCount: 3, maxReplicaCount: 3 },
    // 3 × 0.1 = 0.3, where a binary fraction makes 0.30000000000000004
    expect: { min: "0.3", max: "0.3", monthly: "219" },
  },
  {
    id: "rounded",
    title: "a line is rounded once, a half away from zero",
    prices: `accelerators: [{ type: ${h100}, hourly: 0.000000003 }]\npreemptible: 0.5\n`,
    inputs: { ...plain, preemptible: true, minReplicaCount: 1, maxReplicaCount: 3 },
    // least 3 × 0.5 = 1.5, so 2 billionths; most 3 × 3 × 0.5 = 4.5, so 5, and not 3 × 2
    expect: { min: "0.000000002", max: "0.000000005" },
  },
  {
    id: "trained",
    title: "a job costs the tokens of its dataset in each epoch",
    kind: "SupervisedFineTuningJob",
    prices: training,
    inputs: job,
    // 12 million tokens × 2 epochs × 0.50 per million = 12
    expect: { min: "0", max: "0", once: "12" },
  },
  {
    id: "trained-by-size",
    title: "a price by the size of the base model: the smallest class that holds it",
    kind: "SupervisedFineTuningJob",
    prices: `training:
  - { parametersUpTo: 80000000000, perMillionTokens: 3.00 }
  - { parametersUpTo: 16000000000, perMillionTokens: 0.80 }
datasets: { accounts/acme/datasets/tickets: 12000000 }\n`,
    inputs: job,
    // the model has 8 billion parameters: 24 million × 0.80 per million = 19.2
    expect: { once: "19.2" },
  },
  {
    id: "trained-discounted",
    title: "a discount counts for training as well",
    kind: "SupervisedFineTuningJob",
    prices: `${training}discounts: [{ account: acme, share: 0.25 }]\n`,
    inputs: job,
    // 24 million × 0.50 per million × 0.75 = 9
    expect: { once: "9" },
  },
  {
    id: "tokens-unknown",
    title: "a dataset whose tokens nobody has counted",
    kind: "SupervisedFineTuningJob",
    prices: training,
    inputs: { ...job, dataset: "accounts/acme/datasets/other" },
    expect: { unknown: /does not say how many tokens accounts\/\w+\/datasets\/other has/ },
  },
];

/** The day whose prices count where an example names none. */
export const usualDay = "2026-01-15";

/** Holds a report of one example against what was worked out. */
export function expectCost({ kind, expect: wanted }: WorkedExample, { resources, total }: CostReport): void {
  const { hourly, once } = resources[0]!;
  const { min, max, before, beforeMin, monthly, unknown } = wanted;
  if (kind === undefined) {
    expect({ min: hourly.min, max: hourly.max }).toEqual({ min, max });
    expect([hourly.before, hourly.beforeMin]).toEqual(before === undefined ? ["0", "0"] : [before, beforeMin]);
  } else expect(once?.amount).toBe(wanted.once);
  if (monthly !== undefined) expect(total.monthly).toBe(monthly);
  const reasons = [hourly.unknown, once?.unknown].filter((reason) => reason !== undefined).join();
  expect(reasons).toMatch(unknown ?? /^$/);
  expect(total.unknown).toBe(unknown === undefined ? 0 : 1);
}
