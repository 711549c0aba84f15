import ts from "typescript";
import type { HeldValue, Source } from "./program";

/** What an edit may have touched. */
export interface Touched {
  /** Paths by resource; what is below one is touched, too. */
  paths: ReadonlyMap<string, readonly (readonly string[])[]>;
  /** Resources that the program declares no longer. */
  dropped: ReadonlySet<string>;
  /** Kinds whose imports may come or go. */
  kinds: ReadonlySet<string>;
  /** Names of all resources of the program as it was. */
  known: ReadonlySet<string>;
}

/** The syntax tree of a file without positions and comments, and without what is touched. */
export function treeOf(text: string, { constants }: Pick<Source, "constants">, touched: Touched): string {
  const file = ts.createSourceFile("index.ts", text, ts.ScriptTarget.ESNext, true);
  return shapeOf(file);

  function shapeOf(node: ts.Node): string {
    if (isGone(node)) return "";
    const parts: string[] = [];
    ts.forEachChild(node, (child) => {
      const shape = shapeOf(child);
      if (shape !== "") parts.push(shape);
    });
    const isLeaf = ts.isLiteralExpression(node) || ts.isIdentifier(node) || ts.isTemplateHead(node);
    return `${ts.SyntaxKind[node.kind]}${isLeaf ? ` ${JSON.stringify(node.text)}` : ""}(${parts.join(",")})`;
  }

  function isGone(node: ts.Node): boolean {
    if (node.kind === ts.SyntaxKind.EndOfFileToken) return true;
    if (ts.isImportSpecifier(node)) return touched.kinds.has((node.propertyName ?? node.name).text);
    if (ts.isImportDeclaration(node)) return isEmptyImport(node);
    // A brace has one before it where lines end without.
    if (ts.isEmptyStatement(node)) return true;
    if (ts.isExpressionStatement(node) || ts.isVariableStatement(node)) return isOtherResource(node);
    if (ts.isObjectLiteralExpression(node) && isArguments(node)) return node.properties.every((each) => isGone(each));
    const path = ts.isPropertyAssignment(node) || ts.isShorthandPropertyAssignment(node) ? placeOf(node) : undefined;
    if (path) return isTouched(path) || holdsOnlyTouched(node as ts.PropertyAssignment, path);
    const held = ts.isExpression(node) && ts.isVariableDeclaration(node.parent) && node.parent.initializer === node;
    const at = held && ts.isIdentifier(node.parent.name) ? constants.get(node.parent.name.text) : undefined;
    return at !== undefined && isTouched(at);
  }

  function isEmptyImport({ importClause }: ts.ImportDeclaration): boolean {
    const bindings = importClause?.namedBindings;
    return bindings !== undefined && ts.isNamedImports(bindings) && bindings.elements.every((each) => isGone(each));
  }

  /** A declaration that came or went as a whole. */
  function isOtherResource(statement: ts.Statement): boolean {
    const names = namesIn(statement);
    return names.length > 0 && names.every((name) => touched.dropped.has(name) || !touched.known.has(name));
  }

  /** The second argument of a constructor. */
  function isArguments(node: ts.ObjectLiteralExpression): boolean {
    const outer = around(node);
    return ts.isNewExpression(outer.parent) && outer.parent.arguments?.[1] === outer;
  }

  function isTouched({ resource, path }: HeldValue): boolean {
    return (touched.paths.get(resource) ?? []).some((each) => each.every((segment, index) => path[index] === segment));
  }

  /** A message that is there only for what is touched comes and goes with it. */
  function holdsOnlyTouched(node: ts.PropertyAssignment, { resource, path }: HeldValue): boolean {
    const isOnTheWay = (touched.paths.get(resource) ?? []).some((each) =>
      path.every((segment, index) => each[index] === segment),
    );
    const value = node.initializer && bare(node.initializer);
    return (
      isOnTheWay &&
      value !== undefined &&
      ts.isObjectLiteralExpression(value) &&
      value.properties.every((each) => isGone(each))
    );
  }

  /** The resource and path whose value a member holds; the list, where it is within one. */
  function placeOf(node: ts.ObjectLiteralElementLike): HeldValue | undefined {
    const name = nameOf(node);
    const outer = around(node.parent as ts.Expression);
    const { parent } = outer;
    if (name === undefined) return undefined;
    if (ts.isPropertyAssignment(parent)) return below(placeOf(parent), name);
    if (ts.isArrayLiteralExpression(parent)) return listOf(parent);
    if (ts.isVariableDeclaration(parent) && ts.isIdentifier(parent.name)) {
      const held = constants.get(parent.name.text);
      return held && name === "value" && held.path.length > 0 && isMember(outer) ? held : below(held, name);
    }
    if (!ts.isNewExpression(parent) || parent.arguments?.[1] !== outer) return undefined;
    const [resource] = namesIn(parent);
    return resource === undefined ? undefined : { resource, path: [name] };
  }

  /** `{ value: … }`, as constants are written whose member is used. */
  function isMember(node: ts.Node): boolean {
    return (
      ts.isObjectLiteralExpression(node) && node.properties.length === 1 && nameOf(node.properties[0]!) === "value"
    );
  }

  function listOf(list: ts.ArrayLiteralExpression): HeldValue | undefined {
    const { parent } = around(list);
    if (ts.isPropertyAssignment(parent)) return placeOf(parent);
    if (ts.isArrayLiteralExpression(parent)) return listOf(parent);
    return ts.isVariableDeclaration(parent) && ts.isIdentifier(parent.name)
      ? constants.get(parent.name.text)
      : undefined;
  }

  /** Names of resources that are made within. */
  function namesIn(node: ts.Node): string[] {
    const names: string[] = [];
    const visit = (each: ts.Node): void => {
      const [first, second] = ts.isNewExpression(each) ? (each.arguments ?? []) : [];
      if (first && !/Config$/.test((each as ts.NewExpression).expression.getText())) {
        const found = ts.isStringLiteralLike(first)
          ? [first.text]
          : /\bd\d+\b|d\d+(?=_name)/.exec(
              first
                .getText()
                .replace('"d" + ', "")
                .replace(/^["'](\d)/, "d$1"),
            );
        names.push(found?.[0] ?? `new ${first.getText()} ${second?.pos ?? 0}`);
      }
      ts.forEachChild(each, visit);
    };
    visit(node);
    return names;
  }
}

const below = (held: HeldValue | undefined, name: string): HeldValue | undefined =>
  held && { ...held, path: [...held.path, name] };

function nameOf({ name }: ts.ObjectLiteralElementLike): string | undefined {
  if (!name) return undefined;
  if (ts.isComputedPropertyName(name))
    return ts.isStringLiteralLike(name.expression) ? name.expression.text : undefined;
  return ts.isPrivateIdentifier(name) ? undefined : name.text;
}

/** With everything around it that only the compiler reads. */
function around(node: ts.Expression): ts.Expression {
  let outer = node;
  while (isSilent(outer.parent)) outer = outer.parent as ts.Expression;
  return outer;
}

function bare(node: ts.Expression): ts.Expression {
  let inner = node;
  while (isSilent(inner)) inner = (inner as ts.ParenthesizedExpression).expression;
  return inner;
}

const isSilent = (node: ts.Node): boolean =>
  ts.isParenthesizedExpression(node) ||
  ts.isAsExpression(node) ||
  ts.isSatisfiesExpression(node) ||
  ts.isNonNullExpression(node);
