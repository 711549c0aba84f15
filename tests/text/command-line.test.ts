import { execFileSync } from "node:child_process";
import { commandLine, ownCommand, quotedCommand } from "../../io/text/command-line";

const hostile = {
  "a quote": "it's",
  "a substitution": "$(touch pwned)`touch pwned`",
  separators: "x;touch$IFS$PWN;echo && a | b > c",
  "blanks and a tilde": "~ a  b ",
  "a leading hyphen": "-rf",
  "a flag": "--yes",
  "nothing at all": "",
  "letters of another script": "größe-моделі",
  "4,000 letters": "x".repeat(4_000),
  "an assignment": "A=b",
  "a pattern": "*?[a]{b,c}!#",
};

/** The arguments that a POSIX shell makes of each line, which calls `show`. */
function argumentsOf(lines: readonly string[]): string[][] {
  const script = ['show() { printf "%s\\0" "$FOR" "$@"; printf "end\\0"; }', ...lines].join("\n");
  const output = execFileSync("sh", ["-c", script], { encoding: "utf8", env: {} });
  const calls: string[][] = [[]];
  for (const each of output.split("\0").slice(0, -1)) {
    if (each === "end") calls.push([]);
    else calls.at(-1)!.push(each);
  }
  return calls.slice(0, -1);
}

test("a shell reads each name as one word that is no flag", () => {
  const names = Object.values(hostile);
  const lines = names.map(
    (name) => commandLine(["show", "delete"], { args: [name], flags: [["--stack", name]], variables: { FOR: name } })!,
  );
  const expected = names.map((name) => {
    if (!name.startsWith("-")) return [name, "delete", name, "--stack", name];
    return [name, "delete", `--stack=${name}`, "--", name];
  });
  expect(argumentsOf(lines)).toEqual(expected);
});

describe("a word that is not seen as it is copied", () => {
  const unseen = ["two\nlines", "a\rb", "\u001b[2J", "a\u202eb", "zero\u200bwidth", "##[command]"];

  test.each(unseen)("%j makes no line", (name) => {
    expect(commandLine(ownCommand, { args: [name] })).toBeUndefined();
    expect(commandLine(ownCommand, { flags: [["--stack", name]] })).toBeUndefined();
    expect(commandLine(ownCommand, { variables: { FOR: name } })).toBeUndefined();
    expect(commandLine([...ownCommand, name])).toBeUndefined();
  });

  test.each([...unseen, "back`tick"])("%j is left out of a sentence, which says so", (name) => {
    expect(quotedCommand([...ownCommand, "state", "delete"], { args: [name], flags: [["--stack", "dev"]] })).toBe(
      "`npx pulumi-modelplatform state delete '…' --stack dev` (`…` is a name with characters that cannot be copied from here)",
    );
  });
});

test("what the reader is to put in is not quoted", () => {
  expect(quotedCommand([...ownCommand, "config", "set"], { args: ["a b"], placeholder: "value" })).toBe(
    "`npx pulumi-modelplatform config set 'a b' <value>`",
  );
});
