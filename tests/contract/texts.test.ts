import { badInputs } from "./reference/bad-input";
import { settableFields, settableKinds } from "./reference/tables";
import { type TextFact, textsOfLength, textsThatDoNotFit } from "./reference/texts";
import type { FieldFact } from "./reference/types";
import { violations } from "./reference/violations";

const code: FieldFact = { path: "code", type: "string", maxLength: 12, pattern: "[A-Z]{2}-[0-9]+" };
const broken = (value: string): string[] => violations([code], { code: value }).map(({ rule }) => rule);

test.each([
  ["AB-1", []],
  ["AB-1 and more", ["maxLength", "pattern"]],
  ["xAB-1", ["pattern"]],
  ["AB-1\n", ["pattern"]],
])("a pattern is about the whole text: %j breaks %j", (value, rules) => {
  expect(broken(value)).toEqual(rules);
});

test("texts of the greatest length fit the pattern; longer ones break the length alone", () => {
  expect(textsOfLength(code, 12, "AB-1").map(broken)).toEqual([[]]);
  expect(textsOfLength(code, 13, "AB-1").map(broken)).toEqual([["maxLength"]]);
});

test("without a pattern, a length counts code points: emoji and letters alike", () => {
  expect(textsOfLength({ path: "title" }, 3, "chat")).toEqual(["xxx", "\u{1F642}".repeat(3)]);
});

test("texts that do not fit break the pattern alone, at the greatest length too", () => {
  const rules = [...textsThatDoNotFit(code, "AB-1"), ...textsThatDoNotFit(code, "AB-123456789")].map(broken);
  expect(rules.length).toBeGreaterThan(20);
  expect([...new Set(rules.flat())]).toEqual(["pattern"]);
});

test("an example from which no text can be made is named with the file to edit", () => {
  const two: TextFact = { path: "code", pattern: "[A-Z]{2}" };
  expect(() => textsOfLength(two, 40, "AB")).toThrow(/pattern of code: give it an example in valid\.ts/);
  expect(() => textsThatDoNotFit({ path: "code", pattern: "[^]*" }, "AB")).toThrow(/pattern of code: .* valid\.ts/);
});

const patterned = settableKinds.flatMap((kind) =>
  settableFields(kind)
    .filter(({ pattern }) => pattern !== undefined)
    .map((fact) => [kind, fact] as const),
);

test("every pattern of the reference is broken by a bad input of its own", () => {
  expect(patterned.length).toBeGreaterThan(0);
  const unbroken = patterned.filter(
    ([kind, { path }]) =>
      !badInputs.some(
        (input) => input.resource === kind && input.rule === "pattern" && input.description.startsWith(`${path}: `),
      ),
  );
  expect(unbroken.map(([kind, { path }]) => `${kind} ${path}`)).toEqual([]);
});
