import { containsUnknown } from "../values/unknowns";
import type { Values } from "../values/values";

/**
 * What an object may cost: the program's bound, and where the service answers what it
 * expects. Both are `{ currencyCode, units, nanos }`.
 */
export interface CostLimit {
  input: string;
  output: string;
}

interface Money {
  currencyCode?: string;
  units?: string;
  nanos?: number;
}

/**
 * Why the expected cost is not within the program's bound, or undefined where it is, is not known, or has no bound. A
 * cost in another currency cannot be compared, so it is not within.
 */
export function costAboveLimit(limit: CostLimit | undefined, inputs: Values, object: Values): string | undefined {
  if (!limit || containsUnknown(inputs[limit.input])) return undefined;
  const [most, cost] = [inputs[limit.input], object[limit.output]] as [
    Money | null | undefined,
    Money | null | undefined,
  ];
  if (!most || !cost) return undefined;
  if (!isAmount(cost)) return `\`${limit.output}\` is ${moneyText(cost)}, which is not an amount of money`;
  const told = `\`${limit.output}\` is ${moneyText(cost)}, and \`${limit.input}\` is ${moneyText(most)}`;
  if (billionths(cost) > 0n && (cost.currencyCode ?? most.currencyCode) !== most.currencyCode)
    return `${told}, which cannot be compared`;
  return billionths(cost) > billionths(most) ? told : undefined;
}

/** A service may answer anything. */
const isAmount = ({ units = "0", nanos = 0 }: Money): boolean =>
  /^-?\d+$/.test(String(units ?? "0")) && Number.isInteger(nanos ?? 0);

const billionths = ({ units, nanos }: Money): bigint => BigInt(units ?? "0") * 1_000_000_000n + BigInt(nanos ?? 0);

/** `4.5 USD`; what is not an amount as it was answered. */
export function moneyText(money: Money): string {
  if (!isAmount(money)) return JSON.stringify(money);
  const [whole, fraction] = [billionths(money) / 1_000_000_000n, billionths(money) % 1_000_000_000n];
  const decimals = String(fraction).padStart(9, "0").replace(/0+$/, "");
  return [`${whole}${decimals === "" ? "" : `.${decimals}`}`, money.currencyCode].filter(Boolean).join(" ");
}
