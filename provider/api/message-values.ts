import type { ResourceSpec } from "../core/declaration/resource";
import { grpcCodes } from "../core/errors";
import { secondsText } from "../core/fields/equality";
import { type Field, fieldsByName } from "../core/fields/fields";
import { snakeCase } from "../core/values/names";
import { memoizeByKey } from "../core/values/once";
import { isObject, topLevel, type Values } from "../core/values/values";
import type { ResponseProblem } from "./failures";
import { parseJson } from "./http/transport";
import type { Json } from "./types";

/**
 * The value of a response in the form that its field declares: proto3 JSON writes 64-bit integers as text, and services
 * write scalars, times, durations, maps and enums in other forms. Only an unambiguous form is read; any other value
 * stays as it is. `kind`: the field's kind.
 */
function inDeclaredForm(kind: string, field: Field, value: unknown): unknown {
  switch (field.type) {
    case "integer":
    case "number":
      return numberIn(field.type, value);
    case "boolean":
      return booleans.get(typeof value === "string" ? value.trim().toLowerCase() : value) ?? value;
    case "string":
      return textIn(kind, field, value);
    case "array":
    case "object":
      return typeof value === "string" ? parsedText(field.type, value) : value;
    case "map":
      return typeof value === "string" ? parsedText("object", value) : mapIn(value);
    case "any":
      return value;
  }
}

const jsonNumber = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

function numberIn(type: "integer" | "number", value: unknown): unknown {
  if (typeof value !== "string" || !jsonNumber.test(value.trim())) return value;
  const number = Number(value);
  const isExact = type === "number" ? Number.isFinite(number) : Number.isSafeInteger(number);
  return isExact ? number : value;
}

/** Each spelling of a boolean that services use. */
const booleans: ReadonlyMap<unknown, boolean> = new Map<unknown, boolean>([
  ["true", true],
  ["false", false],
  ["1", true],
  ["0", false],
  [1, true],
  [0, false],
]);

function textIn(kind: string, field: Field, value: unknown): unknown {
  const { values, format, markers } = field;
  if (markers.sameAs === "duration") return durationIn(value);
  if (markers.sameAs === "grpcCode") return grpcNameIn(value);
  if (format === "date-time") return timeIn(value);
  if (values) return typeof value === "string" ? enumValueIn(kind, field, value) : value;
  return typeof value === "number" || typeof value === "boolean" ? String(value) : value;
}

/** `{seconds, nanos}`: protobuf messages written member by member. */
function secondsIn(value: unknown): { seconds: number; nanos: number } | undefined {
  if (!isObject(value)) return undefined;
  const { seconds = 0, nanos = 0, ...others } = value;
  const parts = [seconds, nanos].map((part) => numberIn("integer", part));
  const isWhole = parts.every((part) => Number.isSafeInteger(part)) && Object.keys(others).length === 0;
  const isEmpty = !Object.hasOwn(value, "seconds") && !Object.hasOwn(value, "nanos");
  return isWhole && !isEmpty ? { seconds: parts[0] as number, nanos: parts[1] as number } : undefined;
}

/** Parts of a duration in other notations: `PT1H30M`, `1h30m0s`. */
const isoDuration = /^P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?$/;
const goDuration = /^(?:(\d+)d)?(?:(\d+)h)?(?:(\d+)m)?(?:(\d+(?:\.\d+)?)s)?$/;

function durationIn(value: unknown): unknown {
  const parts = secondsIn(value);
  if (parts) return secondsText(parts.seconds + parts.nanos / 1e9);
  if (typeof value !== "string" || value.length < 3) return value;
  const match = isoDuration.exec(value) ?? goDuration.exec(value);
  const several = match?.slice(1).filter((part) => part !== undefined) ?? [];
  const isOneUnit = several.length === 1 && !value.startsWith("P");
  if (!match || several.length === 0 || isOneUnit) return value;
  const [days, hours, minutes, seconds] = match.slice(1).map((part) => Number(part ?? 0)) as [
    number,
    number,
    number,
    number,
  ];
  return secondsText(((days * 24 + hours) * 60 + minutes) * 60 + seconds);
}

