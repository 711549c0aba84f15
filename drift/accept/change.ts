import { isDeepStrictEqual } from "node:util";
import type ts from "typescript";
import { resetValue } from "../../provider/core/comparison/desired";
import { differences } from "../../provider/core/fields/equality";
import { type Field, fieldsOnPath } from "../../provider/core/fields/fields";
import { isObject, pathText, type Segment, type Values } from "../../provider/core/values/values";
import { isObstacle, type Obstacle, type ProgramDeclaration } from "./declarations";
import { type ConfigRead, locate, locateValue, type Spot } from "./locate";
import type { Program, SourceLocation } from "./program";
import { memberName, staticValue, unwrapExpression } from "./static-value";
import {
  append,
  entryText,
  indentationAt,
  printValue,
  quoteString,
  remove,
  replace,
  type Style,
  styleOf,
  type TextEdit,
} from "./text-edits";

/**
 * The next edits on the way from what `expression` says to `value`, as small as they can be: none once it says so. What
 * is not written as a literal, and would have to change, is an obstacle. Members of a set keep their order.
 */
function reconcile(program: Program, expression: ts.Expression, value: unknown, isSet = false): TextEdit[] | Obstacle {
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

const addMember = (program: Program, node: ts.ObjectLiteralExpression, name: string, value: unknown): TextEdit[] => {
  const style = styleOf(program, node.getSourceFile());
  return append(program, node, style.step, (indent) => entryText(name, value, style, indent));
};

const addElement = (program: Program, node: ts.ArrayLiteralExpression, value: unknown): TextEdit[] => {
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

/** One value that a program is to say. */
export interface ProgramChange {
  path: readonly Segment[];
  /** The declared field at the path, if there is one. */
  field: Field | undefined;
  /** The arguments' own fields. */
  fields: readonly Field[];
  /** What the program was known to say; undefined: nothing. */
  recorded: unknown;
  /** Whether the program already set the field that the path begins with. */
  isSet: boolean;
  /** The live value; undefined where there is none. */
  live: unknown;
  /** The live value as people write it. */
  spelled: unknown;
  /** The same; undefined if the declaration may omit it. */
  desired: unknown;
}

/** What makes the program say it: edits of its text, none if it says it already; or a value of the stack's config. */
export type AcceptStep = { edits: TextEdit[] } | { config: ConfigRead; value: unknown };

/** The next step on the way to what the change wants: the first one starts from what was recorded. */
export function stepTo(
  program: Program,
  declaration: ProgramDeclaration,
  requestedChange: ProgramChange,
  isFirst: boolean,
): AcceptStep | Obstacle {
  const change = goesWithoutSaying(program, declaration, requestedChange)
    ? { ...requestedChange, desired: undefined }
    : requestedChange;
  const spot = locate(program, declaration.node, change.fields, change.path);
  if (isObstacle(spot)) return spot;
  if (!("written" in spot)) {
    if (change.desired === undefined) return { edits: [] };
    const isGone = isFirst && change.isSet && change.path.length === 1 && change.recorded !== undefined;
    return isGone
      ? staleObstacle("is no longer in the program", change, declaration.place)
      : addValue(program, declaration, spot, change);
  }
  if ("config" in spot.written) {
    if (change.spelled === undefined)
      return {
        reason: `comes from the config \`${spot.written.config.key}\`, and nothing is live`,
        place: program.placeOf(spot.owner),
      };
    return { config: spot.written.config, value: change.spelled };
  }
  const { text } = spot.written;
  const known = staticValue(program, text);
  const declaredStatus = known && staleness(known.value, change, isFirst);
  if (declaredStatus === "done") return { edits: [] };
  if (declaredStatus === "aged")
    return staleObstacle(`is ${JSON.stringify(known!.value)} in the program`, change, program.placeOf(text));
  if (change.desired === undefined)
    return removeValue(program, { declaration: declaration.node, owner: spot.owner, written: text }, change);
  const edits = reconcile(program, text, change.desired, change.field?.markers.setOf === true);
  return isObstacle(edits) ? edits : { edits };
}

/** Whether the live value is a default that another argument decides. */
function goesWithoutSaying(
  program: Program,
  { node }: ProgramDeclaration,
  { field, fields, live }: ProgramChange,
): boolean {
  const rule = field?.markers.resetTo;
  if (!field || typeof rule !== "object") return false;
  const [name] = rule.largerOf;
  const other = locate(program, node, fields, [name]);
  if (isObstacle(other)) return false;
  if (!("written" in other)) return live === resetValue(field, {});
  const known = "text" in other.written ? staticValue(program, other.written.text) : undefined;
  return known !== undefined && live === resetValue(field, { [name]: known.value });
}

/** Whether the program matches the live state already, or something that the scan did not know of. */
function staleness(
  declared: unknown,
  { field, recorded, live, desired }: ProgramChange,
  isFirst: boolean,
): "done" | "aged" | undefined {
  const same = (value: unknown): boolean =>
    field ? differences(field, declared, value).length === 0 : JSON.stringify(declared) === JSON.stringify(value);
  if (same(recorded)) return undefined;
  if ([live, desired].some((value) => value !== undefined && same(value))) return "done";
  // An edit of several steps is under way between the two.
  if (!isFirst && typeof declared === "object" && declared !== null) return undefined;
  return "aged";
}

const staleObstacle = (declaredText: string, { path, recorded }: ProgramChange, place: SourceLocation): Obstacle => ({
  reason: `${declaredText}, and was ${JSON.stringify(recorded)} when \`${pathText(path)}\` was scanned; run \`up\` or scan again`,
  place,
});

/** Writes what is not written yet, with the messages around it. */
function addValue(
  program: Program,
  { node }: ProgramDeclaration,
  spot: Exclude<Spot, { written: unknown }>,
  change: ProgramChange,
): AcceptStep | Obstacle {
  const { ts } = program;
  const row = rowAround(spot.rest, change);
  if (row !== undefined)
    return {
      reason: `is a part of \`${row}\`, which the program leaves out, and would have to say as a whole`,
      place: program.placeOf(node),
    };
  const [first, ...deeper] = spot.rest as [Segment, ...Segment[]];
  const value = deeper.reduceRight<unknown>((inner, name) => ({ [name]: inner }), change.desired);
  if (spot.into === undefined) {
    const style = styleOf(program, node.getSourceFile());
    const text = printValue({ [first]: value }, style, "");
    const last = node.arguments!.at(-1)!;
    return {
      edits: [{ file: node.getSourceFile().fileName, start: last.getEnd(), end: last.getEnd(), text: `, ${text}` }],
    };
  }
  return {
    edits: ts.isArrayLiteralExpression(spot.into)
      ? addElement(program, spot.into, change.desired)
      : addMember(program, spot.into, String(first), value),
  };
}

/** What is complete or not there at all, and would be there with nothing but one part. */
function rowAround(rest: readonly Segment[], { path, fields }: ProgramChange): string | undefined {
  const top = fields.find(({ name }) => name === path[0]);
  const along = top ? fieldsOnPath(top, path.slice(1)) : [];
  const written = path.length - rest.length;
  const index = along.slice(0, path.length - 1).findIndex(({ markers }, at) => at >= written && markers.whole);
  return index < 0 ? undefined : pathText(path.slice(0, index + 1));
}

/** Where something is written in a declaration. */
interface WrittenValue {
  declaration: ts.NewExpression;
  owner: ts.Node;
  written: ts.Expression;
}

/** Takes away what says it; a message or list that has nothing left goes as a whole. */
function removeValue(
  program: Program,
  { declaration, owner, written }: WrittenValue,
  change: ProgramChange,
): AcceptStep | Obstacle {
  const { ts } = program;
  const isDirect = ts.isPropertyAssignment(owner)
    ? unwrapExpression(program, owner.initializer) === written
    : owner === written || unwrapExpression(program, owner as ts.Expression) === written;
  if (!isDirect) {
    // A declaration may omit a default, but a constant needs a value.
    if (change.spelled === undefined)
      return { reason: "has no value live, and comes from a constant", place: program.placeOf(owner) };
    const edits = reconcile(program, written, change.spelled);
    return isObstacle(edits) ? edits : { edits };
  }
  const container = owner.parent;
  const outer = outerOf(program, container, declaration);
  if (ts.isObjectLiteralExpression(container)) {
    if (outer && container.properties.length === 1)
      return removeValue(program, { declaration, owner: outer, written: container }, change);
    return { edits: remove(program, container, container.properties.indexOf(owner as ts.ObjectLiteralElementLike)) };
  }
  if (ts.isArrayLiteralExpression(container)) {
    if (outer && container.elements.length === 1)
      return removeValue(program, { declaration, owner: outer, written: container }, change);
    return { edits: remove(program, container, container.elements.indexOf(owner as ts.Expression)) };
  }
  return { reason: "cannot be removed from where it is written", place: program.placeOf(owner) };
}

/** The property that `container` is the value of, unless that is the arguments as a whole. */
function outerOf(
  { ts }: Program,
  container: ts.Node,
  declaration: ts.NewExpression,
): ts.PropertyAssignment | undefined {
  const { parent } = container;
  return ts.isPropertyAssignment(parent) && parent.parent !== (declaration as ts.Node) ? parent : undefined;
}
