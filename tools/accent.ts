import ts from "typescript";

/** Words that this code once used for many things, where the field has a term for each. */
const accentWords = ["given", "found", "shown", "told", "said", "gone", "wanted", "stands"];

/** At most so many of them per thousand lines of all rooms. */
export const accentLimit = 6;

const partsOf = (text: string): string[] =>
  text
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replace(/([A-Z]+)([A-Z][a-z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z]+/);

const accentIn = (text: string): number => partsOf(text).filter((word) => accentWords.includes(word)).length;

const isText = (node: ts.Node): boolean =>
  ts.isStringLiteralLike(node) || ts.isTemplateLiteralToken(node) || ts.isRegularExpressionLiteral(node);

/** How often the words occur as parts of identifiers and in comments; texts that users read do not count. */
export function countAccent(source: ts.SourceFile): number {
  let count = 0;
  let end = 0;
  const code: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isIdentifier(node) || ts.isPrivateIdentifier(node)) count += accentIn(node.text);
    else if (isText(node)) {
      code.push(source.text.slice(end, node.getStart(source)));
      end = node.end;
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  code.push(source.text.slice(end));
  for (const [comment] of code.join(" ").matchAll(/\/\*[\s\S]*?\*\/|\/\/[^\n]*/g)) count += accentIn(comment);
  return count;
}
