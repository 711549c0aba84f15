import fc from "fast-check";
import { parseDocument } from "yaml";
import { editYaml } from "../../io/text/yaml-edit";
import { isNightly, longerAtNight, seedOf } from "../nightly";

/** What the Pulumi CLI's parser takes for the end of a line, in a file of this text. */
const asPulumiReads = (text: string): string => text.replace(/\r\n|[\r\u0085\u2028\u2029]/g, "\n");

const read = (text: string, version: "1.1" | "1.2"): unknown => {
  const document = parseDocument(text, { version, schema: "core" });
  if (document.errors.length > 0) throw document.errors[0]!;
  return document.toJS();
};

/** Files in which `shop:owner` stands, or is to stand: `before` and `after` are what surrounds its value. */
const forms: readonly (readonly [before: string, old: string, after: string])[] = [
  ["config:\n  shop:owner: ", "Ada", "\n  shop:size: 3\n"],
  ["config:\n  shop:owner: ", "'Ada'", " # of the team\n  shop:size: 3\n"],
  ["config:\n  shop:owner: ", '"Ada"', "\n"],
  ["config:\n    shop:owner:   ", "Ada", "   \n    shop:size: 3\n"],
  ["encryptionsalt: v1:x\nconfig:\n  shop:owner: ", "12", "\n"],
  ["config:\n  shop:owner: ", "true", "\n  shop:size: 3"],
  ["config: { shop:owner: ", "Ada", ", shop:size: 3 }\n"],
  ["config: {'shop:owner': ", '"Ada"', "} # flow\n"],
  ["config:\r\n  shop:owner: ", "Ada", "\r\n  shop:size: 3\r\n"],
  ["# first\n---\nconfig:\n  shop:owner: ", "Ada", "\n"],
  ["config:\n  shop:owner: ", "2026-01-01", "\nencryptionsalt: v1:x\n"],
  ["config:\n  shop:list: [1,2,  3]\n  shop:owner: ", "Ada Lovelace", "\n"],
  ["config:\n  shop:text: |\n    one\n    two\n  shop:owner: ", "Ada", "\n"],
  ["config:\n  shop:other: &all eu\n  shop:same: *all\n  shop:owner: ", "Ada", "\n"],
  ["config:\n\n  # whose it is\n  shop:owner: ", "~", "\n\n  shop:size: 3\n"],
  ['{"config": {"shop:owner": ', '"Ada"', ', "shop:size": 3}}\n'],
];

const hostile = [
  ..."\u0085\u2028\u2029\ufeff\u00a0\t\n\r\0\u0007\u001b\u007f\u009f\u{1f600}",
  ..."abcüж:#-?,[]{}&*!|>'\"%@`=~<\\ 019.+_",
  ...[
    "\r\n",
    "---",
    "...",
    "\n---\n",
    "\n...\n",
    ": ",
    " #",
    "yes",
    "off",
    "null",
    "0x1F",
    "1e3",
    "12:30:45",
    "2026-01-01",
  ],
  ...[
    "&a",
    "*a",
    "!!binary ",
    "<<",
    ".nan",
    "-.inf",
    "  modelplatform:baseUrl: https://evil.example",
    "\u2028  shop:size: 9",
  ],
];

const text = fc.array(fc.constantFrom(...hostile), { maxLength: 8 }).map((parts) => parts.join(""));

const runs = isNightly ? 12_000 : 800;

longerAtNight(() => {
  test("a text replaces one value and not a byte beside it, for both readers", () => {
    fc.assert(
      fc.property(fc.constantFrom(...forms), text, ([before, old, after], value) => {
        const edited = editYaml(before + old + after, ["config", "shop:owner"], value, "Pulumi.dev.yaml");
        expect(edited.startsWith(before)).toBe(true);
        expect(edited.endsWith(after)).toBe(true);
        const expected = read(before + old + after, "1.2") as { config: Record<string, unknown> };
        expected.config["shop:owner"] = value;
        expect(read(edited, "1.2")).toEqual(expected);
        expect((read(asPulumiReads(edited), "1.1") as typeof expected).config["shop:owner"]).toBe(value);
        expect(edited.slice(before.length, edited.length - after.length)).not.toMatch(/[\n\r\u0085\u2028\u2029\ufeff]/);
      }),
      { numRuns: runs, seed: seedOf(20261124) },
    );
  });

  test("a new key and its text stay one entry, for both readers", () => {
    fc.assert(
      fc.property(fc.constantFrom(...forms), text, text, ([before, old, after], key, value) => {
        const name = `new:${key}`;
        const edited = editYaml(before + old + after, ["config", name], value, "Pulumi.dev.yaml");
        for (const [found, given] of [
          [read(edited, "1.2"), read(before + old + after, "1.2")],
          [read(asPulumiReads(edited), "1.1"), read(asPulumiReads(before + old + after), "1.1")],
        ] as { config: Record<string, unknown> }[][])
          expect(found!.config).toEqual({ ...given!.config, [name]: value });
      }),
      { numRuns: runs, seed: seedOf(20261125) },
    );
  });
});

test("a key that goes leaves the others as they are", () => {
  for (const [before, old, after] of forms) {
    const edited = editYaml(`${before}${old}${after}`, ["config", "shop:owner"], undefined, "Pulumi.dev.yaml");
    const { "shop:owner": _, ...others } = (read(before + old + after, "1.2") as { config: Record<string, unknown> })
      .config;
    expect((read(edited, "1.2") as { config: unknown }).config).toEqual(others);
  }
});

test("an edit that would change more than its value is refused, and says what to do", () => {
  const shared = "config:\n  shop:owner: &all Ada\n  shop:same: *all\n";
  expect(() => editYaml(shared, ["config", "shop:owner"], undefined, "Pulumi.dev.yaml")).toThrow(
    /Pulumi\.dev\.yaml is unchanged: writing `config\.shop:owner` could change other parts of it\. Edit it by hand/,
  );
});
