import type { Command } from "commander";
import type { CliContext } from "../command/context";
import { example } from "../command/flags";
import { operate } from "./operation";
import { addCommonFlags, addProgramFlags, type OperationFlags } from "./operation-flags";

export function register(program: Command, context: CliContext): void {
  const command = program
    .command("preview")
    .description("Runs the program and shows what `up` would do. Nothing is changed.")
    .option("--save-plan <path>", "save the steps, for `up --plan`")
    .option("--expect-no-changes", "exit with 7 when `up` would change something");
  addProgramFlags(addCommonFlags(command))
    .addHelpText(
      "after",
      example(
        "npx pulumi-modelplatform preview --diff",
        "npx pulumi-modelplatform preview --refresh --expect-no-changes",
      ),
    )
    .action((flags: OperationFlags) => operate("up", { ...flags, previewOnly: true }, context));
}
