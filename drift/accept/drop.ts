import type ts from "typescript";
import { isObstacle, type Obstacle, type ProgramDeclaration, usesOf } from "./declarations";
import type { Program } from "./program";
import { lines, remove, type TextEdit } from "./text-edits";
import { isExported } from "./values";

/** Edits that remove the declaration, with an import that only it needs. An obstacle where something refers to it. */
export function dropped(program: Program, { node }: ProgramDeclaration): TextEdit[] | Obstacle {
  const statement = statementOf(program, node);
  if (isObstacle(statement)) return statement;
  const file = node.getSourceFile();
  const edit = withoutGap(file.text, lines(program, file, statement));
  if (isJoining(file, edit))
    return { reason: "is between two lines that would become one", place: program.placeOf(node) };
  return [edit, ...unneededImport(program, node)];
}

/** Takes one blank line along where there is one on either side. */
function withoutGap(text: string, edit: TextEdit): TextEdit {
  const isGapBefore = edit.start === 0 || /\n\r?\n$/.test(text.slice(0, edit.start));
  const gap = isGapBefore ? /^[ \t]*\r?\n/.exec(text.slice(edit.end))?.[0].length : undefined;
  return gap === undefined ? edit : { ...edit, end: edit.end + gap };
}

function statementOf(program: Program, node: ts.NewExpression): ts.Statement | Obstacle {
  const { ts } = program;
  const { parent } = node;
  const whole = ts.isVoidExpression(parent) ? parent.parent : parent;
  if (ts.isExpressionStatement(whole) && isInList(program, whole)) return whole;
  if (!ts.isVariableDeclaration(parent) || !ts.isIdentifier(parent.name))
    return {
      reason: "is declared within something else, which would be incomplete without it",
      place: program.placeOf(node),
    };
  const [use] = usesOf(program, parent.name);
  if (use) return { reason: `is gone, and something refers to \`${parent.name.text}\``, place: program.placeOf(use) };
  if (isExported(program, parent))
    return { reason: `is gone, and \`${parent.name.text}\` is exported`, place: program.placeOf(parent) };
  const statement = parent.parent.parent;
  return ts.isVariableStatement(statement) && statement.declarationList.declarations.length === 1
    ? statement
    : { reason: "is declared beside others in one statement", place: program.placeOf(node) };
}

/** A statement beside others, and not all that an `if` or a loop has. */
const isInList = ({ ts }: Program, { parent }: ts.Statement): boolean =>
  ts.isSourceFile(parent) || ts.isBlock(parent) || ts.isModuleBlock(parent) || ts.isCaseOrDefaultClause(parent);

/** Whether what is left would be read as one statement, where nothing but lines ends them. */
function isJoining({ text }: ts.SourceFile, { start, end }: TextEdit): boolean {
  const [before, after] = [text.slice(0, start).trimEnd(), text.slice(end).trimStart()];
  return before !== "" && !/[;{}:]$/.test(before) && /^[([`+\-*/.,?]/.test(after);
}

function unneededImport(program: Program, { expression }: ts.NewExpression): TextEdit[] {
  const { ts } = program;
  if (!ts.isIdentifier(expression)) return [];
  const specifier = program.checker.getSymbolAtLocation(expression)?.declarations?.[0];
  if (!specifier || !ts.isImportSpecifier(specifier)) return [];
  let uses = 0;
  const visit = (node: ts.Node): void => {
    if (ts.isIdentifier(node) && node.text === specifier.name.text && !ts.isImportSpecifier(node.parent)) uses += 1;
    ts.forEachChild(node, visit);
  };
  visit(expression.getSourceFile());
  const list = specifier.parent;
  if (uses > 1) return [];
  if (list.elements.length > 1) return remove(program, list, list.elements.indexOf(specifier));
  const { name, parent } = list.parent;
  const file = list.getSourceFile();
  return name
    ? [{ file: file.fileName, start: name.getEnd(), end: list.getEnd(), text: "" }]
    : [lines(program, file, parent)];
}
