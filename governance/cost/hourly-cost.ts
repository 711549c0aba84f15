import type { HourlyBilling } from "../../provider/core/rules/billing";
import { isUnknown } from "../../provider/core/values/unknowns";
import { type Hardware, hardwareOf, possibleRegions, type ReplicaCount, replicasOf } from "./capacity";
import { type Figure, knownFigure, type Nanos, roundDivision, whole } from "./money";
import { hourlyPrice, type PriceRange, type Prices, paidShare } from "./prices";
import type { Bounds, Quantity } from "./report";
import type { Basis, CostSubject, Lookups, ObjectState } from "./subject";

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
  const price = "unknown" in hardware ? hardware : priceOf(hardware, regions, basis);
  const cost = (counted: ReplicaCount, bound: "least" | "most"): Figure =>
    costOf(counted, { ...basis, account, hardware, price, bound, isPreemptible: situation[billing.preemptible] });
  return {
    least: cost(replicas.least, "least"),
    most: cost(replicas.most, "most"),
    now: cost(replicas.now, "most"),
    counted: "unknown" in hardware ? undefined : { ...hardware, replicas },
  };
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

/** No replicas cost nothing, whatever they would run on. Everything is multiplied exactly, then rounded once. */
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

/** Bounds that are not known yet are left out of what is shown, so that none stands there as a number. */
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
