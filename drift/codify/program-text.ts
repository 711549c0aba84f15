import type { ResourceSpec } from "../../provider/core/declaration/resource";
import { inputFields } from "../../provider/core/declaration/surface";
import type { Field } from "../../provider/core/fields/fields";
import { entryIn } from "../../provider/core/values/grouping";
import { snakeCase } from "../../provider/core/values/names";
import { omitUndefined } from "../../provider/core/values/values";
import type { GeneratedDeclaration } from "./declarations";
import { isImportable } from "./import-document";
import { Code, commentText, expression, literal, Reference, SecretRead } from "./printer";

/** What serves the resources of the program, and its language. */
export type ProgramTarget = "dynamic" | "plugin" | "python";

/** Which entry of the package has the classes. */
const entries = { dynamic: "pulumi-modelplatform", plugin: "pulumi-modelplatform/plugin" } as const;

/** How resources become the program's: taken over by `adopt`, or imported into the state beforehand. */
export type AdoptionMode = "adopt" | "import";

interface CodifyOptions {
  mode: AdoptionMode;
  /** Default: `dynamic`. */
  target?: Exclude<ProgramTarget, "python">;
  /** Accounts that need a provider of their own, with the variable that holds it. */
  providers: ReadonlyMap<string, string>;
}

/** Files of the program, by name. */
export type ProgramFiles = Record<string, string>;

/** The program that makes `declarations`, in their order. Its entry is `index.ts`. */
export function programFiles(declarations: readonly GeneratedDeclaration[], options: CodifyOptions): ProgramFiles {
  const names = [...new Set(declarations.map(({ file }) => file))];
  const split = names.some((name) => name !== "index");
  const shared = split && options.providers.size > 0;
  const keywords = keywordsOf(declarations);
  const files: ProgramFiles = {};
  if (shared) files["providers.ts"] = providersFile(options);
  for (const name of names)
    files[`${name}.ts`] = file(
      name,
      declarations.filter((declaration) => declaration.file === name),
      { ...options, keywords, shared },
    );
  if (split)
    files["index.ts"] =
      `${heading(declarations, options.mode)}${names.map((name) => `import ${JSON.stringify(`./${name}`)};\n`).join("")}`;
  if (names.length === 0) files["index.ts"] = `${heading(declarations, options.mode)}export {};\n`;
  return files;
}

const heading = (declarations: readonly GeneratedDeclaration[], mode: AdoptionMode): string =>
  `// ${headline(declarations, mode)}\n`;

/** Header comment: what the program is, and how its objects become the stack's. */
function headline(declarations: readonly GeneratedDeclaration[], mode: AdoptionMode): string {
  const accounts = [...new Set(declarations.map(({ object }) => object.account))].map(
    (account) => `accounts/${account}`,
  );
  if (accounts.length === 0) return "Written by `npx pulumi-modelplatform codify`: there is nothing to declare.";
  const how =
    mode === "adopt"
      ? "Each object is taken over as it is: `up` changes none of them."
      : "`import` puts each object into the state; the stack then owns it as if it had created it.";
  return `Written by \`npx pulumi-modelplatform codify\` from the live objects of ${commentText(accounts.join(", "))}. ${how}`;
}

interface FileOptions extends CodifyOptions {
  /** How the variables of declarations begin. */
  keywords: ReadonlyMap<GeneratedDeclaration, string>;
  /** Providers are in a file of their own. */
  shared: boolean;
}

function file(name: string, declarations: readonly GeneratedDeclaration[], options: FileOptions): string {
  const { keywords, shared } = options;
  const usesConfig = declarations.some(({ config }) => config.length > 0);
  const own = shared ? new Map<string, string>() : options.providers;
  const kinds = [
    ...new Set([...declarations.map(({ object }) => object.spec.kind), ...(own.size > 0 ? ["Provider"] : [])]),
  ].sort();
  const imports = [
    ...(usesConfig ? [`import * as pulumi from "@pulumi/pulumi";`] : []),
    `import { ${kinds.join(", ")} } from ${JSON.stringify(entryOf(options))};`,
    ...importsOf(name, declarations),
    ...(shared ? providerImport(declarations, options) : []),
  ];
  const opening = name === "index" ? heading(declarations, options.mode) : "";
  const blocks = [
    `${opening}${imports.join("\n")}`,
    ...(usesConfig ? ["const config = new pulumi.Config();"] : []),
    ...(own.size > 0 ? [providerLines(own, "const")] : []),
    ...declarations.map((declaration) => statement(declaration, options, keywords.get(declaration))),
  ];
  return `${blocks.join("\n\n")}\n`;
}

