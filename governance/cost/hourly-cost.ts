import { resetValue } from "../../provider/core/comparison/desired";
import type { HourlyBilling } from "../../provider/core/declaration/billing";
import type { ResourceSpec } from "../../provider/core/declaration/resource";
import { ascending, groupBy } from "../../provider/core/values/grouping";
import { isUnknown, type Values, valueAt } from "../../provider/core/values/values";
import { regionMeanings } from "../../provider/resources/regions";
import { type Figure, knownFigure, type Nanos, roundDivision, whole } from "./money";
import { geographyOf, hourlyPrice, type PriceRange, type Prices, paidShare } from "./prices";
import type { Bounds, Quantity } from "./report";
import type { Basis, CostSubject, Lookups, ObjectState } from "./subject";

/** What one replica runs on. */
interface Hardware {
  acceleratorType: string;
  perReplica: number;
}

const later = "is known only once the program has run";

/**
 * The hardware of a replica: what the program says and, for an object that is there, what is recorded, both of which
 * are in `values`; else what its shape says. Where several shapes may be taken, all that they run on.
 */
function hardwareOf(
  spec: ResourceSpec,
  billing: HourlyBilling,
  values: Values,
  candidates: Lookups["shapes"],
): Hardware[] | { unknown: string } {
  const own = declaredHardware(values, billing);
  if (own.type !== undefined && own.count !== undefined) return [{ acceleratorType: own.type, perReplica: own.count }];
  const input = shapeOf(spec, billing, values);
  if (typeof input !== "string") return input;
  if (!candidates)
    return {
      unknown: `what the shape ${JSON.stringify(input)} runs on is read from the service, which takes an API key`,
    };
  if ("unknown" in candidates) return candidates;
  if (candidates.length === 0)
    return { unknown: `the service has no validated shape that fits ${JSON.stringify(input)}` };
  const all = candidates.map(({ name, snapshot }) => {
    const declared = declaredHardware(snapshot, billing);
    return { name, type: own.type ?? declared.type, count: own.count ?? declared.count };
  });
  const silent = all.find(({ type, count }) => type === undefined || count === undefined);
  if (silent) return { unknown: `the shape ${silent.name} does not say what it runs on` };
  const distinct = groupBy(all, ({ type, count }) => `${count} ${type}`);
  return [...distinct.values()].map(([one]) => ({ acceleratorType: one!.type!, perReplica: one!.count! }));
}

/** The shape that has to be looked up for the hardware; or why that would not help. */
function shapeOf(spec: ResourceSpec, { accelerator }: HourlyBilling, values: Values): string | { unknown: string } {
  const open = [accelerator.type, accelerator.count].find((name) => isUnknown(values[name]));
  if (open !== undefined) return { unknown: `\`${open}\` ${later}` };
  const shape = spec.preflight?.shape;
  const input = shape && values[shape.at];
  if (!shape || typeof input !== "string" || input === "")
    return { unknown: `the program sets neither \`${accelerator.type}\` and \`${accelerator.count}\` nor a shape` };
  return isUnknown(input) ? { unknown: `\`${shape.at}\` ${later}` } : input;
}

/** Whether the hardware is known only by a shape. */
export function needsShape(spec: ResourceSpec, billing: HourlyBilling, values: Values): boolean {
  const { type, count } = declaredHardware(values, billing);
  return (type === undefined || count === undefined) && typeof shapeOf(spec, billing, values) === "string";
}

function declaredHardware(
  values: Values,
  { accelerator }: HourlyBilling,
): { type?: string | undefined; count?: number | undefined } {
  const [type, count] = [valueAt(values, accelerator.type), valueAt(values, accelerator.count)];
  const isType = typeof type === "string" && type !== "" && !type.endsWith("_UNSPECIFIED");
  const isCount = Number.isSafeInteger(count) && (count as number) > 0;
  return { type: isType ? type : undefined, count: isCount ? (count as number) : undefined };
}

