import type ts from "typescript";
import type { Program, SourceLocation } from "./program";
import { membersOf, staticValue, unwrapExpression } from "./static-value";

/** Where the program makes a resource. */
export interface ProgramDeclaration {
  kind: string;
  node: ts.NewExpression;
  /** The name that its first argument always comes to; undefined where that is decided as the program runs. */
  name: string | undefined;
  place: SourceLocation;
  /** Whether it is made within another resource; undefined where its options do not tell. */
  isChild: boolean | undefined;
  /** What may run it more than once, in words: a change here may then affect several resources. */
  repeated?: string | undefined;
}

/** The resource to find: its kind and name, and where the state says that it was declared at the time. */
export interface ResourceQuery {
  kind: string;
  name: string;
  /** Whether it is within another resource. */
  isChild: boolean;
  source?: SourcePlace | undefined;
  /** What had called it at the time. */
  trace?: readonly SourcePlace[] | undefined;
}

interface SourcePlace {
  path: string;
  line?: number | undefined;
  column?: number | undefined;
}

/** Why something needs a person, and where to look. */
export interface Obstacle {
  reason: string;
  place?: SourceLocation | undefined;
}

export const isObstacle = (value: object): value is Obstacle => "reason" in value;

/** Every place where the program creates a resource of this package. */
export function declarationsIn(program: Program): ProgramDeclaration[] {
  const { ts } = program;
  const declarations: ProgramDeclaration[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isNewExpression(node)) {
      const kind = kindOf(program, node);
      if (kind !== undefined) declarations.push(declaration(program, node, kind));
    }
    ts.forEachChild(node, visit);
  };
  for (const file of program.files) visit(file);
  return declarations;
}

function declaration(
  program: Program,
  node: ts.NewExpression,
  kind: { name: string; isOwn: boolean },
): ProgramDeclaration {
  const [first] = node.arguments ?? [];
  const name = first && staticValue(program, first)?.value;
  const repeated = kind.isOwn ? repetitionOf(program, node) : "a class of the program's own";
  return {
    kind: kind.name,
    node,
    name: typeof name === "string" ? name : undefined,
    place: program.placeOf(node),
    isChild: isChild(program, node),
    repeated,
  };
}

function isChild(program: Program, node: ts.NewExpression): boolean | undefined {
  const { ts } = program;
  if (node.arguments?.some((argument) => ts.isSpreadElement(argument))) return undefined;
  const options = node.arguments?.[2];
  if (!options) return false;
  const parentOption = unwrapExpression(program, options);
  const members = ts.isObjectLiteralExpression(parentOption) ? membersOf(program, parentOption) : undefined;
  if (!members) return undefined;
  const parent = members.get("parent");
  if (!parent) return false;
  return /\b(undefined|rootStackResource)\b/.test(parent.getText()) ? undefined : true;
}

/** The class that `new` makes an object of, through imports, aliases, namespaces and subclasses. */
function kindOf(program: Program, { expression }: ts.NewExpression): { name: string; isOwn: boolean } | undefined {
  const { checker } = program;
  const [signature] = checker.getTypeAtLocation(expression).getConstructSignatures();
  const created = signature?.getReturnType();
  const own = program.standIn(created?.symbol);
  if (own !== undefined) return { name: own, isOwn: true };
  for (let [base] = created?.getBaseTypes?.() ?? []; base; [base] = base.getBaseTypes?.() ?? []) {
    const name = program.standIn(base.symbol);
    if (name !== undefined) return { name, isOwn: false };
  }
  return undefined;
}

/** What is around `node` that may run it more than once. */
function repetitionOf(program: Program, node: ts.Node): string | undefined {
  const { ts } = program;
  for (let around = node.parent; !ts.isSourceFile(around); around = around.parent) {
    if (ts.isIterationStatement(around, false)) return "a loop";
    if (ts.isClassLike(around)) return `the class ${around.name?.text ?? "around it"}`;
    if (ts.isFunctionLike(around) && !ts.isClassLike(around.parent) && !runsOnce(program, around))
      return isCallback(program, around) ? "a loop or a callback" : `the function ${nameOf(program, around)}`;
  }
  return undefined;
}

function isCallback({ ts }: Program, node: ts.SignatureDeclaration): boolean {
  return node.parent !== undefined && ts.isCallExpression(node.parent) && node.parent.expression !== (node as ts.Node);
}

function nameOf({ ts }: Program, node: ts.SignatureDeclaration): string {
  if (node.name && ts.isIdentifier(node.name)) return node.name.text;
  return ts.isVariableDeclaration(node.parent) && ts.isIdentifier(node.parent.name)
    ? node.parent.name.text
    : "around it";
}

/**
 * The whole program in a function: called on the spot, exported for Pulumi to call, or called once by its name with
 * nothing.
 */
