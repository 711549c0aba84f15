import type { Field } from "./fields";
import { pluginToken } from "./tokens";

type Json = Record<string, unknown>;

/** Fields, and the thing they belong to: a kind, a function or a message. */
export interface Group {
  owner: string;
  fields: readonly Field[];
}

/** The named types of a package schema and the references to them. */
export interface SchemaTypes {
  /** Definitions, by token. */
  definitions: Record<string, Json>;
  /** A property of a resource, a function or a type. */
  property(field: Field): Json;
  /** `properties` of an object, and which of them are required. */
  properties(fields: readonly Field[]): Json;
}

/** An object in the answer of a list is called after its kind, with this before it. */
const listedPrefix = /^Listed/;

const anything = { $ref: "pulumi.json#/Any" };

/** A field that becomes a type of its own, where it is first met, and everyone who has one like it. */
interface Named {
  field: Field;
  owners: Set<string>;
  first: string;
}

export function schemaTypes(groups: readonly Group[]): SchemaTypes {
  const named = new Map<string, Named>();
  for (const group of groups) collect(group, named);
  const names = nameAll(named);
  const token = (field: Field): string => pluginToken(names.get(signature(field)!)!);

  function type(field: Field): Json {
    if (field.type === "array") return { type: "array", items: type(field.item!) };
    if (field.type === "map") return { type: "object", additionalProperties: type(field.item!) };
    if (field.type === "any") return anything;
    if (signature(field) === undefined)
      return field.type === "object" ? { type: "object", additionalProperties: anything } : { type: field.type };
    const reference = { $ref: `#/types/${token(field)}` };
    return field.type === "object" || field.closed
      ? reference
      : { type: field.type, oneOf: [{ type: field.type }, reference] };
  }

  const property = (field: Field): Json => ({
    ...type(field),
    ...(field.description !== "" && { description: field.description }),
    ...(field.markers.behaviour?.default !== undefined && { default: field.markers.behaviour.default }),
    ...(field.markers.secret && { secret: true }),
    ...(field.markers.deprecated !== undefined && { deprecationMessage: sentence(field.markers.deprecated) }),
  });

  const properties = (fields: readonly Field[]): Json => {
    const required = fields.filter((field) => field.required).map((field) => field.name);
    return {
      properties: Object.fromEntries(fields.map((field) => [field.name, property(field)])),
      ...(required.length > 0 && { required }),
    };
  };

  const definition = (field: Field): Json =>
    field.type === "object"
      ? { type: "object", ...properties(field.fields ?? []) }
      : { type: "string", enum: field.values!.map((value) => ({ value })) };

  const definitions = [...named.values()].map(({ field }) => [token(field), definition(field)] as const);
  return { definitions: Object.fromEntries(definitions.sort(([a], [b]) => (a < b ? -1 : 1))), property, properties };
}

/** What two fields have in common that share a type; undefined for a field whose type needs no name. */
function signature(field: Field): string | undefined {
  if (field.type === "object")
    return (field.fields ?? []).length === 0
      ? undefined
      : (field.typeName ?? `object ${JSON.stringify(field.fields!.map((member) => [member.name, member.type]))}`);
  return (field.values ?? []).length > 1 ? `values ${field.values!.join(" ")}` : undefined;
}

function collect({ owner, fields }: Group, named: Map<string, Named>): void {
  for (const outer of fields) {
    let field = outer;
    while (field.item) field = field.item;
    const key = signature(field);
    if (key === undefined) continue;
    const known = named.get(key) ?? { field, owners: new Set(), first: owner };
    known.owners.add(owner);
    named.set(key, known);
    if (field.type === "object")
      collect(
        { owner: field.typeName?.replace(listedPrefix, "") ?? `${owner}${capital(field.name)}`, fields: field.fields! },
        named,
      );
  }
}

/**
 * A type is called after its field, and after its owner as well where it has only
 * one or the field's name does not say enough.
 */
function nameAll(named: ReadonlyMap<string, Named>): Map<string, string> {
  const bare = [...named.values()].map(({ field }) => field.name);
  return new Map(
    [...named].map(([key, { field, owners, first }]) => {
      const own = capital(field.name);
      const isClear = owners.size > 1 && bare.filter((name) => name === field.name).length === 1;
      return [key, field.typeName ?? (isClear ? own : `${first}${own}`)];
    }),
  );
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

const sentence = (text: string): string => `${capital(text)}.`;
