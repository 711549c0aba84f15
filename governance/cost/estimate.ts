import type { TokenBilling } from "../../provider/core/declaration/billing";
import { modelIn } from "../../provider/core/declaration/preflight";
import type { ResourceSpec } from "../../provider/core/declaration/resource";
import { phaseOf } from "../../provider/core/declaration/states";
import { containsUnknown, isObject, isUnknown, type Values, valueAt } from "../../provider/core/values/values";
import { hourlyCost, needsShape, quantityOf } from "./hourly-cost";
import { type Figure, knownFigure, roundDivision, toDecimal, unknownFigure, whole } from "./money";
import { type Prices, paidShare, trainingPrice } from "./prices";
import { type CostLine, type CostReport, type Grouping, reportOf } from "./report";
import {
  annotationsIn,
  type Basis,
  type CostCatalogue,
  type CostSubject,
  type Lookups,
  type ObjectState,
} from "./subject";

const million = 1_000_000n;

/** What a run costs: what the service expects, else its tokens at the price of the model. */
function jobCost(
  { spec, account }: Pick<CostSubject, "spec" | "account">,
  billing: TokenBilling,
  values: Values,
  { prices, day, lookups }: Basis & { lookups: Lookups },
): Figure {
  const expected = billing.estimate === undefined ? undefined : values[billing.estimate];
  if (isObject(expected)) return serviceEstimate(expected, prices.currency, billing.estimate!);
  const open = (billing.runsOn ?? []).find((flag) => values[flag] === true);
  if (open !== undefined) return unknownFigure(`a job with \`${open}\` runs until it is stopped`);
  const tokens = tokensOf(spec, billing, values, prices.datasets);
  if (typeof tokens !== "bigint") return tokens;
  const named = spec.preflight && modelIn(spec.preflight, values);
  if (!named) return unknownFigure("the model is known only once the program has run");
  const own = trainingPrice(prices, { name: named.name, parameters: undefined }, day);
  const price = "nanos" in own ? own : priceOfBase(lookups, prices, day, own);
  if ("unknown" in price) return price;
  return knownFigure(roundDivision(price.nanos * tokens * paidShare(prices, account, day), million * whole));
}

/** Whether a price of the model needs its base, or its size. */
function needsBase(spec: ResourceSpec, billing: TokenBilling, values: Values, { prices, day }: Basis): boolean {
  const named = spec.preflight && modelIn(spec.preflight, values);
  const isEstimated = billing.estimate !== undefined && isObject(values[billing.estimate]);
  return !!named && !isEstimated && "unknown" in trainingPrice(prices, { ...named, parameters: undefined }, day);
}

function priceOfBase({ base }: Lookups, prices: Prices, day: string, own: { unknown: string }) {
  if (!base) return own;
  return "unknown" in base ? base : trainingPrice(prices, base, day);
}

function serviceEstimate({ currencyCode, units, nanos }: Values, currency: string, output: string): Figure {
  const [digits, billionths] = [String(units ?? "0"), nanos ?? 0];
  if (!/^\d{1,18}$/.test(digits) || !Number.isInteger(billionths) || (billionths as number) < 0)
    return unknownFigure(`\`${output}\` is not an amount of money`);
  if (currencyCode !== undefined && currencyCode !== "" && currencyCode !== currency)
    return unknownFigure(`\`${output}\` is in ${String(currencyCode)}, and the price file in ${currency}`);
  return knownFigure(BigInt(digits) * whole + BigInt(billionths as number));
}

/** Of a job that is over, what it has read; else what its dataset has, once per epoch. */
function tokensOf(
  spec: ResourceSpec,
  billing: TokenBilling,
  values: Values,
  datasets: Readonly<Record<string, bigint>>,
): bigint | Figure {
  const read = valueAt(values, billing.tokens);
  if (typeof read === "number" && Number.isSafeInteger(read) && phaseOf(spec.lifecycle, values) === "ready")
    return BigInt(read);
  const [dataset, epochs] = [valueAt(values, billing.dataset), valueAt(values, billing.epochs)];
  if (containsUnknown([dataset, epochs]))
    return unknownFigure("dataset or epochs are known only once the program has run");
  if (typeof dataset !== "string" || dataset === "") return unknownFigure(`\`${billing.dataset}\` is not set`);
  const perEpoch = Object.hasOwn(datasets, dataset) ? datasets[dataset] : undefined;
  if (perEpoch === undefined || isUnknown(dataset))
    return unknownFigure(
      `the service has not said what it expects, and the price file does not say how many tokens ${dataset} has (\`datasets\`)`,
    );
  if (!Number.isSafeInteger(epochs) || (epochs as number) < 0) return unknownFigure(`\`${billing.epochs}\` is not set`);
  return perEpoch * BigInt(epochs as number);
}

