import ts from "typescript";

/** A place of a source where one expression or statement becomes another. */
export interface Point {
  start: number;
  end: number;
  put: string;
  /** Number of the innermost function around it, in the order of the source; 0 is the module. */
  within: number;
}

const operators = new Map<ts.SyntaxKind, string>([
  [ts.SyntaxKind.EqualsEqualsEqualsToken, "!=="],
  [ts.SyntaxKind.ExclamationEqualsEqualsToken, "==="],
  [ts.SyntaxKind.LessThanToken, "<="],
  [ts.SyntaxKind.LessThanEqualsToken, "<"],
  [ts.SyntaxKind.GreaterThanToken, ">="],
  [ts.SyntaxKind.GreaterThanEqualsToken, ">"],
  [ts.SyntaxKind.AmpersandAmpersandToken, "||"],
  [ts.SyntaxKind.BarBarToken, "&&"],
  [ts.SyntaxKind.MinusToken, "+"],
]);

type FunctionWithBody = ts.FunctionLikeDeclaration & { body: ts.Node };

const isFunction = (node: ts.Node): node is FunctionWithBody =>
  ts.isFunctionLike(node) && "body" in node && node.body !== undefined;

/** What may stand for a node; nothing where it is a type, or has no other meaning worth a test. */
function replacements(node: ts.Node): (readonly [node: ts.Node, put: string])[] {
  if (ts.isBinaryExpression(node)) {
    const put = operators.get(node.operatorToken.kind);
    return put === undefined ? [] : [[node.operatorToken, put]];
  }
  if (ts.isIfStatement(node) || ts.isConditionalExpression(node)) {
    const condition = ts.isIfStatement(node) ? node.expression : node.condition;
    return [
      [condition, "true"],
      [condition, "false"],
    ];
  }
  if (ts.isPrefixUnaryExpression(node) && node.operator === ts.SyntaxKind.ExclamationToken)
    return [[node, node.operand.getText()]];
  if (node.kind === ts.SyntaxKind.TrueKeyword) return [[node, "false"]];
  if (node.kind === ts.SyntaxKind.FalseKeyword) return [[node, "true"]];
  if (ts.isNumericLiteral(node)) return [[node, `(${node.text} + 1)`]];
  if (ts.isExpressionStatement(node) && !node.getText().startsWith("super")) return [[node, ";"]];
  return [];
}

function walk(text: string, visit: (node: ts.Node, within: number) => void): void {
  let functions = 0;
  const step = (node: ts.Node, around: number): void => {
    if (ts.isTypeNode(node) || ts.isImportDeclaration(node) || ts.isInterfaceDeclaration(node)) return;
    const within = isFunction(node) ? ++functions : around;
    visit(node, within);
    ts.forEachChild(node, (child) => step(child, within));
  };
  step(ts.createSourceFile("source.ts", text, ts.ScriptTarget.Latest, true), 0);
}

export function pointsOf(text: string): Point[] {
  const points: Point[] = [];
  walk(text, (node, within) => {
    for (const [replaced, put] of replacements(node))
      if (replaced.getText() !== put) points.push({ start: replaced.getStart(), end: replaced.end, put, within });
  });
  return points;
}

/** The source, in which each function notes its number in `ran` when it is called. */
export function noting(text: string, file: string): string {
  const inserts: [at: number, put: string][] = [];
  walk(text, (node, within) => {
    if (!isFunction(node)) return;
    const note = `__ran && (__ran[${within}] = 1)`;
    if (ts.isBlock(node.body)) inserts.push([node.body.getStart() + 1, ` ${note};`]);
    else inserts.push([node.body.getStart(), `(${note}, `], [node.body.end, ")"]);
  });
  const parts: string[] = [];
  let from = 0;
  // Stable: where two end at the same place, the order of their closing brackets does not matter.
  for (const [at, put] of inserts.sort(([left], [right]) => left - right)) {
    parts.push(text.slice(from, at), put);
    from = at;
  }
  const body = parts.join("") + text.slice(from);
  const opening = `var __ran = globalThis.ranIn?.(${JSON.stringify(file)}); __ran && (__ran[0] = 1); `;
  return body.startsWith("#!") ? body.replace("\n", () => `\n${opening}`) : opening + body;
}
