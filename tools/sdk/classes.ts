import type { ResourceSpec } from "../../provider/core/declaration/resource";
import { type FunctionSpec, inputFields, outputFields } from "../../provider/core/declaration/surface";
import { settingFields } from "../../provider/core/settings";
import { exampleStatement, literal } from "../schema/examples";
import { outputFacts } from "../schema/facts";
import type { FunctionDoc } from "../schema/schema";
import {
  comment,
  documentationOf,
  fileName,
  fileText,
  fromDeclarations,
  oneLine,
  pagePath,
  pulumiImport,
  pulumiTypes,
  signature,
  typeImports,
  wrapTypeArguments,
} from "./layout";
import { members, type TypeTexts } from "./types";

/** A function with its declaration. */
export interface DeclaredFunction extends FunctionDoc {
  spec: FunctionSpec;
}

/** All functions, in both forms, with what they take and answer. */
export const functionFile = (functions: readonly DeclaredFunction[], types: TypeTexts): string =>
  fileText([options, ...functions.map((each) => functionText(each, types))].join("\n"), [
    pulumiTypes,
    { word: "invocation", text: 'import { invocation } from "../pulumi/functions";' },
    { word: "Provider;", text: 'import type { Provider } from "./provider";' },
    ...typeImports("./types"),
    ...[...new Set(functions.flatMap(({ inputsOf }) => inputsOf ?? []))].map((kind) => ({
      word: `${kind}Args\\b`,
      text: `import type { ${kind}Args } from "./${fileName(kind)}";`,
    })),
  ]);

const options = `/** Where a function's settings come from. */
export interface FunctionOptions {
  /** Whose settings to use. Default: those of \`parent\`'s provider, else the stack's config and the environment. */
  provider?: Provider;
  /** Resource whose provider is used where \`provider\` is not given. */
  parent?: pulumi.Resource;
}

/** The same for the form whose result is an output. */
export interface FunctionOutputOptions extends FunctionOptions {
  /**
   * Resources that have to be there before the function is called, with the children that components have by then. In a
   * preview that is to create one of them, the result is not known.
   */
  dependsOn?: pulumi.Input<pulumi.Input<pulumi.Resource>[]> | pulumi.Input<pulumi.Resource>;
}
`;

const optionsParameter = "options: FunctionOptions = {}";
const outputOptionsParameter = "options: FunctionOutputOptions = {}";

function functionText(each: DeclaredFunction, types: TypeTexts): string {
  const { name, summary } = each;
  const Name = `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
  const isOptional = each.inputs.every(({ required }) => !required);
  const args = (type: string): string => (isOptional ? `args: ${type} = {}` : `args: ${type}`);
  return `${argumentsOf(each, Name, types)}
${resultOf(each, Name, types)}
const ${name}Forms = invocation("${name}");

${comment({
  paragraphs: [summary, "Rejects with a `ModelPlatformError`."],
  tags: [
    "@param args What to ask for.\n@param options Whose settings to use.",
    `@example\n\`\`\`ts\n${exampleCall(each)}\n\`\`\``,
    `@see [All functions](${fromDeclarations}/docs/functions.md)`,
  ],
})}${signature(`export function ${name}`, [args(`${Name}Args`), optionsParameter], `: Promise<${Name}Result> {`)}
  return ${name}Forms.plain(args, options) as Promise<${Name}Result>;
}

${comment({
  paragraphs: [
    summary,
    `The form of \`${name}\` whose arguments may be outputs of resources, and whose result is one. A result that contains a secret is a secret.`,
  ],
  tags: [
    "@param args What to ask for.\n@param options Whose settings to use, and what to wait for.",
    `@see [All functions](${fromDeclarations}/docs/functions.md)`,
  ],
})}${signature(`export function ${name}Output`, [args(`${Name}OutputArgs`), outputOptionsParameter], `: pulumi.Output<${Name}Result> {`)}
  return ${name}Forms.output(args, options) as pulumi.Output<${Name}Result>;
}
`;
}

/** A call that shows what the function is for. */
export function exampleCall({ name, spec: { example } }: DeclaredFunction): string {
  const call = (args: string): string => `const result = await ${name}(${args});`;
  const short = call(Object.keys(example).length === 0 ? "" : oneLine(example));
  return short.length <= 100 ? short : call(literal(example));
}

function argumentsOf({ name, inputsOf, inputs, spec }: DeclaredFunction, Name: string, types: TypeTexts): string {
  const own = inputsOf === undefined ? inputs : inputs.filter((field) => field.name in spec.inputs.shape);
  const [base, outputBase] =
    inputsOf === undefined ? ["", ""] : [` extends input.${inputsOf}`, ` extends ${inputsOf}Args`];
  return `${comment({ paragraphs: [`Arguments of \`${name}\`.`] })}export interface ${Name}Args${base} {
${members(own, "plain", types)}}

