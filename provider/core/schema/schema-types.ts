import type { Field } from "../fields/fields";
import { pluginToken } from "../fields/tokens";
import { memberName, type TypeNames } from "../fields/type-names";
import { defined } from "../values/defined";
import { type Facts, inputFacts, sentencesIn } from "./facts";

type Json = Record<string, unknown>;

/** The named types of a package schema and the references to them. */
export interface SchemaTypes {
  /** Definitions, by token. */
  definitions: Record<string, Json>;
  /** A property of a resource, a function or a type. */
  property(field: Field, factsOf?: FactsOf): Json;
  /** `properties` of an object, and which of them are required. */
  properties(fields: readonly Field[], factsOf?: FactsOf): Json;
}

/** What a description says besides the declaration's own words. Default: as of something that is given. */
type FactsOf = (field: Field) => Facts;

const anything = { $ref: "pulumi.json#/Any" };

export function schemaTypes(names: TypeNames): SchemaTypes {
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

  const property = (field: Field, factsOf: FactsOf = inputFacts): Json => ({
    ...type(field),
    ...defined({
      description: field.description === "" ? undefined : describe(field, factsOf(field)),
      default: field.markers.behaviour?.default,
      secret: field.markers.secret,
      deprecationMessage: field.markers.deprecated === undefined ? undefined : sentence(field.markers.deprecated),
    }),
  });

  const properties = (fields: readonly Field[], factsOf: FactsOf = inputFacts): Json => {
    const required = fields.filter((field) => field.required).map((field) => field.name);
    const properties = Object.fromEntries(fields.map((field) => [field.name, property(field, factsOf)]));
    return required.length > 0 ? { properties, required } : { properties };
  };

  const definition = (field: Field): Json =>
    field.type === "object"
      ? { type: "object", ...properties(field.fields ?? []) }
      : { type: "string", enum: enumMembers(field) };

  const definitions = names.all.map(({ name, field }) => [pluginToken(name), definition(field)] as const);
  return { definitions: Object.fromEntries(definitions.sort(([a], [b]) => (a < b ? -1 : 1))), property, properties };
}

/** What says that nothing was said is no value to choose. */
const enumMembers = ({ meanings }: Field): Json[] =>
  Object.entries(meanings!)
    .filter(([value]) => !value.endsWith("_UNSPECIFIED"))
    .map(([value, description]) => ({ name: memberName(value), description, value }));

const describe = (field: Field, facts: Facts): string => [field.description, ...sentencesIn(facts)].join(" ");

const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
