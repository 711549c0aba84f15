import type { Command } from "commander";
import type { CliContext } from "./context";
import { type CodifyFlags, registerCodifyFlags, write } from "./codified";
import { example } from "./help";

export function register(program: Command, context: CliContext): void {
  const command = program
    .command("import")
    .summary("write TypeScript for the objects of these names")
    .description("Writes what `codify` writes, for the named objects and no others, jobs that are over included. Only reads are sent.")
    .argument("<name...>", "resource names, such as `accounts/acme/deployments/chat`");
  registerCodifyFlags(command)
    .addHelpText("after", example("modelplatform import accounts/acme/deployments/chat accounts/acme/users/ada"))
    .action((names: string[], flags: CodifyFlags) => write(flags, names, context));
}