function runsOnce(program: Program, node: ts.SignatureDeclaration): boolean {
  const { ts } = program;
  if (node.parameters.length > 0) return false;
  let outer: ts.Node = node.parent;
  while (ts.isParenthesizedExpression(outer)) outer = outer.parent;
  if (ts.isCallExpression(outer))
    return unwrapExpression(program, outer.expression) === (node as ts.Node) && isAtTop(program, outer);
  if (ts.isExportAssignment(outer)) return true;
  if (ts.isBinaryExpression(outer)) return /^module\.exports$|^exports\.default$/.test(outer.left.getText());
  if (ts.isFunctionDeclaration(node) && node.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.DefaultKeyword))
    return true;
  const named = ts.isFunctionDeclaration(node) ? node : outer;
  const name = ts.isFunctionDeclaration(named) || ts.isVariableDeclaration(named) ? named.name : undefined;
  return name !== undefined && ts.isIdentifier(name) && isCalledOnce(program, name);
}

function isCalledOnce(program: Program, name: ts.Identifier): boolean {
  const uses = usesOf(program, name);
  const [only] = uses;
  return (
    uses.length === 1 &&
    program.ts.isCallExpression(only!.parent) &&
    only!.parent.expression === only &&
    isAtTop(program, only!.parent)
  );
}

/** Outside of every function and loop. */
function isAtTop({ ts }: Program, node: ts.Node): boolean {
  for (let around = node.parent; !ts.isSourceFile(around); around = around.parent)
    if (ts.isFunctionLike(around) || ts.isIterationStatement(around, false)) return false;
  return true;
}

/** Every place that names the same variable, function or class as `name`, its declaration left out. */
export function usesOf(program: Program, name: ts.Identifier): ts.Identifier[] {
  const { ts, checker } = program;
  const writtenSymbol = (node: ts.Identifier): ts.Symbol | undefined => {
    const { parent } = node;
    if (ts.isShorthandPropertyAssignment(parent)) return checker.getShorthandAssignmentValueSymbol(parent);
    if (ts.isExportSpecifier(parent)) return checker.getExportSpecifierLocalTargetSymbol(parent);
    return checker.getSymbolAtLocation(node);
  };
  const symbolOf = (node: ts.Identifier): ts.Symbol | undefined => {
    const symbol = writtenSymbol(node);
    return symbol && symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
  };
  const target = symbolOf(name);
  const uses: ts.Identifier[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isIdentifier(node) && node !== name && node.text === name.text && symbolOf(node) === target) uses.push(node);
    else if (ts.isImportSpecifier(node) && node.propertyName && symbolOf(node.name) === target) uses.push(node.name);
    ts.forEachChild(node, visit);
  };
  for (const file of program.files) visit(file);
  return uses;
}

/** The one declaration of a resource, or why there is none to edit. */
export function findDeclaration(
  program: Program,
  declarations: readonly ProgramDeclaration[],
  { kind, name, isChild: isInner, source, trace = [] }: ResourceQuery,
): ProgramDeclaration | Obstacle {
  const ofKind = declarations.filter(
    (candidate) => candidate.kind === kind && (candidate.isChild ?? isInner) === isInner,
  );
  const named = ofKind.filter((candidate) => candidate.name === name);
  const [only] = named;
  if (named.length === 1) return requireEditable(only!);
  const matchByPosition = (candidates: readonly ProgramDeclaration[]): ProgramDeclaration | undefined =>
    [...(source ? [source] : []), ...trace]
      .map((place) => candidates.filter((candidate) => isAt(program, candidate, place)))
      .find(({ length }) => length === 1)?.[0];
  if (named.length > 1) {
    const exact = matchByPosition(named);
    if (exact) return requireEditable(exact);
    return { reason: `is declared in ${named.length} places (${placesOf(named)})`, place: only!.place };
  }
  const computed = ofKind.filter((candidate) => candidate.name === undefined);
  const maker = matchByPosition(computed) ?? (computed.length === 1 ? computed[0] : undefined);
  if (maker)
    return {
      reason: `is created with a name that is computed${maker.repeated ? ` in ${maker.repeated}` : ""}`,
      place: maker.place,
    };
  const [first] = computed;
  if (first)
    return {
      reason: `is created with a name that is computed, in one of ${computed.length} places (${placesOf(computed)})`,
      place: first.place,
    };
  const recorded = source && { file: source.path, line: source.line ?? 1, column: source.column ?? 1 };
  return {
    reason: `is not declared in the program by \`new ${kind}(${JSON.stringify(name)}, …)\``,
    place: recorded,
  };
}

const placesOf = (declarations: readonly ProgramDeclaration[]): string =>
  declarations.map(({ place }) => `${place.file}:${place.line}`).join(", ");

const requireEditable = (declaration: ProgramDeclaration): ProgramDeclaration | Obstacle =>
  declaration.repeated === undefined
    ? declaration
    : { reason: `is created in ${declaration.repeated}, which may create others too`, place: declaration.place };

/** Lines of a state may be old: a place is only a hint, for what constructor and name leave open. */
function isAt({ folder }: Program, { place, node }: ProgramDeclaration, source: SourcePlace): boolean {
  const end = node.getSourceFile().getLineAndCharacterOfPosition(node.getEnd()).line + 1;
  const isFile =
    place.file === source.path.replace(`${folder}/`, "").replace(/\.js$/, ".ts") || place.file === source.path;
  return isFile && source.line !== undefined && place.line <= source.line && source.line <= end;
}
