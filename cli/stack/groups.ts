import type { Command } from "commander";
import { suggestion } from "./stack-choice";

/** What the group does without a subcommand. Any other name is an unknown subcommand. */
export function actByDefault<Flags>(command: Command, act: (flags: Flags) => Promise<void>): void {
  command.allowExcessArguments().action((flags: Flags) => {
    const [unknown] = command.args;
    if (unknown === undefined) return act(flags);
    const known = command.parent?.commands.map((each) => each.name()) ?? [];
    const meant = suggestion(unknown, known).trim();
    return command.error(`error: unknown command '${unknown}'${meant && `\n(${meant})`}`);
  });
}
