/** What somebody who may name things, or answers for a service, could write to do harm where it is read. */
export const payloads: readonly (readonly [name: string, text: string])[] = [
  ["a sequence that clears the screen", "a\u001b[2J\u001b[Hb"],
  ["a sequence that fills the clipboard", "a\u001b]52;c;ZXZpbA==\u0007b"],
  ["a sequence of one character", "a\u009b31mb"],
  ["a style that conceals", "a\u001b[8mhidden\u001b[0mb"],
  ["a carriage return", "real\rfake"],
  ["a command of GitHub on a line of its own", "a\n::add-mask::b"],
  ["a command of GitHub at the beginning", "::stop-commands::b"],
  ["an old command of GitHub", "a##[add-mask]b"],
  ["a command of Azure", "a##vso[task.setvariable variable=x]b"],
  ["a command of TeamCity", "a##teamcity[buildStatus text='b']"],
  ["a section of GitLab", "section_start:1:x\r\u001b[0Ka"],
  ["text that runs backwards", "a\u202egnp.exe"],
  ["text that nobody sees", "a\u200b\u2066b\u2069\ufeff"],
  ["tag characters", "a\u{e0041}\u{e0042}b"],
  ["a fence", "a\n~~~~~~\n```\n@everyone ![x](https://evil.example/x.png)"],
  ["markup", `</script><img src=x onerror="alert(1)"><!--`],
  ["a formula", '=HYPERLINK("https://evil.example";"x")'],
  ["a formula after a semicolon", "a;=cmd|' /C calc'!A0"],
  ["code", '${process.exit(1)}`");process.exit(1);//\u2028*/'],
];

const unseen =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]|\u{e0041}|\u{e0042}/u;

/** What holds of every text that a terminal or a runner's log gets. */
export function expectInert(text: string): void {
  const lines = text.split(/\r?\n/);
  expect(lines.filter((line) => unseen.test(line))).toEqual([]);
  expect(lines.filter((line) => /^\s*::/.test(line))).toEqual([]);
  expect(lines.filter((line) => /##[A-Za-z]*\[/.test(line))).toEqual([]);
}
