import { holdsSecret } from "../checks/check";
import { listingInputs } from "../declaration/listing";
import type { ResourceSpec } from "../declaration/resource";
import { inputFields, outputFields } from "../declaration/surface";
import { type Field, fieldsOf } from "../fields/fields";
import { dynamicToken, packageName, pluginToken } from "../fields/tokens";
import { type TypeNames, typeNames } from "../fields/type-names";
import { settingFields, settingVariable } from "../settings";
import { defined } from "../values/defined";
import { exampleBlocks } from "./example-languages";
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
}

interface PackageDoc {
  version: string;
  description: string;
  license: string;
  /** Who publishes the package, and where it is found. */
  publisher: Json;
  /** Kinds that programs declare. */
  specs: readonly ResourceSpec[];
  functions: readonly FunctionDoc[];
}

/** The schema of this package, as Pulumi generates SDKs, documentation and command-line help from it. */
export function packageSchema({ version, description, license, publisher, specs, functions }: PackageDoc): Json {
  const names = packageTypes(specs, functions);
  const types = schemaTypes(names);
  return {
    name: packageName,
    displayName: "Model Platform",
    version,
    description,
    keywords: ["pulumi", packageName, "category/cloud", "kind/native"],
    license,
    ...publisher,
    config: { variables: settingProperties(types) },
    types: types.definitions,
    provider: {
      description: "Settings for the resources and functions that use this provider.",
      inputProperties: settingProperties(types),
    },
    resources: Object.fromEntries(specs.map((spec) => [pluginToken(spec.kind), resource(spec, types, names)])),
    functions: Object.fromEntries(functions.map((each) => [pluginToken(each.name), functionOf(each, types)])),
    language: languages,
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

function inputProperty(spec: ResourceSpec, field: Field, types: SchemaTypes): Json {
  const property = types.property(field, (each) => inputFacts(each, spec));
  if (holdsSecret(field)) property["secret"] = true;
  if (!spec.identity.neverReplaced && replaces(field)) property["willReplaceOnChanges"] = true;
  return property;
}

function resource(spec: ResourceSpec, types: SchemaTypes, names: TypeNames): Json {
  const isListed = spec.singleton || spec.operations.list;
  const inputs = types.properties(inputFields(spec));
  return {
    description: `${spec.summary}\n\n${exampleOf(spec, names)}`,
    aliases: [{ type: dynamicToken(spec.kind) }],
    ...types.properties(outputFields(spec), outputFacts),
    inputProperties: Object.fromEntries(
      inputFields(spec).map((field) => [field.name, inputProperty(spec, field, types)]),
    ),
    ...defined({
      requiredInputs: inputs["required"],
      listInputs: isListed ? { type: "object", ...types.properties(fieldsOf(listingInputs(spec))) } : undefined,
    }),
  };
}

const replaces = (field: Field): boolean => field.markers.immutable === true || field.markers.restarts === true;

const functionOf = ({ summary, inputs, outputs }: FunctionDoc, types: SchemaTypes): Json => ({
  description: summary,
  inputs: { type: "object", ...types.properties(inputs) },
  outputs: { type: "object", ...types.properties(outputs, outputFacts) },
});

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

const exampleOf = (spec: ResourceSpec, names: TypeNames): string =>
  `{{% examples %}}\n## Example Usage\n{{% example %}}\n\n${exampleBlocks(spec, names)}\n\n{{% /example %}}\n{{% /examples %}}`;

const languages = {
  nodejs: {
    packageName: `pulumi-${packageName}-sdk`,
    respectSchemaVersion: true,
    dependencies: { "@pulumi/pulumi": "^3.216.0" },
  },
  python: {
    packageName: `pulumi_${packageName}`,
    pyproject: { enabled: true },
    respectSchemaVersion: true,
    requires: { pulumi: ">=3.216.0,<4.0.0" },
  },
  go: {
    importBasePath: `pulumi-${packageName}/sdk/go/${packageName}`,
    generateResourceContainerTypes: true,
    respectSchemaVersion: true,
  },
  csharp: { rootNamespace: "Pulumi", namespaces: { [packageName]: "ModelPlatform" }, respectSchemaVersion: true },
  java: { basePackage: "com.pulumi", buildFiles: "gradle" },
};
