import { groupBy } from "../../provider/core/values/grouping";
import { z } from "../../provider/core/zod";
import { type Figure, monthHours, type Nanos, toDecimal } from "./money";

/** What a set of objects costs, as data. Amounts are decimal texts in one currency, exact to the billionth. */

const Amount = z.string().regex(/^-?\d+(\.\d{1,9})?$/);

const Hourly = z.object({
  min: Amount.optional().describe("With the fewest replicas. Absent where it is not known."),
  max: Amount.optional().describe("With the most replicas. Absent where it is not known."),
  now: Amount.optional().describe("With the replicas that there are now; of live accounts only."),
  before: Amount.optional().describe("At the most, before the change."),
  beforeMin: Amount.optional().describe("At the least, before the change."),
  unknown: z.string().optional().describe("Why an amount is absent."),
});

const Total = {
  hourly: z.object({ min: Amount, max: Amount, before: Amount, beforeMin: Amount, now: Amount.optional() }),
  monthly: Amount.describe("At the most, for 730 hours."),
  monthlyMin: Amount.describe("At the least, for 730 hours."),
  once: Amount.describe("Of jobs, for their runs."),
  unknown: z.int().min(0).describe("Number of objects that an amount is missing of."),
};

const Quantity = z.object({
  acceleratorType: z.string(),
  perReplica: z.int(),
  min: z.int(),
  max: z.int(),
  revocable: z.int().optional().describe("Replicas beyond `max` that may run on revocable capacity."),
  now: z.int().optional(),
});

export const CostReport = z.object({
  schemaVersion: z.literal(1),
  currency: z.string(),
  day: z.string().describe("Day whose prices were taken, UTC."),
  resources: z.array(
    z.object({
      urn: z.string().optional(),
      name: z.string(),
      kind: z.string(),
      account: z.string(),
      stack: z.string().optional(),
      group: z.string().optional().describe("Key of its group, with `--by`."),
      quantity: Quantity.optional(),
      hourly: Hourly,
      once: z.object({ amount: Amount.optional(), unknown: z.string().optional() }).optional(),
    }),
  ),
  groups: z.array(z.object({ by: z.string(), key: z.string(), ...Total })).optional(),
  total: z.object(Total),
});

export type CostReport = z.infer<typeof CostReport>;
export type Quantity = z.infer<typeof Quantity>;
export type CostedResource = CostReport["resources"][number];
type CostTotal = CostReport["total"];

/** Per hour: with the fewest replicas, and with the most. */
export interface Bounds {
  least: Figure;
  most: Figure;
}

/** What one object costs. */
export interface CostLine {
  urn?: string | undefined;
  name: string;
  kind: string;
  account: string;
  stack?: string | undefined;
  annotations: Readonly<Record<string, string>>;
  quantity?: Quantity | undefined;
  hourly: Bounds & { now?: Figure | undefined; before?: Bounds | undefined };
  /** For a job: what its run costs. */
  once?: Figure;
}

/** What the resources are put together by, and the key of one. */
export interface Grouping {
  by: string;
  keyOf(line: CostLine): string;
}

export function reportOf(
  lines: readonly CostLine[],
  { currency, day, grouping }: { currency: string; day: string; grouping?: Grouping | undefined },
): CostReport {
  return {
    schemaVersion: 1,
    currency,
    day,
    resources: lines.map((line) => ({ ...resourceOf(line), ...(grouping && { group: grouping.keyOf(line) }) })),
    groups: grouping === undefined ? undefined : groupsOf(lines, grouping),
    total: totalOf(lines),
  };
}

function groupsOf(lines: readonly CostLine[], { by, keyOf }: Grouping) {
  return [...groupBy(lines, keyOf)]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([key, own]) => ({ by, key, ...totalOf(own) }));
}

const text = (name: string, figure: Figure | undefined): Record<string, string> =>
  figure?.nanos === undefined ? {} : { [name]: toDecimal(figure.nanos) };

function resourceOf({ urn, name, kind, account, stack, quantity, hourly, once }: CostLine): CostedResource {
  const { least, most, now, before } = hourly;
  const reasons = [least, most, now, before?.least, before?.most].flatMap((figure) => figure?.unknown ?? []);
  return {
    urn,
    name,
    kind,
    account,
    stack,
    quantity,
    hourly: {
      ...text("min", least),
      ...text("max", most),
      ...text("now", now),
      ...text("before", before?.most),
      ...text("beforeMin", before?.least),
      unknown: reasons.length > 0 ? [...new Set(reasons)].join("; ") : undefined,
    },
    once: once && onceOf(once),
  };
}

const onceOf = ({ nanos, unknown }: Figure) => (nanos === undefined ? { unknown } : { amount: toDecimal(nanos) });

/** The sum of what is known, and how many objects are not all known. Where nothing changes, before is as now. */
function totalOf(lines: readonly CostLine[]): CostTotal {
  const sum = (of: (line: CostLine) => Figure | undefined): Nanos =>
    lines.reduce((total, line) => total + (of(line)?.nanos ?? 0n), 0n);
  const least = sum(({ hourly }) => hourly.least);
  const most = sum(({ hourly }) => hourly.most);
  const isLive = lines.some(({ hourly }) => hourly.now !== undefined);
  return {
    hourly: {
      min: toDecimal(least),
      max: toDecimal(most),
      before: toDecimal(sum(({ hourly }) => (hourly.before ? hourly.before.most : hourly.most))),
      beforeMin: toDecimal(sum(({ hourly }) => (hourly.before ? hourly.before.least : hourly.least))),
      now: isLive ? toDecimal(sum(({ hourly }) => hourly.now)) : undefined,
    },
    monthly: toDecimal(most * monthHours),
    monthlyMin: toDecimal(least * monthHours),
    once: toDecimal(sum(({ once }) => once)),
    unknown: lines.filter(isUnknownIn).length,
  };
}

/** Whether an amount that counts is missing: of what will be, not of what was. */
const isUnknownIn = ({ hourly: { least, most, now }, once }: CostLine): boolean =>
  [least, most, now, once].some((figure) => figure?.unknown !== undefined);
