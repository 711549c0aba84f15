import { spawnSync } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { ignoreRules, ruleFor } from "../../drift/scan/suppression";

const name = fc
  .array(fc.constantFrom("a", "b", "*", "?", "**", "[ab]", "[!a]", "[a-c]", "\\*", "\\b", ".", "c"), {
    minLength: 1,
    maxLength: 5,
  })
  .map((parts) => parts.join(""));
const line = fc
  .tuple(
    fc.constantFrom("", "", "", "!"),
    fc.constantFrom("", "", "/"),
    fc.array(fc.oneof(name, fc.constant("**")), { minLength: 1, maxLength: 3 }),
    fc.constantFrom("", "", "/"),
  )
  .map(([negation, start, names, end]) => negation + start + names.join("/") + end);
const path = fc
  .array(fc.stringMatching(/^[abc.*]{1,4}$/), { minLength: 1, maxLength: 4 })
  .map((parts) => parts.join("/"))
  .filter((text) => !/(^|\/)\.\.?(\/|$)/.test(text));

/** Those of `paths` that git ignores, in a repository without files. */
function ignoredByGit(folder: string, lines: readonly string[], paths: readonly string[]): string[] {
  writeFileSync(join(folder, ".gitignore"), `${lines.join("\n")}\n`);
  const { stdout } = spawnSync("git", ["-c", "core.quotePath=false", "check-ignore", "--no-index", "-z", "--stdin"], {
    cwd: folder,
    input: paths.join("\0"),
    encoding: "utf8",
  });
  return stdout.split("\0").filter(Boolean);
}

test("rules ignore what git ignores", () => {
  const folder = mkdtempSync(join(tmpdir(), "ignored-"));
  expect(spawnSync("git", ["init", "--quiet"], { cwd: folder }).status).toBe(0);
  const cases = fc.tuple(
    fc.array(line, { minLength: 1, maxLength: 4 }),
    fc.array(path, { minLength: 15, maxLength: 20 }),
  );
  let ignored = 0;
  for (const [lines, paths] of fc.sample(cases, { numRuns: 150, seed: 20261124 })) {
    const rules = ignoreRules(lines.join("\n"));
    const found = paths.filter((place) => ruleFor(rules, place) !== undefined);
    expect({ lines, paths, ignored: found }).toEqual({ lines, paths, ignored: ignoredByGit(folder, lines, paths) });
    ignored += found.length;
  }
  expect(ignored).toBeGreaterThan(100);
});

test.each([
  ["a comment", "# acme/User/ada", "# acme/User/ada", false],
  ["a number sign after a backslash", "\\#ada", "#ada", true],
  ["an exclamation mark after a backslash", "\\!ada", "!ada", true],
  ["blanks at the end", "acme/User/ada  ", "acme/User/ada", true],
  ["a bracket that does not end", "a[b", "a[b", true],
  ["letters to leave out", "a[!b]", "ac", true],
  ["letters to leave out, of which one is there", "a[^b]", "ab", false],
  ["a backslash at the end", "ada\\", "ada\\", false],
])("a line with %s", (_, text, place, ignored) => {
  expect(ruleFor(ignoreRules(text), place) !== undefined).toBe(ignored);
});
