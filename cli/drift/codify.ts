import type { Command } from "commander";
import type { CliContext } from "../command/context";
import { example } from "../command/help";
import { stackFlags } from "../command/recorded-stacks";
import { choiceFlags } from "./choice";
import { type CodifyFlags, registerCodifyFlags, write } from "./codified";

export function register(program: Command, context: CliContext): void {
  const command = program
    .command("codify")
    .summary("write TypeScript or Python for live objects")
    .description(
      "Writes a program that declares the live objects of accounts, as a person would: references instead of names, no defaults, secrets from the config; without what the given stacks manage. Prints it, or writes it below --output. Leaves out what comes and goes with another object, and finished jobs. Sends only reads.",
    )
    .option("--account <account>", "an account to read; may be repeated (default: the default account)", gather)
    .option("--all-accounts", "every account that the configured keys can list")
    .option("--finished-jobs", "also declare finished jobs");
  for (const option of [...choiceFlags(), ...stackFlags()]) command.addOption(option);
  registerCodifyFlags(command)
    .addHelpText(
      "after",
      example(
        "npx pulumi-modelplatform codify > index.ts",
        "npx pulumi-modelplatform codify --backend file://~/state",
        "npx pulumi-modelplatform codify --kind Deployment --filter 'annotations:\"custom/team\"'",
        "npx pulumi-modelplatform codify --all-accounts --split account --output infra",
      ),
    )
    .action((flags: CodifyFlags) => write(flags, undefined, context));
}

const gather = (value: string, before: string[] = []): string[] => [...before, value];
