import type { Render } from "../../io/text/report-format";
import { resourceNameIn } from "../../provider/core/pulumi-names";
import { ascending } from "../../provider/core/values/grouping";
import { lastSegment } from "../../provider/core/values/names";
import { formatAmount, monthHours, type Nanos, nanosIn, toDecimal } from "./money";
import type { CostedResource, CostReport, CostTotal } from "./report";

/** A report in words. They hold names that others have written, so they are not safe to print yet. */
export interface CostWords {
  /** The report in one sentence. */
  headline: string;
  /** Resources that are paid for by the hour; absent where there are none. */
  hours: Hours | undefined;
  /** Resources that are paid for once. */
  runs: { title: string; amount: string }[];
  unknowns: { title: string; reason: string }[];
}

interface Hours {
  /** Columns of what an hour costs: what is live now, or what may be. The last is what a month costs, of 730 hours. */
  columns: string[];
  /** Rows under the total of their group, the dearest first; without groups one section without a heading. */
  sections: { heading?: Row; rows: Row[] }[];
  total: Row;
}

export interface Row {
  title: string;
  /** Account and stack; empty where all resources have the same. */
  place: string;
  quantity: string;
  /** By column. */
  amounts: string[];
  /** Of a resource. */
  hourly?: CostedResource["hourly"];
}

export const perHour = (column: string): string => (column === perMonth ? column : `${column}, per hour`);

const perMonth = "per month";

export function wordsOf(report: CostReport): CostWords {
  const { resources } = report;
  const hourly = dearestFirst(resources.filter(({ once }) => !once));
  return {
    headline: headline(report),
    hours: hourly.length === 0 ? undefined : hoursOf(report, hourly),
    runs: resources.flatMap((each) => (each.once ? [{ title: titleOf(each), amount: amount(each.once.amount) }] : [])),
    unknowns: resources.flatMap((each) => {
      const reason = each.hourly.unknown ?? each.once?.unknown;
      return reason === undefined ? [] : [{ title: titleOf(each), reason }];
    }),
  };
}

function headline({ currency, total }: CostReport): string {
  const { hourly, unknown } = total;
  const least = amount(hourly.min);
  const most = amount(hourly.max);
  const range = `${least === most ? most : `${least} to ${most}`} ${currency} per hour`;
  const cost = hourly.now === undefined ? range : `${amount(hourly.now)} ${currency} per hour now`;
  return `Cost: ${cost}${unknown === 0 ? "" : `, and ${unknown} whose cost is not known`}`;
}

function hoursOf(report: CostReport, resources: readonly CostedResource[]): Hours {
  const isLive = report.total.hourly.now !== undefined;
  const rowOf = (resource: CostedResource): Row => ({
    title: titleOf(resource),
    place: placeOf(resource, report),
    quantity: quantityText(resource),
    amounts: amountsOf(resource.hourly, isLive),
    hourly: resource.hourly,
  });
  const totalOf = (title: string, { hourly }: CostTotal): Row => ({
    ...{ title, place: "", quantity: "" },
    amounts: amountsOf(hourly, isLive),
  });
  const sections = report.groups
    ? dearestFirst(report.groups).map((group) => ({
        heading: totalOf(`${group.by} ${group.key}`, group),
        rows: resources.filter((resource) => resource.group === group.key).map(rowOf),
      }))
    : [{ rows: resources.map(rowOf) }];
  return {
    columns: [...(isLive ? ["now"] : ["at least", "at most"]), perMonth],
    sections,
    total: totalOf("total", report.total),
  };
}

function amountsOf({ min, max, now, before, beforeMin }: CostedResource["hourly"], isLive: boolean): string[] {
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

/** `Deployment chat`: by its name in the program, where it has one. An audit knows an object by its name alone. */
export const titleOf = ({ kind, name, urn }: Pick<CostedResource, "kind" | "name" | "urn">): string =>
  `${kind} ${urn?.includes("::") ? resourceNameIn(urn) : lastSegment(name)}`;

/** `acme, shop/dev`: names of different accounts and stacks may be the same. */
function placeOf({ account, stack }: CostedResource, { resources }: CostReport): string {
  const places = new Set(resources.map((each) => JSON.stringify([each.account, each.stack])));
  return places.size < 2
    ? ""
    : [account, ...(stack === undefined ? [] : [stack.replace(/^organization\//, "")])].join(", ");
}

/** `2 × VENDOR1_H100_80GB × 1–4`: accelerators of a replica, and how many replicas there may be. */
function quantityText({ quantity }: CostedResource): string {
  if (!quantity) return "";
  const { acceleratorType, perReplica, min, max, revocable, now } = quantity;
  const range = min === max ? String(max) : `${min}–${max}`;
  const replicas = now === undefined ? range : `${now} now`;
  return `${replicas}${revocable === undefined ? "" : ` + ${revocable} revocable`} × ${perReplica} ${acceleratorType}`;
}

const dearestFirst = <T extends { hourly: CostedResource["hourly"] }>(costs: readonly T[]): T[] =>
  [...costs].sort((one, other) => ascending(dearness(other), dearness(one)));

const dearness = ({ hourly: { now, max, min } }: { hourly: CostedResource["hourly"] }): Nanos =>
  nanosIn(now ?? max ?? min ?? "0") ?? 0n;

/** Where a report is displayed. */
export interface CostContext {
  /** Characters in a line. */
  columns: number;
}

export type CostWriter = Render<CostReport, CostContext>;
