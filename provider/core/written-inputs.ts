import { check } from "./check";
import { resetValue } from "./comparison/desired";
import { changesBetween } from "./comparison/diff";
import type { ResourceSpec } from "./declaration/resource";
import { goalOf, hasReached, phaseOf } from "./declaration/states";
import { differences, durationSeconds, isUnset } from "./fields/equality";
import type { Field } from "./fields/fields";
import { isOwnerKey } from "./fields/owner";
import { accountOf, lastSegment } from "./values/names";
import { shortestFloat32, type Values } from "./values/values";

/** A value that a program takes from its config, because it is a secret: no answer's value of it is written down. */
export class SecretPlaceholder {
  constructor(
    readonly field: Field,
    /** Whether the service is known to have a value. */
    readonly isSet: boolean,
  ) {}
}

/**
 * The inputs that a person would write for a live object: what is neither the service's own, nor its default, nor
 * decided by another field. Values are in their usual spelling; secrets are `Sealed`.
 */
export function writtenInputs(spec: ResourceSpec, live: Values): Record<string, unknown> {
  const { resourceId, message } = spec.fields;
  const id = resourceId ? { [resourceId.name]: lastSegment(String(live["name"])) } : {};
  const inputs = { ...id, ...members(message, live, live) };
  return { ...inputs, ...restingGoal(spec, live, inputs) };
}

function members(fields: readonly Field[], values: Values, live: Values): Record<string, unknown> {
  const written = fields.map((field) => [field.name, valueOf(field, values[field.name], live)] as const);
  return Object.fromEntries(written.filter(([, value]) => value !== undefined));
}

function valueOf(field: Field, value: unknown, live: Values): unknown {
  const { markers } = field;
  if (markers.volatile || markers.outputOnly || markers.deprecated || markers.serverMoved) return undefined;
  if (markers.inputOnly) return new SecretPlaceholder(field, field.path === field.name);
  if (markers.ownedBy && !isEmpty(live[markers.ownedBy.field])) return undefined;
  if (isEmpty(value) || isDefault(field, value, live)) return undefined;
  if (markers.secret && !field.fields) return new SecretPlaceholder(field, true);
  return inPreferredSpelling(field, value, live);
}

/** What a person would write for the live value of a field; undefined if the object has that value by default. */
export const writtenValue = (field: Field, value: unknown, live: Values): unknown =>
  isEmpty(value) || isDefault(field, value, live) ? undefined : inPreferredSpelling(field, value, live);

const isEmpty = (value: unknown): boolean => value === undefined || value === null || value === "";

/** Whether a program gets the value without setting it. Required members of a message are always written. */
function isDefault(field: Field, value: unknown, live: Values): boolean {
  if (field.required) return false;
  if (differences(field, resetValue(field, live), value).length === 0) return true;
  return isUnset(field, value) && !(field.markers.zero === "value" && typeof value === "number");
}

/** The value in the spelling that people use; one of another type than the field's stays as it is. */
export function inPreferredSpelling(field: Field, value: unknown, live: Values): unknown {
  if (Array.isArray(value)) return field.item ? arrayOf(field, value, live) : value;
  if (typeof value === "object" && value !== null)
    return field.type === "map" ? mapOf(field, value as Values, live) : messageOf(field, value as Values, live);
  if (typeof value === "number") return field.markers.float32 ? shortestFloat32(value) : value;
  if (typeof value !== "string") return value;
  if (field.markers.sameAs === "duration") return duration(value);
  return field.markers.sameAs === "resolvedVersion" ? value.replace(/\/versions\/[^/]+$/, "") : value;
}

/** Members that are not declared are the service's; a message of which only unset ones are left is unset. */
function messageOf(field: Field, value: Values, live: Values): unknown {
  if (!field.fields || field.fields.length === 0) return value;
  const written = members(field.fields, value, live);
  return Object.values(written).every((member) => member instanceof SecretPlaceholder) ? undefined : written;
}

function mapOf(field: Field, value: Values, live: Values): unknown {
  const { item, markers } = field;
  const own = Object.entries(value).filter(
    ([key]) => key.startsWith(markers.keyPrefix ?? "") && !isOwnerKey(field, key),
  );
  return own.length === 0
    ? undefined
    : Object.fromEntries(own.map(([key, member]) => [key, inPreferredSpelling(item!, member, live)]));
}

function arrayOf({ item, markers: { setOf } }: Field, value: readonly unknown[], live: Values): unknown {
  const entries = value.map((entry) => inPreferredSpelling(item!, entry, live));
  if (setOf === undefined) return entries;
  const order = (entry: unknown): string =>
    String(typeof setOf === "string" ? (entry as Values | null)?.[setOf] : entry);
  return entries.sort((a, b) => (order(a) < order(b) ? -1 : 1));
}

/** A duration in the largest unit that it is whole in. */
export function duration(value: string): string {
  const seconds = durationSeconds(value);
  if (!(seconds > 0)) return value;
  const unit = [
    { name: "h", seconds: 3600 },
    { name: "m", seconds: 60 },
  ].find((candidate) => seconds % candidate.seconds === 0);
  return unit ? `${seconds / unit.seconds}${unit.name}` : `${seconds}s`;
}

/** An object that rests before the usual goal would be waited for in vain. */
function restingGoal({ lifecycle }: ResourceSpec, live: Values, inputs: Values): Values {
  if (!lifecycle || phaseOf(lifecycle, live) !== "resting" || hasReached(lifecycle, live, goalOf(lifecycle, inputs)))
    return {};
  const goal = Object.keys(lifecycle.goals ?? {}).find((candidate) => hasReached(lifecycle, live, candidate));
  return goal === undefined ? {} : { waitFor: goal };
}

/** Inputs as they will be once the config has its secrets: those that are answered are as they are answered. */
export const withSecretsFilled = (inputs: Values, live: Values): Record<string, unknown> =>
  Object.fromEntries(Object.entries(inputs).map(([name, value]) => [name, fillSecrets(value, live[name])]));

/** Why a program with these inputs, secrets unsealed, would not declare the live object as it is; empty if it would. */
export function objections(spec: ResourceSpec, live: Values, inputs: Values): string[] {
  const { failures } = check(spec, {}, inputs);
  if (failures.length > 0)
    return failures.map(({ property, reason }) => (property === "" ? reason : `\`${property}\` ${reason}`));
  const recorded = { ...live, accountId: accountOf(String(live["name"])) };
  const changes = changesBetween(spec, recorded, inputs).filter(({ effect }) => effect !== "record");
  return changes.map(({ path }) => `\`${path}\` cannot be written so that it equals what is there`);
}

function fillSecrets(value: unknown, live: unknown): unknown {
  if (value instanceof SecretPlaceholder) return live ?? (value.isSet ? "secret" : undefined);
  if (value === null || typeof value !== "object" || Array.isArray(value)) return value;
  const entries = Object.entries(value).map(
    ([name, member]) => [name, fillSecrets(member, (live as Values | undefined)?.[name])] as const,
  );
  return Object.fromEntries(entries.filter(([, member]) => member !== undefined));
}
