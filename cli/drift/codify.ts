import type { Command } from "commander";
import type { CliContext } from "../command/context";
import { example } from "../command/flags";
import { repeatableOption, stackFlags } from "../command/recorded-stacks";
import { type CodifyFlags, registerCodifyFlags, writeProgram } from "./codified";
import { selectionFlags } from "./flags";

export function register(program: Command, context: CliContext): void {
  const command = program
    .command("codify")
    .summary("write TypeScript or Python for live objects")
    .description(
      "Writes a program that declares the named objects, or all live objects of accounts, as a person would: references instead of names, no defaults, secrets from the config. Without names it leaves out what stacks manage, what comes and goes with another object, and finished jobs. Prints it, or writes it to --output. Sends only reads.",
    )
    .argument("[name...]", "resource names, such as `accounts/acme/deployments/chat` (default: all of the accounts)")
    .addOption(repeatableOption("-a, --account <account>", "an account to read (default: the default account)"))
    .option("--all-accounts", "also every account that a configured key can list")
    .option("--finished-jobs", "also declare finished jobs");
  for (const option of [...selectionFlags(), ...stackFlags()]) command.addOption(option);
  registerCodifyFlags(command)
    .addHelpText(
      "after",
      example(
        "npx pulumi-modelplatform codify > index.ts",
        "npx pulumi-modelplatform codify accounts/acme/deployments/chat accounts/acme/users/ada",
        "npx pulumi-modelplatform codify --kind Deployment --filter 'annotations:\"custom/team\"'",
        "npx pulumi-modelplatform codify --all-accounts --split account --output infra",
      ),
    )
    .action((names: string[], flags: CodifyFlags) =>
      writeProgram(flags, names.length > 0 ? names : undefined, context),
    );
}
