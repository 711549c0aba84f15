import { everyNth } from "../nightly";
import { kinds, letters, matcherOf, secretsOf, stepsOf, stepsOfSecrets, textOfShared } from "./growth";

/** How the work grows, in steps that are counted: no machine is faster or slower. */

const fourfold = 4.4;
/**
 * Secrets with a part in common share the letters beside it by chance, the more the more they are: each is told apart
 * in steps that grow with the logarithm of their number (1,373 for 25 of them, 1,535 for 100, 1,711 for 400, 1,895 for
 * 1,600).
 */
const fourfoldAndLogarithm = 4.6;

everyNth(2, 1, Object.entries(kinds), (kinds) => {
  test.each(kinds)("the work of a mask grows with the number of %s", (name, kind) => {
    const few = kind("").length > 1000 ? 25 : 100;
    const most = name.includes("middle") ? fourfoldAndLogarithm : fourfold;
    expect(stepsOfSecrets(kind, 4 * few)).toBeLessThan(most * stepsOfSecrets(kind, few));
  });
});

const secrets = secretsOf(kinds["keys of 40 letters"]!, 100);
const matcher = matcherOf(secrets);

test.each<[string, (length: number) => string]>([
  ["letters", (length) => letters("text", length)],
  ["escapes", (length) => "\\u0041%41&#65;".repeat(length / 14)],
  ["backslashes", (length) => "\\".repeat(length)],
  ["one letter", (length) => "a".repeat(length)],
  ["secrets", (length) => secrets.join("\n").repeat(10).slice(0, length)],
])("the work of a mask grows with the length of a text of %s", (_, text) => {
  expect(stepsOf(matcher, text(40_000))).toBeLessThan(fourfold * stepsOf(matcher, text(10_000)));
});

test("letters that share windows with each secret cost at most three times others", () => {
  const shared = stepsOf(matcher, textOfShared(secrets, 4000));
  expect(matcher.mask(textOfShared(secrets, 4000), "[redacted]")).not.toContain("[redacted]");
  expect(shared).toBeLessThan(3 * stepsOf(matcher, letters("plain", 4000)));
  expect(shared).toBeLessThan(fourfold * stepsOf(matcher, textOfShared(secrets, 1000)));
});

test.each([
  ["one letter", "a".repeat(400)],
  ["two letters", "ab".repeat(200)],
  ["a word", "password".repeat(50)],
])("a secret that repeats %s costs no more on a text of it than its length allows", (_, secret) => {
  const repeating = matcherOf([secret]);
  expect(stepsOf(repeating, secret.repeat(40))).toBeLessThan(fourfold * stepsOf(repeating, secret.repeat(10)));
});

test("a service that echoes the beginning of a long key costs a walk over the text", () => {
  const key = letters("long", 800);
  const steps = stepsOf(matcherOf([key]), `no such key: ${key.slice(0, 150)}`);
  expect(steps).toBeLessThan(10 * 163);
});
