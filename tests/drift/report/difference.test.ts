import { assert, property, string } from "fast-check";
import { difference, type Piece } from "../../../drift/report/page-rows";

const text = (pieces: readonly Piece[]): string => pieces.map(([piece]) => piece).join("");
const same = (pieces: readonly Piece[]): string =>
  pieces
    .filter(([, differs]) => !differs)
    .map(([piece]) => piece)
    .join("");

test("the words that differ are marked, and only those", () => {
  expect(difference("serve 2 replicas in EUROPE", "serve 8 replicas in EUROPE, always")).toEqual({
    before: [
      ["serve ", false],
      ["2", true],
      [" replicas in EUROPE", false],
    ],
    after: [
      ["serve ", false],
      ["8", true],
      [" replicas in EUROPE", false],
      [", always", true],
    ],
  });
});

test("equal texts have nothing marked, texts with nothing in common everything", () => {
  expect(difference("READY", "READY")).toEqual({ before: [["READY", false]], after: [["READY", false]] });
  expect(difference("READY", "FAILED")).toEqual({ before: [["READY", true]], after: [["FAILED", true]] });
  expect(difference("", "x")).toEqual({ before: [], after: [["x", true]] });
});

test("both sides keep their text, and what is unmarked is the same on both", () => {
  assert(
    property(string({ unit: "grapheme" }), string({ unit: "grapheme" }), (before, after) => {
      const result = difference(before, after);
      expect([text(result.before), text(result.after)]).toEqual([before, after]);
      expect(same(result.before)).toBe(same(result.after));
    }),
    { numRuns: 200 },
  );
});

test("long texts without a common word take no longer than their length", () => {
  const words = (from: string): string => Array.from({ length: 20_000 }, (_, index) => `${from}${index}`).join("\n");
  expect(difference(words("a"), words("b")).before).toHaveLength(1);
});
