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

/** Files by the names of the types that they export, for names that several files export. */
export function sharedTypeNames(paths: readonly string[]): Map<string, string[]> {
  const files = new Map<string, string[]>();
  for (const path of paths) {
    const names = parseSource(path).statements.flatMap((node) => exportedTypeName(node) ?? []);
    for (const name of new Set(names)) files.set(name, [...(files.get(name) ?? []), path]);
  }
  return new Map([...files].filter(([, sharing]) => sharing.length > 1));
}
