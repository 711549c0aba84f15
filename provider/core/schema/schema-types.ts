import type { Field } from "../fields/fields";
import { pluginToken } from "../fields/tokens";
import { memberName, type TypeNames } from "../fields/type-names";
import { defined } from "../values/values";
import { type Facts, inputFacts, sentencesIn } from "./facts";

type Json = Record<string, unknown>;

/** The named types of a package schema and the references to them. */
export interface SchemaTypes {
  /** Definitions, by token. */
  definitions: Record<string, Json>;
  /** A text about a resource or a function. */
  described(text: string): string;
  /** A property of a resource, a function or a type. */
  property(field: Field, factsOf?: FactsOf, references?: References): Json;
  /** `properties` of an object, and which of them are required; `path`: where they are in the schema. */
  properties(fields: readonly Field[], factsOf?: FactsOf, path?: string): Properties;
}

interface Properties {
  properties: Record<string, Json>;
  required?: string[];
}

/** Paths in the schema by the names that descriptions call them, so that each SDK spells these in its own way. */
type References = ReadonlyMap<string, string>;

/** What a description says besides the declaration's own words. Default: as of something that is given. */
type FactsOf = (field: Field) => Facts;

const anything = { $ref: "pulumi.json#/Any" };

/** `everywhere`: what every description may refer to. */
export function schemaTypes(names: TypeNames, everywhere: References): SchemaTypes {
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

  const property = (field: Field, factsOf: FactsOf = inputFacts, references = everywhere): Json => ({
    ...type(field),
    ...defined({
      description: field.description === "" ? undefined : referring(describe(field, factsOf(field)), references),
      default: field.markers.behaviour?.default,
      secret: field.markers.secret,
      deprecationMessage: field.markers.deprecated === undefined ? undefined : sentence(field.markers.deprecated),
    }),
  });

  const properties = (fields: readonly Field[], factsOf: FactsOf = inputFacts, path?: string): Properties => {
    const required = fields.filter((field) => field.required).map((field) => field.name);
    const references = path === undefined ? everywhere : new Map([...everywhere, ...siblings(fields, path)]);
    const properties = Object.fromEntries(fields.map((field) => [field.name, property(field, factsOf, references)]));
    return required.length > 0 ? { properties, required } : { properties };
  };

  const definition = (field: Field, token: string): Json =>
    field.type === "object"
      ? { type: "object", ...properties(field.fields ?? [], inputFacts, `#/types/${token}/properties`) }
      : { type: "string", enum: enumMembers(field) };

  const definitions = names.all
    .map(({ name, field }) => ({ token: pluginToken(name), field }))
    .map(({ token, field }) => [token, definition(field, token)] as const);
  const described = (text: string): string => referring(text, everywhere);
  return {
    definitions: Object.fromEntries(definitions.sort(([a], [b]) => (a < b ? -1 : 1))),
    described,
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

/** Properties of the same object, by their names. */
const siblings = (fields: readonly Field[], path: string): [name: string, path: string][] =>
  fields.map(({ name }) => [name, `${path}/${name}`]);

/** What stands for no value in the languages that can send it, which leave out a property otherwise. */
const nothing = "`null` (in TypeScript and YAML)";

/** A description whose names of other things are references, in the form that Pulumi's generators know. */
const referring = (text: string, references: References): string =>
  text.replace(/`(\w+)`/g, (quoted, name: string) => {
    if (name === "null") return nothing;
    const path = references.get(name);
    return path === undefined ? quoted : `{{% ref ${path} %}}`;
  });

const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
