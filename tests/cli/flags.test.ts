import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Command } from "commander";
import { addFlags, collect, type FlagsOf, flag } from "../../cli/command/flags";
import { root } from "../rooms";
import { flagForms, flagTable } from "../surface/flags";

const forms = flagForms();

/** Values of a flag that differ by command, and why they may. */
const values: Readonly<Record<string, string>> = {
  "--account": "the emulator is told the key of an account that it opens; everywhere else it is an account",
  "--fail-on": "verdicts of a scan, severities of an audit",
  "--file": "a path in each; the letter is Pulumi's, for `import` alone",
  "--force": "no value; the letter is Pulumi's, for what Pulumi has as well",
  "--output": "a file with one format, a folder with several or where several files are written",
  "--patch": "the emulator's is a way of updating, that of `accept` a file",
  "--plan": "a file in each",
  "--preview-json": "a file in each; that of `review` may be of one stack of several",
  "--report": "a file in each: one that is read, and one that is written",
  "--skip-preview": "no value; the letter is Pulumi's, for what Pulumi has as well",
};

test("the table of flags and commands is what the parsers declare", () => {
  // Where this fails on purpose: `npm run api`, and commit what it writes.
  expect(flagTable()).toBe(readFileSync(join(root, "tests/surface/flags.md"), "utf8"));
});

test("a flag takes the same value and letter in every command, or there is a reason", () => {
  const names = forms.map(({ name }) => name);
  const several = [...new Set(names.filter((name, index) => names.indexOf(name) !== index))];
  expect(several.filter((name) => values[name] === undefined)).toEqual([]);
  expect(Object.keys(values).filter((name) => !several.includes(name))).toEqual([]);
});

/** Pulumi's letters, for flags that Pulumi has as well. */
const pulumis: Readonly<Record<string, readonly string[]>> = {
  "-c": ["--config", "--create"],
  "-f": ["--file", "--force", "--skip-preview"],
};

test("a letter stands for one flag, or for what Pulumi's stands for", () => {
  const letters = [...new Set(forms.flatMap(({ letter }) => (letter === undefined ? [] : [letter])))];
  const flagsOf = (letter: string) => [...new Set(forms.flatMap((form) => (form.letter === letter ? form.name : [])))];
  const shared = letters.filter((letter) => flagsOf(letter).length > 1);
  expect(Object.fromEntries(shared.map((letter) => [letter, flagsOf(letter)]))).toEqual(pulumis);
});

test("stacks, accounts and formats are chosen in the same way everywhere", () => {
  const valuesOf = (name: string) => [...new Set(forms.filter((form) => form.name === name).map(({ value }) => value))];
  expect(valuesOf("--stack")).toEqual(["<name>"]);
  expect(valuesOf("--backend")).toEqual(["<path>"]);
  expect(valuesOf("--stack-file")).toEqual(["<path>"]);
  expect(valuesOf("--all-accounts")).toEqual([""]);
  expect(valuesOf("--json")).toEqual([""]);
  expect(valuesOf("--format")).toEqual(["<format>"]);
});

const declaredFlags = [
  flag("-o, --output-file <path>", "text"),
  flag("--clock <kind>", "one of two words", ["real", "manual"], "real"),
  flag("--only <urn>", "a list", collect),
  flag("--strict", "on or off"),
  flag("--no-select", "off or on"),
];

test("the type of parsed options follows from the declared flags", () => {
  const parsed = (...line: string[]) =>
    addFlags(new Command(), declaredFlags).parse(line, { from: "user" }).opts<FlagsOf<typeof declaredFlags>>();
  const expected: FlagsOf<typeof declaredFlags> = {
    outputFile: "a",
    clock: "manual",
    only: ["b", "c"],
    strict: true,
    select: false,
  };
  const line = ["--output-file", "a", "--clock", "manual", "--only", "b", "--only", "c", "--strict", "--no-select"];
  expect(parsed(...line)).toEqual(expected);
  expect(parsed()).toEqual({ clock: "real", select: true } satisfies FlagsOf<typeof declaredFlags>);
});

// @ts-expect-error: a flag with a default is always there.
({}) satisfies FlagsOf<typeof declaredFlags>;
// @ts-expect-error: not one of the words.
({ clock: "fast" }) satisfies FlagsOf<typeof declaredFlags>;
// @ts-expect-error: no such flag.
({ clock: "real", output: "a" }) satisfies FlagsOf<typeof declaredFlags>;