/** What the service says of a subject, as it was and as it will be. */
interface SubjectLookups {
  before?: Lookups;
  after?: Lookups;
}

/** As it will be, else as it was. */
function lastValues({ before, after }: CostSubject): Values {
  if (after !== "none") return after;
  return before === undefined || before === "none" ? {} : before;
}

/** Undefined for what costs nothing by itself. */
export function estimate(subject: CostSubject, basis: Basis, lookups: SubjectLookups = {}): CostLine | undefined {
  const { spec, name, account, urn, stack, before, after, isLive } = subject;
  const { billing } = spec;
  if (!billing) return undefined;
  const about = {
    urn,
    name,
    kind: spec.kind,
    account,
    stack,
    annotations: annotationsIn(lastValues(subject)),
  };
  if (billing.by === "trainingToken") {
    const nothing = { least: knownFigure(0n), most: knownFigure(0n) };
    if (after === "none" || (before !== undefined && before !== "none")) return undefined;
    return {
      ...about,
      hourly: nothing,
      once: jobCost(subject, billing, after, { ...basis, lookups: lookups.after ?? {} }),
    };
  }
  const then = hourlyCost(subject, billing, after, { ...basis, lookups: lookups.after ?? {} });
  const quantity = then.counted && quantityOf(then.counted, isLive === true);
  const was = before && hourlyCost(subject, billing, before, { ...basis, lookups: lookups.before ?? {} });
  return {
    ...about,
    quantity,
    hourly: {
      least: then.least,
      most: then.most,
      now: isLive ? then.now : undefined,
      before: was && { least: was.least, most: was.most },
    },
  };
}

/** Change of the maximum hourly cost, negative where it is cheaper; undefined where it is unchanged or unknown. */
export function hourlyDifference(subject: CostSubject, basis: Basis): string | undefined {
  const hourly = estimate(subject, basis)?.hourly;
  const [before, after] = [hourly?.before?.most.nanos, hourly?.most.nanos];
  return before === undefined || after === undefined || before === after ? undefined : toDecimal(after - before);
}

interface CostOptions extends Basis {
  /** Absent: the service is not asked. */
  catalogue?: CostCatalogue | undefined;
  grouping?: Grouping | undefined;
}

/** What the subjects cost, one after the other, so that what the service says of a shape is asked for once. */
export async function costReport(
  subjects: readonly CostSubject[],
  { grouping, catalogue, ...basis }: CostOptions,
): Promise<CostReport> {
  const lines: CostLine[] = [];
  for (const subject of subjects) {
    const [before, after] = [
      await lookUp(catalogue, subject, subject.before ?? "none", basis),
      await lookUp(catalogue, subject, subject.after, basis),
    ];
    const line = estimate(subject, basis, { before, after });
    if (line) lines.push(line);
  }
  return reportOf(lines, { currency: basis.prices.currency, day: basis.day, grouping });
}

/** Asks only for what nothing else says. */
async function lookUp(
  catalogue: CostCatalogue | undefined,
  { spec, account }: CostSubject,
  situation: ObjectState,
  basis: Basis,
): Promise<Lookups> {
  const { billing, preflight } = spec;
  if (!catalogue || !billing || situation === "none") return {};
  if (billing.by === "acceleratorHour")
    return needsShape(spec, billing, situation) ? { shapes: await catalogue.shapes(spec, account, situation) } : {};
  const model = preflight && modelIn(preflight, situation);
  return model && needsBase(spec, billing, situation, basis)
    ? { base: await catalogue.baseModel(spec, account, model.name) }
    : {};
}
