import type { ResourceSpec } from "../core/declaration/resource";
import type { Field } from "../core/fields/fields";
import { fieldsByName } from "../core/fields/places";
import { memoizeByKey } from "../core/values/once";
import { isObject } from "../core/values/values";
import type { ResponseProblem } from "./errors/failures";
import type { Json } from "./types";
import { inDeclaredForm } from "./value-forms";

/** What the values of a message are beside their types. */
export interface Findings {
  /** The first value that a program can set and that is of another type: recorded, it would pass for what it is not. */
  problem: ResponseProblem | undefined;
  /** What the API's description does not list, and is tolerated (A090), by place. */
  readonly notes: string[];
}

/** The fields of a kind's message by name, and those among them that a program can set. */
export const messageFields = memoizeByKey(({ fields }: ResourceSpec) => ({
  all: fieldsByName([...fields.outputs, ...fields.message]),
  settable: fieldsByName(fields.message),
}));

/** Whether every object of the kind has a name. */
export const isNamed = memoizeByKey(({ fields }: ResourceSpec): boolean =>
  fields.outputs.some((field) => field.name === "name" && field.required),
);

/**
 * An object of a kind with its values in their declared forms. What is no spelling of the declared type stays as it is,
 * and is a finding.
 */
export function readObject(spec: ResourceSpec, object: Json, findings: Findings): Json {
  const { all, settable } = messageFields(spec);
  const decisive = new Set([...settable.keys(), ...(spec.lifecycle ? ["state"] : [])]);
  return new MessageReader(spec.kind, decisive, findings).members(all, object);
}

/**
 * Without the members that cannot be used: what an own create has made is recorded all the same. Without its state as
 * well, so that whoever waits for one reads the object again, and what was left out.
 */
export function usablePart(spec: ResourceSpec, { state: _, ...object }: Json): Json {
  const findings: Findings = { problem: undefined, notes: [] };
  const read = readObject(spec, object, findings);
  if (findings.problem === undefined) return read;
  const unusable = topLevel(findings.problem.at);
  return usablePart(spec, Object.fromEntries(Object.entries(object).filter(([member]) => member !== unusable)) as Json);
}

const topLevel = (at: string): string => /^[^.[]*/.exec(at)![0];

class MessageReader {
  constructor(
    private readonly kind: string,
    /** Fields whose values decide what becomes of the object. */
    private readonly decisive: ReadonlySet<string>,
    private readonly findings: Findings,
  ) {}

  /** `at`: the place of the members, with the dot that follows it. `open`: it may have other members. */
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

  /** A number tells nobody which value of an enum it is. */
  private number({ values = [], markers: { unsetValue } }: Field, value: number, at: string): unknown {
    if (value === 0) return "";
    const [example = ""] = values.filter((each) => each !== unsetValue && !each.endsWith("_UNSPECIFIED"));
    const advice = `Say in \`modelplatform:dialect\` which value it is: if ${value} is \`${example}\`, \`{"values":{"${example}":"${value}"}}\`.`;
    if (this.decisive.has(topLevel(at)))
      this.findings.problem ??= { at, expected: "the name of a value", actual: value, advice };
    this.addNote(at, "is a number, not the name of a value");
    return String(value);
  }

  private reportMismatch({ type }: Field, value: unknown, at: string): unknown {
    if (this.decisive.has(topLevel(at))) this.findings.problem ??= { at, expected: typeNames[type], actual: value };
    this.addNote(at, `is ${nameOfType(value)}, not ${type === "any" ? "a value" : `of type ${type}`}`);
    return value;
  }

  /** Remarks name no entry: every object of a list has the same. */
  private addNote(at: string, what: string): void {
    const place = at.replace(/\["(?:[^"\\]|\\.)*"\]/g, "{}").replace(/\[\d+\]/g, "[]");
    this.findings.notes.push(`${[this.kind, place].filter((part) => part !== "").join(".")} ${what}`);
  }
}

/** Where the description lists no value but the unset one, each is as good as any. */
const isUnlisted = ({ values = [] }: Field, value: string): boolean => values.length > 1 && !values.includes(value);

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

const secretNames = memoizeByKey((spec: ResourceSpec): ReadonlySet<string> => {
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
