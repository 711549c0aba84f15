import type { ResourceSpec } from "../../provider/core/declaration/resource";
import type { HourlyBilling } from "../../provider/core/rules/billing";
import { isUnknown } from "../../provider/core/values/unknowns";
import type { Values } from "../../provider/core/values/values";
import { regionMeanings } from "../../provider/resources/regions";
import { geographyOf } from "./prices/prices";

const allRegions = Object.keys(regionMeanings).filter((region) => !region.endsWith("_UNSPECIFIED"));

const isNamed = (place: unknown): place is string =>
  typeof place === "string" && place !== "" && !place.endsWith("_UNSPECIFIED");

/**
 * The regions that replicas may run in: the one they run in, else those of the placement, else all. Undefined where the
 * placement is not known yet.
 */
export function possibleRegions(spec: ResourceSpec, billing: HourlyBilling, values: Values): string[] | undefined {
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

/** The regions that a name stands for: itself, those of a geography, or everything for `GLOBAL`. */
function regionsOf(place: string): string[] {
  const inside = allRegions.filter((region) => geographyOf(region) === place);
  if (inside.length > 0) return inside;
  return place === "GLOBAL" ? allRegions : [place];
}
