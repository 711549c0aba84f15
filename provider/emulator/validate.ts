import { z } from "zod";
import { closest, misspelt } from "../core/closest";
import type { Convention, Field } from "../core/fields";
import { pathText, type Segment, topLevel } from "../core/paths";
import type { ResourceSpec } from "../core/resource";
import { brokenRules, type Rule } from "../core/rules";
import { durationSeconds } from "../core/same";
import { invalid, invalidField, type Violation } from "./refusals";
import type { Fields, Settings } from "./types";

/** What a body says once it is judged: values in the service's own form, input-only ones apart. */
export interface Message {
  fields: Fields;
  /** Input-only values by path. */
  hidden: Fields;
}

export interface Judging {
  settings: Settings;
  /** Whether required members may be missing; those that every update must carry may not. */
  update: boolean;
}

/**
 * Judges the body of a create or an update by the spec. Read-only members are ignored (A004), unknown ones refused or
 * ignored (A018), `null` is kept in an update and is the same as absent in a create. All mistakes are named at once.
 */
export function judged(spec: ResourceSpec, body: unknown, { settings, update }: Judging): Message {
  if (body === null || typeof body !== "object" || Array.isArray(body))
    throw invalidField("body", "must be a JSON object");
  const outputs = outputNames(spec);
  const given = Object.fromEntries(Object.entries(body).filter(([name]) => !outputs.has(name)));
  const { kept, violations } = shaped(spec, given, settings, update);
  const missing = update
    ? spec.fields.message.filter((field) => field.markers.alwaysSent && isAbsent(kept[field.name]))
    : [];
  violations.push(...missing.map((field) => ({ field: field.name, description: "is required in every update" })));
  const hidden: Fields = {};
  const settle = { violations, hidden, strict: settings.strict };
  const fields = Object.fromEntries(
    spec.fields.message.flatMap((field) => {
      const value = kept[field.name];
      if (value === undefined || (value === null && !update)) return [];
      const settled = settledValue(field, value, [field.name], settle);
      return settled === undefined ? [] : [[field.name, settled]];
    }),
  );
  if (violations.length > 0) throw invalid(withoutDoubles(violations));
  return { fields, hidden };
}

const isAbsent = (value: unknown): boolean => value === undefined || value === null || value === "";

/** The closest cause is told once: a misspelt member is both unknown and missing where it belongs. */
const withoutDoubles = (violations: readonly Violation[]): Violation[] => [
  ...new Map(violations.map((violation) => [violation.field, violation])).values(),
];

const outputsOf = new WeakMap<ResourceSpec, ReadonlySet<string>>();

function outputNames(spec: ResourceSpec): ReadonlySet<string> {
  let names = outputsOf.get(spec);
  if (!names) outputsOf.set(spec, (names = new Set(spec.fields.outputs.map((field) => field.name))));
  return names;
}

interface Schemas {
  create: z.ZodType;
  update: z.ZodType;
}

const schemas = new WeakMap<ResourceSpec, Schemas>();

/** The declared inputs without this provider's own options: what a body may carry. */
function schemasOf(spec: ResourceSpec): Schemas {
  let both = schemas.get(spec);
  if (!both) {
    const shape = Object.fromEntries(
      spec.fields.message.map((field) => [field.name, spec.inputs.shape[field.name] as z.ZodType]),
    );
    const create = z.strictObject(shape);
    schemas.set(spec, (both = { create, update: create.partial() }));
  }
  return both;
}

function shaped(
  spec: ResourceSpec,
  given: Fields,
  settings: Settings,
  update: boolean,
): { kept: Fields; violations: Violation[] } {
  const schema = schemasOf(spec)[update ? "update" : "create"];
  const answer = schema.safeParse(withoutNulls(given));
  const issues = answer.success ? [] : answer.error.issues;
  const unknown = issues.flatMap((issue) =>
    issue.code === "unrecognized_keys" ? issue.keys.map((key) => [...(issue.path as Segment[]), key]) : [],
  );
  const violations = issues.flatMap((issue) =>
    issue.code === "unrecognized_keys" ? [] : [{ field: pathText(issue.path as Segment[]), description: wrong(issue) }],
  );
  if (settings.unknownFields === "ignore") return { kept: unknown.reduce(without, given), violations };
  return {
    kept: given,
    violations: [
      ...violations,
      ...unknown.map((path) => ({ field: pathText(path), description: foreign(spec, path) })),
    ],
  };
}

