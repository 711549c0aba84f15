import { Command, type Option } from "commander";
import type { CliContext } from "../../cli/command/context";
import { commands } from "../../cli/commands";

/** A flag as some commands declare it: those that take the same value under the same letter. */
interface FlagForm {
  /** `--stack` */
  name: string;
  /** `-s`, where it has a letter. */
  letter: string | undefined;
  /** `<name>`; empty for one without a value. */
  value: string;
  /** In the order of the help; subcommands with their command, `call` for each operation that it calls. */
  commands: readonly string[];
}

/** Every flag of every command, by name, from the declarations of the parsers. */
export function flagForms(): FlagForm[] {
  const forms = new Map<string, FlagForm & { commands: string[] }>();
  for (const { path, option } of declared(everyCommand())) {
    const { long: name = "", short: letter } = option;
    const value = /[<[].*$/.exec(option.flags)?.[0] ?? "";
    const key = JSON.stringify([name, value, letter]);
    if (!forms.has(key)) forms.set(key, { name, letter, value, commands: [] });
    const { commands } = forms.get(key)!;
    if (!commands.includes(path)) commands.push(path);
  }
  return [...forms.values()].sort((a, b) => (a.name < b.name ? -1 : Number(a.name > b.name)));
}

function everyCommand(): Command {
  const program = new Command();
  const output = { write: () => undefined, columns: 80, isTTY: false };
  // What registers commands asks nothing of the machine.
  const context = { stdout: output, stderr: output, env: {}, cwd: "/" } as unknown as CliContext;
  for (const { load } of commands) load().register(program, context);
  return program;
}

const declared = (command: Command, path: readonly string[] = []): { path: string; option: Option }[] => [
  ...command.options.map((option) => ({ path: path[0] === "call" ? "call" : path.join(" "), option })),
  ...command.commands.flatMap((each) => declared(each, [...path, each.name()])),
];

const code = (text = ""): string => (text === "" ? "" : `\`${text.replaceAll("|", "\\|")}\``);

/** Flag by command, as a table. */
export const flagTable = (): string =>
  [
    ["Flag", "Letter", "Value", "Commands"],
    ["---", "---", "---", "---"],
    ...flagForms().map((form) => [code(form.name), code(form.letter), code(form.value), form.commands.join(", ")]),
  ]
    .map((cells) => `| ${cells.join(" | ")} |\n`)
    .join("");
