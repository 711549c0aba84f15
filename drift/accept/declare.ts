import type ts from "typescript";
import type { Client } from "../../provider/api/types";
import { managedSpecs } from "../../provider/resources/index";
import { codify } from "../codify/codify";
import { UniqueNames } from "../codify/names";
import { keywordsOf, statement } from "../codify/program";
import { type ProgramDeclaration as Declared, isObstacle, type Obstacle } from "./declarations";
import type { Program } from "./program";
import { styleOf } from "./style";
import { append, type TextEdit } from "./text-edits";

/** An object as a statement of a program. */
export interface NewStatement {
  /** Resource name. */
  name: string;
  kind: string;
  text: string;
  /** Whether it reads secrets by a variable `config`. */
  usesConfig: boolean;
}

/**
 * Declarations of live objects that no stack manages, as `codify` writes them, and the reason where there is none. Only
 * reads from the service.
 */
export async function declarationsOf(
  client: Client,
  names: readonly string[],
  program: Program,
  declared: readonly Declared[],
): Promise<{ statements: NewStatement[]; leftOut: ReadonlyMap<string, string> }> {
  const resources = declared.flatMap(({ kind, name }) => (name === undefined ? [] : [`${kind}/${name}`]));
  const { declarations, leftOut } = await codify({
    client,
    specs: managedSpecs,
    targets: [],
    names,
    mode: "adopt",
    split: "none",
    given: new UniqueNames(identifiersIn(program), resources),
  });
  const others = declarations.filter(({ object }) => object.account !== client.settings.accountId);
  const reasons = [
    ...leftOut.map(({ name, reason }) => [name, reason] as const),
    ...others.map(({ object }) => [object.name, "is of an account that is not the default one"] as const),
  ];
  const own = declarations.filter((declaration) => !others.includes(declaration));
  const keywords = keywordsOf(own);
  const statements = own.map((declaration) => ({
    name: declaration.object.name,
    kind: declaration.object.spec.kind,
    text: statement(declaration, { mode: "adopt", providers: new Map() }, keywords.get(declaration)),
    usesConfig: declaration.config.length > 0,
  }));
  return { statements, leftOut: new Map(reasons) };
}

function identifiersIn({ ts, entry }: Program): Set<string> {
  const names = new Set<string>();
  const visit = (node: ts.Node): void => {
    if (ts.isIdentifier(node)) names.add(node.text);
    ts.forEachChild(node, visit);
  };
  visit(entry);
  return names;
}

/** Adds the statement at the end of the file that the program begins with, and the import that it needs. */
export function added(program: Program, { kind, text, usesConfig }: NewStatement): TextEdit[] | Obstacle {
  const { entry } = program;
  if (usesConfig && !hasConfig(program))
    return { reason: "needs secrets of the config, and the program has no `const config = new pulumi.Config()`" };
  const imported = importOf(program, kind);
  if (isObstacle(imported)) return imported;
  const { newline } = styleOf(program, entry);
  const named = imported.name === kind ? text : text.replace(`new ${kind}(`, () => `new ${imported.name}(`);
  const end = entry.text.trimEnd().length;
  const put = `${newline}${newline}${named.replaceAll("\n", newline)}${newline}`;
  return [...imported.edits, { file: entry.fileName, start: end, end: entry.text.length, text: put }];
}

function hasConfig({ ts, entry }: Program): boolean {
  return entry.statements.some(
    (each) =>
      ts.isVariableStatement(each) &&
      each.declarationList.declarations.some(
        ({ name, initializer }) =>
          name.getText() === "config" &&
          initializer !== undefined &&
          /^new (pulumi\.)?Config\(\)$/.test(initializer.getText()),
      ),
  );
}

const packageName = "pulumi-modelplatform";

/** The name of the class in the file, with the edit that imports it. */
function importOf(program: Program, kind: string): { name: string; edits: TextEdit[] } | Obstacle {
  const { ts, entry } = program;
  const imports = entry.statements.filter(ts.isImportDeclaration);
  const own = imports.filter(
    ({ moduleSpecifier, importClause }) =>
      ts.isStringLiteral(moduleSpecifier) &&
      moduleSpecifier.text.split("/")[0] === packageName &&
      !importClause?.isTypeOnly,
  );
  for (const { importClause } of own) {
    const bindings = importClause?.namedBindings;
    if (bindings && ts.isNamespaceImport(bindings)) return { name: `${bindings.name.text}.${kind}`, edits: [] };
    const specifier = bindings?.elements.find((each) => (each.propertyName ?? each.name).text === kind);
    if (specifier) return { name: specifier.name.text, edits: [] };
  }
  const bindings = own[0]?.importClause?.namedBindings;
  const { step, quote, newline } = styleOf(program, entry);
  if (bindings && ts.isNamedImports(bindings))
    return { name: kind, edits: append(program, bindings, step, () => kind) };
  if (imports.length === 0)
    return {
      reason: "has no import to extend: the program's first file imports nothing",
      place: program.placeOf(entry),
    };
  const at = imports.at(-1)!.getEnd();
  const line = `${newline}import { ${kind} } from ${quote}${packageName}${quote};`;
  return { name: kind, edits: [{ file: entry.fileName, start: at, end: at, text: line }] };
}
