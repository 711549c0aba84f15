import { readFileSync } from "node:fs";
import { join, relative } from "node:path";
import ts from "typescript";
import { errorCodes } from "../../provider/core/error-codes";
import { root } from "../rooms";
import { filesBelow } from "./sources";

/** Each code of the list is given by an error, and a test asserts it. */

const parsed = (text: string): ts.SourceFile => ts.createSourceFile("sample.ts", text, ts.ScriptTarget.Latest, true);

const within = (node: ts.Node, find: (child: ts.Node) => string[]): string[] => {
  const found: string[] = [];
  ts.forEachChild(node, (child) => void found.push(...find(child)));
  return found;
};

/** The texts of that node that may be its value: what is only compared is none. */
function literalsIn(node: ts.Node): string[] {
  if (ts.isStringLiteral(node)) return [node.text];
  if (ts.isBinaryExpression(node)) return [];
  return within(node, literalsIn);
}

const isNamed = (node: ts.Node, ...names: string[]): boolean =>
  ts.isPropertyAssignment(node) && names.includes(node.name.getText());

const saysCodes = (type: ts.TypeNode | undefined): boolean =>
  type !== undefined && /\bErrorCode\b/.test(type.getText());

/** Values of `code`, and of what is declared as a code. */
function givenIn(node: ts.Node): string[] {
  if (isNamed(node, "code")) return literalsIn(node);
  if ((ts.isFunctionLike(node) || ts.isVariableDeclaration(node)) && saysCodes(node.type)) return literalsIn(node);
  return within(node, givenIn);
}

/** Values of `code` or `failure` in what is expected. */
const expectedIn = (node: ts.Node): string[] =>
  isNamed(node, "code", "failure") ? literalsIn(node) : within(node, expectedIn);

/** Codes that are asserted: of a `refusal`, of what a matcher expects, and in a table of codes. */
function assertedIn(node: ts.Node): string[] {
  const nested = (): string[] => within(node, assertedIn);
  if (ts.isVariableDeclaration(node) && saysCodes(node.type)) return literalsIn(node);
  if (ts.isSatisfiesExpression(node) && saysCodes(node.type)) return literalsIn(node.expression);
  if (!ts.isCallExpression(node)) return nested();
  const { expression, arguments: args } = node;
  if (ts.isIdentifier(expression) && expression.text === "refusal") return [...literalsIn(args[0]!), ...nested()];
  const isMatcher =
    ts.isPropertyAccessExpression(expression) && /^(to[A-Z]|objectContaining)/.test(expression.name.text);
  return [...(isMatcher ? args.flatMap(expectedIn) : []), ...nested()];
}

const mayHaveCodes = new RegExp(`"(${Object.keys(errorCodes).join("|")})"`);

const codesIn = (folder: string, find: (node: ts.Node) => string[], isMeant: (file: string) => boolean): Set<string> =>
  new Set(
    filesBelow(join(root, folder))
      .filter((file) => isMeant(relative(root, file)))
      .map((file) => readFileSync(file, "utf8"))
      .filter((text) => mayHaveCodes.test(text))
      .flatMap((text) => find(parsed(text))),
  );

const unknownTo = (found: ReadonlySet<string>, codes: readonly string[] = Object.keys(errorCodes)): string[] =>
  codes.filter((code) => !found.has(code));

const given = codesIn("provider", givenIn, (file) => file !== "provider/core/error-codes.ts");
// The model decides by codes, and asserts none.
const asserted = codesIn("tests", assertedIn, (file) => !file.startsWith("tests/model/"));

test("each code is given by an error of the provider", () => {
  expect(unknownTo(given)).toEqual([]);
});

test("each code is asserted by a test", () => {
  expect(unknownTo(asserted)).toEqual([]);
});

test("each code that the tables of ownership lead to is asserted on a service", () => {
  const folders = ["provider/lifecycle/creation", "provider/lifecycle/ownership"];
  const led = folders.flatMap((folder) => [...codesIn(folder, givenIn, () => true)]);
  const codes = led.filter((code) => code in errorCodes);
  expect(codes.length).toBeGreaterThan(20);
  const played = codesIn("tests/lifecycle", assertedIn, () => true);
  expect(unknownTo(played, codes)).toEqual([]);
});

test.each([
  ['throw new ModelPlatformError("text", { code: "gone" });', ["gone"]],
  ['throw new ModelPlatformError("text", { code: isOver ? "gone" : "not-visible" });', ["gone", "not-visible"]],
  [
    'function codeOf(how: string): ErrorCode { return how === "failed" ? "gone" : "unsettled"; }',
    ["gone", "unsettled"],
  ],
  ['const outcome = { state: "gone" };', []],
])("a code that is given is told from other words: %s", (text, codes) => {
  expect(givenIn(parsed(text))).toEqual(codes);
});

test.each([
  ['await refusal("gone", at.process().delete(kind));', ["gone"]],
  ['expect(error).toMatchObject({ code: "gone" });', ["gone"]],
  ['expect(relation).toBe("gone");', []],
  ['const answer = { code: "gone" };', []],
])("a code that is asserted is told from other words: %s", (text, codes) => {
  expect(assertedIn(parsed(text))).toEqual(codes);
});
