import { grpcCodes } from "../core/errors";
import type { Field } from "../core/fields/fields";
import { snakeCase } from "../core/values/names";
import { memoizeByKey } from "../core/values/once";
import { isObject, type Values } from "../core/values/values";
import { parseJson } from "./http/body";

/**
 * The value of an answer in the form that its field declares: proto3 JSON writes 64-bit integers as text, and services
 * write scalars, times, durations, maps and enums in other forms. Only a form with one meaning is read; any other value
 * stays as it is. `kind`: whose field it is.
 */
export function inDeclaredForm(kind: string, field: Field, value: unknown): unknown {
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

/** `{seconds, nanos}`, as messages of protobuf are when they are written member by member. */
function secondsIn(value: unknown): { seconds: number; nanos: number } | undefined {
  if (!isObject(value)) return undefined;
  const { seconds = 0, nanos = 0, ...others } = value;
  const parts = [seconds, nanos].map((part) => numberIn("integer", part));
  const isWhole = parts.every((part) => Number.isSafeInteger(part)) && Object.keys(others).length === 0;
  const isEmpty = !Object.hasOwn(value, "seconds") && !Object.hasOwn(value, "nanos");
  return isWhole && !isEmpty ? { seconds: parts[0] as number, nanos: parts[1] as number } : undefined;
}

const secondsText = (seconds: number): string => `${seconds.toFixed(9).replace(/\.?0+$/, "")}s`;

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

/** Spellings of an enum's values by their letters; undefined where two values have the same. */
const spellings = memoizeByKey((values: readonly string[]) => {
  const prefix = prefixOf(values);
  const found = new Map<string, string | undefined>();
  const add = (letters: string, value: string): void =>
    void found.set(letters, found.has(letters) && found.get(letters) !== value ? undefined : value);
  for (const value of values) add(lettersOf(value), value);
  // What begins with the prefix of all is known without it, unless another value is called so.
  if (prefix)
    for (const value of values) {
      const short = lettersOf(value.slice(prefix.length));
      if (value.startsWith(prefix) && !found.has(short)) add(short, value);
    }
  return { found, prefix };
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
  const { found, prefix } = spellings(values);
  const letters = lettersOf(text);
  const whole = found.get(letters);
  if (whole !== undefined) return whole;
  const prefixes = [prefix, name, `${kind}_${name}`, typeName].flatMap((each) =>
    each === undefined ? [] : lettersOf(snakeCase(each)),
  );
  const shorter = prefixes.flatMap((each) =>
    letters.startsWith(each) ? (found.get(letters.slice(each.length)) ?? []) : [],
  );
  return new Set(shorter).size === 1 ? shorter[0]! : text;
}
