import { readFileSync } from "node:fs";
import ts from "typescript";

/** Letters of a test's title. */
const longestTitle = 80;

const parseSource = (path: string): ts.SourceFile =>
  ts.createSourceFile(path, readFileSync(path, "utf8"), ts.ScriptTarget.Latest, true);

/** Of `test.each(…)(…)` and the like, the name that all begins with. */
function calledName(node: ts.Expression): string {
  if (ts.isIdentifier(node)) return node.text;
  return ts.isCallExpression(node) || ts.isPropertyAccessExpression(node) ? calledName(node.expression) : "";
}

/** Titles of tests of a file that are longer than they should be. */
export function longTitlesIn(path: string): string[] {
  const titles: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && calledName(node.expression) === "test") {
      const [title, work] = node.arguments;
      if (title && work && (ts.isStringLiteralLike(title) || ts.isTemplateExpression(title)))
        titles.push(ts.isStringLiteralLike(title) ? title.text : title.getText().slice(1, -1));
    }
    ts.forEachChild(node, visit);
  };
  visit(parseSource(path));
  return titles.filter(({ length }) => length > longestTitle);
}

/** The name of an exported type, a class included. */
function exportedTypeName(node: ts.Statement): string | undefined {
  const isType = ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node) || ts.isClassDeclaration(node);
  const isExported = isType && node.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword);
  return isExported ? node.name?.text : undefined;
}

/** Whether a line ends within a command to copy: in backticks that begin with a program, or in a line of its own. */
function endsInCommand(line: string, programs: readonly string[]): boolean {
  const inTicks = line.split("`").length % 2 === 0;
  const begin = `(?:[A-Z_]+=\\S* )?(?:${programs.join("|")})`;
  if (inTicks && new RegExp(`\`${begin}(?: [^\`]*)?$`).test(line)) return true;
  return /^ *(?:npx|pulumi) [^`]*$/.test(line) || /npx pulumi-modelplatform [^`.]*$/.test(line);
}

/** Whether a template puts a value into a command, or a list is the words of one. */
function buildsCommand(node: ts.Node, programs: readonly string[]): boolean {
  if (ts.isArrayLiteralExpression(node)) return node.elements[0]?.getText() === '"npx"';
  if (!ts.isTemplateExpression(node)) return false;
  let before = node.head.text;
  return node.templateSpans.some(({ expression, literal }) => {
    const line = before.slice(before.lastIndexOf("\n") + 1);
    before += `…${literal.text}`;
    const isProgram = /(?:^|\.)(?:\w*[cC]ommand|program|engine)$/.test(expression.getText());
    return endsInCommand(line, programs) || (isProgram && line.endsWith("`") && literal.text.startsWith(" "));
  });
}

/** Lines of a file at which a command to copy is put together by hand. Examples of a help have words of their own. */
export function commandsBuiltIn(path: string, programs: readonly string[]): number[] {
  const source = parseSource(path);
  const found: number[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && calledName(node.expression) === "example") return;
    if (buildsCommand(node, programs)) found.push(source.getLineAndCharacterOfPosition(node.getStart()).line + 1);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

/** Files by the names of the types that they export, for names that several files export. */
export function sharedTypeNames(paths: readonly string[]): Map<string, string[]> {
  const files = new Map<string, string[]>();
  for (const path of paths) {
    const names = parseSource(path).statements.flatMap((node) => exportedTypeName(node) ?? []);
    for (const name of new Set(names)) files.set(name, [...(files.get(name) ?? []), path]);
  }
  return new Map([...files].filter(([, sharing]) => sharing.length > 1));
}
