import type { ResourceSpec } from "../declaration/resource";
import type { Field } from "../fields/fields";
import { pathText, type Segment, topLevel, type Values, valueAt } from "../values/values";

/** Paths that a program sets: fields, and members of messages; lists and maps as a whole. Sorted, without values. */
export function managedFields(spec: ResourceSpec, inputs: Values): string[] {
  const { message, resourceId } = spec.fields;
  return managedPaths(resourceId ? [resourceId, ...message] : message, inputs, []).sort();
}

function managedPaths(fields: readonly Field[], values: Values, parent: readonly Segment[]): string[] {
  return fields.flatMap((field) => {
    const value = values[field.name];
    if (value === undefined) return [];
    const path = [...parent, field.name];
    const members =
      field.type === "object" && value !== null && typeof value === "object"
        ? managedPaths(field.fields ?? [], value as Values, path)
        : [];
    return [pathText(path), ...members];
  });
}

/**
 * What the program wants of each field: what it sets, and for what it no longer sets what the field's
 * `onRemoval` says (A035). A field that is in neither is the service's own business, and so is what a shape in
 * use decides, even of `live` only (A031, A047).
 */
export function desiredFields(
  spec: ResourceSpec,
  inputs: Values,
  recorded: readonly string[] = [],
  live: Values = {},
): Record<string, unknown> {
  const removed = new Set(recorded);
  const desired: Record<string, unknown> = {};
  for (const field of spec.fields.message) {
    const value = inputs[field.name];
    if (value !== undefined) desired[field.name] = withRemovedMembers(field, value, removed);
    else if (removed.has(field.name) && !isOwned(field, { ...live, ...inputs }))
      Object.assign(desired, afterRemoval(field, inputs));
  }
  return desired;
}

/**
 * Paths that the previous program set, that the current one does not, and that keep their values at the service. Fields
 * that are cleared, reset, sent as a whole, never answered, or decided by a shape from now on are not among them: one
 * that was set beside a shape stays where the shape is silent.
 */
export function releasedPaths(spec: ResourceSpec, before: Values, now: Values): string[] {
  const still = new Set(managedFields(spec, now));
  const removedPaths = managedFields(spec, before).filter((path) => !still.has(path));
  return removedPaths.filter((path) => {
    const field = spec.fields.message.find(({ name }) => name === topLevel(path));
    const at = field?.path === path ? field : field?.fields?.find((member) => member.path === path);
    if (field?.markers.whole && at !== field) return false;
    if (!field || !at || removedPaths.includes(topLevel(path)) !== (at === field)) return false;
    const { onRemoval = "keep", inputOnly, recordedOnly, deprecated, outputOnly } = at.markers;
    if (onRemoval !== "keep" || inputOnly || recordedOnly || deprecated || outputOnly) return false;
    const isTakenOver = isOwned(field, now) && !isOwned(field, before);
    return !isTakenOver && valueAt(before, path) !== null && now[field.name] !== null;
  });
}

function afterRemoval(field: Field, inputs: Values): Values {
  switch (field.markers.onRemoval ?? "keep") {
    case "keep":
      return {};
    case "clear":
      return { [field.name]: null };
    case "reset":
      return { [field.name]: resetValue(field, inputs) };
  }
}

/** The documented default of a field. */
export function resetValue(field: Field, inputs: Values): unknown {
  const { resetTo } = field.markers;
  if (typeof resetTo !== "object") return resetTo ?? null;
  const [other, least] = resetTo.largerOf;
  const value = inputs[other];
  return typeof value === "number" ? Math.max(value, least) : (value ?? least);
}

/** Whether another object decides the field now, since `values` refer to one (A047). */
export function isOwned({ markers: { ownedBy } }: Field, values: Values): boolean {
  const owner = ownedBy && values[ownedBy.field];
  return typeof owner === "string" && owner !== "";
}

/** Members of a message that the program has stopped setting are cleared where their field says so. */
function withRemovedMembers(field: Field, value: unknown, removed: ReadonlySet<string>): unknown {
  if (field.type !== "object" || value === null || typeof value !== "object") return value;
  const cleared = (field.fields ?? []).filter(
    (member) =>
      (value as Values)[member.name] === undefined && removed.has(member.path) && member.markers.onRemoval === "clear",
  );
  return { ...value, ...Object.fromEntries(cleared.map((member) => [member.name, null])) };
}
