import { resourceNameIn } from "../../provider/core/pulumi-names";
import { ascending } from "../../provider/core/values/grouping";
import { lastSegment } from "../../provider/core/values/names";
import { formatAmount, monthHours, type Nanos, nanosIn, toDecimal } from "./money";
import type { CostedResource, CostReport } from "./report";

/** In one sentence. */
export function headline({ currency, total }: CostReport): string {
  const { hourly, unknown } = total;
  const least = amount(hourly.min);
  const most = amount(hourly.max);
  const range = `${least === most ? most : `${least} to ${most}`} ${currency} per hour`;
  const cost = hourly.now === undefined ? range : `${amount(hourly.now)} ${currency} per hour now`;
  return `Cost: ${cost}${unknown === 0 ? "" : `, and ${unknown} whose cost is not known`}`;
}

/** What an hour costs, now or at least and at most, and what a month costs. */
export function amountsOf({ min, max, now, before, beforeMin }: CostedResource["hourly"], isLive: boolean): string[] {
  const hour = isLive ? [now === undefined ? "" : amount(now)] : [change(beforeMin, min), change(before, max)];
  const month = change(now === undefined ? inAMonth(before) : undefined, inAMonth(now ?? max));
  return [...hour, month];
}

const inAMonth = (hourly: string | undefined): string | undefined =>
  hourly === undefined ? undefined : toDecimal((nanosIn(hourly) ?? 0n) * monthHours);

/** `8.00 → 32.00` where it changes. */
const change = (before: string | undefined, after: string | undefined): string =>
  before === undefined || before === after ? amount(after) : `${amount(before)} → ${amount(after)}`;

/** An amount for people; a question mark where it is not known. */
export const amount = (text: string | undefined): string =>
  text === undefined ? "?" : formatAmount(nanosIn(text) ?? 0n);

/** `+ 2 unknown`: what a sum leaves out. Empty where it has all. */
export const unknownText = ({ unknown }: Pick<CostReport["total"], "unknown">): string =>
  unknown === 0 ? "" : `+ ${unknown} unknown`;

/** `Deployment chat`: by its name in the program, where it has one. An audit knows an object by its name alone. */
export const titleOf = ({ kind, name, urn }: Pick<CostedResource, "kind" | "name" | "urn">): string =>
  `${kind} ${urn?.includes("::") ? resourceNameIn(urn) : lastSegment(name)}`;

/** `acme, shop/dev`: names of different accounts and stacks may be the same. */
export const placeOf = ({ account, stack }: CostedResource): string =>
  [account, ...(stack === undefined ? [] : [stack.replace(/^organization\//, "")])].join(", ");

/** `2 × VENDOR1_H100_80GB × 1–4`: accelerators of a replica, and how many replicas there may be. */
export function quantityText({ quantity }: CostedResource): string {
  if (!quantity) return "";
  const { acceleratorType, perReplica, min, max, revocable, now } = quantity;
  const range = min === max ? String(max) : `${min}–${max}`;
  const replicas = now === undefined ? range : `${now} now`;
  return `${replicas}${revocable === undefined ? "" : ` + ${revocable} revocable`} × ${perReplica} ${acceleratorType}`;
}

export const dearestFirst = <T extends { hourly: CostedResource["hourly"] }>(costs: readonly T[]): T[] =>
  [...costs].sort((one, other) => ascending(dearness(other), dearness(one)));

const dearness = ({ hourly: { now, max, min } }: { hourly: CostedResource["hourly"] }): Nanos =>
  nanosIn(now ?? max ?? min ?? "0") ?? 0n;
