import { markdownBlocks } from "../../io/text/report/markdown";
import type { Block, Cell, Phrase, ReportTree, Row } from "../../io/text/report/tree";
import { nanosIn } from "./money";
import type { CostedResource, CostReport } from "./report";
import { amount, amountsOf, dearestFirst, headline, placeOf, quantityText, titleOf, unknownText } from "./words";

/** As Markdown, for what has a heading of its own. */
export const tablesOf = (report: CostReport): string => markdownBlocks(treeOf(report).blocks);

/** What a report of costs says, in every format. */
export function treeOf(report: CostReport): ReportTree {
  return {
    title: headline(report),
    about: `Prices of ${report.day}, in ${report.currency}`,
    figures: figuresOf(report),
    blocks: [...hoursOf(report), ...runsOf(report), ...reasonsOf(report)],
  };
}

function figuresOf({ total, currency }: CostReport): NonNullable<ReportTree["figures"]> {
  const { hourly, monthly, once, unknown } = total;
  const most = unknown === 0 ? " at most" : ", without what is not known";
  return [
    ...(hourly.now === undefined ? [] : [{ amount: amount(hourly.now), says: `${currency} per hour now` }]),
    { amount: amount(hourly.min), says: `${currency} per hour at least` },
    { amount: amount(hourly.max), says: `${currency} per hour${most}` },
    { amount: amount(monthly), says: `${currency} per month${most}` },
    ...(once === "0" ? [] : [{ amount: amount(once), says: `${currency} once, for runs` }]),
    ...(unknown === 0 ? [] : [{ amount: String(unknown), says: "not known" }]),
  ];
}

/** What is paid for by the hour, the dearest first, under the total of its group. */
function hoursOf({ resources, groups, total, currency, day }: CostReport): Block[] {
  const hourly = dearestFirst(resources.filter(({ once }) => !once));
  if (hourly.length === 0) return [];
  const isLive = total.hourly.now !== undefined;
  const isPlaced = new Set(resources.map(placeOf)).size > 1;
  const largest = hourly.map(({ hourly: { max, min } }) => nanos(max ?? min)).reduce(greater);
  const cells = (title: Cell, amounts: readonly string[], more: { [name in "place" | "hardware" | "bar"]?: Cell }) => [
    title,
    ...(isPlaced ? [more.place ?? ""] : []),
    more.hardware ?? "",
    more.bar ?? "",
    ...amounts.map((own) => ({ own })),
  ];
  const rowOf = (resource: CostedResource): Row => ({
    cells: cells({ code: titleOf(resource) }, amountsOf(resource.hourly, isLive), {
      place: placeOf(resource),
      hardware: quantityText(resource),
      bar: barOf(resource, largest),
    }),
  });
  const rows = groups
    ? dearestFirst(groups).flatMap((group): Row[] => [
        {
          sum: "group",
          cells: cells(`${group.by} ${group.key}`, amountsOf(group.hourly, isLive), { hardware: unknownText(group) }),
        },
        ...hourly.filter((resource) => resource.group === group.key).map(rowOf),
      ])
    : hourly.map(rowOf);
  const bounds = isLive ? ["now"] : ["at least", "at most"];
  return [
    {
      ...{ kind: "table", caption: "By the hour" },
      columns: [
        { head: "resource", as: "name" },
        ...(isPlaced ? [{ head: "account, stack", as: "note" as const }] : []),
        { head: "hardware", as: "note" },
        { head: `from ${isLive ? "now" : "least"} to most`, as: "bar" },
        ...[...bounds, "per month"].map((head) => ({ head, as: "amount" as const })),
      ],
      rows: [
        ...rows,
        { sum: "total", cells: cells("total", amountsOf(total.hourly, isLive), { hardware: unknownText(total) }) },
      ],
    },
    {
      kind: "sentence",
      phrase: ["Amounts are in ", currency, " per hour, and per month of 730 hours, at the prices of ", day, "."],
    },
  ];
}

const nanos = (digits: string | undefined): bigint => nanosIn(digits ?? "0") ?? 0n;

const greater = (one: bigint, other: bigint): bigint => (one > other ? one : other);

/** The least, or what is now, and the most. */
function barOf({ hourly: { now, min, max } }: CostedResource, largest: bigint): Cell {
  const part = (of: string | undefined): string =>
    largest === 0n ? "0" : (Number((nanos(of) * 10_000n) / largest) / 100).toFixed(2);
  const least = now ?? min;
  return { bar: { inner: part(least), outer: part(max), says: `${amount(least)} to ${amount(max)}` } };
}

function runsOf({ resources, total }: CostReport): Block[] {
  const runs = resources.flatMap(({ once, ...run }): Row[] =>
    once ? [{ cells: [{ code: titleOf(run) }, { own: amount(once.amount) }] }] : [],
  );
  if (runs.length === 0) return [];
  return [
    {
      ...{ kind: "table", caption: "Once, for runs" },
      columns: [
        { head: "run", as: "name" },
        { head: "once", as: "amount" },
      ],
      rows: [...runs, { sum: "total", cells: ["total", { own: amount(total.once) }] }],
    },
  ];
}

function reasonsOf({ resources }: CostReport): Block[] {
  const items = resources.flatMap(({ hourly, once, ...resource }): Phrase[] => {
    const reason = hourly.unknown ?? once?.unknown;
    return reason === undefined ? [] : [[{ code: titleOf(resource) }, " is not known, because ", reason, "."]];
  });
  return items.length === 0 ? [] : [{ kind: "list", caption: "Not known", items }];
}
