import fc from "fast-check";
import { SecretMatcher } from "../../io/masking/matcher";
import { isNightly, longerAtNight } from "../nightly";
import { base64Letters, byteWriters, credential, letterWriters } from "./forms";

const mark = "[redacted]";
/** By day always the same secrets: a rare one belongs to the night, not to whoever pushes. */
const runs = { numRuns: isNightly ? 700 : 15 };

/** What of these credentials every other of their kind has, too. */
const publicRuns = /-----(?:BEGIN|END) PRIVATE KEY-----|^\{\s*"type":\s*"service_account",?/g;

const leastRun = (secret: string): number => Math.min(Math.max(12, Math.ceil(secret.length / 3)), 64);

function masking(...secrets: string[]): (text: string) => string {
  const matcher = new SecretMatcher();
  for (const secret of secrets) matcher.add(secret);
  return (text) => matcher.mask(text, mark);
}

/** The shortest runs of characters that must be masked: at most 300 of them, evenly spread. */
function leastRuns(secret: string): [from: number, to: number][] {
  const characters = [...secret];
  const isPublic = new Set<number>();
  for (const { index, 0: run } of secret.matchAll(publicRuns))
    for (let at = index; at < index + run.length; at++) isPublic.add([...secret.slice(0, at)].length);
  const runs: [number, number][] = [];
  const step = Math.ceil(characters.length / 300);
  for (let from = 0; from < characters.length; from += step) {
    let count = 0;
    let to = from;
    for (; to < characters.length && count < leastRun(secret); to++)
      if (!isPublic.has(to)) count += characters[to]!.length;
    if (count >= leastRun(secret)) runs.push([from, to]);
  }
  return runs;
}

const neighbor = fc.constantFrom("", " ", '"', "x", ": ", "=", "(", "[", "<a>", "\n");

/** Both halves of a text that is cut, at every position or, of a long one, at some. */
function halves(text: string, seed: number): string[] {
  const step = Math.max(1, Math.floor(text.length / 40));
  const cuts = Array.from(
    { length: Math.ceil(text.length / step) },
    (_, at) => ((seed % step) + at * step) % text.length,
  );
  return [text, ...cuts.flatMap((cut) => [text.slice(0, cut), text.slice(cut)])];
}

longerAtNight(() => {
  test.each(Object.entries(letterWriters))("a credential %s shows no run wherever it is cut", (_, write) => {
    fc.assert(
      fc.property(credential, neighbor, neighbor, fc.nat(), (secret, before, after, seed) => {
        const written = [...secret].map(write);
        const runs = leastRuns(secret).map(([from, to]) => written.slice(from, to).join(""));
        const mask = masking(secret);
        for (const text of halves(written.join(""), seed)) {
          const shown = mask(before + text + after).replaceAll(mark, "\u0000");
          for (const run of runs) if (shown.includes(run)) throw new Error(`${JSON.stringify(text)} shows ${run}`);
        }
      }),
      runs,
    );
  });

  test.each(Object.entries(byteWriters))(
    "a credential %s shows no run wherever it is cut",
    (_, { write, strip, shown }) => {
      fc.assert(
        fc.property(credential, neighbor, neighbor, fc.nat(), (secret, before, after, seed) => {
          const characters = [...secret];
          const runs = leastRuns(secret).flatMap(([from, to]) =>
            shown(Buffer.from(characters.slice(from, to).join(""))),
          );
          const mask = masking(secret);
          for (const text of halves(write(Buffer.from(secret)), seed)) {
            const left = strip(mask(before + text + after).replaceAll(mark, "\u0000"));
            for (const run of runs) if (left.includes(run)) throw new Error(`${JSON.stringify(text)} shows ${run}`);
          }
        }),
        runs,
      );
    },
  );
});

/**
 * A backslash at the end escapes what stands behind it, and may stay; of several quotation marks or spaces, of which a
 * plus may be one, one is masked. A secret of fewer than eight letters, such marks in a row counted once, has one case.
 */
const closed = credential.filter(
  (secret) => !/\\$|^[\s+'"]{2}|[\s+'"]{2}$/.test(secret) && secret.replace(/[\s+]+|['"]+/g, " ").length >= 8,
);

longerAtNight(() => {
  test("a whole credential is masked in every form, however many others there are", () => {
    fc.assert(
      fc.property(fc.array(closed, { minLength: 1, maxLength: 6 }), fc.nat(), (secrets, seed) => {
        const mask = masking(...secrets);
        const writers = Object.values(letterWriters);
        for (const secret of secrets) {
          const write = writers[seed % writers.length]!;
          expect(mask(`key <${[...secret].map(write).join("")}> is wrong`)).toMatch(
            /^key <\s*\[redacted\]\s*> is wrong$/,
          );
        }
      }),
      runs,
    );
  });
});

test("a secret that is short without its escapes is masked where a text is escaped", () => {
  const written = [...String.raw`kdjf\@hg`].map((letter) => `&#${letter.charCodeAt(0)};`).join("");
  expect(masking(String.raw`kdjf\@hg`)(`<${written}>`)).toBe(`<${mark}>`);
});

test.each([
  ["a plus", "AA~AAAAAAAAAAA", "+QUFBQUFBQUFBQUE="],
  ["0x", "m1AAAAAAAAAA", "0xQUFBQUFBQUFBQQ=="],
])("base64 that is cut before %s shows no run of a secret", (_, secret, text) => {
  expect(masking(secret)(text)).toContain(mark);
});

test.each([
  ["base64", `=${Buffer.from("ada:AAAAAAAAAAAA").toString("base64").slice(6)}\n`],
  ["hexadecimal", `=3D:${"41:".repeat(11)}41`],
])("an equals sign before %s hides no letter of a secret", (_, text) => {
  const secret = text.startsWith("=3D") ? "=AAAAAAAAAAA" : "AAAAAAAAAAAA";
  expect(masking(secret)(text)).toContain(mark);
});

longerAtNight(() => {
  test("a run of one letter less than the rule names stays", () => {
    const letters = fc.uniqueArray(fc.constantFrom(...base64Letters.replace("+", "")), {
      minLength: 30,
      maxLength: 60,
    });
    fc.assert(
      fc.property(letters, fc.nat(), (unique, seed) => {
        const secret = unique.join("");
        const least = leastRun(secret);
        const at = seed % (secret.length - least);
        const mask = masking(secret);
        const shorter = `<${secret.slice(at, at + least - 1)}>`;
        expect(mask(shorter)).toBe(shorter);
        expect(mask(`<${secret.slice(at, at + least)}>`)).toBe(`<${mark}>`);
      }),
      runs,
    );
  });

  test("a text without letters of a secret stays as it is", () => {
    const other = fc.stringMatching(/^[g-z \\%&=;:,.<>"'\n{}[\]#~]{0,300}$/);
    const secret = fc.stringMatching(/^[A-F0-9]{8,200}$/).filter((text) => !/^\d+$/.test(text));
    fc.assert(
      fc.property(fc.array(secret, { minLength: 1, maxLength: 5 }), other, (secrets, text) => {
        expect(masking(...secrets)(text)).toBe(text);
      }),
      runs,
    );
  });

  test("what is masked is not masked again", () => {
    fc.assert(
      fc.property(credential, neighbor, neighbor, (secret, before, after) => {
        const mask = masking(secret, "redacted", "acted");
        const masked = mask(before + secret + after);
        expect(mask(masked)).toBe(masked);
      }),
      runs,
    );
  });
});
