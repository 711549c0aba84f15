import { durationSeconds } from "../provider/core/fields/equality";
import type { Field } from "../provider/core/fields/fields";
import type { Convention } from "../provider/core/fields/markers";
import { closest, likelyTypoOf } from "../provider/core/values/closest";
import { pathText, type Segment } from "../provider/core/values/paths";
import type { Violation } from "./refusals";
import type { Fields } from "./types";

interface NormalizeContext {
  violations: Violation[];
  hidden: Fields;
  strict: boolean;
  enums: "closed" | "open";
}

/**
 * The value as the service keeps it: 32-bit numbers, durations in seconds, input-only values
 * taken out. Judges what the types do not say.
 */
export function normalizeValue(
  field: Field,
  value: unknown,
  path: readonly Segment[],
  settling: NormalizeContext,
): unknown {
  if (value === null || value === undefined) return value;
  if (field.markers.inputOnly) {
    settling.hidden[pathText(path)] = value;
    return undefined;
  }
  const { convention } = field.markers;
  if (settling.strict && convention && !followsConvention(convention, value))
    settling.violations.push({ field: pathText(path), description: `${convention.rule} (${convention.number})` });
  if (typeof value === "string") return normalizeText(field, value, path, settling);
  if (typeof value === "number") return field.markers.float32 ? Math.fround(value) : value;
  if (Array.isArray(value))
    return field.item
      ? value.map((entry, index) => normalizeValue(field.item!, entry, [...path, index], settling))
      : value;
  return field.type === "object" && typeof value === "object"
    ? normalizeMembers(field, value as Fields, path, settling)
    : value;
}

function normalizeText(
  field: Field,
  value: string,
  path: readonly Segment[],
  { violations, enums }: NormalizeContext,
): string {
  const { values, markers, format } = field;
  if (values && !field.closed && value !== "" && !values.includes(value)) {
    const near = likelyTypoOf(value, values);
    // Of an enum of which the description shows one value alone, the others are not known.
    const isUnknown = enums === "closed" && values.length > 1;
    const hint = near === undefined ? "" : `; did you mean \`${near}\`?`;
    if (near !== undefined || isUnknown)
      violations.push({ field: pathText(path), description: `\`${value}\` is not a value${hint}` });
  }
  if (format === "date-time" && !dateTime.test(value))
    violations.push({ field: pathText(path), description: "must be a time such as `2030-01-31T00:00:00Z`" });
  return markers.sameAs === "duration" && !Number.isNaN(durationSeconds(value)) ? `${durationSeconds(value)}s` : value;
}

const dateTime =
  /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])T([01]\d|2[0-3]):[0-5]\d:([0-5]\d|60)(\.\d+)?(Z|[+-][01]\d:[0-5]\d)$/i;

function normalizeMembers(field: Field, value: Fields, path: readonly Segment[], settling: NormalizeContext): Fields {
  const members = field.fields ?? [];
  const entries = Object.entries(value).flatMap(([name, member]) => {
    const declared = members.find((candidate) => candidate.name === name);
    if (!declared) {
      const near = closest(
        name,
        members.map((candidate) => candidate.name),
      );
      if (near !== undefined)
        settling.violations.push({
          field: pathText([...path, name]),
          description: `is not a field of the message; did you mean \`${near}\`?`,
        });
      return [[name, member]];
    }
    const settled = normalizeValue(declared, member, [...path, name], settling);
    return settled === undefined ? [] : [[name, settled]];
  });
  return Object.fromEntries(entries);
}

/** Whether a value keeps to what is a convention only, and so enforced only by a strict emulator (A002). */
export function followsConvention({ pattern, atLeastSeconds, most, valueLength }: Convention, value: unknown): boolean {
  if (typeof value === "string")
    return (pattern?.test(value) ?? true) && !(durationSeconds(value) < (atLeastSeconds ?? 0));
  if (value === null || typeof value !== "object") return true;
  const entries = Object.entries(value);
  const isOutside = (text: unknown): boolean =>
    valueLength !== undefined &&
    typeof text === "string" &&
    ([...text].length < valueLength.min || [...text].length > valueLength.max);
  const fits = ([key, text]: [string, unknown]) => (pattern?.test(key) ?? true) && !isOutside(text);
  return entries.length <= (most ?? Number.POSITIVE_INFINITY) && entries.every(fits);
}