/** Seconds since 1970 of the years 2001 to 2286; in milliseconds a thousand times that. */
const epoch = { least: 1e9, most: 1e10 };

function timeIn(value: unknown): unknown {
  const parts = secondsIn(value);
  if (parts) return timeText(parts.seconds * 1000, parts.nanos) ?? value;
  const number = typeof value === "string" ? numberIn("number", value) : value;
  if (typeof number === "number") {
    if (number >= epoch.least && number < epoch.most) return timeText(number * 1000) ?? value;
    return number >= epoch.least * 1000 && number < epoch.most * 1000 ? (timeText(number) ?? value) : value;
  }
  // Only a time with a zone is the same time everywhere.
  const isWorded =
    typeof value === "string" && /^[A-Z][a-z]{2,8}, \d{1,2}[ -][A-Z][a-z]{2}[ -]\d{2,4} .*GMT$/.test(value);
  return isWorded ? (timeText(Date.parse(value)) ?? value) : value;
}

function timeText(ms: number, nanos = 0): string | undefined {
  if (!(Math.abs(ms) <= 8.64e15)) return undefined;
  const text = new Date(ms).toISOString();
  return nanos === 0 ? text : text.replace(/\.\d+Z$/, `.${String(nanos).padStart(9, "0")}Z`);
}

const grpcByLetters = new Map<string, string>(
  [...Object.keys(grpcCodes), "OK"].map((name) => [lettersOf(name), name] as const),
);
const grpcByNumber = new Map<number, string>([
  [0, "OK"],
  ...Object.entries(grpcCodes).map(([name, number]): [number, string] => [number, name]),
]);

function grpcNameIn(value: unknown): unknown {
  const number = typeof value === "string" ? numberIn("integer", value) : value;
  if (typeof number === "number") return grpcByNumber.get(number) ?? String(value);
  return typeof value === "string" ? (grpcByLetters.get(lettersOf(value)) ?? value) : value;
}

/** A map as a list of its entries. */
function mapIn(value: unknown): unknown {
  if (!Array.isArray(value) || value.length === 0) return value;
  const entries = value.map((entry) => {
    if (!isObject(entry) || !Object.hasOwn(entry, "value")) return undefined;
    const { key, name = key, value: own, ...others } = entry as Values;
    return typeof name === "string" && Object.keys(others).length === 0 ? ([name, own] as const) : undefined;
  });
  const known = entries.filter((entry) => entry !== undefined);
  const isWhole = known.length === entries.length && new Set(known.map(([name]) => name)).size === known.length;
  return isWhole ? Object.fromEntries(known) : value;
}

function parsedText(type: "array" | "object", text: string): unknown {
  if (!text.trim().startsWith(type === "array" ? "[" : "{")) return text;
  try {
    const value = parseJson(text);
    return (type === "array" ? Array.isArray(value) : isObject(value)) ? value : text;
  } catch {
    return text;
  }
}

function lettersOf(text: string): string {
  return text.replace(/[^A-Za-z0-9]/g, "").toLowerCase();
}

/** Spellings of an enum's values by their letters; undefined if two values share them. */
const spellings = memoizeByKey((values: readonly string[]) => {
  const prefix = prefixOf(values);
  const byLetters = new Map<string, string | undefined>();
  const add = (letters: string, value: string): void =>
    void byLetters.set(letters, byLetters.has(letters) && byLetters.get(letters) !== value ? undefined : value);
  for (const value of values) add(lettersOf(value), value);
  // The prefix of all values may be left out, unless that spells another value.
  if (prefix)
    for (const value of values) {
      const short = lettersOf(value.slice(prefix.length));
      if (value.startsWith(prefix) && !byLetters.has(short)) add(short, value);
    }
  return { byLetters, prefix };
});

/** `JOB_STATE_` of `JOB_STATE_UNSPECIFIED`. */
const prefixOf = (values: readonly string[]): string | undefined =>
  values.map((value) => /^(\w+_)UNSPECIFIED$/.exec(value)?.[1]).find((prefix) => prefix !== undefined);

/**
 * A value of an enum in other letters or separators, with the prefix that the enum has in the service's own language,
 * or without it: `User`, `MULTI_REGION_US`, `ROLE_ADMIN`, `completed`. Any other prefix may mean another value.
 */
