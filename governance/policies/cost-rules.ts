import { ascending } from "../../provider/core/values/grouping";
import { z } from "../../provider/core/zod";
import { managedSpecs, specOf } from "../../provider/resources/index";
import { estimate } from "../cost/estimate";
import { formatAmount, type Nanos, nanosIn } from "../cost/money";
import type { Prices } from "../cost/prices";
import { openPrices } from "../cost/read-prices";
import { type CostedResource, type CostLine, type CostReport, reportOf } from "../cost/report";
import { titleOf } from "../cost/words";
import { countIn, fieldOf, isUnjudged, mapIn, onceKnown, textIn, unreadable, wordIn } from "./read-values";
import { type Declared, type Guardrail, type Objection, type PolicyContext, unjudged } from "./rule";

/** The most that something may cost per hour, as `120/h` has it; undefined for other text. */
export function ceilingIn(text: string): Nanos | undefined {
  const [, digits] = /^(\d+(?:\.\d{1,9})?)(?:\/h)?$/.exec(text.trim()) ?? [];
  return digits === undefined ? undefined : nanosIn(digits);
}

interface CeilingOptions {
  ceiling: Nanos | undefined;
  /** Whether a cost that is not known is above it. */
  strict: boolean;
  /** What is held to it where there is no present cost: the most replicas, or the fewest. */
  bound?: Bound;
}

/**
 * Why a report is above the ceiling, in sentences: by how much, and which resource does most for it. What is not known
 * counts only where that is `strict`. Undefined: it is within.
 */
export function breachOf(
  { resources, total, currency }: CostReport,
  { ceiling, strict, bound = "max" }: CeilingOptions,
): string | undefined {
  if (ceiling === undefined) return undefined;
  const { now } = total.hourly;
  const cost = nanosIn(now ?? total.hourly[bound])!;
  if (cost > ceiling) {
    const [largest] = [...resources].sort(byWeight(bound));
    const was = largest && beforeOf(largest, bound);
    const more = largest && was !== undefined && was !== "0" ? raiseOf(largest, bound) : 0n;
    const culprit = largest
      ? ` ${titleOf(largest)} does most for it, with ${formatAmount(amountOf(largest, bound))}${more > 0n ? `, ${formatAmount(more)} more than before` : ""}.`
      : "";
    return `The cost of ${now === undefined ? `at ${bound === "max" ? "most" : "least"} ` : ""}${formatAmount(cost)} ${currency} per hour is ${formatAmount(cost - ceiling)} above the ceiling of ${formatAmount(ceiling)}.${culprit}`;
  }
  if (!strict || total.unknown === 0) return undefined;
  const missing = resources.filter(
    ({ hourly: { min, max }, once }) => min === undefined || max === undefined || once?.unknown !== undefined,
  );
  return `The cost of ${missing.map(titleOf).join(", ")} is not known, which counts as above the ceiling.`;
}

type Bound = "min" | "max";

const amountOf = ({ hourly }: CostedResource, bound: Bound): Nanos => nanosIn(hourly.now ?? hourly[bound] ?? "0")!;
const beforeOf = ({ hourly }: CostedResource, bound: Bound): string | undefined =>
  bound === "max" ? hourly.before : hourly.beforeMin;

/** Nothing where nothing changes, and where it becomes less. */
function raiseOf(resource: CostedResource, bound: Bound): Nanos {
  const before = beforeOf(resource, bound);
  const raise = before === undefined ? 0n : amountOf(resource, bound) - nanosIn(before)!;
  return raise > 0n ? raise : 0n;
}

/** What a change adds counts before what was there already. */
const byWeight =
  (bound: Bound) =>
  (one: CostedResource, other: CostedResource): number => {
    const byRaise = ascending(raiseOf(other, bound), raiseOf(one, bound));
    return byRaise || ascending(amountOf(other, bound), amountOf(one, bound));
  };

const Amount = z
  .number()
  .min(0)
  .refine((amount) => nanosIn(String(amount)) !== undefined, "has more than nine decimals");

const Ceilings = z.object({
  prices: z
    .string()
    .optional()
    .describe("Path of the price file, or its content. Absent: what `MODELPLATFORM_PRICES` says."),
  stack: Amount.optional().describe("Most that the stack may cost per hour; in an audit, each account."),
  annotation: z.string().default("custom/team").describe("Annotation by whose values costs are added up."),
  values: z
    .record(z.string(), Amount)
    .default({})
    .describe("Most that resources with a value of the annotation may cost per hour."),
  strict: z.boolean().default(false).describe("Whether a cost that is not known is above the ceiling."),
});

type Ceilings = z.infer<typeof Ceilings>;

