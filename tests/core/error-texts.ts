import { readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import ts from "typescript";
import { root, sourcesOfRooms } from "../rooms";

/** What stands for a name, a path or a number that is only known when the error is thrown. */
export const hole = "…";

/** A text that an error may show, as the sources word it. */
export interface ErrorText {
  /** `provider/api/upload.ts:127` */
  at: string;
  text: string;
}

const sources = sourcesOfRooms()
  .filter((path) => !path.startsWith("provider/sdk/") && !path.startsWith("tools/"))
  .map((path) => {
    const file = join(root, path);
    return ts.createSourceFile(file, readFileSync(file, "utf8"), ts.ScriptTarget.Latest, true);
  });

function eachNode(node: ts.Node, visit: (node: ts.Node) => void): void {
  visit(node);
  node.forEachChild((child) => eachNode(child, visit));
}

function returned(body: ts.Node): ts.Expression[] {
  if (ts.isExpression(body)) return [body];
  const found: ts.Expression[] = [];
  eachNode(body, (node) => {
    if (ts.isReturnStatement(node) && node.expression !== undefined) found.push(node.expression);
  });
  return found;
}

/** What a declaration gives its name: a value, or whatever a function returns. */
function meaningsIn(node: ts.Node, name: string): ts.Expression[] {
  if (ts.isFunctionDeclaration(node) && node.name?.text === name && node.body) return returned(node.body);
  const isNamed = (ts.isVariableDeclaration(node) || ts.isParameter(node)) && node.name.getText() === name;
  if (!isNamed || node.initializer === undefined) return [];
  return ts.isArrowFunction(node.initializer) ? returned(node.initializer.body) : [node.initializer];
}

/** The nearest declaration of a name around a node; a name that is taken apart or has no value is a hole. */
function declared(node: ts.Node, name: string): ts.Expression[] {
  for (let scope = node.parent; scope !== undefined; scope = scope.parent) {
    const found: ts.Expression[] = [];
    let isUnknown = false;
    scope.forEachChild((child) => {
      const declarations = ts.isVariableStatement(child) ? [...child.declarationList.declarations] : [child];
      for (const each of declarations) {
        found.push(...meaningsIn(each, name));
        const isOpen = ts.isParameter(each) || (ts.isVariableDeclaration(each) && ts.isObjectBindingPattern(each.name));
        isUnknown ||= isOpen && new RegExp(`\\b${name}\\b`).test(each.name.getText());
      }
    });
    if (found.length > 0 || isUnknown) return found;
  }
  return imported(node.getSourceFile(), name);
}

function imported(source: ts.SourceFile, name: string): ts.Expression[] {
  for (const statement of source.statements) {
    if (!ts.isImportDeclaration(statement) || !ts.isStringLiteral(statement.moduleSpecifier)) continue;
    if (!new RegExp(`\\b${name}\\b`).test(statement.importClause?.getText() ?? "")) continue;
    const base = join(dirname(source.fileName), statement.moduleSpecifier.text);
    const target = sources.find(({ fileName }) => fileName === `${base}.ts` || fileName === join(base, "index.ts"));
    return (target?.statements ?? []).flatMap((each) =>
      (ts.isVariableStatement(each) ? [...each.declarationList.declarations] : [each]).flatMap((declaration) =>
        meaningsIn(declaration, name),
      ),
    );
  }
  return [];
}

const pairs = (left: readonly string[], right: readonly string[]): string[] =>
  left.flatMap((start) => right.map((end) => start + end));

/** Every text that an expression may have: a branch each, with a hole for what is known later. */
export function textsOf(node: ts.Expression, depth = 0): string[] {
  const inner = (next: ts.Expression): string[] => textsOf(next, depth + 1);
  if (depth > 12) return [hole];
  if (ts.isStringLiteralLike(node)) return [node.text];
  if (ts.isTemplateExpression(node))
    return node.templateSpans.reduce(
      (texts, span) => pairs(pairs(texts, inner(span.expression)), [span.literal.text]),
      [node.head.text],
    );
  if (ts.isConditionalExpression(node)) return [...inner(node.whenTrue), ...inner(node.whenFalse)];
  if (ts.isParenthesizedExpression(node) || ts.isAsExpression(node) || ts.isNonNullExpression(node))
    return inner(node.expression);
  if (ts.isArrowFunction(node)) return returned(node.body).flatMap(inner);
  if (ts.isBinaryExpression(node)) {
    const sign = node.operatorToken.kind;
    if (sign === ts.SyntaxKind.PlusToken) return pairs(inner(node.left), inner(node.right));
    if (sign === ts.SyntaxKind.AmpersandAmpersandToken) return inner(node.right);
    return [...inner(node.left), ...inner(node.right)];
  }
  if (ts.isIdentifier(node) && node.text === "undefined") return [""];
  const joined = joinedElements(node);
  if (joined !== undefined) {
    const { elements, between } = joined;
    return elements.map(inner).reduce((texts, next) => pairs(pairs(texts, [between]), next));
  }
  const named = ts.isCallExpression(node) || ts.isElementAccessExpression(node) ? node.expression : node;
  if (!ts.isIdentifier(named)) return [hole];
  const meanings = declared(node, named.text).flatMap(membersOf(node));
  const texts = [...new Set(meanings.flatMap(inner))];
  return texts.length === 0 || texts.length > 60 ? [hole] : texts;
}

/** What `[a, b].join(" ")` puts together. */
function joinedElements(node: ts.Expression): { elements: readonly ts.Expression[]; between: string } | undefined {
  if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return undefined;
  const { name, expression: list } = node.expression;
  const [between] = node.arguments;
  if (name.text !== "join" || !ts.isArrayLiteralExpression(list) || list.elements.length === 0) return undefined;
  return between && ts.isStringLiteralLike(between) ? { elements: list.elements, between: between.text } : undefined;
}

/** Any member of a table may be the one that `table[key]` gives. */
const membersOf =
  (node: ts.Expression) =>
  (meaning: ts.Expression): ts.Expression[] => {
    if (!ts.isElementAccessExpression(node)) return [meaning];
    if (!ts.isObjectLiteralExpression(meaning)) return [];
    return meaning.properties.flatMap((each) => (ts.isPropertyAssignment(each) ? [each.initializer] : []));
  };

function placeOf(node: ts.Node): string {
  const source = node.getSourceFile();
  return `${relative(root, source.fileName)}:${source.getLineAndCharacterOfPosition(node.getStart()).line + 1}`;
}

const textsAt = (node: ts.Expression): ErrorText[] =>
  [...new Set(textsOf(node))].filter((text) => text !== "").map((text) => ({ at: placeOf(node), text }));

/** Functions with a parameter called `advice`, by name, and its place among theirs. */
function advisedFunctions(source: ts.SourceFile): Map<string, number> {
  const found = new Map<string, number>();
  const add = (name: string, { parameters }: ts.SignatureDeclaration): void => {
    const at = parameters.findIndex(({ name: parameter }) => parameter.getText() === "advice");
    if (at >= 0) found.set(name, at);
  };
  eachNode(source, (node) => {
    if (ts.isFunctionDeclaration(node) && node.name) add(node.name.text, node);
    if (ts.isVariableDeclaration(node) && node.initializer && ts.isArrowFunction(node.initializer))
      add(node.name.getText(), node.initializer);
  });
  return found;
}

const advised = new Map(sources.map((source) => [source.fileName, advisedFunctions(source)]));

/** The place of the advice among the arguments of a function of this file, or of one that it imports. */
function adviceParameter(source: ts.SourceFile, name: string): number | undefined {
  const own = advised.get(source.fileName)?.get(name);
  if (own !== undefined || !new RegExp(`import[^;]*\\b${name}\\b[^;]*from "\\.`).test(source.text)) return own;
  return [...advised.values()].find((functions) => functions.has(name))?.get(name);
}

/** What is said to do next: members called `advice`, and arguments for a parameter of that name. */
export function advices(): ErrorText[] {
  const found: ErrorText[] = [];
  for (const source of sources)
    eachNode(source, (node) => {
      if (ts.isShorthandPropertyAssignment(node) && node.name.text === "advice") found.push(...textsAt(node.name));
      if (ts.isPropertyAssignment(node) && node.name.getText() === "advice") found.push(...textsAt(node.initializer));
      if (!ts.isCallExpression(node) || !ts.isIdentifier(node.expression)) return;
      const argument = node.arguments[adviceParameter(source, node.expression.text) ?? -1];
      if (argument !== undefined) found.push(...textsAt(argument));
    });
  return found;
}

const plainFailures = /^(super|Error|CommandError|usageError|unsupportedError|RunError)$/;

/** The whole messages of failures that have no member for advice. */
export function plainMessages(): ErrorText[] {
  const found: ErrorText[] = [];
  for (const source of sources)
    eachNode(source, (node) => {
      if (!ts.isNewExpression(node) && !ts.isCallExpression(node)) return;
      const name = node.expression.getText().replace(/^pulumi\./, "");
      const [message] = node.arguments ?? [];
      if (plainFailures.test(name) && message !== undefined) found.push(...textsAt(message));
    });
  return found;
}

/** The headings of the documentation that errors name. */
export function topicsInSources(): Set<string> {
  const found = new Set<string>();
  for (const source of sources)
    eachNode(source, (node) => {
      const isTopic = ts.isPropertyAssignment(node) && node.name.getText() === "topic";
      if (isTopic) for (const text of textsOf(node.initializer)) found.add(text);
    });
  return found;
}
