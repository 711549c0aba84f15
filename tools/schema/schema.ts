import type { ResourceSpec } from "../../provider/core/declaration/resource";
import { inputFields, listingInputs, outputFields } from "../../provider/core/declaration/surface";
import { type Field, fieldsOf } from "../../provider/core/fields/fields";
import { dynamicToken, packageName, pluginToken } from "../../provider/core/pulumi-names";
import { containsSecret } from "../../provider/core/secrets";
import { settingFields, settingVariable } from "../../provider/core/settings";
import { snakeCase } from "../../provider/core/values/names";
import { omitUndefined } from "../../provider/core/values/values";
import { functionExamples, resourceExamples, type SdkNames } from "./examples";
import { type Facts, inputFacts, outputFacts, sentencesIn } from "./facts";
import { memberName, type NamedType, type TypeNames, typeDescription, typeNames } from "./type-names";

type Json = Record<string, unknown>;

/** The named types of a package schema and the references to them. */
export interface SchemaTypes {
  /** Definitions, by token. */
  definitions: Record<string, Json>;
  /** A text about a resource or a function. */
  withReferences(text: string): string;
  /** A property of a resource, a function or a type. */
  property(field: Field, factsOf?: FactsOf): Json;
  /** `properties` of an object, and which of them are required. */
  properties(fields: readonly Field[], factsOf?: FactsOf): Properties;
}

interface Properties {
  properties: Record<string, Json>;
  required?: string[];
}

/** Names that each language spells in its own way. */
type Spelled = ReadonlySet<string>;

/** What a description says besides the declaration's own words. Default: the facts of an input. */
type FactsOf = (field: Field) => Facts;

const anything = { $ref: "pulumi.json#/Any" };

export function schemaTypes(names: TypeNames, spelled: Spelled): SchemaTypes {
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
    ...omitUndefined({
      description: field.description === "" ? undefined : inWords(describe(field, factsOf(field)), spelled),
      default: field.markers.behaviour?.default,
      secret: field.markers.secret,
      deprecationMessage: field.markers.deprecated === undefined ? undefined : sentence(field.markers.deprecated),
    }),
  });

  const properties = (fields: readonly Field[], factsOf: FactsOf = inputFacts): Properties => {
    const required = fields.filter((field) => field.required).map((field) => field.name);
    const properties = Object.fromEntries(fields.map((field) => [field.name, property(field, factsOf)]));
    return required.length > 0 ? { properties, required } : { properties };
  };

  const definition = (type: NamedType): Json => {
    const { fields = [], ...field } = type.field;
    const description = inWords(typeDescription(type), spelled);
    return field.type === "object"
      ? { description, type: "object", ...properties(fields) }
      : { description, type: "string", enum: enumMembers(field, spelled) };
  };

  const definitions = names.all.map((type) => [pluginToken(type.name), definition(type)] as const);
  const withReferences = (text: string): string => inWords(text, spelled);
  return {
    definitions: Object.fromEntries(definitions.sort(([a], [b]) => (a < b ? -1 : 1))),
    withReferences,
    property,
    properties,
  };
}

/** `…_UNSPECIFIED` means "unset"; programs never write it. */
const enumMembers = ({ meanings }: Field, spelled: Spelled): Json[] =>
  Object.entries(meanings!)
    .filter(([value]) => !value.endsWith("_UNSPECIFIED"))
    .map(([value, meaning]) => ({ name: memberName(value), description: inWords(meaning, spelled), value }));

const describe = (field: Field, facts: Facts): string => [field.description, ...sentencesIn(facts)].join(" ");

/**
 * A description that calls properties and functions by their words. Languages spell them differently; references, which
 * Pulumi's generators would spell, are printed by its CLI as they are. `null` is a value in TypeScript and YAML alone:
 * elsewhere it is the same as nothing.
 */
const inWords = (text: string, spelled: Spelled): string =>
  text
    .replaceAll("; so does `null`", "")
    .replaceAll("; `null` clears it", "; in TypeScript and YAML, `null` clears it")
    .replace(/`(\w+)(?:: "?(\w+)"?)?`/g, (quoted, name: string, value?: string) => {
      const words = snakeCase(name).replaceAll("_", " ");
      if (value !== undefined) return `"${words}" = \`${value}\``;
      return spelled.has(name) && words !== name ? `"${words}"` : quoted;
    });

const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;

type SchemaJson = Record<string, unknown>;

/** A function of the package. */
export interface FunctionDoc {
  name: string;
  summary: string;
  inputs: readonly Field[];
  outputs: readonly Field[];
  /** The kind that the inputs are those of, where they are a kind's. */
  inputsOf?: string | undefined;
  /** Arguments of a call that shows what the function is for. */
  example: Readonly<Record<string, unknown>>;
}

interface PackageDoc {
  version: string;
  description: string;
  license: string;
  /** Who publishes the package, and where it is found. */
  publisher: SchemaJson;
  /** What programs import. */
  sdks: SdkNames;
  /** The pages of the SDKs that Pulumi writes one for. */
  readmes: { nodejs: string; python: string };
  /** Kinds that programs declare. */
  specs: readonly ResourceSpec[];
  functions: readonly FunctionDoc[];
}

/** The schema of this package, as Pulumi generates SDKs, documentation and command-line help from it. */
export function packageSchema({ specs, functions, publisher, sdks, readmes, ...about }: PackageDoc): SchemaJson {
  const names = packageTypes(specs, functions);
  const types = schemaTypes(names, spelledNames(specs, functions));
  return {
    name: packageName,
    displayName: "Model Platform",
    version: about.version,
    description: about.description,
    keywords: ["pulumi", packageName, "category/cloud", "kind/native"],
    license: about.license,
    ...publisher,
    config: { variables: settingProperties(types) },
    types: types.definitions,
    provider: {
      description: "Settings for the resources and functions that use this provider.",
      inputProperties: settingProperties(types),
    },
    resources: Object.fromEntries(
      specs.map((spec) => [pluginToken(spec.kind), resource(spec, { types, names, sdks })]),
    ),
    functions: Object.fromEntries(
      functions.map((each) => [pluginToken(each.name), functionOf(each, { types, names, sdks, specs })]),
    ),
    language: languages(sdks, readmes),
  };
}