${comment({ paragraphs: [`Arguments of \`${name}Output\`, which may be known later.`] })}export interface ${Name}OutputArgs${outputBase} {
${members(own, "input", types)}}
`;
}

function resultOf({ name, outputs, spec: { answer } }: DeclaredFunction, Name: string, types: TypeTexts): string {
  const text = comment({ paragraphs: [`What \`${name}\` returns.`] });
  if ("one" in answer) return `${text}export interface ${Name}Result extends output.Observed${answer.one} {}\n`;
  return `${text}export interface ${Name}Result {
${members(outputs, "output", types)}}
`;
}

/** The explicit provider and its settings. */
export const providerFile = (types: TypeTexts): string =>
  fileText(
    `${comment({
      paragraphs: [
        "Settings of a `Provider`. What is not given comes from the stack's config, then from the environment.",
      ],
    })}export interface ProviderArgs {
${members(settingFields, "input", types)}}

/**
 * Settings for some of a program's resources and functions. A component takes it as \`providers: [eu]\`.
 *
 * @example
 * \`\`\`ts
 * const eu = new Provider("eu", { accountId: "acme-eu", apiKey: config.requireSecret("euKey") });
 * new User("ada", { email: "ada@example.com", role: "admin" }, { provider: eu });
 * \`\`\`
 */
export class Provider extends pulumi.ProviderResource {
  /** Package of its resources, by which policies and transforms recognize the class. */
  static readonly __pulumiType = dynamicPackage;

  /** Whether \`value\` is a provider of this package, also one made by another copy of it. */
  static override isInstance(value: unknown): value is Provider {
    return isDynamicProvider(value);
  }

  /**
   * Settings for some of a program's resources and functions.
   *
   * @param name Name of the provider in the stack.
   * @param args Settings that differ from the stack's.
   * @param opts Options of the provider, such as \`parent\`.
   */
  constructor(name: string, args: ProviderArgs = {}, opts?: pulumi.ResourceOptions) {
    const { registration, keep } = openProvider(name, args, opts);
    super(...registration);
    keep(this);
  }
}
`,
    [
      pulumiImport,
      { word: "dynamicPackage", text: 'import { dynamicPackage } from "../core/pulumi-names";' },
      { word: "openProvider", text: 'import { isDynamicProvider, openProvider } from "../pulumi/provider";' },
      ...typeImports("./types"),
    ],
  );

/** The lines that export the types. Editors show the text of a name in an export's list, and none of `export * as`. */
export const typesExport = `import * as types from "./types/index";
export {
  /** Types of arguments (\`types.input\`) and outputs (\`types.output\`), and the enums (\`types.enums\`). */
  types,
};
`;

/** What programs import of the plugin: the names of the main entry, with classes whose resources the plugin serves. */
export function pluginFile(specs: readonly ResourceSpec[]): string {
  const imports = specs.map(({ kind }) => `import type { ${kind} as Dynamic${kind} } from "./${fileName(kind)}";\n`);
  const args = specs.map(({ kind }) => `export type { ${kind}Args } from "./${fileName(kind)}";\n`);
  const classes = specs.map(
    ({ kind, summary }) =>
      `\n${comment({ paragraphs: [summary] })}export const ${kind} = pluginClass<typeof Dynamic${kind}>("${kind}");\nexport type ${kind} = Dynamic${kind};\n`,
  );
  return fileText(
    `import { pluginClass, pluginProviderClass } from "../pulumi/wiring";
${imports.join("")}import type { Provider as DynamicProvider } from "./provider";

${args.join("")}export * from "./functions";
export type { ProviderArgs } from "./provider";
export * from "./types/enums";
${typesExport}${classes.join("")}
${comment({ paragraphs: ["Settings for some of a program's resources and functions."] })}export const Provider = pluginProviderClass<typeof DynamicProvider>();
export type Provider = DynamicProvider;
`,
    [],
  );
}

