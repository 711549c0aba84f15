import type { Field } from "../fields/fields";
import { pluginToken } from "../fields/tokens";
import { memberName, type NamedType, type TypeNames, typeDescription } from "../fields/type-names";
import { snakeCase } from "../values/names";
import { omitUndefined } from "../values/values";
import { type Facts, inputFacts, sentencesIn } from "./facts";

type Json = Record<string, unknown>;

/** The named types of a package schema and the references to them. */
export interface SchemaTypes {
  /** Definitions, by token. */
  definitions: Record<string, Json>;
  /** A text about a resource or a function. */
  withReferences(text: string): string;
  /** A property of a resource, a function or a type. */
  property(field: Field, factsOf?: FactsOf, spelled?: Spelled): Json;
  /** `properties` of an object, and which of them are required. */
  properties(fields: readonly Field[], factsOf?: FactsOf): Properties;
}

interface Properties {
  properties: Record<string, Json>;
  required?: string[];
}

/** Names that each language spells in its own way. */
type Spelled = ReadonlySet<string>;

/** What a description says besides the declaration's own words. Default: as of something that is given. */
type FactsOf = (field: Field) => Facts;

const anything = { $ref: "pulumi.json#/Any" };

/** `functions`: names that every description may have. */
export function schemaTypes(names: TypeNames, functions: Spelled): SchemaTypes {
  function type(field: Field): Json {
    if (field.type === "array") return { type: "array", items: type(field.item!) };
    if (field.type === "map") return { type: "object", additionalProperties: type(field.item!) };
    if (field.type === "any") return anything;
    const name = names.nameOf(field);
    if (name === undefined)
      return field.type === "object" ? { type: "object", additionalProperties: anything } : { type: field.type };
    const reference = { $ref: `#/types/${pluginToken(name)}` };
    return field.type === "object" || field.closed
      ? reference
      : { type: field.type, oneOf: [{ type: field.type }, reference] };
  }

  const property = (field: Field, factsOf: FactsOf = inputFacts, spelled = functions): Json => ({
    ...type(field),
    ...omitUndefined({
      description: field.description === "" ? undefined : inWords(describe(field, factsOf(field)), spelled),
      default: field.markers.behaviour?.default,
      secret: field.markers.secret,
      deprecationMessage: field.markers.deprecated === undefined ? undefined : sentence(field.markers.deprecated),
    }),
  });

  const properties = (fields: readonly Field[], factsOf: FactsOf = inputFacts): Properties => {
    const required = fields.filter((field) => field.required).map((field) => field.name);
    const spelled = new Set([...functions, ...fields.map(({ name }) => name)]);
    const properties = Object.fromEntries(fields.map((field) => [field.name, property(field, factsOf, spelled)]));
    return required.length > 0 ? { properties, required } : { properties };
  };

  const definition = (type: NamedType): Json => {
    const { fields = [], ...field } = type.field;
    const description = inWords(typeDescription(type), new Set([...functions, ...fields.map(({ name }) => name)]));
    return field.type === "object"
      ? { description, type: "object", ...properties(fields) }
      : { description, type: "string", enum: enumMembers(field) };
  };

  const definitions = names.all.map((type) => [pluginToken(type.name), definition(type)] as const);
  const withReferences = (text: string): string => inWords(text, functions);
  return {
    definitions: Object.fromEntries(definitions.sort(([a], [b]) => (a < b ? -1 : 1))),
    withReferences,
    property,
    properties,
  };
}

/** What says that nothing was said is no value to choose. */
const enumMembers = ({ meanings }: Field): Json[] =>
  Object.entries(meanings!)
    .filter(([value]) => !value.endsWith("_UNSPECIFIED"))
    .map(([value, description]) => ({ name: memberName(value), description, value }));

const describe = (field: Field, facts: Facts): string => [field.description, ...sentencesIn(facts)].join(" ");

/** What stands for no value in the languages that can send it, which leave out a property otherwise. */
const nothing = "`null` (in TypeScript and YAML)";

/**
 * A description that calls properties and functions by their words. Languages spell them differently; references, which
 * Pulumi's generators would spell, are printed by its CLI as they are.
 */
const inWords = (text: string, spelled: Spelled): string =>
  text.replace(/`(\w+)`/g, (quoted, name: string) => {
    if (name === "null") return nothing;
    const words = snakeCase(name).replaceAll("_", " ");
    return spelled.has(name) && words !== name ? `"${words}"` : quoted;
  });

const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