/** How many replicas are paid for: those at the full price, and those on revocable capacity. */
interface Replicas {
  full: number;
  revocable: number;
}

type ReplicaCount = Replicas | { unknown: string };

/** A service or a file may say anything. */
const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;

/** At the least, at the most, and now. A bound that nobody sets is the documented default. */
function replicasOf(spec: ResourceSpec, { replicas }: HourlyBilling, values: Values) {
  const bound = (name: string): number | { unknown: string } => {
    const field = spec.fields.message.find((each) => each.name === name)!;
    const value = values[name] ?? resetValue(field, values);
    if (isCount(value)) return value;
    return {
      unknown: isUnknown(value)
        ? `\`${name}\` is known only once the program has run`
        : `\`${name}\` is not a number of replicas`,
    };
  };
  const least = bound(replicas.least);
  const most = bound(replicas.most);
  const withRevocable =
    (values[replicas.withRevocable] ?? undefined) === undefined ? most : bound(replicas.withRevocable);
  const split = (all: number): ReplicaCount => {
    if (typeof most !== "number") return most;
    return { full: Math.min(all, most), revocable: Math.max(0, all - most) };
  };
  const mostOfAll = (): ReplicaCount => {
    if (typeof most !== "number") return most;
    if (typeof withRevocable !== "number") return withRevocable;
    return { full: most, revocable: Math.max(0, withRevocable - most) };
  };
  const now = values[replicas.now] ?? 0;
  return {
    least: typeof least === "number" ? { full: least, revocable: 0 } : least,
    most: mostOfAll(),
    /** More than `most` run only on revocable capacity. An absent number is 0 (A094). */
    now: isCount(now) ? split(now) : { unknown: `\`${replicas.now}\` is not a number of replicas` },
  };
}

const allRegions = Object.keys(regionMeanings).filter((region) => !region.endsWith("_UNSPECIFIED"));

const isNamed = (place: unknown): place is string =>
  typeof place === "string" && place !== "" && !place.endsWith("_UNSPECIFIED");

/**
 * The regions that replicas may run in: the one they run in, else those of the placement, else all. Undefined where the
 * placement is not known yet.
 */
function possibleRegions(spec: ResourceSpec, billing: HourlyBilling, values: Values): string[] | undefined {
  const now = values[billing.region];
  if (isNamed(now) && !isUnknown(now)) return [now];
  const field = spec.preflight?.placement?.field;
  const places = field === undefined ? [] : placesIn(values[field]);
  if (places.some(isUnknown)) return undefined;
  const named = places.filter(isNamed);
  return named.length === 0 ? allRegions : [...new Set(named.flatMap(regionsOf))];
}

function placesIn(value: unknown): unknown[] {
  if (Array.isArray(value)) return value.flatMap(placesIn);
  return value !== null && typeof value === "object" ? Object.values(value).flatMap(placesIn) : [value ?? undefined];
}

/** The regions of a name: itself, those of a geography, or all for `GLOBAL`. */
function regionsOf(place: string): string[] {
  const inside = allRegions.filter((region) => geographyOf(region) === place);
  if (inside.length > 0) return inside;
  return place === "GLOBAL" ? allRegions : [place];
}

/** What the service takes by the hour. */
interface HourlyCost extends Bounds {
  now: Figure;
  counted?: CountedHardware | undefined;
}

type CountedHardware = Hardware & { replicas: ReturnType<typeof replicasOf> };

