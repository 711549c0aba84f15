import type { ResourceSpec } from "../../provider/core/declaration/resource";
import { phaseOf } from "../../provider/core/declaration/states";
import type { TokenBilling } from "../../provider/core/rules/billing";
import { modelIn } from "../../provider/core/rules/preflight";
import { valueAt } from "../../provider/core/values/paths";
import { containsUnknown, isUnknown } from "../../provider/core/values/unknowns";
import { isObject, type Values } from "../../provider/core/values/values";
import { type Figure, knownFigure, roundDivision, unknownFigure, whole } from "./money";
import { type Prices, paidShare, trainingPrice } from "./prices";
import type { Basis, CostSubject, Lookups } from "./subject";

const million = 1_000_000n;

/** What a run costs: what the service expects, else its tokens at the price of the model. */
export function jobCost(
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
export function needsBase(spec: ResourceSpec, billing: TokenBilling, values: Values, { prices, day }: Basis): boolean {
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