/** Hardware is what the program says: a policy does not ask the service. */
const ceiling = (
  name: string,
  description: string,
  bound: "min" | "max",
  remedy: string,
): Guardrail<typeof Ceilings> => ({
  name,
  description,
  get config() {
    return Ceilings;
  },
  live: "all of an account that has a price, at its live replicas",
  decision: { stack: 100 },
  ofStack: true,
  kinds: managedSpecs.filter(({ billing }) => billing !== undefined).map(({ kind }) => kind),
  objections: (declared, options, context) => {
    const ceilings = ceilingsIn(options, context);
    if (ceilings.length === 0) return [];
    const prices = pricesFor(options, context);
    const lines = linesOf(declared, { prices, day: context.day });
    const breaches = ceilings.flatMap(({ of, most, counts }): Objection[] => {
      const report = reportOf(lines.filter(counts), { currency: prices.currency, day: context.day });
      const breach = breachOf(report, { ceiling: nanosIn(String(most)), strict: options.strict, bound });
      if (breach === undefined) return unpriced(of, report, bound, context);
      const message = `${of}: ${breach} ${remedy}, or raise the ceiling.`;
      return [{ message, says: message }];
    });
    return [...unreadInputs(declared), ...breaches];
  },
});

/**
 * In an audit, a cost that is missing may be above the ceiling. A program need not say what a shape decides, so that a
 * policy pack leaves that to `strict`.
 */
function unpriced(of: string, { resources }: CostReport, bound: Bound, context: PolicyContext): Objection[] {
  if (context.of === "stack") return [];
  const missing = resources.filter(({ hourly }) => (hourly.now ?? hourly[bound]) === undefined);
  if (missing.length === 0) return [];
  const message = `${of}: The cost of ${missing.map(titleOf).join(", ")} is not known, so that the policy cannot judge it. Complete the price file, or give the rule \`strict\` to count it as above the ceiling.`;
  return [{ message, says: message, isUnknown: true }];
}

/** Inputs that decide a cost and are not what the reference lists. */
function unreadInputs(declared: readonly Declared[]): Objection[] {
  return declared.flatMap((resource) => {
    const billing = specOf(resource.kind)?.billing;
    if (billing?.by !== "acceleratorHour") return [];
    const { accelerator, replicas } = billing;
    const { inputs } = resource;
    return (
      onceKnown(() => {
        const counts = [accelerator.count, replicas.least, replicas.most, replicas.withRevocable, replicas.now];
        const type = wordIn(fieldOf(resource.kind, accelerator.type), inputs[accelerator.type]);
        const read: unknown[] = counts.map((name) => countIn(name, inputs[name]));
        if (type && !isUnjudged(type) && !type.isExact)
          read.push(unreadable(accelerator.type, inputs[accelerator.type], `not spelled \`${type.word}\``));
        const annotations = mapIn("annotations", inputs["annotations"]);
        const labels = isUnjudged(annotations)
          ? [annotations]
          : Object.entries(annotations ?? {}).map(([key, value]) => textIn(key, value));
        return [type, ...read, ...labels]
          .filter(isUnjudged)
          .slice(0, 1)
          .map((value) => unjudged(resource, value));
      }) ?? []
    );
  });
}

interface Ceiling {
  /** Whose costs are added up, in words. */
  of: string;
  most: number;
  counts(line: CostLine): boolean;
}

const ceilingsIn = ({ stack, annotation, values }: Ceilings, { of }: PolicyContext): Ceiling[] => [
  ...(stack === undefined ? [] : [{ of: `The ${of}`, most: stack, counts: () => true }]),
  ...Object.entries(values).map(([value, most]) => ({
    of: `\`${annotation}\` ${value}`,
    most,
    counts: ({ annotations }: CostLine) => Object.hasOwn(annotations, annotation) && annotations[annotation] === value,
  })),
];

function pricesFor({ prices: inlinePrices }: Ceilings, { env, cwd }: PolicyContext): Prices {
  const prices = openPrices(
    { env: inlinePrices === undefined ? env : { MODELPLATFORM_PRICES: inlinePrices } },
    { cwd },
  );
  if (prices) return prices;
  throw new Error(
    "A ceiling needs prices: give the rule `prices`, the path of a price file, or set MODELPLATFORM_PRICES.",
  );
}

function linesOf(declared: readonly Declared[], basis: { prices: Prices; day: string }): CostLine[] {
  return declared.flatMap(({ kind, urn, name, inputs }) => {
    const spec = specOf(kind);
    const account = typeof inputs["accountId"] === "string" ? inputs["accountId"] : "";
    return (spec && estimate({ spec, urn, name, account, after: inputs }, basis)) ?? [];
  });
}

export const costRules = [
  ceiling(
    "max-hourly-cost",
    "A stack, and what has an annotation, stays below a cost per hour at the most replicas.",
    "max",
    "Lower `maxReplicaCount`",
  ),
  ceiling(
    "max-idle-hourly-cost",
    "A stack, and what has an annotation, stays below a cost per hour when nothing is asked of it.",
    "min",
    "Lower `minReplicaCount`",
  ),
] as const;
