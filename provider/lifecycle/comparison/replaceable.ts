import { type DiffAnswer, type FieldChange, replacedFor } from "../../core/comparison/diff";
import { recordsIn } from "../../core/declaration/own-records";
import type { ResourceSpec } from "../../core/declaration/resource";
import { ModelPlatformError } from "../../core/errors";
import { lastSegment } from "../../core/values/names";
import type { Values } from "../types";

/**
 * Some objects are never replaced automatically (A050), and some never under the same id (A072). Unknown values may
 * turn out unchanged.
 */
export function refuseReplacement(
  { kind, identity, fields: { resourceId } }: ResourceSpec,
  id: string,
  changes: readonly FieldChange[],
  inputs: Values,
): void {
  const replacing = replacedFor(changes);
  if (replacing.length === 0) return;
  const because = replacing.map((name) => `\`${name}\``).join(", ");
  if (identity.neverReplaced) {
    throw new ModelPlatformError(
      `${kind} ${id} would have to be replaced because of ${because}, and that is never done automatically`,
      {
        advice: "Set the field back, or declare a new resource and remove this one.",
      },
    );
  }
  const chosen = resourceId && inputs[resourceId.name];
  if (!identity.neverReused || chosen !== lastSegment(id) || replacing.includes("accountId")) return;
  throw new ModelPlatformError(
    `${kind} ${id}: ${because} starts a new run, and the id \`${chosen}\` can never be used again`,
    { advice: `Give a new \`${resourceId!.name}\` or drop it.` },
  );
}

/** Deleting an adopted object retains it, so that nothing can take its id or natural key. */
export function refuseInPlaceOfAdopted({ kind }: ResourceSpec, id: string, outputs: Values, answer: DiffAnswer): void {
  if (recordsIn(outputs).adopted !== true || !answer.deleteBeforeReplace) return;
  const because = answer.replaces.map((name) => `\`${name}\``).join(", ");
  throw new ModelPlatformError(
    `${kind} ${id} would have to be replaced because of ${because}; it was adopted, and deletion retains adopted objects`,
    {
      advice: "Set the field back, declare a new id, or delete the object yourself and run `refresh`, then `up`.",
    },
  );
}
