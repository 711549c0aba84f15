import { inputFields } from "../../provider/core/declaration/surface";
import type { Field } from "../../provider/core/fields/fields";
import { snakeCase } from "../../provider/core/values/names";
import type { GeneratedDeclaration } from "./declarations";
import { isImportable } from "./import-document";
import { Code, literal, Reference, SecretRead } from "./printer";
import { adoptionInputs, type CodifyOptions, headline, keywordsOf, type ProgramFiles } from "./program";

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
    ...declarations.map((declaration) => statement(declaration, options, referredTo.has(declaration))),
  ];
  return { "__main__.py": `${blocks.join("\n\n")}\n` };
}

/** The declaration as a statement; one that another refers to has a variable. */
function statement(
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
  const inline = `${open}${entries(value, field, 0, Number.NEGATIVE_INFINITY).join(", ")}${close}`;
  if (column + inline.length <= width) return inline;
  const lines = entries(value, field, depth + 1, (depth + 1) * step.length);
  return [open, ...lines.map((line) => `${step.repeat(depth + 1)}${line},`), `${step.repeat(depth)}${close}`].join(
    "\n",
  );
}

function entries(value: object, field: Field | undefined, depth: number, column: number): string[] {
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
