import type ts from "typescript";
import { isObject, unknownValue } from "../../provider/core/values/values";
import type { Program } from "./program";

/** A value that the text of the program decides alone. */
interface StaticValue {
  value: unknown;
}

/** `expression` without what only the compiler reads: parentheses, `as`, `satisfies`, `!`. */
export function unwrapExpression({ ts }: Program, expression: ts.Expression): ts.Expression {
  let inner = expression;
  while (
    ts.isParenthesizedExpression(inner) ||
    ts.isAsExpression(inner) ||
    ts.isSatisfiesExpression(inner) ||
    ts.isNonNullExpression(inner) ||
    ts.isTypeAssertionExpression(inner)
  )
    inner = inner.expression;
  return inner;
}

/** What `expression` comes to, where nothing has to run to know it; undefined elsewhere. */
export function staticValue(program: Program, expression: ts.Expression): StaticValue | undefined {
  const { ts } = program;
  const node = unwrapExpression(program, expression);
  if (ts.isStringLiteralLike(node)) return { value: node.text };
  if (ts.isNumericLiteral(node)) return { value: Number(node.text) };
  if (node.kind === ts.SyntaxKind.TrueKeyword) return { value: true };
  if (node.kind === ts.SyntaxKind.FalseKeyword) return { value: false };
  if (node.kind === ts.SyntaxKind.NullKeyword) return { value: null };
  if (ts.isPrefixUnaryExpression(node) && node.operator === ts.SyntaxKind.MinusToken) {
    const operand = staticValue(program, node.operand);
    return typeof operand?.value === "number" ? { value: -operand.value } : undefined;
  }
  if (ts.isTemplateExpression(node)) return template(program, node);
  if (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.PlusToken) {
    const [left, right] = [staticValue(program, node.left), staticValue(program, node.right)];
    return typeof left?.value === "string" && typeof right?.value === "string"
      ? { value: left.value + right.value }
      : undefined;
  }
  if (ts.isArrayLiteralExpression(node))
    return allStatic(node.elements.map((element) => staticValue(program, element)));
  if (ts.isObjectLiteralExpression(node)) return object(program, node);
  return ts.isIdentifier(node) ? constant(program, node) : undefined;
}

const allStatic = (parts: readonly (StaticValue | undefined)[]): StaticValue | undefined =>
  parts.every((part) => part !== undefined) ? { value: parts.map(({ value }) => value) } : undefined;

function template(program: Program, node: ts.TemplateExpression): StaticValue | undefined {
  const spans = node.templateSpans.map(({ expression, literal }) => {
    const part = staticValue(program, expression);
    return part && { value: `${String(part.value)}${literal.text}` };
  });
  const parts = allStatic(spans);
  return parts && { value: node.head.text + (parts.value as string[]).join("") };
}

function object(program: Program, node: ts.ObjectLiteralExpression): StaticValue | undefined {
  const { ts } = program;
  const entries = node.properties.map((property) => {
    if (!ts.isPropertyAssignment(property)) return undefined;
    const [name, member] = [memberName(program, property.name), staticValue(program, property.initializer)];
    return name !== undefined && member ? { value: [name, member.value] } : undefined;
  });
  const members = allStatic(entries);
  return members && { value: Object.fromEntries(members.value as [string, unknown][]) };
}

/** The name that a property is written with, where no expression decides it. */
export function memberName({ ts }: Program, name: ts.PropertyName): string | undefined {
  if (ts.isComputedPropertyName(name))
    return ts.isStringLiteralLike(name.expression) ? name.expression.text : undefined;
  return ts.isPrivateIdentifier(name) ? undefined : name.text;
}

/** Members of a literal by their names; undefined where what it has is not all written in it. */
export function membersOf(
  program: Program,
  node: ts.ObjectLiteralExpression,
): Map<string, ts.ObjectLiteralElementLike> | undefined {
  const { ts } = program;
  const members = new Map<string, ts.ObjectLiteralElementLike>();
  for (const property of node.properties) {
    if (ts.isSpreadAssignment(property) || property.name === undefined) return undefined;
    const name = memberName(program, property.name);
    if (name === undefined) return undefined;
    members.set(name, property);
  }
  return members;
}

/** A constant's value, wherever in the program it is declared. */
function constant(program: Program, node: ts.Identifier): StaticValue | undefined {
  if (node.text === "undefined") return { value: undefined };
  const declaration = declarationOf(program, node);
  return declaration?.initializer && isConstant(program, declaration)
    ? staticValue(program, declaration.initializer)
    : undefined;
}

/** The variable that `node` names, through imports. */
export function declarationOf({ ts, checker }: Program, node: ts.Identifier): ts.VariableDeclaration | undefined {
  const named = ts.isShorthandPropertyAssignment(node.parent)
    ? checker.getShorthandAssignmentValueSymbol(node.parent)
    : checker.getSymbolAtLocation(node);
  const symbol = named && named.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(named) : named;
  const declaration = symbol?.valueDeclaration;
  return declaration && ts.isVariableDeclaration(declaration) ? declaration : undefined;
}

const isConstant = ({ ts }: Program, { parent }: ts.VariableDeclaration): boolean =>
  ts.isVariableDeclarationList(parent) && (parent.flags & ts.NodeFlags.Const) !== 0;

/** What is known of `expression` before anything runs: what is not is unknown, as a preview has it. */
export function knownValue(program: Program, expression: ts.Expression): unknown {
  const { ts } = program;
  const node = unwrapExpression(program, expression);
  const known = staticValue(program, node);
  if (known) return known.value;
  if (ts.isArrayLiteralExpression(node)) return node.elements.map((element) => knownValue(program, element));
  if (ts.isObjectLiteralExpression(node)) return knownMembers(program, node);
  if (ts.isPropertyAccessExpression(node)) {
    const owner = knownValue(program, node.expression);
    return isObject(owner) && Object.hasOwn(owner, node.name.text) ? owner[node.name.text] : unknownValue;
  }
  const declaration = ts.isIdentifier(node) ? declarationOf(program, node) : undefined;
  return declaration?.initializer && isConstant(program, declaration)
    ? knownValue(program, declaration.initializer)
    : unknownValue;
}

function knownMembers(program: Program, node: ts.ObjectLiteralExpression): unknown {
  const { ts } = program;
  const members: Record<string, unknown> = {};
  for (const property of node.properties) {
    const name = property.name && memberName(program, property.name);
    const spread = ts.isSpreadAssignment(property) ? knownValue(program, property.expression) : undefined;
    if (isObject(spread)) Object.assign(members, spread);
    else if (name === undefined) return unknownValue;
    else if (ts.isPropertyAssignment(property)) members[name] = knownValue(program, property.initializer);
    else members[name] = ts.isShorthandPropertyAssignment(property) ? knownValue(program, property.name) : unknownValue;
  }
  return members;
}
