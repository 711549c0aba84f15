import type ts from "typescript";
import type { Field } from "../../provider/core/fields/fields";
import type { Segment } from "../../provider/core/values/values";
import { isObstacle, type Obstacle, usesOf } from "./declarations";
import type { Program } from "./program";
import { declarationOf, memberName, staticValue, unwrapExpression } from "./static-value";

/** A value that the program reads from the stack's config. */
export interface ConfigRead {
  /** With its namespace, unless that is the project's own. */
  key: string;
  /** Members below the key's value. */
  path: readonly string[];
  isSecret: boolean;
  /** Read with `||`: the program takes another value where this one is falsy. */
  mustBeTruthy?: true;
}

const getter = /^(?:get|require)(Secret)?(?:Number|Boolean|Object)?$/;

/** `config.requireNumber("max")`, or a member of `config.requireObject("limits")`; undefined for anything else. */
function configRead(program: Program, expression: ts.Expression): ConfigRead | undefined {
  const { ts } = program;
  const node = unwrapExpression(program, expression);
  if (ts.isPropertyAccessExpression(node)) {
    const owner = objectRead(program, node.expression);
    return owner && { ...owner, path: [...owner.path, node.name.text] };
  }
  if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return undefined;
  const [first] = node.arguments;
  const match = getter.exec(node.expression.name.text);
  const namespace = match && namespaceOf(program, node.expression.expression);
  if (!match || namespace === undefined || !first || !ts.isStringLiteralLike(first)) return undefined;
  const key = namespace === program.options.project ? first.text : `${namespace}:${first.text}`;
  return { key, path: [], isSecret: match[1] !== undefined };
}

/** An object of the config: read on the spot, or held by a variable. */
function objectRead(program: Program, expression: ts.Expression): ConfigRead | undefined {
  const node = unwrapExpression(program, expression);
  if (!program.ts.isIdentifier(node)) return configRead(program, node);
  const initializer = declarationOf(program, node)?.initializer;
  return initializer && configRead(program, initializer);
}

/** The namespace of the `Config` that `expression` is; undefined if it is not one, or if the text does not show it. */
function namespaceOf(program: Program, expression: ts.Expression): string | undefined {
  const { ts, checker } = program;
  const node = unwrapExpression(program, expression);
  const type = checker.getTypeAtLocation(node);
  if (program.standIn(type.symbol) !== "Config") return undefined;
  const created = ts.isIdentifier(node) ? declarationOf(program, node)?.initializer : node;
  if (!created || !ts.isNewExpression(created)) return undefined;
  const [first] = created.arguments ?? [];
  if (!first) return program.options.project;
  return ts.isStringLiteralLike(first) ? first.text : undefined;
}

/** How many places in the program read the same value, or something around it. */
function readsOf(program: Program, read: ConfigRead): number {
  const { ts } = program;
  let count = 0;
  const visit = (node: ts.Node): void => {
    const other = ts.isExpression(node) ? configRead(program, node) : undefined;
    if (!other || other.key !== read.key) return ts.forEachChild(node, visit);
    if (isHeld(program, node)) return;
    const length = Math.min(other.path.length, read.path.length);
    if (other.path.slice(0, length).join("\0") === read.path.slice(0, length).join("\0")) count += 1;
  };
  for (const file of program.files) visit(file);
  return count;
}

/** `const limits = config.requireObject("limits")`: what counts is the use of its members. */
function isHeld(program: Program, node: ts.Node): boolean {
  const { ts } = program;
  let outer = node.parent;
  while (ts.isAsExpression(outer) || ts.isParenthesizedExpression(outer)) outer = outer.parent;
  if (!ts.isVariableDeclaration(outer) || !ts.isIdentifier(outer.name)) return false;
  const { name } = outer;
  let members = 0;
  let others = 0;
  const visit = (each: ts.Node): void => {
    if (ts.isIdentifier(each) && each !== name && each.text === name.text && declarationOf(program, each) === outer) {
      if (ts.isPropertyAccessExpression(each.parent) && each.parent.expression === each) members += 1;
      else others += 1;
    }
    ts.forEachChild(each, visit);
  };
  visit(node.getSourceFile());
  return members > 0 && others === 0;
}

