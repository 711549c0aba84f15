import { containsUnknown, type Values } from "../values/values";

/** What an object is paid for. Declared as data; fields are named by their paths. */
export type Billing = HourlyBilling | TokenBilling;

/** By the hour, for the accelerators of each replica. */
export interface HourlyBilling {
  by: "acceleratorHour";
  accelerator: { type: string; count: string };
  /** The bounds of the autoscaler, and the output that says how many replicas there are. */
  replicas: { least: string; most: string; withRevocable: string; now: string };
  /** Whether all of it runs on capacity that the service may take away. */
  preemptible: string;
  /** The output that says where replicas run; where they may run is `placement` of the preflight. */
  region: string;
}

/** Once, for the tokens that a job trains on: those of its dataset in each epoch. */
export interface TokenBilling {
  by: "trainingToken";
  /** The output in which the service says what it expects, `{ currencyCode, units, nanos }`. */
  estimate?: string;
  /** The output that says how many tokens a job has read, which are all of them once it is over. */
  tokens: string;
  dataset: string;
  epochs: string;
  /** Flags of jobs that run on, for which tokens are not all that is paid. */
  runsOn?: readonly string[];
}

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
  if (!isAmount(cost)) return `\`${limit.output}\` is ${formatMoney(cost)}, which is not an amount of money`;
  const message = `\`${limit.output}\` is ${formatMoney(cost)}, and \`${limit.input}\` is ${formatMoney(most)}`;
  if (billionths(cost) > 0n && (cost.currencyCode ?? most.currencyCode) !== most.currencyCode)
    return `${message}, which cannot be compared`;
  return billionths(cost) > billionths(most) ? message : undefined;
}

/** A service may answer anything. */
const isAmount = ({ units = "0", nanos = 0 }: Money): boolean =>
  /^-?\d+$/.test(String(units ?? "0")) && Number.isInteger(nanos ?? 0);
const billionths = ({ units, nanos }: Money): bigint => BigInt(units ?? "0") * 1_000_000_000n + BigInt(nanos ?? 0);

/** `4.5 USD`; what is not an amount as it was answered. */
export function formatMoney(money: Money): string {
  if (!isAmount(money)) return JSON.stringify(money);
  const [whole, fraction] = [billionths(money) / 1_000_000_000n, billionths(money) % 1_000_000_000n];
  const decimals = String(fraction)
    .padStart(9, "0")
    .replace(/0{1,9}$/, "");
  return [`${whole}${decimals === "" ? "" : `.${decimals}`}`, money.currencyCode].filter(Boolean).join(" ");
}
