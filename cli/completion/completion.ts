import { Argument, type Command } from "commander";
import type { CliContext } from "../command/context";
import { example } from "../command/help";
import { bashScript, fishScript, zshScript } from "./scripts";
import { placesOf } from "./tree";

const shells = { bash: bashScript, zsh: zshScript, fish: fishScript };

/** How the package's command can be called without npx. */
const names = ["pulumi-modelplatform", "modelplatform"];

/** Completes the program's commands, all of which MUST be loaded. */
export function register(program: Command, context: CliContext): void {
  program
    .command("completion")
    .description("Prints a script that has a shell complete commands, flags and their values.")
    .addArgument(new Argument("<shell>", "your shell").choices(Object.keys(shells)))
    .option("--alias <name>", "complete this name as well: an alias of the command")
    .addHelpText(
      "after",
      example(
        "npx pulumi-modelplatform completion bash >> ~/.bashrc",
        "npx pulumi-modelplatform completion zsh >> ~/.zshrc",
        "npx pulumi-modelplatform completion fish > ~/.config/fish/completions/modelplatform.fish",
        "npx pulumi-modelplatform completion bash --alias mp",
      ),
    )
    .action((shell: keyof typeof shells, { alias }: { alias?: string }) =>
      context.stdout.write(shells[shell](placesOf(program), [...names, ...(alias === undefined ? [] : [alias])])),
    );
}
