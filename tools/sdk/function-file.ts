import type { FunctionSpec } from "../../provider/core/declaration/functions";
import { literal } from "../../provider/core/schema/example-program";
import type { FunctionDoc } from "../../provider/core/schema/schema";
import { fileName, fileText, fromDeclarations, pulumiTypes, typeImports } from "./generated-file";
import { comment, oneLine, signature } from "./layout";
import { members, type TypeTexts } from "./type-text";

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
`;

const optionsParameter = "options: FunctionOptions = {}";

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
    "@param args What to ask for.\n@param options Whose settings to use.",
    `@see [All functions](${fromDeclarations}/docs/functions.md)`,
  ],
})}${signature(`export function ${name}Output`, [args(`${Name}OutputArgs`), optionsParameter], `: pulumi.Output<${Name}Result> {`)}
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
