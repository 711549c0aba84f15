import { assert, integer, property, string } from "fast-check";
import stringWidth from "string-width";
import { printable } from "../../io/text/printable";
import { columnsOf, fold, widthOf } from "../../io/text/report-format";

const text = string({ unit: "grapheme", maxLength: 80 }).map(printable);

/** A letter with its marks, which can be counted as wider than a narrow line. */
const isOneCharacter = (part: string): boolean =>
  [...new Intl.Segmenter("en", { granularity: "grapheme" }).segment(part)].length === 1;

test("folded lines fit, and lose nothing but spaces at their ends", () => {
  assert(
    property(text, integer({ min: 2, max: 40 }), (line, width) => {
      const lines = fold(line, width);
      expect(lines.filter((part) => stringWidth(part) > width && !isOneCharacter(part))).toEqual([]);
      expect(lines.join("").replace(/\s/g, "")).toBe(line.replace(/\s/g, ""));
    }),
    { numRuns: 200 },
  );
});

test("a line breaks between words, after a mark in a long one, else anywhere", () => {
  expect(fold("say what to do next", 11)).toEqual(["say what to", "do next"]);
  expect(fold("accounts/acme/deployments/chat", 16)).toEqual(["accounts/acme/", "deployments/chat"]);
  expect(fold("does that, with `--allow role`", 20)).toEqual(["does that, with", "`--allow role`"]);
  expect(fold("accounts of demo-account", 17)).toEqual(["accounts of demo-", "account"]);
  expect(fold("abcdefghij", 4)).toEqual(["abcd", "efgh", "ij"]);
  expect(fold("漢字漢字", 5)).toEqual(["漢字", "漢字"]);
  expect(fold(" !漢", 2)).toEqual(["!", "漢"]);
});

test("columns stand two spaces apart, with lines, wide characters and colours", () => {
  expect(
    columnsOf(
      [
        ["a", "\u001b[31mred\u001b[39m", "x"],
        ["漢字", "one\ntwo", ""],
        ["b", "", "y"],
      ],
      "  ",
    ),
  ).toBe("  a     \u001b[31mred\u001b[39m  x\n  漢字  one\n        two\n  b          y");
  expect(columnsOf([])).toBe("");
});

test("the width of printable ASCII needs no counting, and is the same", () => {
  assert(
    property(text, (line) => expect(widthOf(line)).toBe(stringWidth(line))),
    { numRuns: 200 },
  );
});
