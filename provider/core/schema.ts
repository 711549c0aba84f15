import { z } from "zod";
import { holdsSecret } from "./check";
import { type Field, fieldsOf } from "./fields";
import type { ResourceSpec } from "./resource";
import { type SchemaTypes, schemaTypes } from "./schema-types";
import { settingFields, settingVariable } from "./settings";
import { dynamicToken, packageName, pluginToken } from "./tokens";

type Json = Record<string, unknown>;

/** Records of this provider that every resource shows besides the service's fields. */
export const readableRecords = z.object({
  accountId: z.string().describe("Account that the object lives in."),
  endpoint: z.string().describe("Origin of the service that the object was made at."),
  managedFields: z.array(z.string()).describe("Paths that the program sets, in Pulumi's property-path syntax."),
  adopted: z.boolean().optional().describe("Whether the object was there before and was taken over."),
});

/** A function of the package. */
export interface FunctionDoc {
  name: string;
  summary: string;
  inputs: readonly Field[];
  outputs: readonly Field[];
  /** The kind that the inputs are those of, where they are a kind's. */
  inputsOf?: string;
}

export interface PackageDoc {
  version: string;
  description: string;
  license: string;
  /** Kinds that programs declare. */
  specs: readonly ResourceSpec[];
  functions: readonly FunctionDoc[];
}

/** The schema of this package, as Pulumi generates SDKs, documentation and command-line help from it. */
export function packageSchema({ version, description, license, specs, functions }: PackageDoc): Json {
  const types = schemaTypes([
    { owner: "", fields: settingFields },
    ...specs.map((spec) => ({ owner: spec.kind, fields: [...inputsOf(spec), ...outputsOf(spec)] })),
    ...functions.flatMap((each) => [
      { owner: each.inputsOf ?? nounIn(each.name), fields: each.inputs },
      { owner: nounIn(each.name), fields: each.outputs },
    ]),
  ]);
  return {
    name: packageName,
    displayName: "Model Platform",
    version,
    description,
    keywords: ["pulumi", packageName, "category/cloud", "kind/native"],
    license,
    config: { variables: settingProperties(types) },
    types: types.definitions,
    provider: {
      description: "Settings for the resources and functions that use this provider.",
      inputProperties: settingProperties(types),
    },
    resources: Object.fromEntries(specs.map((spec) => [pluginToken(spec.kind), resource(spec, types)])),
    functions: Object.fromEntries(functions.map((each) => [pluginToken(each.name), functionOf(each, types)])),
    language: languages,
  };
}

/** `getModel` is about a `Model`. */
const nounIn = (name: string): string => name.replace(/^[a-z]+/, "");

/** Everything that a program may set. */
const inputsOf = (spec: ResourceSpec): readonly Field[] => fieldsOf(spec.inputs);

/** Everything that a program may read. What the service sets may be absent; what this provider makes never is. */
function outputsOf(spec: ResourceSpec): readonly Field[] {
  const { message, outputs, behaviours, directives, resourceId } = spec.fields;
  const isMade = (field: Field): boolean => field === resourceId || Object.hasOwn(spec.derived ?? {}, field.name);
  const all = [
    ...(resourceId ? [resourceId] : []),
    ...outputs,
    ...message,
    ...behaviours,
    ...directives,
    ...fieldsOf(readableRecords),
  ];
  return all
    .filter((field) => !field.markers.volatile)
    .map((field) => (isMade(field) ? { ...field, required: true } : field));
}

function resource(spec: ResourceSpec, types: SchemaTypes): Json {
  const inputs = types.properties(inputsOf(spec));
  return {
    description: `${spec.summary}\n\n${exampleOf(spec)}`,
    aliases: [{ type: dynamicToken(spec.kind) }],
    ...types.properties(outputsOf(spec)),
    inputProperties: Object.fromEntries(
      inputsOf(spec).map((field) => [
        field.name,
        {
          ...types.property(field),
          ...(holdsSecret(field) && { secret: true }),
          ...(!spec.identity.neverReplaced && replaces(field) && { willReplaceOnChanges: true }),
        },
      ]),
    ),
    ...(inputs["required"] !== undefined && { requiredInputs: inputs["required"] }),
  };
}

const replaces = (field: Field): boolean => field.markers.immutable === true || field.markers.restarts === true;

const functionOf = ({ summary, inputs, outputs }: FunctionDoc, types: SchemaTypes): Json => ({
  description: summary,
  inputs: { type: "object", ...types.properties(inputs) },
  outputs: { type: "object", ...types.properties(outputs) },
});

function settingProperties(types: SchemaTypes): Json {
  return Object.fromEntries(
    settingFields.map((field) => {
      const variable = settingVariable(field.name);
      return [
        field.name,
        { ...types.property(field), ...(variable !== undefined && { defaultInfo: { environment: [variable] } }) },
      ];
    }),
  );
}

function exampleOf(spec: ResourceSpec): string {
  const program = `import { ${spec.kind} } from "pulumi-${packageName}";\n\nconst example = new ${spec.kind}("example", ${literal(spec.example)});`;
  return `{{% examples %}}\n## Example Usage\n{{% example %}}\n\n\`\`\`typescript\n${program}\n\`\`\`\n\n{{% /example %}}\n{{% /examples %}}`;
}

/** A value as a program writes it. */
function literal(value: unknown, indent = ""): string {
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  const deeper = `${indent}    `;
  const entries = Array.isArray(value)
    ? value.map((entry) => literal(entry, deeper))
    : Object.entries(value).map(
        ([name, member]) =>
          `${/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name)}: ${literal(member, deeper)}`,
      );
  const [open, close] = Array.isArray(value) ? ["[", "]"] : ["{", "}"];
  return entries.length === 0
    ? `${open}${close}`
    : `${open}\n${entries.map((entry) => `${deeper}${entry},\n`).join("")}${indent}${close}`;
}

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
