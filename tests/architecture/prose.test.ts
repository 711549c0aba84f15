import { readFileSync } from "node:fs";
import { join, relative } from "node:path";
import ts from "typescript";
import { root } from "../rooms";
import { filesBelow } from "./sources";

/** What looks into a text. */
const looks = new Set(["includes", "match", "search", "startsWith", "endsWith", "indexOf", "test", "exec"]);
/** What holds the words of an error. */
const saysWhy = /\b(message|error|errors|cause|problem|refusal)\b(\(\))?$/;
/** A literal with a space in it is prose; a path, a flag or a setting is none. */
const isProse = (node: ts.Node): boolean =>
  (ts.isStringLiteralLike(node) || ts.isRegularExpressionLiteral(node)) && / /.test(node.text);

/** Whether the call looks for prose in an error, such as `message.includes("is not deleted")`. */
function asksError(call: ts.CallExpression): boolean {
  const { expression, arguments: given } = call;
  if (!ts.isPropertyAccessExpression(expression) || !looks.has(expression.name.text)) return false;
  const [text, sought] = ts.isRegularExpressionLiteral(expression.expression)
    ? [given[0], expression.expression]
    : [expression.expression, given[0]];
  return text !== undefined && sought !== undefined && saysWhy.test(text.getText()) && isProse(sought);
}

/** Conditions of the text that go by prose of an error. */
function decisionsByProse(text: string): string[] {
  const source = ts.createSourceFile("sample.ts", text, ts.ScriptTarget.Latest, true);
  const found: string[] = [];
  const within = (condition: ts.Node): void => {
    if (ts.isCallExpression(condition) && asksError(condition)) found.push(condition.getText());
    ts.forEachChild(condition, within);
  };
  const visit = (node: ts.Node): void => {
    if (ts.isIfStatement(node) || ts.isWhileStatement(node)) within(node.expression);
    else if (ts.isConditionalExpression(node)) within(node.condition);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return [...new Set(found)];
}

/** Suites about words themselves. */
const ofWords = /^tests\/(cli|docs)\//;

/** Conditions that decide nothing, with what they are for. */
const judging: Readonly<Record<string, string>> = {
  "tests/lifecycle/contract/faults.test.ts: /acme-key|first value/.test(message)": "lists a secret that an error shows",
};

test("no suite decides by the words of an error what to do: an error has a code", () => {
  const found = filesBelow(join(root, "tests"))
    .map((file) => relative(root, file))
    .filter((file) => !ofWords.test(file) && file !== "tests/architecture/prose.test.ts")
    .flatMap((file) => decisionsByProse(readFileSync(join(root, file), "utf8")).map((each) => `${file}: ${each}`));
  expect(found).toEqual(Object.keys(judging));
});

test.each([
  ['if (message.includes("is not deleted")) again();', 1],
  ["const next = /belongs to \\S+ of the same program/.test(error.message) ? again() : end();", 1],
  ['expect(message).toContain("is not deleted");', 0],
  ['if (code === "declared-by-another") again();', 0],
  ['if (message.includes("accounts/acme/users/ada")) again();', 0],
])("a decision is told from an assertion: %s", (text, count) => {
  expect(decisionsByProse(text)).toHaveLength(count);
});