/** Names of properties and functions that a description may mention. */
function spelledNames(specs: readonly ResourceSpec[], functions: readonly FunctionDoc[]): Spelled {
  const namesIn = (fields: readonly Field[]): string[] =>
    fields.flatMap(({ name, fields = [], item }) => [name, ...namesIn(fields), ...(item ? namesIn([item]) : [])]);
  const ofKinds = specs.flatMap((spec) => [...inputFields(spec), ...outputFields(spec)]);
  const ofFunctions = functions.flatMap(({ inputs, outputs }) => [...inputs, ...outputs]);
  return new Set([...functions.map(({ name }) => name), ...namesIn([...settingFields, ...ofKinds, ...ofFunctions])]);
}

/** Every message and enum of the package, by the name that it has in all languages. */
export const packageTypes = (specs: readonly ResourceSpec[], functions: readonly FunctionDoc[]): TypeNames =>
  typeNames([
    { owner: "", fields: settingFields },
    ...specs.map((spec) => ({
      owner: spec.kind,
      kind: spec.kind,
      fields: [...inputFields(spec), ...outputFields(spec)],
    })),
    ...functions.flatMap((each) => [
      { owner: each.inputsOf ?? nounIn(each.name), fields: each.inputs },
      { owner: nounIn(each.name), fields: each.outputs },
    ]),
  ]);

/** `getModel` is about a `Model`. */
const nounIn = (name: string): string => name.replace(/^[a-z]+/, "");

function inputsOf(
  spec: ResourceSpec,
  types: SchemaTypes,
): { properties: Record<string, SchemaJson>; required?: string[] } {
  const fields = inputFields(spec);
  const inputs = types.properties(fields, (field) => inputFacts(field, spec));
  for (const field of fields) markInput(spec, field, inputs.properties[field.name]!);
  return inputs;
}

function markInput(spec: ResourceSpec, field: Field, property: SchemaJson): void {
  if (containsSecret(field)) property["secret"] = true;
  if (!spec.identity.neverReplaced && replacesOnChange(field)) property["willReplaceOnChanges"] = true;
}

function resource(spec: ResourceSpec, { types, names, sdks }: ResourceDeps): SchemaJson {
  const isListed = spec.singleton || spec.operations.list;
  const inputs = inputsOf(spec, types);
  return {
    description: withExample(types.withReferences(spec.summary), resourceExamples(spec, names, sdks)),
    aliases: [{ type: dynamicToken(spec.kind) }],
    ...types.properties(outputFields(spec), outputFacts),
    inputProperties: inputs.properties,
    ...omitUndefined({
      requiredInputs: inputs.required,
      listInputs: isListed ? { type: "object", ...types.properties(fieldsOf(listingInputs(spec))) } : undefined,
    }),
  };
}

const replacesOnChange = (field: Field): boolean => field.markers.immutable === true || field.markers.restarts === true;

interface ResourceDeps {
  types: SchemaTypes;
  names: TypeNames;
  sdks: SdkNames;
}

interface FunctionDeps extends ResourceDeps {
  specs: readonly ResourceSpec[];
}

function functionOf(each: FunctionDoc, { types, names, sdks, specs }: FunctionDeps): SchemaJson {
  const getsKind = specs.some(({ kind }) => each.name === `get${kind}`);
  return {
    description: withExample(types.withReferences(each.summary), functionExamples({ ...each, getsKind }, names, sdks)),
    inputs: { type: "object", ...types.properties(each.inputs) },
    outputs: { type: "object", ...types.properties(each.outputs, outputFacts) },
  };
}

/**
 * Settings, each with the variable that replaces it. In words alone: what an SDK reads from the environment, it
 * records in the state of an explicit provider, where the value outlives the variable.
 */
function settingProperties(types: SchemaTypes): SchemaJson {
  return Object.fromEntries(
    settingFields.map((field) => {
      const variable = settingVariable(field.name);
      const property = types.property(field);
      const instead = `Where it is not set, the environment variable \`${variable}\` counts.`;
      return [field.name, { ...property, description: `${property["description"]} ${instead}` }];
    }),
  );
}

const withExample = (summary: string, blocks: string): string =>
  `${summary}\n\n{{% examples %}}\n## Example Usage\n{{% example %}}\n\n${blocks}\n\n{{% /example %}}\n{{% /examples %}}`;

const languages = ({ nodejs, go, csharp, java }: SdkNames, readmes: PackageDoc["readmes"]): SchemaJson => ({
  nodejs: {
    packageName: nodejs,
    readme: readmes.nodejs,
    respectSchemaVersion: true,
    dependencies: { "@pulumi/pulumi": "^3.216.0" },
  },
  python: {
    packageName: `pulumi_${packageName}`,
    readme: readmes.python,
    pyproject: { enabled: true },
    respectSchemaVersion: true,
    requires: { pulumi: ">=3.216.0,<4.0.0" },
  },
  go: {
    importBasePath: `${go}/${packageName}`,
    generateResourceContainerTypes: true,
    respectSchemaVersion: true,
  },
  csharp: { rootNamespace: csharp, namespaces: { [packageName]: "ModelPlatform" }, respectSchemaVersion: true },
  java: { basePackage: java, buildFiles: "gradle" },
});
