import fc from "fast-check";
import { SecretMatcher } from "../../io/masking/matcher";
import { letterWriters } from "./forms";

const mark = "[redacted]";
const id = "acme-production-0007";
const rest = "-Zk3vQ9xT7mW2pL5sR8d";

/** Keys, each with the id of its account. */
function masking(...keys: readonly [key: string, id?: string][]): (text: string) => string {
  const matcher = new SecretMatcher();
  for (const each of keys) matcher.add(...each);
  return (text) => matcher.mask(text, mark);
}

test.each([`${id}${rest}`, `${rest}${id}`, `k-${id}${rest}`, `${id}-${id}${rest}`])(
  "of the key %s the id of its account is shown, and nothing else",
  (key) => {
    const mask = masking([key, id]);
    for (const name of [`accounts/${id}`, `accounts/${id}/users/ada`, `${id}-chat`, id.toUpperCase()])
      expect(mask(name)).toBe(name);
    for (const write of Object.values(letterWriters))
      expect(mask(`<${[...key].map(write).join("")}>`)).toBe(`<${mark}>`);
    for (let at = 0; at + 12 <= rest.length; at++) expect(mask(rest.slice(at, at + 12))).toBe(mark);
    expect(mask(Buffer.from(`ada:${key}`).toString("base64"))).toContain(mark);
  },
);

test.each([
  ["its id alone", id, id],
  ["its id and a letter", `${id}x`, `${id}x`],
  ["its id and seven letters", `${id}-secret`, `${id}-secret`],
  ["its id and eight letters", `${id}-secrets`, "-secrets"],
  ["its id between seven letters each", `fore-go${id}-secret`, `fore-go${id}-secret`],
])("a key of %s is masked", (_, key, text) => {
  expect(masking([key, id])(`<${text}>`)).toBe(`<${mark}>`);
});

test("an id of few letters is a part of the key as any other", () => {
  expect(masking(["acme-Zk3vQ9xT7mW2", "acme"])("acme-Zk3vQ9x")).toBe(mark);
});

test("another key that is a part of an id is masked, whichever comes first", () => {
  const keys: [string, string?][] = [[`${id}${rest}`, id], ["production-0007"], [id, "other-account"]];
  for (const order of [keys, [...keys].reverse()]) {
    expect(masking(...order)(`accounts/${id}`)).toBe(`accounts/${mark}`);
    expect(masking(...order)("production-0007")).toBe(mark);
  }
});

test("each of many keys that begin with the ids of their accounts is masked, and no id", () => {
  const letters = fc.stringMatching(/^[A-Za-z0-9]{24}$/);
  fc.assert(
    fc.property(fc.array(letters, { minLength: 2, maxLength: 60 }), (rests) => {
      const keys = rests.map((text, at): [string, string] => [
        `acme-production-${at}.${text}`,
        `acme-production-${at}`,
      ]);
      const mask = masking(...keys);
      for (const [key, account] of keys) {
        expect(mask(`<${key}>`)).toBe(`<${mark}>`);
        expect(mask(`accounts/${account}/users`)).toBe(`accounts/${account}/users`);
        expect(mask(key.slice(0, account.length + 13))).toContain(mark);
      }
    }),
    { numRuns: 20 },
  );
});