function enumValueIn(kind: string, { name, typeName, values = [] }: Field, text: string): string {
  if (text === "" || values.includes(text)) return text;
  const { byLetters, prefix } = spellings(values);
  const letters = lettersOf(text);
  const whole = byLetters.get(letters);
  if (whole !== undefined) return whole;
  const prefixes = [prefix, name, `${kind}_${name}`, typeName].flatMap((each) =>
    each === undefined ? [] : lettersOf(snakeCase(each)),
  );
  const shorter = prefixes.flatMap((each) =>
    letters.startsWith(each) ? (byLetters.get(letters.slice(each.length)) ?? []) : [],
  );
  return new Set(shorter).size === 1 ? shorter[0]! : text;
}

/** What the values of a message are, beside their types. */
export interface Findings {
  /** Settable values of another type, and such a state: recorded, they would pass for declared ones. */
  readonly problems: ResponseProblem[];
  /** What the API's description does not list, and is tolerated (A090), by path. */
  readonly remarks: string[];
  /** Members that are read as another value than the answered one. */
  readonly respelled: Set<string>;
}

export const noFindings = (): Findings => ({ problems: [], remarks: [], respelled: new Set() });

/** The fields of a kind's message by name, and the names of those whose values decide what happens to an object. */
export const messageFields = memoizeByKey(({ fields, lifecycle }: ResourceSpec) => ({
  all: fieldsByName([...fields.outputs, ...fields.message]),
  decisive: new Set([...fields.message.map(({ name }) => name), ...(lifecycle ? ["state"] : [])]),
}));

/** Whether every object of the kind has a name. */
export const isNamed = memoizeByKey(({ fields }: ResourceSpec): boolean =>
  fields.outputs.some((field) => field.name === "name" && field.required),
);

/**
 * An object of a kind with its values in their declared forms. A value that does not spell its declared type stays as
 * it is, and is a finding.
 */
export function readObject(spec: ResourceSpec, object: Json, findings: Findings): Json {
  const { all, decisive } = messageFields(spec);
  return new MessageReader(spec.kind, decisive, findings).members(all, object);
}

/**
 * Without the members that cannot be used: the result of an own create is recorded all the same. Without its state as
 * well, so that a wait for one reads the object again, with what was left out.
 */
export function usablePart(spec: ResourceSpec, { state: _, ...object }: Json): Json {
  const findings = noFindings();
  const read = readObject(spec, object, findings);
  const unusable = new Set(findings.problems.map(({ at }) => topLevel(at)));
  return Object.fromEntries(Object.entries(read).filter(([member]) => !unusable.has(member))) as Json;
}

class MessageReader {
  constructor(
    private readonly kind: string,
    private readonly decisive: ReadonlySet<string>,
    private readonly findings: Findings,
  ) {}

  /** `at`: the path of the members, with its final dot. `open`: it may have other members. */
  members(fields: ReadonlyMap<string, Field>, values: Json, at = "", open = false): Json {
    const entries = Object.entries(values).map(([name, value]) => {
      const field = fields.get(name);
      if (field) return [name, this.value(field, value, at + name)];
      if (!open) this.addNote(at.slice(0, -1), `has a member \`${name}\` that is not in the API's description`);
      return [name, value];
    });
    return Object.fromEntries(entries) as Json;
  }

  private value(field: Field, raw: unknown, at: string): unknown {
    if (raw === undefined || raw === null) return raw;
    const { type, fields, item } = field;
    const value = inDeclaredForm(this.kind, field, raw);
    if (value !== raw) this.findings.respelled.add(topLevel(at));
    if (field.values && typeof value === "number") return this.number(field, value, at);
    if (!isOfType(type, value)) return this.reportMismatch(field, value, at);
    if (Array.isArray(value))
      return item && type === "array" ? value.map((entry, index) => this.value(item, entry, `${at}[${index}]`)) : value;
    if (isObject(value)) {
      if (type === "object")
        return fields ? this.members(fieldsByName(fields), value, `${at}.`, field.open && !field.markers.grows) : value;
      if (type !== "map" || !item) return value;
      const entries = Object.entries(value);
      return Object.fromEntries(
        entries.map(([key, entry]) => [key, this.value(item, entry, `${at}[${JSON.stringify(key)}]`)]),
      );
    }
    if (typeof value === "string" && value !== "" && field.values && isUnlisted(field, value))
      this.addNote(at, `is ${JSON.stringify(value)}, which is not in the API's description`);
    return value;
  }

