import type ts from "typescript";
import type { Client } from "../../provider/api/types";
import { managedSpecs } from "../../provider/resources/index";
import { codify } from "../codify/codify";
import { UniqueNames } from "../codify/declarations";
import { keywordsOf, statement } from "../codify/program-text";
import {
  type ProgramDeclaration as Declared,
  isObstacle,
  type Obstacle,
  type ProgramDeclaration,
  usesOf,
} from "./declarations";
import { isExported } from "./locate";
import type { Program } from "./program";
import { append, lines, remove, styleOf, type TextEdit } from "./text-edits";

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
    uniqueNames: new UniqueNames(identifiersIn(program), resources),
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
export function addStatement(program: Program, { kind, text, usesConfig }: NewStatement): TextEdit[] | Obstacle {
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

/** Edits that remove the declaration, with an import that only it needs. An obstacle where something refers to it. */
export function removeStatement(program: Program, { node }: ProgramDeclaration): TextEdit[] | Obstacle {
  const statement = statementOf(program, node);
  if (isObstacle(statement)) return statement;
  const file = node.getSourceFile();
  const edit = withoutGap(file.text, lines(program, file, statement));
  if (isJoining(file, edit))
    return { reason: "is between two lines that would become one", place: program.placeOf(node) };
  return [edit, ...unneededImport(program, node)];
}

/** Takes one blank line along where there is one on either side. */
function withoutGap(text: string, edit: TextEdit): TextEdit {
  const isGapBefore = edit.start === 0 || /\n\r?\n$/.test(text.slice(0, edit.start));
  const gap = isGapBefore ? /^[ \t]*\r?\n/.exec(text.slice(edit.end))?.[0].length : undefined;
  return gap === undefined ? edit : { ...edit, end: edit.end + gap };
}

function statementOf(program: Program, node: ts.NewExpression): ts.Statement | Obstacle {
  const { ts } = program;
  const { parent } = node;
  const whole = ts.isVoidExpression(parent) ? parent.parent : parent;
  if (ts.isExpressionStatement(whole) && isInList(program, whole)) return whole;
  if (!ts.isVariableDeclaration(parent) || !ts.isIdentifier(parent.name))
    return {
      reason: "is declared within something else, which would be incomplete without it",
      place: program.placeOf(node),
    };
  const [use] = usesOf(program, parent.name);
  if (use) return { reason: `is gone, and something refers to \`${parent.name.text}\``, place: program.placeOf(use) };
  if (isExported(program, parent))
    return { reason: `is gone, and \`${parent.name.text}\` is exported`, place: program.placeOf(parent) };
  const statement = parent.parent.parent;
  return ts.isVariableStatement(statement) && statement.declarationList.declarations.length === 1
    ? statement
    : { reason: "is declared beside others in one statement", place: program.placeOf(node) };
}

/** A statement beside others, and not all that an `if` or a loop has. */
const isInList = ({ ts }: Program, { parent }: ts.Statement): boolean =>
  ts.isSourceFile(parent) || ts.isBlock(parent) || ts.isModuleBlock(parent) || ts.isCaseOrDefaultClause(parent);

/** Whether what is left would be read as one statement, where nothing but lines ends them. */
function isJoining({ text }: ts.SourceFile, { start, end }: TextEdit): boolean {
  const [before, after] = [text.slice(0, start).trimEnd(), text.slice(end).trimStart()];
  return before !== "" && !/[;{}:]$/.test(before) && /^[([`+\-*/.,?]/.test(after);
}

function unneededImport(program: Program, { expression }: ts.NewExpression): TextEdit[] {
  const { ts } = program;
  if (!ts.isIdentifier(expression)) return [];
  const specifier = program.checker.getSymbolAtLocation(expression)?.declarations?.[0];
  if (!specifier || !ts.isImportSpecifier(specifier)) return [];
  let uses = 0;
  const visit = (node: ts.Node): void => {
    if (ts.isIdentifier(node) && node.text === specifier.name.text && !ts.isImportSpecifier(node.parent)) uses += 1;
    ts.forEachChild(node, visit);
  };
  visit(expression.getSourceFile());
  const list = specifier.parent;
  if (uses > 1) return [];
  if (list.elements.length > 1) return remove(program, list, list.elements.indexOf(specifier));
  const { name, parent } = list.parent;
  const file = list.getSourceFile();
  return name
    ? [{ file: file.fileName, start: name.getEnd(), end: list.getEnd(), text: "" }]
    : [lines(program, file, parent)];
}
