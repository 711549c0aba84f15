import fc from "fast-check";
import { ignoreRules, ruleFor } from "../../drift/scan/suppression";
import { targets } from "../../engine/plan/scope";
import { matches, matchesOtherThan, type PatternStep } from "../../io/text/glob";

/** How often a pattern looks at a character: the time that it takes, whatever the machine. */
function looks(stars: number, length: number): number {
  let count = 0;
  const counted =
    (test: (character: string) => boolean) =>
    (character: string): boolean => (count++, test(character));
  const pattern: PatternStep[] = Array.from({ length: stars }, () => [
    { many: counted(matchesOtherThan("/")) },
    { one: counted((character) => character === "a") },
  ]).flat();
  matches([...pattern, { one: counted((character) => character === "b") }], "a".repeat(length));
  return count;
}

test("the time of a match is at most the length of the pattern times that of the text", () => {
  expect(looks(30, 10_000)).toBeLessThanOrEqual(61 * 10_000);
  expect(looks(30, 2_000) / looks(30, 1_000)).toBeLessThan(2.2);
});

test("a thousand random patterns end on ten thousand letters", () => {
  const part = fc.constantFrom("*", "**", "?", "a", "[a-z]", "[!b]", "*a", "a*", "**/", "\\a");
  const patterns = fc.sample(fc.array(part, { minLength: 1, maxLength: 12 }), { numRuns: 1000, seed: 20261124 });
  const text = "a".repeat(10_000);
  const ignored = patterns.filter((parts) => ruleFor(ignoreRules(parts.join("")), text) !== undefined);
  expect(ignored.length).toBeGreaterThan(0);
});

test("`*` stays between colons and `**` crosses them", () => {
  const urn = "urn:pulumi:dev::shop::acme:Box::one";
  expect(
    ["urn:**one", "urn:*:dev::*::*:Box::*", "**", "urn:pulumi:*::acme**"].map((each) => targets([each]).includes(urn)),
  ).toEqual([true, true, true, false]);
});