/** Imports of what other files declare, by file. */
function importsOf(name: string, declarations: readonly GeneratedDeclaration[]): string[] {
  const elsewhere = new Map<string, Set<string>>();
  for (const { refersTo } of declarations) {
    for (const target of refersTo) if (target.file !== name) entryIn(elsewhere, target.file).add(target.variable);
  }
  return [...elsewhere].map(
    ([file, variables]) => `import { ${[...variables].sort().join(", ")} } from ${JSON.stringify(`./${file}`)};`,
  );
}

function providerImport(declarations: readonly GeneratedDeclaration[], { providers }: CodifyOptions): string[] {
  const used = [...new Set(declarations.flatMap(({ object }) => providers.get(object.account) ?? []))].sort();
  return used.length === 0 ? [] : [`import { ${used.join(", ")} } from "./providers";`];
}

const entryOf = ({ target = "dynamic" }: CodifyOptions): string => entries[target];

const providersFile = (options: CodifyOptions): string =>
  `import { Provider } from ${JSON.stringify(entryOf(options))};\n\n${providerLines(options.providers, "export const")}\n`;

/** Keys stay where the settings are: a provider says which account it is for and no more. */
const providerLines = (providers: ReadonlyMap<string, string>, keyword: string): string =>
  [...providers]
    .map(
      ([account, variable]) =>
        `${keyword} ${variable} = new Provider(${expression(account)}, ${expression({ accountId: account })});`,
    )
    .join("\n");

/** A declaration gets a variable if another one refers to it, and is exported if another file does. */
export function keywordsOf(declarations: readonly GeneratedDeclaration[]): Map<GeneratedDeclaration, string> {
  const keywords = new Map<GeneratedDeclaration, string>();
  for (const { file, refersTo } of declarations) {
    for (const target of refersTo)
      if (target.file !== file || !keywords.has(target))
        keywords.set(target, target.file === file ? "const" : "export const");
  }
  return keywords;
}

/** The declaration as a statement of the program. */
export function statement(
  declaration: GeneratedDeclaration,
  { mode, providers }: CodifyOptions,
  keyword: string | undefined,
): string {
  const { object, logicalName, variable, inputs } = declaration;
  const adopts = mode === "adopt" || !isImportable(declaration);
  const head = `${keyword === undefined ? "" : `${keyword} ${variable} = `}new ${object.spec.kind}(${expression(logicalName)}, `;
  const provider = providers.get(object.account);
  // Imported resources are protected: a program that does not say so removes the protection with its first `up`.
  const resourceOptions = omitUndefined({
    provider: provider === undefined ? undefined : new Code(provider),
    protect: adopts ? undefined : true,
  });
  const options = Object.keys(resourceOptions).length === 0 ? "" : `, ${expression(resourceOptions)}`;
  return `${head}${expression(adopts ? { ...inputs, ...adoptionInputs(object.spec) } : inputs, 0, head.length + options.length + 2)}${options});`;
}

/** Inputs that make a declaration adopt an object unchanged, including values that cannot be compared. */
function adoptionInputs({ fields }: ResourceSpec): Record<string, unknown> {
  const keeping = fields.behaviours.filter((field) => field.markers.spares !== undefined);
  return { adopt: "ifEqual", ...Object.fromEntries(keeping.map((field) => [field.name, "keep"])) };
}

/** The program that makes `declarations`, in their order, in Python: one file. */
export function pythonFiles(declarations: readonly GeneratedDeclaration[], options: CodifyOptions): ProgramFiles {
  const referredTo = new Set(keywordsOf(declarations).keys());
  const usesConfig = declarations.some(({ config }) => config.length > 0);
  const blocks = [
    `# ${headline(declarations, options.mode)}`,
    "import pulumi\nimport pulumi_modelplatform as modelplatform",
    ...(usesConfig ? ["config = pulumi.Config()"] : []),
    ...[...options.providers].map(
      ([account, variable]) =>
        `${pythonName(variable)} = modelplatform.Provider(${pythonText(account)}, account_id=${pythonText(account)})`,
    ),
    ...declarations.map((declaration) => pythonStatement(declaration, options, referredTo.has(declaration))),
  ];
  return { "__main__.py": `${blocks.join("\n\n")}\n` };
}