export function hourlyCost(
  { spec, account }: Pick<CostSubject, "spec" | "account">,
  billing: HourlyBilling,
  situation: ObjectState,
  { lookups, ...basis }: Basis & { lookups: Lookups },
): HourlyCost {
  if (situation === "none") return { least: knownFigure(0n), most: knownFigure(0n), now: knownFigure(0n) };
  const replicas = replicasOf(spec, billing, situation);
  const hardware = hardwareOf(spec, billing, situation, lookups.shapes);
  const regions = possibleRegions(spec, billing, situation);
  const isPreemptible = situation[billing.preemptible];
  const cost = (counted: ReplicaCount, bound: "least" | "most"): Figure =>
    "unknown" in hardware
      ? costOf(counted, { ...basis, account, hardware, price: hardware, bound, isPreemptible })
      : outermost(
          hardware.map((each) => {
            const price = priceOf(each, regions, basis);
            return costOf(counted, { ...basis, account, hardware: each, price, bound, isPreemptible });
          }),
          bound,
        );
  return {
    least: cost(replicas.least, "least"),
    most: cost(replicas.most, "most"),
    now: cost(replicas.now, "most"),
    counted: "unknown" in hardware || hardware.length > 1 ? undefined : { ...hardware[0]!, replicas },
  };
}

/** The cheapest or the dearest of what may be taken; unknown as soon as one of them is. */
function outermost(figures: readonly Figure[], bound: "least" | "most"): Figure {
  const unknown = figures.find((figure) => figure.unknown !== undefined);
  if (unknown) return unknown;
  const sorted = figures.map(({ nanos = 0n }) => nanos).sort(ascending);
  return knownFigure(bound === "least" ? sorted[0]! : sorted.at(-1)!);
}

const priceOf = (
  { acceleratorType }: Hardware,
  regions: ReturnType<typeof possibleRegions>,
  { prices, day }: Basis,
): PriceRange =>
  regions
    ? hourlyPrice(prices, acceleratorType, regions, day)
    : { unknown: "where it may run is known only once the program has run" };

interface Rate extends Basis {
  account: string;
  hardware: Hardware | { unknown: string };
  price: PriceRange;
  bound: "least" | "most";
  isPreemptible: unknown;
}

/** No replicas cost nothing, on any hardware. Everything is multiplied exactly, then rounded once. */
function costOf(counted: ReplicaCount, { prices, day, account, hardware, price, bound, isPreemptible }: Rate): Figure {
  if ("unknown" in counted) return counted;
  const { full, revocable } = counted;
  if (full + revocable === 0) return knownFigure(0n);
  if ("unknown" in hardware) return hardware;
  if ("unknown" in price) return price;
  const shares = sharesIn(prices, isPreemptible, revocable > 0);
  if ("unknown" in shares) return shares;
  const replicas = BigInt(full) * shares.full + BigInt(revocable) * shares.revocable;
  const hourly = price[bound] * BigInt(hardware.perReplica) * replicas * paidShare(prices, account, day);
  return knownFigure(roundDivision(hourly, whole * whole));
}

/** The parts of the price that full and revocable replicas cost. */
function sharesIn(
  { preemptible, revocable }: Prices,
  isPreemptible: unknown,
  needsRevocable: boolean,
): { full: Nanos; revocable: Nanos } | { unknown: string } {
  if (isUnknown(isPreemptible)) return { unknown: "whether it is preemptible is known only once the program has run" };
  if (isPreemptible === true && needsRevocable)
    return { unknown: "the price file cannot say what capacity costs that is both preemptible and revocable" };
  if (isPreemptible === true)
    return preemptible === undefined
      ? { unknown: "the price file gives no share for preemptible capacity (`preemptible`)" }
      : { full: preemptible, revocable: 0n };
  if (needsRevocable && revocable === undefined)
    return { unknown: "the price file gives no share for revocable capacity (`revocable`)" };
  return { full: whole, revocable: revocable ?? 0n };
}

/** Leaves out unknown bounds, so that none is displayed as a number. */
export function quantityOf({ replicas, ...hardware }: CountedHardware, isLive: boolean): Quantity | undefined {
  const { least, most, now } = replicas;
  if ("unknown" in least || "unknown" in most) return undefined;
  return {
    acceleratorType: hardware.acceleratorType,
    perReplica: hardware.perReplica,
    min: least.full,
    max: most.full,
    revocable: most.revocable || undefined,
    now: isLive && !("unknown" in now) ? now.full + now.revocable : undefined,
  };
}