/** A room of classes, and how they reach the service. */
interface ClassTarget {
  /** Path, from the room, of the module that exports the function `wiring`: a kind's wiring by the kind's name. */
  module: string;
  wiring: string;
  /** Path of the types of nested messages and enums. */
  types: string;
  /** Path of the room that declares what programs give. Default: the room itself. */
  args?: string;
}

const dynamicHost: ClassTarget = {
  module: "../pulumi/wiring",
  wiring: "dynamicWiring",
  types: "./types",
};

/** The file of a kind: what a program declares of it, where no other room does, and its class. */
export function resourceFile(spec: ResourceSpec, types: TypeTexts, host: ClassTarget = dynamicHost): string {
  const { module, wiring, args } = host;
  const body = [
    ...(args === undefined ? [argsInterface(spec, types)] : []),
    `const wiring = ${wiring}("${spec.kind}");\n`,
    classOf(spec, types),
  ];
  return fileText(body.join("\n"), [
    pulumiImport,
    { word: wiring, text: `import { ${wiring} } from "${module}";` },
    ...(args === undefined
      ? []
      : [
          { word: `${spec.kind}Args`, text: `import type { ${spec.kind}Args } from "${args}/${fileName(spec.kind)}";` },
        ]),
    ...typeImports(host.types),
  ]);
}

const argsInterface = (spec: ResourceSpec, types: TypeTexts): string =>
  `${comment({ paragraphs: [`The inputs of \`${spec.kind}\`. ${spec.summary}`] })}export interface ${spec.kind}Args {
${members(inputFields(spec), "input", types, spec)}}
`;

const constructorParameters = `@param name Name of the resource in the stack, unique among those of its type.
@param args What the program declares of the object.
@param opts Options of the resource, such as \`dependsOn\`, \`protect\` or \`provider\`.`;

function classOf(spec: ResourceSpec, types: TypeTexts): string {
  const { kind } = spec;
  const opts = "pulumi.CustomResourceOptions";
  const usage = [
    `@example\n\`\`\`ts\n${exampleStatement(spec)}\n\`\`\``,
    `@see [All inputs, outputs, states and limits](${fromDeclarations}/${pagePath(kind)})`,
  ];
  const outputs = outputFields(spec).map((field) => {
    const text = comment(documentationOf(field, outputFacts(field)), "  ");
    return `${text}${wrapTypeArguments(`  declare readonly ${field.name}: pulumi.Output<${types.memberOf(field, "output")}>;`)}\n`;
  });
  return `${comment({
    paragraphs: [spec.summary],
    tags: usage,
  })}export class ${kind} extends pulumi.CustomResource {
${outputs.join("")}
  /**
   * Reads an object that this program does not manage.
   *
   * @param name Name of the resource in the stack.
   * @param id Resource name of the object, such as \`${exampleName(spec)}\`.
   * @param state What is known of the object; it need not be given.
   * @param opts Options of the resource, such as \`provider\`.
   */
${signature("  static get", ["name: string", "id: pulumi.Input<pulumi.ID>", `state?: Partial<${kind}Args>`, `opts?: ${opts}`], `: ${kind} {`)}
    return new ${kind}(name, { ...state } as ${kind}Args, { ...opts, id });
  }

  /** Type token, by which policies and transforms recognize the class. */
  static readonly __pulumiType = wiring.type;

  /** Whether \`value\` is a \`${kind}\` of any copy of this package, or has just its \`__pulumiType\`. */
  static override isInstance(value: unknown): value is ${kind} {
    return wiring.isInstance(value);
  }

${comment({ paragraphs: [spec.summary], tags: [constructorParameters, ...usage] }, "  ")}  constructor(name: string, args: ${kind}Args, opts?: ${opts}) {
    const { registration, follow, finish } = wiring.open(name, args, opts);
    try {
      super(...registration);
      follow(this);
    } finally {
      finish();
    }
  }
}
`;
}

const exampleName = ({ name }: ResourceSpec): string =>
  name.replace("{account}", "acme").replace(/\{\w+\}/g, "example");
