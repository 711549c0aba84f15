import type { ResourceSpec } from "../../provider/core/declaration/resource";
import { omitUndefined } from "../../provider/core/values/values";
import type { GeneratedDeclaration } from "./declarations";
import { isImportable } from "./import-document";
import { Code, commentText, expression } from "./printer";

/** What serves the resources of the program, and its language. */
export type ProgramTarget = "dynamic" | "plugin" | "python";

/** Which entry of the package has the classes. */
const entries = { dynamic: "pulumi-modelplatform", plugin: "pulumi-modelplatform/plugin" } as const;

/** How resources become the program's: taken over by `adopt`, or imported into the state beforehand. */
export type AdoptionMode = "adopt" | "import";

export interface CodifyOptions {
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

/** Header comment: what the program is, and what to do before its first `up`. */
export function headline(declarations: readonly GeneratedDeclaration[], mode: AdoptionMode): string {
  const accounts = [...new Set(declarations.map(({ object }) => object.account))].map(
    (account) => `accounts/${account}`,
  );
  if (accounts.length === 0) return "Written by `npx pulumi-modelplatform codify`: there is nothing to declare.";
  const how =
    mode === "adopt"
      ? "Each object is taken over as it is: `up` changes none of them."
      : "Import them first: `pulumi import --file import.json --generate-code=false`.";
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
    for (const target of refersTo)
      if (target.file !== name)
        elsewhere.set(target.file, (elsewhere.get(target.file) ?? new Set()).add(target.variable));
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
export function adoptionInputs({ fields }: ResourceSpec): Record<string, unknown> {
  const keeping = fields.behaviours.filter((field) => field.markers.keepsOnAdopt !== undefined);
  return { adopt: "ifEqual", ...Object.fromEntries(keeping.map((field) => [field.name, "keep"])) };
}