  /** A number does not identify a value of an enum. */
  private number({ values = [], markers: { unsetValue } }: Field, value: number, at: string): unknown {
    this.findings.respelled.add(topLevel(at));
    if (value === 0) return "";
    const [example = ""] = values.filter((each) => each !== unsetValue && !each.endsWith("_UNSPECIFIED"));
    const advice = `Say in \`modelplatform:dialect\` which value it is: if ${value} is \`${example}\`, \`{"values":{"${example}":"${value}"}}\`.`;
    if (this.decisive.has(topLevel(at)))
      this.findings.problems.push({ at, expected: "the name of a value", actual: value, advice });
    this.addNote(at, "is a number, not the name of a value");
    return String(value);
  }

  private reportMismatch({ type }: Field, value: unknown, at: string): unknown {
    if (this.decisive.has(topLevel(at))) this.findings.problems.push({ at, expected: typeNames[type], actual: value });
    this.addNote(at, `is ${nameOfType(value)}, not ${type === "any" ? "a value" : `of type ${type}`}`);
    return value;
  }

  /** Notes name no entry: every object of a list has the same. */
  private addNote(at: string, what: string): void {
    const place = at.replace(/\["(?:[^"\\]|\\.)*"\]/g, "{}").replace(/\[\d+\]/g, "[]");
    this.findings.remarks.push(`${[this.kind, place].filter((part) => part !== "").join(".")} ${what}`);
  }
}

/** If the description lists only the unset value, any other is as good. */
const isUnlisted = ({ values = [] }: Field, value: string): boolean => values.length > 1 && !values.includes(value);

/** What proto3 JSON writes for numbers that JSON does not have. */
const wordedNumber = /^(NaN|-?Infinity)$/;

/** Numbers may come as text: JSON has no room for 64 bits. */
function isOfType(type: Field["type"], value: unknown): boolean {
  switch (type) {
    case "any":
      return true;
    case "array":
      return Array.isArray(value);
    case "object":
    case "map":
      return isObject(value);
    case "integer":
    case "number":
      return (
        (typeof value === "number" && (type === "number" || Number.isInteger(value))) ||
        (typeof value === "string" && value.trim() !== "" && Number.isFinite(Number(value))) ||
        (type === "number" && typeof value === "string" && wordedNumber.test(value))
      );
    case "string":
    case "boolean":
      return typeof value === type;
  }
}

const typeNames: Readonly<Record<Field["type"], string>> = {
  any: "a value",
  array: "a list",
  object: "an object",
  map: "an object",
  integer: "an integer",
  number: "a number",
  string: "text",
  boolean: "true or false",
};

function nameOfType(value: unknown): string {
  if (Array.isArray(value)) return "a list";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}

const secretNames = memoizeByKey((spec: ResourceSpec): ReadonlySet<string> => {
  const collect = (fields: readonly Field[]): string[] =>
    fields.flatMap((field) => [
      ...(field.markers.secret ? [field.name] : []),
      ...collect(field.fields ?? []),
      ...collect(field.item?.fields ?? []),
    ]);
  return new Set(collect([...spec.fields.message, ...spec.fields.outputs]));
});

/** The secret texts in a body, so that no response can echo them. */
export function secretsIn(spec: ResourceSpec, body: unknown): string[] {
  const names = secretNames(spec);
  const texts = (value: unknown): string[] => {
    if (typeof value === "string") return [value];
    return typeof value === "object" && value !== null ? Object.values(value).flatMap(texts) : [];
  };
  const find = (value: unknown): string[] =>
    typeof value === "object" && value !== null
      ? Object.entries(value).flatMap(([name, member]) => (names.has(name) ? texts(member) : find(member)))
      : [];
  return find(body);
}
