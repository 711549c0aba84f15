import type { ResourceSpec } from "../core/declaration/resource";
import type { Field } from "../core/fields/fields";
import { fieldsByName } from "../core/fields/places";
import { oncePer } from "../core/values/once";
import { isObject } from "../core/values/values";
import type { AnswerProblem } from "./errors/failures";
import type { Json } from "./types";

/** What the values of a message are beside their types. */
export interface Findings {
  /** The first value that a program can set and that is of another type: recorded, it would pass for what it is not. */
  problem: AnswerProblem | undefined;
  /** What the API's description does not list, and is tolerated (A090), by place. */
  readonly remarks: string[];
}

/** The fields of a kind's message by name, and those among them that a program can set. */
export const messageFields = oncePer(({ fields }: ResourceSpec) => ({
  all: fieldsByName([...fields.outputs, ...fields.message]),
  settable: fieldsByName(fields.message),
}));

/**
 * An object of a kind with its scalars in their declared types: proto3 JSON writes 64-bit integers as text, and some
 * gateways write every scalar so. What is no spelling of the declared type stays as it is, and is a finding.
 */
export function readObject(spec: ResourceSpec, object: Json, findings: Findings): Json {
  const { all, settable } = messageFields(spec);
  return new MessageReader(spec.kind, settable, findings).members(all, object);
}

class MessageReader {
  constructor(
    private readonly kind: string,
    private readonly settable: ReadonlyMap<string, Field>,
    private readonly findings: Findings,
  ) {}

  /** `at`: the place of the members, with the dot that follows it. `open`: it may have other members. */
  members(fields: ReadonlyMap<string, Field>, values: Json, at = "", open = false): Json {
    const entries = Object.entries(values).map(([name, value]) => {
      const field = fields.get(name);
      if (field) return [name, this.value(field, value, at + name)];
      if (!open) this.remark(at.slice(0, -1), `has a member \`${name}\` that is not in the API's description`);
      return [name, value];
    });
    return Object.fromEntries(entries) as Json;
  }

  private value(field: Field, raw: unknown, at: string): unknown {
    if (raw === undefined || raw === null) return raw;
    const { type, fields, item } = field;
    const value = typeof raw === "object" ? raw : scalar(type, raw);
    if (!isOfType(type, value)) return this.misfit(field, value, at);
    if (Array.isArray(value))
      return item && type === "array" ? value.map((entry, index) => this.value(item, entry, `${at}[${index}]`)) : value;
    if (isObject(value)) {
      if (type === "object") return fields ? this.members(fieldsByName(fields), value, `${at}.`, field.open) : value;
      if (type !== "map" || !item) return value;
      const entries = Object.entries(value);
      return Object.fromEntries(
        entries.map(([key, entry]) => [key, this.value(item, entry, `${at}[${JSON.stringify(key)}]`)]),
      );
    }
    if (field.values && typeof value === "string" && value !== "" && !field.values.includes(value))
      this.remark(at, `is ${JSON.stringify(value)}, which is not in the API's description`);
    return value;
  }

  private misfit({ type }: Field, value: unknown, at: string): unknown {
    const isSettable = this.settable.has(/^[^.[]*/.exec(at)![0]);
    if (isSettable) this.findings.problem ??= { at, expected: typeNames[type], found: value };
    this.remark(at, `is ${nameOfType(value)}, not ${type === "any" ? "a value" : `of type ${type}`}`);
    return value;
  }

  /** Remarks name no entry: every object of a list has the same. */
  private remark(at: string, what: string): void {
    const place = at.replace(/\["(?:[^"\\]|\\.)*"\]/g, "{}").replace(/\[\d+\]/g, "[]");
    this.findings.remarks.push(`${[this.kind, place].filter((part) => part !== "").join(".")} ${what}`);
  }
}

const jsonNumber = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** Each spelling of a boolean that services use. */
const booleans: ReadonlyMap<unknown, boolean> = new Map<unknown, boolean>([
  ["true", true],
  ["false", false],
  [1, true],
  [0, false],
]);

function scalar(type: Field["type"], value: unknown): unknown {
  if (type === "integer" || type === "number") {
    if (typeof value !== "string" || !jsonNumber.test(value)) return value;
    const number = Number(value);
    const isExact = type === "number" ? Number.isFinite(number) : Number.isSafeInteger(number);
    return isExact ? number : value;
  }
  if (type === "boolean") return booleans.get(typeof value === "string" ? value.toLowerCase() : value) ?? value;
  if (type === "string" && (typeof value === "number" || typeof value === "boolean")) return String(value);
  return value;
}

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
        (typeof value === "string" && value.trim() !== "" && Number.isFinite(Number(value)))
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

const secretNames = oncePer((spec: ResourceSpec): ReadonlySet<string> => {
  const collect = (fields: readonly Field[]): string[] =>
    fields.flatMap((field) => [
      ...(field.markers.secret ? [field.name] : []),
      ...collect(field.fields ?? []),
      ...collect(field.item?.fields ?? []),
    ]);
  return new Set(collect([...spec.fields.message, ...spec.fields.outputs]));
});

/** The secret texts in a body, so that no answer can echo them. */
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
