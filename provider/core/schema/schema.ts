import { containsSecret } from "../checks/check";
import type { ResourceSpec } from "../declaration/resource";
import { inputFields, listingInputs, outputFields } from "../declaration/surface";
import { type Field, fieldsOf } from "../fields/fields";
import { dynamicToken, packageName, pluginToken } from "../fields/tokens";
import { type TypeNames, typeNames } from "../fields/type-names";
import { settingFields, settingVariable } from "../settings";
import { omitUndefined } from "../values/values";
import { functionExamples, resourceExamples, type SdkNames } from "./example-languages";
import { inputFacts, outputFacts } from "./facts";
import { type SchemaTypes, schemaTypes } from "./schema-types";

type Json = Record<string, unknown>;

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
  publisher: Json;
  /** What programs import. */
  sdks: SdkNames;
  /** The pages of the SDKs that Pulumi writes one for. */
  readmes: { nodejs: string; python: string };
  /** Kinds that programs declare. */
  specs: readonly ResourceSpec[];
  functions: readonly FunctionDoc[];
}

/** The schema of this package, as Pulumi generates SDKs, documentation and command-line help from it. */
export function packageSchema({ specs, functions, publisher, sdks, readmes, ...about }: PackageDoc): Json {
  const names = packageTypes(specs, functions);
  const types = schemaTypes(names, new Set(functions.map(({ name }) => name)));
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

function inputsOf(spec: ResourceSpec, types: SchemaTypes): { properties: Record<string, Json>; required?: string[] } {
  const fields = inputFields(spec);
  const inputs = types.properties(fields, (field) => inputFacts(field, spec));
  for (const field of fields) markInput(spec, field, inputs.properties[field.name]!);
  return inputs;
}

function markInput(spec: ResourceSpec, field: Field, property: Json): void {
  if (containsSecret(field)) property["secret"] = true;
  if (!spec.identity.neverReplaced && replacesOnChange(field)) property["willReplaceOnChanges"] = true;
}

function resource(spec: ResourceSpec, { types, names, sdks }: ResourceDeps): Json {
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

const replacesOnChange = (field: Field): boolean =>
  field.markers.immutable === true || field.markers.changeReplaces === true;

interface ResourceDeps {
  types: SchemaTypes;
  names: TypeNames;
  sdks: SdkNames;
}

interface FunctionDeps extends ResourceDeps {
  specs: readonly ResourceSpec[];
}

function functionOf(each: FunctionDoc, { types, names, sdks, specs }: FunctionDeps): Json {
  const getsKind = specs.some(({ kind }) => each.name === `get${kind}`);
  return {
    description: withExample(types.withReferences(each.summary), functionExamples({ ...each, getsKind }, names, sdks)),
    inputs: { type: "object", ...types.properties(each.inputs) },
    outputs: { type: "object", ...types.properties(each.outputs, outputFacts) },
  };
}

/**
 * Settings, each with the variable that stands in for it. In words alone: what an SDK reads from the environment, it
 * records in the state of an explicit provider, where the value outlives the variable.
 */
function settingProperties(types: SchemaTypes): Json {
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

const languages = ({ nodejs, go, csharp, java }: SdkNames, readmes: PackageDoc["readmes"]): Json => ({
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
