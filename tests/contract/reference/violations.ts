import { fits } from "./texts";
import type { Body, Condition, FieldFact } from "./types";

/** A plain reading of the facts, so that tables and example bodies can be held against each other. */
export type ContractViolation = { readonly path: string; readonly rule: string };

const isObject = (value: unknown): value is Body =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const hasType: Readonly<Record<FieldFact["type"], (value: unknown) => boolean>> = {
  string: (value) => typeof value === "string",
  enum: (value) => typeof value === "string",
  integer: Number.isInteger,
  number: (value) => typeof value === "number",
  boolean: (value) => typeof value === "boolean",
  "date-time": (value) =>
    typeof value === "string" && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/.test(value),
  object: isObject,
  map: isObject,
  array: Array.isArray,
  unshown: () => true,
};

const join = (parent: string, name: string) => (parent ? `${parent}.${name}` : name);

const keyed = (path: string, key: string) =>
  /^[A-Za-z_]\w*$/.test(key) ? `${path}.${key}` : `${path}[${JSON.stringify(key)}]`;

function children(facts: readonly FieldFact[], path: string): FieldFact[] {
  return facts.filter((fact) => fact.path.replace(/\.?[\w-]+$/, "") === path && /[\w-]$/.test(fact.path));
}

const leaf = (fact: FieldFact) => fact.path.replace(/^.*\./, "");

const holds = (body: Body, { field, values, absent }: Condition) =>
  body[field] === undefined || body[field] === "" ? absent === true : values.includes(body[field]);

function ofValue(fact: FieldFact, value: unknown): string[] {
  if (value === null && fact.nullable) return [];
  if (!hasType[fact.type](value) && !(fact.orType && hasType[fact.orType](value))) return ["type"];
  const broken: string[] = [];
  if (typeof value === "string") {
    if (fact.enum && value !== "" && !fact.enum.includes(value)) broken.push("enum");
    if (fact.maxLength !== undefined && [...value].length > fact.maxLength) broken.push("maxLength");
    if (!fits(fact, value)) broken.push("pattern");
  }
  if (typeof value === "number" && (value < (fact.min ?? value) || value > (fact.max ?? value))) broken.push("range");
  if (isObject(value) && Object.keys(value).length > (fact.maxEntries ?? Infinity)) broken.push("maxEntries");
  return broken;
}

function within(facts: readonly FieldFact[], fact: FieldFact, value: unknown, at: string): ContractViolation[] {
  const own = ofValue(fact, value).map((rule) => ({ path: at, rule }));
  if (own.length > 0) return own;
  const item = facts.find(({ path }) => path === `${fact.path}[]` || path === `${fact.path}{}`);
  if (item && Array.isArray(value)) return value.flatMap((entry, i) => within(facts, item, entry, `${at}[${i}]`));
  if (item && isObject(value)) {
    return Object.entries(value).flatMap(([key, entry]) => [
      ...(key.startsWith(fact.keyPrefix ?? "") ? [] : [{ path: keyed(at, key), rule: "keyPrefix" }]),
      ...within(facts, item, entry, keyed(at, key)),
    ]);
  }
  return isObject(value) && fact.type === "object" ? ofMembers(facts, fact, value, at) : [];
}

function ofMembers(
  facts: readonly FieldFact[],
  parent: FieldFact | undefined,
  body: Body,
  at: string,
): ContractViolation[] {
  const known = new Map(children(facts, parent?.path ?? "").map((fact) => [leaf(fact), fact]));
  const given = Object.entries(body).flatMap(([name, value]): ContractViolation[] => {
    const fact = known.get(name);
    if (!fact) return parent?.membersNotShown ? [] : [{ path: join(at, name), rule: "unknown" }];
    return within(facts, fact, value, join(at, name));
  });
  const missing = [...known.values()].filter(
    (fact) => fact.required && (body[leaf(fact)] === undefined || body[leaf(fact)] === ""),
  );
  return [...given, ...missing.map((fact) => ({ path: join(at, leaf(fact)), rule: "required" }))];
}

function acrossFields(facts: readonly FieldFact[], body: Body): ContractViolation[] {
  return facts.flatMap((fact): ContractViolation[] => {
    const needed = fact.requiredWhen?.some((condition) => holds(body, condition)) ?? false;
    if (body[fact.path] === undefined) return needed ? [{ path: fact.path, rule: "requiredWhen" }] : [];
    const rivals = (fact.exclusiveWith ?? []).filter((other) => body[other] !== undefined);
    const lacking = (fact.requires ?? []).filter((other) => body[other] === undefined);
    const allowed = fact.validOnlyWith?.some((condition) => holds(body, condition)) ?? true;
    return [
      ...rivals.map(() => ({ path: fact.path, rule: "exclusiveWith" })),
      ...lacking.map((other) => ({ path: other, rule: "requires" })),
      ...(allowed ? [] : [{ path: fact.path, rule: "validOnlyWith" }]),
    ];
  });
}

/** What a body breaks; outputs in it are no violation. */
export function violations(facts: readonly FieldFact[], body: Body): ContractViolation[] {
  return [...ofMembers(facts, undefined, body, ""), ...acrossFields(facts, body)];
}
