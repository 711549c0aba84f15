import type ts from "typescript";
import { type ConfigRead, configRead, readsOf } from "./config-reads";
import { isObstacle, type Obstacle, usesOf } from "./declarations";
import type { Program } from "./program";
import { declarationOf, memberName, unwrapExpression } from "./static-value";

/** Where a value is written: in the text of the program, or in the stack's config. */
export type ValueLocation = { text: ts.Expression } | { config: ConfigRead };

/** Follows `expression` to where its value is written, if nothing else in the program would change with that value. */
export function locateValue(program: Program, expression: ts.Expression): ValueLocation | Obstacle {
  const { ts } = program;
  const node = unwrapExpression(program, expression);
  if (isLiteral(program, node)) return { text: node };
  if (ts.isIdentifier(node)) return node.text === "undefined" ? { text: node } : variable(program, node);
  const read = configRead(program, node);
  if (read) return config(program, node, read);
  if (ts.isBinaryExpression(node)) return fallback(program, node);
  if (ts.isPropertyAccessExpression(node) || ts.isElementAccessExpression(node)) return member(program, node);
  return computedObstacle(program, node);
}

const computedObstacle = (program: Program, node: ts.Node): Obstacle => ({
  reason: "is computed",
  place: program.placeOf(node),
});

function isLiteral({ ts }: Program, node: ts.Expression): boolean {
  return (
    ts.isLiteralExpression(node) ||
    ts.isObjectLiteralExpression(node) ||
    ts.isArrayLiteralExpression(node) ||
    (ts.isPrefixUnaryExpression(node) && ts.isNumericLiteral(node.operand)) ||
    [ts.SyntaxKind.TrueKeyword, ts.SyntaxKind.FalseKeyword, ts.SyntaxKind.NullKeyword].includes(node.kind)
  );
}

/** A variable of the same file that is given its value where it is declared and is named in no other place. */
function variable(program: Program, node: ts.Identifier): ValueLocation | Obstacle {
  const declared = declaredIn(program, node);
  if (isObstacle(declared)) return declared;
  const uses = usesOf(program, declared.name as ts.Identifier);
  if (uses.length > 1)
    return {
      reason: `comes from \`${node.text}\`, which is used in ${uses.length} places`,
      place: program.placeOf(declared),
    };
  return locateValue(program, declared.initializer!);
}

function declaredIn(program: Program, node: ts.Identifier): ts.VariableDeclaration | Obstacle {
  const { ts } = program;
  const declaration = declarationOf(program, node);
  if (!declaration || !ts.isIdentifier(declaration.name) || !declaration.initializer)
    return { reason: `comes from \`${node.text}\`, whose value the program computes`, place: program.placeOf(node) };
  const place = program.placeOf(declaration);
  if (declaration.getSourceFile() !== node.getSourceFile())
    return { reason: `comes from \`${node.text}\` of another module`, place };
  if (isExported(program, declaration)) return { reason: `comes from \`${node.text}\`, which is exported`, place };
  return declaration;
}

export function isExported({ ts, checker }: Program, declaration: ts.VariableDeclaration): boolean {
  const statement = declaration.parent.parent;
  if (
    ts.isVariableStatement(statement) &&
    statement.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)
  )
    return true;
  const module = checker.getSymbolAtLocation(declaration.getSourceFile());
  const symbol = checker.getSymbolAtLocation(declaration.name);
  return [...(module?.exports?.values() ?? [])].some(
    (exported) => exported.flags & ts.SymbolFlags.Alias && checker.getAliasedSymbol(exported) === symbol,
  );
}

/** `limits.max` of an object in a variable whose members are only used by their names, this one once. */
function member(
  program: Program,
  node: ts.PropertyAccessExpression | ts.ElementAccessExpression,
): ValueLocation | Obstacle {
  const { ts } = program;
  const name = accessedName(program, node);
  const owner = unwrapExpression(program, node.expression);
  if (name === undefined || !ts.isIdentifier(owner)) return computedObstacle(program, node);
  const declared = declaredIn(program, owner);
  if (isObstacle(declared)) return declared;
  const place = program.placeOf(declared);
  const uses = usesOf(program, declared.name as ts.Identifier);
  const accesses = uses.map(({ parent }) =>
    ts.isPropertyAccessExpression(parent) || ts.isElementAccessExpression(parent)
      ? accessedName(program, parent)
      : undefined,
  );
  if (accesses.includes(undefined)) return { reason: `comes from \`${owner.text}\`, which is used as a whole`, place };
  if (accesses.filter((each) => each === name).length > 1)
    return { reason: `comes from \`${node.getText()}\`, which is used in several places`, place };
  const initializer = unwrapExpression(program, declared.initializer!);
  if (!ts.isObjectLiteralExpression(initializer)) return computedObstacle(program, node);
  const property = initializer.properties.find(
    (each): each is ts.PropertyAssignment => ts.isPropertyAssignment(each) && memberName(program, each.name) === name,
  );
  if (!property || initializer.properties.some((each) => ts.isSpreadAssignment(each)))
    return computedObstacle(program, node);
  return locateValue(program, property.initializer);
}

function accessedName(
  { ts }: Program,
  node: ts.PropertyAccessExpression | ts.ElementAccessExpression,
): string | undefined {
  if (ts.isPropertyAccessExpression(node)) return node.name.text;
  return ts.isStringLiteralLike(node.argumentExpression) ? node.argumentExpression.text : undefined;
}

function config(program: Program, node: ts.Node, read: ConfigRead): ValueLocation | Obstacle {
  const place = program.placeOf(node);
  if (read.isSecret) return { reason: `is the secret \`${read.key}\` of the config`, place };
  const others = readsOf(program, read);
  return others > 1
    ? { reason: `comes from the config \`${read.key}\`, which is read in ${others} places`, place }
    : { config: read };
}

/** `config.getNumber("max") ?? 2`: what the config says comes first. */
function fallback(program: Program, node: ts.BinaryExpression): ValueLocation | Obstacle {
  const { ts } = program;
  const operator = node.operatorToken.kind;
  if (operator !== ts.SyntaxKind.QuestionQuestionToken && operator !== ts.SyntaxKind.BarBarToken)
    return computedObstacle(program, node);
  const read = configRead(program, unwrapExpression(program, node.left));
  if (!read) return computedObstacle(program, node);
  const written = config(program, node, read);
  return isObstacle(written) || operator === ts.SyntaxKind.QuestionQuestionToken
    ? written
    : { config: { ...read, mustBeTruthy: true } };
}
