import type { ResourceSpec } from "../provider/core/declaration/resource";
import { brokenRules, type Rule } from "../provider/core/declaration/rules";
import { durationSeconds } from "../provider/core/fields/equality";
import type { Field } from "../provider/core/fields/fields";
import type { Convention } from "../provider/core/fields/markers";
import { closest, likelyTypoOf } from "../provider/core/values/did-you-mean";
import { memoizeByKey } from "../provider/core/values/once";
import { pathText, type Segment, topLevel } from "../provider/core/values/values";
import { z } from "../provider/core/zod";
import { invalidField, invalidRequest, type Violation } from "./refusals";
import type { Fields, Settings } from "./types";

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
function normalizeValue(field: Field, value: unknown, path: readonly Segment[], settling: NormalizeContext): unknown {
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
function followsConvention({ pattern, atLeastSeconds, most, valueLength }: Convention, value: unknown): boolean {
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

/** What a body says once it is judged: values in the service's own form, input-only ones apart. */
export interface JudgedBody {
  fields: Fields;
  /** Input-only values by path. */
  hidden: Fields;
}

interface ParseOptions {
  settings: Settings;
  /** Whether required members may be missing; those that every update must carry may not. */
  update: boolean;
}

/**
 * Judges the body of a create or an update by the spec. Read-only members are ignored (A004), unknown ones refused or
 * ignored (A018), `null` is kept in an update and is the same as absent in a create. All mistakes are named at once.
 */
export function parseBody(spec: ResourceSpec, body: unknown, { settings, update }: ParseOptions): JudgedBody {
  if (body === null || typeof body !== "object" || Array.isArray(body))
    throw invalidField("body", "must be a JSON object");
  const outputs = outputNames(spec);
  const writableFields = Object.fromEntries(Object.entries(body).filter(([name]) => !outputs.has(name)));
  const { kept, violations } = parseBySchema(spec, writableFields, settings, update);
  const missing = update
    ? spec.fields.message.filter((field) => field.markers.alwaysSent && isAbsent(kept[field.name]))
    : [];
  violations.push(...missing.map((field) => ({ field: field.name, description: "is required in every update" })));
  const hidden: Fields = {};
  const settle = { violations, hidden, strict: settings.strict, enums: settings.enums };
  const fields = Object.fromEntries(
    spec.fields.message.flatMap((field) => {
      const value = kept[field.name];
      if (value === undefined || (value === null && !update)) return [];
      const settled = normalizeValue(field, value, [field.name], settle);
      return settled === undefined ? [] : [[field.name, settled]];
    }),
  );
  if (violations.length > 0) throw invalidRequest(withoutDoubles(violations));
  return { fields, hidden };
}

const isAbsent = (value: unknown): boolean => value === undefined || value === null || value === "";

/** The closest cause is reported once: a misspelt member is both unknown and missing where it belongs. */
const withoutDoubles = (violations: readonly Violation[]): Violation[] => [
  ...new Map(violations.map((violation) => [violation.field, violation])).values(),
];

const outputNames = memoizeByKey(
  ({ fields }: ResourceSpec): ReadonlySet<string> => new Set(fields.outputs.map((field) => field.name)),
);

interface Schemas {
  create: z.ZodType;
  update: z.ZodType;
}

/** The declared inputs without this provider's own options: what a body may carry. */
const schemasOf = memoizeByKey((spec: ResourceSpec): Schemas => {
  const shape = Object.fromEntries(
    spec.fields.message.map((field) => [field.name, spec.inputs.shape[field.name] as z.ZodType]),
  );
  const create = z.strictObject(shape);
  return { create, update: create.partial() };
});

function parseBySchema(
  spec: ResourceSpec,
  body: Fields,
  settings: Settings,
  update: boolean,
): { kept: Fields; violations: Violation[] } {
  const schema = schemasOf(spec)[update ? "update" : "create"];
  const answer = schema.safeParse(withoutNulls(body));
  const issues = answer.success ? [] : answer.error.issues;
  const unknown = issues.flatMap((issue) =>
    issue.code === "unrecognized_keys" ? issue.keys.map((key) => [...(issue.path as Segment[]), key]) : [],
  );
  const violations = issues.flatMap((issue) =>
    issue.code === "unrecognized_keys"
      ? []
      : [{ field: pathText(issue.path as Segment[]), description: issueMessage(issue) }],
  );
  if (settings.unknownFields === "ignore") return { kept: unknown.reduce(without, body), violations };
  return {
    kept: body,
    violations: [
      ...violations,
      ...unknown.map((path) => ({ field: pathText(path), description: unknownMemberMessage(spec, path) })),
    ],
  };
}

function unknownMemberMessage(spec: ResourceSpec, path: readonly Segment[]): string {
  const near =
    path.length === 1
      ? closest(
          String(path[0]),
          spec.fields.message.map((field) => field.name),
        )
      : undefined;
  return `is not a field of the message${near === undefined ? "" : `; did you mean \`${near}\`?`}`;
}

function issueMessage(issue: z.core.$ZodIssue): string {
  if (issue.code === "invalid_type" && issue.message.endsWith("undefined")) return "is required";
  return issue.message.replace(/^Invalid input: /, "");
}

/** In JSON of messages `null` is the same as absent. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, member]) => (member === null ? [] : [[name, withoutNulls(member)]])),
  );
}

function without(value: Fields, path: readonly Segment[]): Fields {
  const [first, ...rest] = path as [string, ...Segment[]];
  if (Array.isArray(value))
    return value.map((entry, index) =>
      index === Number(first) ? without(entry as Fields, rest) : entry,
    ) as unknown as Fields;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, member]) => {
      if (name !== first) return [[name, member]];
      return rest.length === 0 ? [] : [[name, without(member as Fields, rest)]];
    }),
  );
}

/** Rejects an id that is not a path segment, and one outside the convention where the emulator is strict (A016). */
export function judgeId(spec: ResourceSpec, id: string, parameter: string, settings: Settings): void {
  const schema = spec.fields.resourceId && (spec.inputs.shape[spec.fields.resourceId.name] as z.ZodType);
  const answer = schema?.safeParse(id);
  if (answer && !answer.success) throw invalidField(parameter, answer.error.issues[0]!.message);
  const convention = spec.fields.resourceId?.markers.convention;
  if (settings.strict && convention && !followsConvention(convention, id))
    throw invalidField(parameter, `${convention.rule} (${convention.number})`);
}

/**
 * Refuses values that break a rule between fields. `values` holds the message, the id and the directives that are on;
 * of an update only rules about `changed` members count, since an object that someone else made may break others.
 */
export function judgeRules(spec: ResourceSpec, values: Fields, changed?: ReadonlySet<string>): void {
  const rules = serviceRules(spec).filter((rule) => changed === undefined || mentions(rule, changed));
  const broken = brokenRules(rules, values);
  if (broken.length > 0) throw invalidRequest(broken.map(({ path, reason }) => ({ field: path, description: reason })));
}

/** The rules that the service knows: those that name no option of this provider. */
const serviceRules = memoizeByKey(({ fields, rules }: ResourceSpec): readonly Rule[] => {
  const options = new Set(fields.behaviours.map((field) => field.name));
  return rules.filter((rule) => !mentions(rule, options));
});

/** Whether a rule is about one of `names`. */
function mentions(rule: unknown, names: ReadonlySet<string>): boolean {
  if (typeof rule === "string") return names.has(topLevel(rule));
  return rule !== null && typeof rule === "object" && Object.values(rule).some((part) => mentions(part, names));
}
