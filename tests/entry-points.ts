import ts from "typescript";

/** What a file asks of itself to see whether it is the program that Node.js was started with. */
const questions = ["require.main", "module.parent", "import.meta.main", "process.argv[1]"];
const asksWhetherMain = (node: ts.Node): boolean => questions.includes(node.getText());

/** Functions that are a program's work. */
const programs = ["main", "runScript"];

/** What starts the work of a file and has statements below it, which that work would run without. */
export function earlyStarts(file: string, text: string): string[] {
  // Few files have any, and parsing all takes seconds.
  if (![...questions, ...programs.map((name) => `${name}(`)].some((start) => text.includes(start))) return [];
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const answers = source.statements.filter(ts.isVariableStatement).flatMap(({ declarationList }) =>
    declarationList.declarations.flatMap(({ name, initializer }) =>
      // `const isMain = require.main === module` is asked later; `const [, path] = process.argv` is not this question.
      initializer && ts.isBinaryExpression(initializer) && within(initializer, asksWhetherMain) ? name.getText() : [],
    ),
  );
  const starts = (node: ts.Node): boolean =>
    asksWhetherMain(node) ||
    (ts.isIdentifier(node) && answers.includes(node.text)) ||
    (ts.isCallExpression(node) && programs.includes(node.expression.getText()));
  const isDeclared = (statement: ts.Statement): boolean =>
    ts.isVariableStatement(statement) || ts.isFunctionDeclaration(statement) || ts.isClassDeclaration(statement);
  return source.statements
    .slice(0, -1)
    .filter((statement) => !isDeclared(statement) && within(statement, starts))
    .map((statement) => statement.getText().split("\n")[0]!);
}

/** Whether a node or one inside it is like that, the bodies of functions left out: those run later. */
function within(node: ts.Node, isLike: (node: ts.Node) => boolean): boolean {
  if (ts.isFunctionLike(node)) return false;
  return isLike(node) || ts.forEachChild(node, (child) => within(child, isLike) || undefined) === true;
}
