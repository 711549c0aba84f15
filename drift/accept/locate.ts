import type ts from "typescript";
import type { Field } from "../../provider/core/fields/fields";
import type { Segment } from "../../provider/core/values/paths";
import { isObstacle, type Obstacle, usesOf } from "./declarations";
import type { Program } from "./program";
import { memberName, staticValue, unwrapExpression } from "./static-value";
import { locateValue, type ValueLocation } from "./values";

/** Where the program says, or would say, what stands at a path of a resource's arguments. */
export type Spot =
  /** It is written here. `owner` holds it, and can be without it. */
  | { written: ValueLocation; owner: ts.ObjectLiteralElementLike | ts.Expression }
  /** It is not written; `rest` of the path would go into `into`. */
  | { into: ts.ObjectLiteralExpression | ts.ArrayLiteralExpression; rest: readonly Segment[] }
  /** The constructor is given no arguments at all. */
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

/** Names of the members of what is spread, where the text tells them all. */
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

/** A list whose entries are told apart by a key. */
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
