import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Command } from "commander";
import ts from "typescript";
import { stackGroup } from "../../cli/command/help";
import { pulumiCommands } from "../../cli/command/synonyms";
import { commands } from "../../cli/commands";
import { cliPath, skipReason } from "../engine/judge";
import { root, sourcesOfRooms } from "../rooms";
import { modelplatform } from "./terminal";

/** Every text that the code writes, with what is filled in as `…`. */
function textsIn(file: string): string[] {
  const source = ts.createSourceFile(file, readFileSync(file, "utf8"), ts.ScriptTarget.Latest, true);
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) found.push(node.text);
    if (ts.isTemplateExpression(node))
      found.push([node.head, ...node.templateSpans.map(({ literal }) => literal)].map(({ text }) => text).join("…"));
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

/** Arguments of other programs, style sheets, and flags that are no longer there. */
const machinery = [
  "engine/processes",
  "engine/providers",
  "drift/report/page",
  "cli/start.ts",
  "cli/drift/accept/worktree.ts",
  "cli/command/synonyms.ts",
];
const texts = sourcesOfRooms()
  .filter((file) => ["engine", "cli", "drift"].includes(file.split("/")[0]!))
  .filter((file) => !machinery.some((folder) => file.startsWith(folder)))
  .flatMap((file) => textsIn(join(root, file)).map((text) => ({ file, text })));

const program = new Command("modelplatform")
  .option("-C, --cwd <folder>")
  .option("--color <when>")
  .option("--trace <file>")
  .option("--trust-project")
  .option("--setting <key=value>");
program.option("--non-interactive").option("--version");
const context = { env: {}, stdout: {}, stderr: {} } as never;
for (const { load } of commands) load().register(program, context);

const flagsOf = (command: Command): string[] => [
  ...command.options.flatMap(({ long }) => long ?? []),
  "--help",
  ...(command.parent ? flagsOf(command.parent) : []),
];
const tree = (command: Command): Command[] => [command, ...command.commands.flatMap(tree)];
const allFlags = new Set(tree(program).flatMap(flagsOf));

/** Flags, and no variables of style sheets. */
const flagsIn = (text: string): string[] =>
  [...text.matchAll(/(?<![\w-]|var\()--[a-z][a-z-]*(?![a-z-]|: #)/g)].map(([flag]) => flag);

/** What is named as a command line: after `modelplatform`, or in backticks and beginning with a command's name. */
const lines = texts.flatMap(({ file, text }) => {
  const named = [...text.matchAll(/\bmodelplatform ([a-z][^`\n]*)/g)].map(([, line]) => line!);
  const quoted = [...text.matchAll(/`([a-z]+ [^`]*)`/g)].map(([, line]) => line!);
  const ours = quoted.filter((line) => program.commands.some((each) => each.name() === line.split(" ")[0]));
  return [...named, ...ours].map((line) => ({ file, line }));
});

function objectionTo(line: string): string | undefined {
  let command: Command = program;
  for (const word of line.split(/\s+/)) {
    const next = command.commands.find((each) => each.name() === word);
    if (next) command = next;
    else if (command.commands.length > 0 && word.includes("…")) return undefined;
    else if (command.commands.length > 0 && /^[a-z]+$/.test(word)) return `${command.name()} has no ${word}`;
    else break;
  }
  const { _defaultCommandName: byDefault } = command as Command & { _defaultCommandName?: string };
  const known = flagsOf(command.commands.find((each) => each.name() === byDefault) ?? command);
  const wrong = flagsIn(line).find((flag) => !known.includes(flag));
  return wrong && `${command.name()} has no ${wrong}`;
}

test("there are texts and command lines to look at", () => {
  expect(texts.length).toBeGreaterThan(1000);
  expect(lines.map(({ line }) => line)).toContain("accept --report drift/drift.json --patch drift.patch");
});

test("every flag that a text names is a flag of some command", () => {
  // What belongs to another program's command line stands behind that program's name.
  const foreign = /\b(pulumi|npm|npx|node|gh|git|curl)\b/;
  const wrong = texts
    .filter(({ text }) => !foreign.test(text))
    .flatMap(({ file, text }) => flagsIn(text).map((flag) => ({ file, flag })))
    .filter(({ flag }) => !allFlags.has(flag.replace(/^--no-/, "--")) && !allFlags.has(flag));
  expect(wrong).toEqual([]);
});

test("every command line that a text names is one that there is", () => {
  const wrong = lines.map(({ file, line }) => ({ file, line, objection: objectionTo(line) }));
  expect(wrong.filter(({ objection }) => objection !== undefined)).toEqual([]);
});

(cliPath === undefined ? test.skip : test)(
  `every command of the Pulumi CLI that a text names exists${skipReason}`,
  () => {
    const named = texts.flatMap(({ text }) => [...text.matchAll(/\bpulumi ((?:[a-z]+ ?)+)(?=[`\-<$…]|$)/g)]);
    const lines = [...new Set(named.map(([, line]) => line!.trim()))];
    expect(lines).toContain("stack export");
    const missing = lines.filter((line) => {
      const { stdout } = spawnSync(cliPath!, [...line.split(" "), "--help"], { encoding: "utf8" });
      return !/Usage:\s+pulumi /.test(stdout);
    });
    expect(missing).toEqual([]);
  },
);

test.each(["logs", "stack graph", "config copy"])("%s is left to the Pulumi CLI in so many words", async (line) => {
  const asked = line.split(" ").find((word) => pulumiCommands.has(word))!;
  const { code, stderr } = await modelplatform(line);
  expect(code).toBe(64);
  expect(stderr).toContain(`${asked} is the Pulumi CLI's and not supported here.`);
});

test("nothing is left to the Pulumi CLI that there is", () => {
  const groups = commands.filter(({ group }) => group === stackGroup).map(({ name }) => name);
  const ours = program.commands.filter((command) => groups.includes(command.name())).flatMap(tree);
  const here = new Set(ours.map((command) => command.name()));
  expect([...pulumiCommands].filter((each) => here.has(each))).toEqual([]);
});

test("the documented commands and flags are what there is", () => {
  const [, table = ""] = readFileSync(join(root, "docs/built-in-engine.md"), "utf8").split(/^## .*$/m);
  const rows = [...table.matchAll(/^\| `([a-z ]+)` \|(.*)\|$/gm)].map(([, line, flags]) => ({
    line: line!,
    flags: flags!,
  }));
  const own = (command: Command) => command.options.flatMap(({ long }) => long ?? []).sort();
  const expected = program.commands
    .filter((command) =>
      ["preview", "up", "refresh", "destroy", "cancel", "stack", "state", "config"].includes(command.name()),
    )
    .flatMap((group) =>
      group.commands.length > 0
        ? group.commands.map((each) => [`${group.name()} ${each.name()}`, each] as const)
        : [[group.name(), group] as const],
    );
  const common = ["--stack", "--yes", "--json"];
  const documented = rows.map(({ line, flags }) => [
    line,
    [...flags.matchAll(/`(--[a-z-]+)`/g)].map(([, flag]) => flag),
  ]);
  expect(documented).toEqual(
    expected.map(([line, command]) => [line, own(command).filter((flag) => !common.includes(flag))]),
  );
});
