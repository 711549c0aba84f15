import { nightly, runsOf } from "../nightly";
import { assembled, digestOf, expressions, isBounded, linear, ofTheUser, verdictOn } from "./expressions";

const { literals, assembling } = expressions();
const unbounded = literals.filter((expression) => !isBounded(expression));

test("every regular expression that is published is linear", () => {
  const known = linear();
  const found = unbounded
    .filter((expression) => !known.has(digestOf(expression)))
    .map((expression) => `${expression.places.join(" ")} ${expression.text} is ${verdictOn(expression)}`);
  // Rewrite it, by a scan or by repeats with bounds of two digits. Where it is linear, `npm run api` lists it.
  expect(found).toEqual([]);
});

test("the list has no expression that is gone", () => {
  const digests = new Set(unbounded.map(digestOf));
  expect([...linear()].filter((digest) => !digests.has(digest))).toEqual([]);
});

test("patterns that are put together are known, each by an example", () => {
  expect(assembling.sort()).toEqual([...Object.keys(assembled), ...ofTheUser].sort());
});

test.each([
  ["/\\s+$/", false],
  ["/^a{3,64}$/", true],
  ["/^a{3,100}$/", false],
  ["/[*+]\\+{2}/", true],
  ["/a{2,}/", false],
])("what has no repeat without a small bound is left out: %s %p", (text, expected) => {
  expect(isBounded({ text, places: [] })).toBe(expected);
});

test("the checker tells the square from the line", () => {
  expect(verdictOn({ text: "/^[^@]+@b$/", places: [] })).toBe("linear");
  expect(verdictOn({ text: "/\\s+$/", places: [] })).toMatch(/^2nd degree polynomial: /);
});

nightly("the checker takes a minute for all of them", () => {
  test.each(runsOf(unbounded.length, 25))(
    "none is worse than the list says, from $from",
    ({ from, count }) => {
      const found = unbounded
        .slice(from, from + count)
        .map((expression) => ({ at: expression.places[0], text: expression.text, is: verdictOn(expression) }))
        .filter(({ is }) => is !== "linear");
      expect(found).toEqual([]);
    },
    120_000,
  );
});
