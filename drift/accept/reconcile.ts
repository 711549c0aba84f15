import { isDeepStrictEqual } from "node:util";
import type ts from "typescript";
import { isObject, type Values } from "../../provider/core/values/values";
import { isObstacle, type Obstacle } from "./declarations";
import type { Program } from "./program";
import { memberName, staticValue, unwrapExpression } from "./static-value";
import { entryText, indentationAt, printValue, quoteString, type Style, styleOf } from "./style";
import { append, remove, replace, type TextEdit } from "./text-edits";
import { locateValue } from "./values";

/**
 * The next edits on the way from what `expression` says to `value`, as small as they can be: none once it says so. What
 * is not written as a literal, and would have to change, is an obstacle. Members of a set keep their order.
 */
export function reconcile(
  program: Program,
  expression: ts.Expression,
  value: unknown,
  isSet = false,
): TextEdit[] | Obstacle {
  const { ts } = program;
  const known = staticValue(program, expression);
  if (known && isDeepStrictEqual(known.value, value)) return [];
  const written = locateValue(program, expression);
  if (isObstacle(written)) return written;
  if ("config" in written) return { reason: "is in part from the config", place: program.placeOf(expression) };
  const node = written.text;
  if (ts.isObjectLiteralExpression(node) && isObject(value)) return object(program, node, value);
  if (ts.isArrayLiteralExpression(node) && Array.isArray(value)) return array(program, node, value, isSet);
  if (!staticValue(program, node)) return { reason: "is computed", place: program.placeOf(node) };
  return [replace(node, literal(node, value, styleOf(program, node.getSourceFile())))];
}

/** The value as it is written in place of `node`: a text keeps its quotes. */
function literal(node: ts.Expression, value: unknown, style: Style): string {
  const { text } = node.getSourceFile();
  const start = node.getStart();
  if (typeof value === "string" && /^["'`]/.test(text[start]!)) return quoteString(value, text[start]!);
  const column = start - (text.lastIndexOf("\n", start) + 1);
  return printValue(value, style, indentationAt(text, start), column);
}

function object(program: Program, node: ts.ObjectLiteralExpression, value: Values): TextEdit[] | Obstacle {
  const { ts } = program;
  const handledNames = new Set<string>();
  for (const [index, property] of node.properties.entries()) {
    const name = property.name && memberName(program, property.name);
    if (name === undefined || !(ts.isPropertyAssignment(property) || ts.isShorthandPropertyAssignment(property)))
      return { reason: "is computed", place: program.placeOf(property) };
    handledNames.add(name);
    if (value[name] === undefined) return remove(program, node, index);
    const edits = reconcile(
      program,
      ts.isPropertyAssignment(property) ? property.initializer : property.name,
      value[name],
    );
    if (isObstacle(edits) || edits.length > 0) return edits;
  }
  const missing = Object.entries(value).find(([name, member]) => member !== undefined && !handledNames.has(name));
  return missing ? addMember(program, node, missing[0], missing[1]) : [];
}

export const addMember = (
  program: Program,
  node: ts.ObjectLiteralExpression,
  name: string,
  value: unknown,
): TextEdit[] => {
  const style = styleOf(program, node.getSourceFile());
  return append(program, node, style.step, (indent) => entryText(name, value, style, indent));
};

export const addElement = (program: Program, node: ts.ArrayLiteralExpression, value: unknown): TextEdit[] => {
  const style = styleOf(program, node.getSourceFile());
  return append(program, node, style.step, (indent, column) => printValue(value, style, indent, column));
};

function array(
  program: Program,
  node: ts.ArrayLiteralExpression,
  value: readonly unknown[],
  isSet: boolean,
): TextEdit[] | Obstacle {
  const known = node.elements.map((element) => staticValue(program, unwrapExpression(program, element)));
  const computed = known.indexOf(undefined);
  if (computed >= 0) return { reason: "is computed in part", place: program.placeOf(node.elements[computed]!) };
  const before = known.map((each) => each!.value);
  const after = isSet ? inOrderOf(before, value) : value;
  const same = (index: number, other: number): boolean => isDeepStrictEqual(before[index], after[other]);
  let first = 0;
  while (first < before.length && first < after.length && same(first, first)) first += 1;
  let tail = 0;
  while (
    tail < before.length - first &&
    tail < after.length - first &&
    same(before.length - 1 - tail, after.length - 1 - tail)
  )
    tail += 1;
  const [removedCount, come] = [before.length - tail - first, after.length - tail - first];
  if (removedCount > 0 && (come === 0 || isSet)) return remove(program, node, first);
  if (removedCount > 0) return reconcile(program, node.elements[first]!, after[first]);
  if (come === 0) return [];
  if (first === before.length) return addElement(program, node, after[first]);
  const style = styleOf(program, node.getSourceFile());
  const next = node.elements[first]!;
  const { text } = node.getSourceFile();
  const indent = indentationAt(text, next.getStart());
  const isOwnLine = text.slice(text.lastIndexOf("\n", next.getStart() - 1) + 1, next.getStart()).trim() === "";
  const put = `${printValue(after[first], style, indent)},${isOwnLine ? `${style.newline}${indent}` : " "}`;
  return [{ file: node.getSourceFile().fileName, start: next.getStart(), end: next.getStart(), text: put }];
}

/** The members of a set in the order in which they stand, new ones last. */
function inOrderOf(before: readonly unknown[], value: readonly unknown[]): unknown[] {
  const isIn = (list: readonly unknown[], member: unknown): boolean =>
    list.some((other) => isDeepStrictEqual(other, member));
  return [...before.filter((member) => isIn(value, member)), ...value.filter((member) => !isIn(before, member))];
}
