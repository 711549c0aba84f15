import { resourceNameIn } from "../../../provider/core/fields/tokens";
import { lastSegment } from "../../../provider/core/values/names";
import { ascending } from "../../../provider/core/values/order";
import { decimal, monthHours, nanosIn, spelled } from "../money";
import type { CostedResource, CostReport, CostTotal } from "../report";

/** Phrases that the formats share. They hold names that others have written, so they are not safe to print yet. */

/** `Deployment chat`: by its name in the program, where it has one. An audit knows an object by its name alone. */
export const titleOf = ({ kind, name, urn }: Pick<CostedResource, "kind" | "name" | "urn">): string =>
  `${kind} ${urn?.includes("::") ? resourceNameIn(urn) : lastSegment(name)}`;

/** An amount for people; a question mark where it is not known. */
export const amount = (text: string | undefined): string => (text === undefined ? "?" : spelled(nanosIn(text) ?? 0n));

/** `8.00 → 32.00` where it changes. */
const change = (before: string | undefined, after: string | undefined): string =>
  before === undefined || before === after ? amount(after) : `${amount(before)} → ${amount(after)}`;

/** `2 × VENDOR1_H100_80GB × 1–4`: accelerators of a replica, and how many replicas there may be. */
function quantityText({ quantity }: CostedResource): string {
  if (!quantity) return "";
  const { acceleratorType, perReplica, min, max, revocable, now } = quantity;
  const range = min === max ? String(max) : `${min}–${max}`;
  const replicas = now === undefined ? range : `${now} now`;
  return `${replicas}${revocable === undefined ? "" : ` + ${revocable} revocable`} × ${perReplica} ${acceleratorType}`;
}

/** One row of the table, by column. */
export interface Row {
  title: string;
  /** Account and stack; empty where all resources have the same. */
  place: string;
  quantity: string;
  least: string;
  most: string;
  now?: string | undefined;
  month: string;
}

const times730 = (text: string | undefined): string | undefined =>
  text === undefined ? undefined : decimal((nanosIn(text) ?? 0n) * monthHours);

export const hasNow = ({ total }: CostReport): boolean => total.hourly.now !== undefined;

/** Columns of what an hour costs: what is live now, or what may be. */
export const hourlyColumns = (report: CostReport): readonly string[] =>
  hasNow(report) ? ["now"] : ["at least", "at most"];

/** What a row has in these columns, and per month. */
export const amountsOf = (report: CostReport, { now, least, most, month }: Row): readonly string[] => [
  ...(hasNow(report) ? [now ?? ""] : [least, most]),
  month,
];

function rowOf(resource: CostedResource, report: CostReport): Row {
  const { min, max, now, before, beforeMin } = resource.hourly;
  const month = now ?? max;
  return {
    title: titleOf(resource),
    place: placeOf(resource, report),
    quantity: quantityText(resource),
    least: change(beforeMin, min),
    most: change(before, max),
    now: now === undefined ? undefined : amount(now),
    month: change(now === undefined ? times730(before) : undefined, times730(month)),
  };
}

export function totalRow(title: string, { hourly, monthly }: CostTotal): Row {
  const { min, max, now, before, beforeMin } = hourly;
  return {
    title,
    place: "",
    quantity: "",
    least: change(beforeMin, min),
    most: change(before, max),
    now: now === undefined ? undefined : amount(now),
    month: now === undefined ? change(times730(before), monthly) : amount(times730(now)),
  };
}

/** `acme, shop/dev`: names of different accounts and stacks may be the same. */
function placeOf({ account, stack }: CostedResource, { resources }: CostReport): string {
  const places = new Set(resources.map((each) => JSON.stringify([each.account, each.stack])));
  return places.size < 2
    ? ""
    : [account, ...(stack === undefined ? [] : [stack.replace(/^organization\//, "")])].join(", ");
}

/** Resources that are paid for by the hour, the dearest first, and those that are paid for once. */
export const byTheHour = ({ resources }: CostReport): CostedResource[] =>
  resources.filter(({ once }) => !once).sort((one, other) => ascending(dearness(other.hourly), dearness(one.hourly)));
export const onceOnly = ({ resources }: CostReport): CostedResource[] => resources.filter(({ once }) => once);

const dearness = ({
  now,
  max,
  min,
}: {
  now?: string | undefined;
  max?: string | undefined;
  min?: string | undefined;
}) => nanosIn(now ?? max ?? min ?? "0") ?? 0n;

/** Rows under the total of their group, the dearest group first; without groups one section without a heading. */
export function sectionsOf(report: CostReport): { heading?: Row; rows: Row[]; resources: CostedResource[] }[] {
  const all = byTheHour(report);
  const sectionOf = (resources: CostedResource[]) => ({
    resources,
    rows: resources.map((each) => rowOf(each, report)),
  });
  if (report.groups === undefined) return [sectionOf(all)];
  return [...report.groups]
    .sort((one, other) => ascending(dearness(other.hourly), dearness(one.hourly)))
    .map((group) => ({
      heading: totalRow(`${group.by} ${group.key}`, group),
      ...sectionOf(all.filter((resource) => resource.group === group.key)),
    }));
}

/** What the column of the month is called; a month has 730 hours. */
export const perMonth = "per month";

/** What is not known, with the reason. */
export const unknowns = ({ resources }: CostReport): { title: string; reason: string }[] =>
  resources.flatMap((resource) => {
    const reason = resource.hourly.unknown ?? resource.once?.unknown;
    return reason === undefined ? [] : [{ title: titleOf(resource), reason }];
  });

/** The report in one sentence. */
export function headline({ currency, total }: CostReport): string {
  const { hourly, unknown } = total;
  const least = amount(hourly.min);
  const most = amount(hourly.max);
  const range = `${least === most ? most : `${least} to ${most}`} ${currency} per hour`;
  const cost = hourly.now === undefined ? range : `${amount(hourly.now)} ${currency} per hour now`;
  return `Cost: ${cost}${unknown === 0 ? "" : `, and ${unknown} whose cost is not known`}`;
}
