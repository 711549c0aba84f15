import { askedOf, type Script, usageOf } from "../../tools/script";

const script = {
  command: "npm run pack",
  about: "Packs what is named.",
  flags: { check: { about: "packs nothing" }, level: { value: "<number>", about: "how tight" } },
  takes: { form: "<file>…", about: "what is packed", least: 1, most: 2 },
} satisfies Script;

test("a usage explains each argument and each flag on a line of its own", () => {
  expect(usageOf(script).split("\n")).toEqual([
    "Usage: npm run pack -- <file>… [flags]",
    "",
    "Packs what is named.",
    "",
    "  <file>…           what is packed",
    "  --check           packs nothing",
    "  --level <number>  how tight",
    "  --help            prints this, and does nothing",
  ]);
  expect(usageOf({ command: "npm start", about: "Begins." })).toMatch(/^Usage: npm start\n\nBegins\.\n\n {2}--help /);
});

test("a command line asks for its flags and arguments, in any order", () => {
  const asked = { flags: { check: true, level: "9" }, args: ["a", "b"] };
  expect(askedOf(script, ["a", "--level", "9", "--check", "b"])).toEqual(asked);
  expect(askedOf(script, ["a"])).toEqual({ flags: { check: false, level: undefined }, args: ["a"] });
});

test.each([["--help"], ["-h"], ["--help", "a", "b", "c"], ["--check", "--help"]])("%s %s asks for help", (...args) => {
  expect(askedOf(script, args)).toBeUndefined();
});

test.each([
  [["a", "--chek"], "Unknown option '--chek'."],
  [["a", "-x"], "Unknown option '-x'."],
  [["a", "--check=yes"], "Option '--check' does not take an argument."],
  [["a", "--level"], "Option '--level <value>' argument missing."],
  [["a", "--level", "--check"], "Option '--level' argument is ambiguous."],
  [[], "`npm run pack` takes <file>…."],
  [["a", "b", "c", "d"], "`npm run pack` does not take `c d`."],
])("%j is refused in a sentence", (args, sentence) => {
  expect(() => askedOf(script, args)).toThrow(sentence);
});
