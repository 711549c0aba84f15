import type ts from "typescript";
import type { Program } from "./program";
import { declarationOf, unwrapExpression } from "./static-value";

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
export function configRead(program: Program, expression: ts.Expression): ConfigRead | undefined {
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

/** The namespace of the `Config` that `expression` is; undefined where it is none, or the text does not tell. */
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
export function readsOf(program: Program, read: ConfigRead): number {
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
