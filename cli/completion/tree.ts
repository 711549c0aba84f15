import type { Command } from "commander";

/** A flag as it can be typed. */
export interface Flag {
  /** With their dashes: `-s` and `--stack`. */
  names: readonly string[];
  takesValue: boolean;
  /** The values that there are, where they are known. */
  choices: readonly string[];
  description: string;
}

/** What can follow the words of a command. */
export interface CompletionNode {
  /** `stack ls`; empty for what comes first. */
  path: string;
  commands: readonly { name: string; description: string }[];
  flags: readonly Flag[];
}

/** Every command below `program`, with what can follow it: what its own command line says, and nothing besides. */
export function placesOf(
  program: Command,
  above: readonly Flag[] = [],
  path: readonly string[] = [],
): CompletionNode[] {
  const flags = [...own(program), ...above];
  const commands = program.commands.map((each) => ({ name: each.name(), description: each.summary() }));
  const below = program.commands.flatMap((each) => placesOf(each, flags, [...path, each.name()]));
  return [{ path: path.join(" "), commands, flags: [...flags, help] }, ...below];
}

const help: Flag = { names: ["-h", "--help"], takesValue: false, choices: [], description: "show help" };

const own = ({ options }: Command): Flag[] =>
  options.map(({ short, long, required, optional, argChoices = [], description }) => ({
    names: [short, long].filter((name) => name !== undefined),
    takesValue: required || optional,
    choices: argChoices,
    description,
  }));