/** The declaration as a statement; one that another refers to has a variable. */
function pythonStatement(
  declaration: GeneratedDeclaration,
  { mode, providers }: CodifyOptions,
  isReferredTo: boolean,
): string {
  const { object, logicalName, variable, inputs } = declaration;
  const adopts = mode === "adopt" || !isImportable(declaration);
  const fields = inputFields(object.spec);
  const named = Object.entries(adopts ? { ...inputs, ...adoptionInputs(object.spec) } : inputs).map(
    ([name, value]): [string, string] => {
      const field = fields.find((candidate) => candidate.name === name);
      const python = pythonName(name);
      return [python, pythonExpression(value, field, 1, 4 + python.length + 2)];
    },
  );
  const options = optionsOf(providers.get(object.account), !adopts);
  const created = call(
    `modelplatform.${object.spec.kind}`,
    [pythonText(logicalName)],
    [...named, ...(options === undefined ? [] : ([["opts", options]] as [string, string][]))],
  );
  return isReferredTo ? `${pythonName(variable)} = ${created}` : created;
}

/** Imported resources are protected: a program that does not say so removes the protection with its first `up`. */
function optionsOf(provider: string | undefined, isProtected: boolean): string | undefined {
  const options = [
    ...(provider === undefined ? [] : [`provider=${pythonName(provider)}`]),
    ...(isProtected ? ["protect=True"] : []),
  ];
  return options.length === 0 ? undefined : `pulumi.ResourceOptions(${options.join(", ")})`;
}

const width = 88;
const step = "    ";

/** Words that cannot name a variable in Python, and names that the program has other uses for. */
const taken = new Set(
  "and as assert async await def del elif except from global in is lambda nonlocal not or pass print raise with yield modelplatform".split(
    " ",
  ),
);

/** A variable of the program, or a field as generated SDKs call it. */
export function pythonName(name: string): string {
  const snake = snakeCase(name);
  return taken.has(snake) ? `${snake}_` : snake;
}

/** A call with named arguments, one in each line; arguments of messages are dictionaries. */
const call = (callee: string, first: readonly string[], named: readonly [name: string, text: string][]): string =>
  `${callee}(\n${[...first, ...named.map(([name, text]) => `${name}=${text}`)].map((line) => `${step}${line},\n`).join("")})`;

/**
 * `value` as an expression; `column` characters stand before it on its line, and its later lines are `depth` steps in.
 */
export function pythonExpression(value: unknown, field: Field | undefined, depth = 0, column = 0): string {
  if (value instanceof Code) return codeOf(value);
  if (value === null || value === undefined) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (typeof value === "string") return pythonText(value);
  if (typeof value !== "object") return String(JSON.stringify(value));
  const [open, close] = Array.isArray(value) ? ["[", "]"] : ["{", "}"];
  const inline = `${open}${pythonEntries(value, field, 0, Number.NEGATIVE_INFINITY).join(", ")}${close}`;
  if (column + inline.length <= width) return inline;
  const lines = pythonEntries(value, field, depth + 1, (depth + 1) * step.length);
  return [open, ...lines.map((line) => `${step.repeat(depth + 1)}${line},`), `${step.repeat(depth)}${close}`].join(
    "\n",
  );
}

function pythonEntries(value: object, field: Field | undefined, depth: number, column: number): string[] {
  if (Array.isArray(value)) return value.map((entry) => pythonExpression(entry, field?.item, depth, column));
  return Object.entries(value).map(([name, member]) => {
    const inner = field?.type === "map" ? field.item : field?.fields?.find((candidate) => candidate.name === name);
    // Keys of maps are the program's own; names of fields are spelt as the language has them.
    const key = pythonText(field?.fields && inner ? snakeCase(name) : name);
    return `${key}: ${pythonExpression(member, inner, depth, column + key.length + 2)}`;
  });
}

function codeOf(code: Code): string {
  if (code instanceof Reference) return `${pythonName(code.variable)}.${pythonName(code.output)}`;
  if (code instanceof SecretRead) {
    const how = `${code.isRequired ? "require" : "get"}_secret${code.isList ? "_object" : ""}`;
    return `config.${how}(${pythonText(code.key)})`;
  }
  return code.text;
}

/** Beyond four digits Python writes an escape in its own way. */
const pythonText = (value: string): string =>
  literal(value).replace(/\\(?:\\|u\{([0-9a-f]+)\})/g, (whole, code?: string) =>
    code === undefined ? whole : `\\U${code.padStart(8, "0")}`,
  );
