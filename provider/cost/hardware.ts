import type { ResourceSpec } from "../core/declaration/resource";
import type { HourlyBilling } from "../core/rules/billing";
import { valueAt } from "../core/values/paths";
import { isUnknown } from "../core/values/unknowns";
import type { Values } from "../core/values/values";

/** What one replica runs on. */
export interface Hardware {
  acceleratorType: string;
  perReplica: number;
}

/** Versions of shapes that an object may be made from. */
export interface Candidate {
  name: string;
  snapshot: Values;
}

/** What the service says of its catalogue. Only reads. */
export interface Catalogue {
  /** The versions that the shape of `values` may stand for; or why that cannot be told. */
  shapes(spec: ResourceSpec, account: string, values: Values): Promise<readonly Candidate[] | { unknown: string }>;
  /** The base of a model, with the number of its parameters where the service tells it. */
  baseModel(
    spec: ResourceSpec,
    account: string,
    name: string,
  ): Promise<{ name: string; parameters: bigint | undefined } | { unknown: string }>;
}

const later = "is known only once the program has run";

/**
 * The hardware of a replica: what the program says and, for an object that is there, what is recorded, both of which
 * are in `values`; else what its shape says.
 */
export async function hardwareOf(
  catalogue: Catalogue | undefined,
  spec: ResourceSpec,
  account: string,
  billing: HourlyBilling,
  values: Values,
): Promise<Hardware | { unknown: string }> {
  const own = saidBy(values, billing);
  const open = [billing.accelerator.type, billing.accelerator.count].find((name) => isUnknown(values[name]));
  if (open !== undefined) return { unknown: `\`${open}\` ${later}` };
  if (own.type !== undefined && own.count !== undefined) return { acceleratorType: own.type, perReplica: own.count };
  const shape = spec.preflight?.shape;
  const input = shape && values[shape.at];
  if (!shape || typeof input !== "string" || input === "")
    return {
      unknown: `the program sets neither \`${billing.accelerator.type}\` and \`${billing.accelerator.count}\` nor a shape`,
    };
  if (isUnknown(input)) return { unknown: `\`${shape.at}\` ${later}` };
  if (!catalogue)
    return {
      unknown: `what \`${shape.at}\` ${JSON.stringify(input)} runs on is read from the service, and no API key is configured`,
    };
  const candidates = await catalogue.shapes(spec, account, values);
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

function saidBy(values: Values, { accelerator }: HourlyBilling): { type?: string; count?: number } {
  const [type, count] = [valueAt(values, accelerator.type), valueAt(values, accelerator.count)];
  return {
    ...(typeof type === "string" && type !== "" && !type.endsWith("_UNSPECIFIED") && { type }),
    ...(typeof count === "number" && count > 0 && { count }),
  };
}
