import type { Command } from "commander";
import { type CodifyFlags, registerCodifyFlags, write } from "./codified";
import type { CliContext } from "./context";
import { stackFlags } from "./drift-flags";
import { example } from "./help";

export function register(program: Command, context: CliContext): void {
  const command = program
    .command("codify")
    .summary("write TypeScript for live objects")
    .description(
      "Writes a program that declares the live objects of accounts, as a person would: references instead of names, no defaults, secrets from the config; what the given stacks manage is left out. Prints it, or writes it below --output. Left out is what comes and goes with another object, and jobs that are over. Only reads are sent.",
    )
    .option("--account <account>", "an account to read; may be repeated (default: the default account)", gather, [])
    .option("--all-accounts", "every account that the keys at hand can list")
    .option("--finished-jobs", "declare jobs that are over, too");
  for (const option of stackFlags()) command.addOption(option);
  registerCodifyFlags(command)
    .addHelpText(
      "after",
      example(
        "npx pulumi-modelplatform codify > index.ts",
        "npx pulumi-modelplatform codify --backend file://~/state",
        "npx pulumi-modelplatform codify --all-accounts --split account --output infra",
      ),
    )
    .action((flags: CodifyFlags) => write(flags, undefined, context));
}

export const gather = (value: string, before: string[]): string[] => [...before, value];