/** Where a value is written: in the text of the program, or in the stack's config. */
type ValueLocation = { text: ts.Expression } | { config: ConfigRead };

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

/** A variable of the same file that is initialized where it is declared and used once. */
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

/** Where the program sets, or would set, a path of a resource's arguments. */
export type Spot =
  /** It is written here. `owner` holds it, and can be without it. */
  | { written: ValueLocation; owner: ts.ObjectLiteralElementLike | ts.Expression }
  /** It is not written; `rest` of the path would go into `into`. */
  | { into: ts.ObjectLiteralExpression | ts.ArrayLiteralExpression; rest: readonly Segment[] }
  /** The constructor call has no arguments. */
  | { into: undefined; rest: readonly Segment[] };

/** Finds the place of `path` in the arguments of a constructor. `fields` are those of the resource. */
export function locate(
  program: Program,
  node: ts.NewExpression,
  fields: readonly Field[],
  path: readonly Segment[],
): Spot | Obstacle {
  const args = node.arguments?.[1];
  if (node.arguments?.some((argument) => program.ts.isSpreadElement(argument)))
    return { reason: "is among arguments that are spread", place: program.placeOf(node) };
  if (args === undefined) return { into: undefined, rest: path };
  return descend(program, args, { fields }, path);
}

/** What a literal is declared as: a message or the arguments, a list, a map. */
type Shape = Pick<Field, "fields"> & Partial<Field>;

function descend(program: Program, expression: ts.Expression, shape: Shape, path: readonly Segment[]): Spot | Obstacle {
  const { ts } = program;
  const written = locateValue(program, expression);
  if (isObstacle(written)) return written;
  if ("config" in written)
    return {
      written: { config: { ...written.config, path: [...written.config.path, ...path.map(String)] } },
      owner: expression,
    };
  const node = written.text;
  if (ts.isObjectLiteralExpression(node)) return inObject(program, node, shape, path);
  if (ts.isArrayLiteralExpression(node)) return inArray(program, node, shape, path);
  return { reason: "is not written as a literal", place: program.placeOf(node) };
}

function inObject(
  program: Program,
  node: ts.ObjectLiteralExpression,
  shape: Shape,
  path: readonly Segment[],
): Spot | Obstacle {
  const { ts } = program;
  const [name, ...rest] = path as [Segment, ...Segment[]];
  const named = node.properties.filter(
    (property) => property.name !== undefined && memberName(program, property.name) === String(name),
  );
  const property = named.at(-1);
  if (named.length > 1) return { reason: "is written twice", place: program.placeOf(named[0]!) };
  const later = property ? node.properties.slice(node.properties.indexOf(property) + 1) : node.properties;
  for (const other of later) {
    const hidden = mayHold(program, other, String(name));
    if (hidden) return hidden;
  }
  if (property === undefined) return { into: node, rest: path };
  const member: Shape =
    shape.type === "map" ? (shape.item ?? {}) : (shape.fields?.find((field) => field.name === name) ?? {});
  if (ts.isShorthandPropertyAssignment(property) || ts.isPropertyAssignment(property))
    return inMember(program, property, member, rest);
  return { reason: "is computed", place: program.placeOf(property) };
}

function inMember(
  program: Program,
  owner: ts.PropertyAssignment | ts.ShorthandPropertyAssignment,
  member: Shape,
  rest: readonly Segment[],
): Spot | Obstacle {
  const written = locateValue(program, program.ts.isPropertyAssignment(owner) ? owner.initializer : owner.name);
  if (isObstacle(written)) return written;
  if (rest.length === 0) return { written, owner };
  if ("config" in written)
    return { written: { config: { ...written.config, path: [...written.config.path, ...rest.map(String)] } }, owner };
  return descend(program, written.text, member, rest);
}

