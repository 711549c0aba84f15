import type { ResourceSpec } from "../../provider/core/declaration/resource";
import type { HourlyBilling } from "../../provider/core/rules/billing";
import { valueAt } from "../../provider/core/values/paths";
import { isUnknown } from "../../provider/core/values/unknowns";
import type { Values } from "../../provider/core/values/values";
import type { Lookups } from "./lookups";

/** What one replica runs on. */
export interface Hardware {
  acceleratorType: string;
  perReplica: number;
}

const later = "is known only once the program has run";

/**
 * The hardware of a replica: what the program says and, for an object that is there, what is recorded, both of which
 * are in `values`; else what its shape says.
 */
export function hardwareOf(
  spec: ResourceSpec,
  billing: HourlyBilling,
  values: Values,
  candidates: Lookups["shapes"],
): Hardware | { unknown: string } {
  const own = saidBy(values, billing);
  if (own.type !== undefined && own.count !== undefined) return { acceleratorType: own.type, perReplica: own.count };
  const input = shapeOf(spec, billing, values);
  if (typeof input !== "string") return input;
  if (!candidates)
    return {
      unknown: `what the shape ${JSON.stringify(input)} runs on is read from the service, which takes an API key`,
    };
  if ("unknown" in candidates) return candidates;
  if (candidates.length === 0)
    return { unknown: `the service has no validated shape that fits ${JSON.stringify(input)}` };
  const found = candidates.map(({ name, snapshot }) => {
    const said = saidBy(snapshot, billing);
    return { name, type: own.type ?? said.type, count: own.count ?? said.count };
  });
  const [first] = found;
  const { type, count } = first!;
  if (found.some((other) => other.type !== type || other.count !== count))
    return {
      unknown: `several shapes match and differ: ${found.map(({ name, ...each }) => `${name} (${each.count ?? "?"} × ${each.type ?? "?"})`).join(", ")}. Name one, or set \`${billing.accelerator.type}\``,
    };
  return type === undefined || count === undefined
    ? { unknown: `the shape ${first!.name} does not say what it runs on` }
    : { acceleratorType: type, perReplica: count };
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
  const { type, count } = saidBy(values, billing);
  return (type === undefined || count === undefined) && typeof shapeOf(spec, billing, values) === "string";
}

function saidBy(
  values: Values,
  { accelerator }: HourlyBilling,
): { type?: string | undefined; count?: number | undefined } {
  const [type, count] = [valueAt(values, accelerator.type), valueAt(values, accelerator.count)];
  const isType = typeof type === "string" && type !== "" && !type.endsWith("_UNSPECIFIED");
  const isCount = Number.isSafeInteger(count) && (count as number) > 0;
  return { type: isType ? type : undefined, count: isCount ? (count as number) : undefined };
}
