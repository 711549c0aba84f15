import { createHash, timingSafeEqual } from "node:crypto";
import type { Unchanged } from "../../core/comparison/diff";
import type { ResourceSpec } from "../../core/declaration/resource";
import { isUnknown } from "../../core/values/unknowns";
import type { Values } from "../types";

/** Salted digest of a value that is never answered: it detects a change, and is a secret itself (A054). */
function digestOf(value: string, salt: string): string {
  return `${salt}:${createHash("sha256").update(salt).update(value).digest("hex")}`;
}

function matches(value: string, digest: string): boolean {
  const [salt = ""] = digest.split(":");
  const [left, right] = [Buffer.from(digestOf(value, salt)), Buffer.from(digest)];
  return left.length === right.length && timingSafeEqual(left, right);
}

/** Digests to record, one per field that the service accepts and never answers. */
export function digestsOf(
  spec: ResourceSpec,
  values: Values,
  randomHex: (bytes: number) => string,
): Record<string, string> {
  const fields = spec.fields.message.filter(
    (field) => field.markers.inputOnly && typeof values[field.name] === "string",
  );
  return Object.fromEntries(fields.map((field) => [field.name, digestOf(String(values[field.name]), randomHex(16))]));
}

/**
 * Compares never-answered fields of a diff by their digests; `values` holds what the program's own sources give now.
 */
export const unchangedBy =
  (values: Values): Unchanged =>
  (field, inputs, digest) => {
    const value = values[field.name] ?? inputs[field.name];
    if (value === undefined || value === null) return true;
    if (isUnknown(value) || digest === undefined) return false;
    return matches(String(value), digest);
  };