/** Why a member that is not called `name` may decide it anyway. */
function mayHold(program: Program, property: ts.ObjectLiteralElementLike, name: string): Obstacle | undefined {
  const { ts } = program;
  if (!ts.isSpreadAssignment(property)) {
    const isComputed = property.name !== undefined && memberName(program, property.name) === undefined;
    return isComputed
      ? { reason: "may be written under a name that is computed", place: program.placeOf(property) }
      : undefined;
  }
  const spread = unwrapExpression(program, property.expression);
  const value = staticMembers(program, spread);
  if (value && !value.includes(name)) return undefined;
  return {
    reason: value ? `comes from \`${property.getText()}\`` : `may come from \`${property.getText()}\``,
    place: program.placeOf(property),
  };
}

/** Names of the members of a spread value, if the text shows them all. */
function staticMembers(program: Program, expression: ts.Expression): string[] | undefined {
  const { ts, checker } = program;
  const node = unwrapExpression(program, expression);
  if (ts.isObjectLiteralExpression(node)) {
    const names = node.properties.map((property) => {
      if (ts.isSpreadAssignment(property)) return staticMembers(program, property.expression);
      const name = property.name && memberName(program, property.name);
      return name === undefined ? undefined : [name];
    });
    return names.every((each) => each !== undefined) ? names.flat() : undefined;
  }
  if (!ts.isIdentifier(node)) return undefined;
  const declaration = checker.getSymbolAtLocation(node)?.valueDeclaration;
  return declaration &&
    ts.isVariableDeclaration(declaration) &&
    declaration.initializer &&
    ts.isIdentifier(declaration.name) &&
    usesOf(program, declaration.name).every((use) => isRead(program, use))
    ? staticMembers(program, declaration.initializer)
    : undefined;
}

/** Spread, or asked for a member: neither gives it another one. */
function isRead({ ts }: Program, { parent }: ts.Identifier): boolean {
  if (ts.isSpreadAssignment(parent)) return true;
  if (!ts.isPropertyAccessExpression(parent)) return false;
  const outer = parent.parent;
  return (
    !(ts.isBinaryExpression(outer) && outer.left === parent) &&
    !(ts.isCallExpression(outer) && outer.expression === parent) &&
    !ts.isPropertyAccessExpression(outer) &&
    !ts.isDeleteExpression(outer) &&
    !ts.isPostfixUnaryExpression(outer) &&
    !ts.isPrefixUnaryExpression(outer)
  );
}

/** A list whose entries have a key. */
function inArray(
  program: Program,
  node: ts.ArrayLiteralExpression,
  shape: Shape,
  path: readonly Segment[],
): Spot | Obstacle {
  const { ts } = program;
  const [key, ...rest] = path as [Segment, ...Segment[]];
  const by = shape.markers?.setOf;
  if (typeof by !== "string")
    return { reason: "is in a list whose entries have no names", place: program.placeOf(node) };
  const keys = node.elements.map((element) => keyIn(program, element, by));
  const index = keys.indexOf(String(key));
  if (index < 0 && keys.includes(undefined))
    return {
      reason: "may be an entry whose key is computed",
      place: program.placeOf(node.elements[keys.indexOf(undefined)]!),
    };
  if (index < 0) return { into: node, rest: path };
  const element = node.elements[index]!;
  if (rest.length > 0) return descend(program, element, shape.item ?? {}, rest);
  const written = locateValue(program, element);
  return isObstacle(written) ? written : { written, owner: ts.isExpression(element) ? element : node };
}

function keyIn(program: Program, element: ts.Expression, by: string): string | undefined {
  const { ts } = program;
  const node = unwrapExpression(program, element);
  if (!ts.isObjectLiteralExpression(node)) return undefined;
  const property = node.properties.find(
    (each): each is ts.PropertyAssignment => ts.isPropertyAssignment(each) && memberName(program, each.name) === by,
  );
  const value = property && staticValue(program, property.initializer)?.value;
  return typeof value === "string" ? value : undefined;
}