function foreign(spec: ResourceSpec, path: readonly Segment[]): string {
  const near =
    path.length === 1
      ? closest(
          String(path[0]),
          spec.fields.message.map((field) => field.name),
        )
      : undefined;
  return `is not a field of the message${near === undefined ? "" : `; did you mean \`${near}\`?`}`;
}

function wrong(issue: z.core.$ZodIssue): string {
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
    Object.entries(value).flatMap(([name, member]) =>
      name !== first ? [[name, member]] : rest.length === 0 ? [] : [[name, without(member as Fields, rest)]],
    ),
  );
}

interface Settling {
  violations: Violation[];
  hidden: Fields;
  strict: boolean;
}

/**
 * The value as the service keeps it: 32-bit numbers, durations in seconds, input-only values
 * taken out. Judges what the types do not say.
 */
function settledValue(field: Field, value: unknown, path: readonly Segment[], settling: Settling): unknown {
  if (value === null || value === undefined) return value;
  if (field.markers.inputOnly) {
    settling.hidden[pathText(path)] = value;
    return undefined;
  }
  const { convention } = field.markers;
  if (settling.strict && convention && !keeps(convention, value))
    settling.violations.push({ field: pathText(path), description: `${convention.rule} (${convention.number})` });
  if (typeof value === "string") return settledText(field, value, path, settling);
  if (typeof value === "number") return field.markers.float32 ? Math.fround(value) : value;
  if (Array.isArray(value))
    return field.item
      ? value.map((entry, index) => settledValue(field.item!, entry, [...path, index], settling))
      : value;
  return field.type === "object" && typeof value === "object"
    ? settledMembers(field, value as Fields, path, settling)
    : value;
}

function settledText(field: Field, value: string, path: readonly Segment[], { violations }: Settling): string {
  const { values, markers, format } = field;
  const near = values && !field.closed && !values.includes(value) ? misspelt(value, values) : undefined;
  if (near !== undefined)
    violations.push({ field: pathText(path), description: `\`${value}\` is not a value; did you mean \`${near}\`?` });
  if (format === "date-time" && !dateTime.test(value))
    violations.push({ field: pathText(path), description: "must be a time such as `2030-01-31T00:00:00Z`" });
  return markers.sameAs === "duration" && !Number.isNaN(durationSeconds(value)) ? `${durationSeconds(value)}s` : value;
}

const dateTime =
  /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])T([01]\d|2[0-3]):[0-5]\d:([0-5]\d|60)(\.\d+)?(Z|[+-][01]\d:[0-5]\d)$/i;

function settledMembers(field: Field, value: Fields, path: readonly Segment[], settling: Settling): Fields {
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
    const settled = settledValue(declared, member, [...path, name], settling);
    return settled === undefined ? [] : [[name, settled]];
  });
  return Object.fromEntries(entries);
}

/** Whether a value keeps to what is a convention only, and so enforced only by a strict emulator (A002). */
function keeps({ pattern, atLeastSeconds, most, valueLength }: Convention, value: unknown): boolean {
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

/**
 * Refuses values that break a rule between fields. `values` holds the message, the id and the directives that are on;
 * of an update only rules about `changed` members count, since an object that someone else made may break others.
 */
export function judgeRules(spec: ResourceSpec, values: Fields, changed?: ReadonlySet<string>): void {
  const rules = serviceRules(spec).filter((rule) => changed === undefined || mentions(rule, changed));
  const broken = rules.filter((rule) => brokenRules([rule], values).length > 0);
  if (broken.length > 0)
    throw invalid(
      brokenRules(broken, values).map(({ path, reason }) => ({ field: path, description: reason })),
      broken,
    );
}

const rulesOf = new WeakMap<ResourceSpec, readonly Rule[]>();

/** The rules that the service knows: those that name no option of this provider. */
export function serviceRules(spec: ResourceSpec): readonly Rule[] {
  let rules = rulesOf.get(spec);
  if (!rules) {
    const options = new Set(spec.fields.behaviours.map((field) => field.name));
    rulesOf.set(spec, (rules = spec.rules.filter((rule) => !mentions(rule, options))));
  }
  return rules;
}

/** Whether a rule is about one of `names`. */
function mentions(rule: unknown, names: ReadonlySet<string>): boolean {
  if (typeof rule === "string") return names.has(topLevel(rule));
  return rule !== null && typeof rule === "object" && Object.values(rule).some((part) => mentions(part, names));
}

/** Refuses an id that is no path segment, and one outside the convention where the emulator is strict (A016). */
export function judgeId(spec: ResourceSpec, id: string, parameter: string, settings: Settings): void {
  const schema = spec.fields.resourceId && (spec.inputs.shape[spec.fields.resourceId.name] as z.ZodType);
  const answer = schema?.safeParse(id);
  if (answer && !answer.success) throw invalidField(parameter, answer.error.issues[0]!.message);
  const convention = spec.fields.resourceId?.markers.convention;
  if (settings.strict && convention && !keeps(convention, id))
    throw invalidField(parameter, `${convention.rule} (${convention.number})`);
}

/** The directives of a create that are on. An absent one and `false` are the same. */
export function directivesOf(spec: ResourceSpec, query: ReadonlyMap<string, string>): Fields {
  return Object.fromEntries(spec.fields.directives.flatMap(({ name }) => (flag(query, name) ? [[name, true]] : [])));
}

/** A boolean query parameter; absent is false. */
export function flag(query: ReadonlyMap<string, string>, name: string): boolean {
  const text = query.get(name) ?? "";
  if (text === "" || text === "false" || text === "0") return false;
  if (text === "true" || text === "1") return true;
  throw invalidField(name, "must be `true` or `false`");
}
