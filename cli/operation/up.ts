import type { Command } from "commander";
import type { CliContext } from "../command/context";
import { example } from "../command/flags";
import { operate } from "./operation";
import {
  addApprovalFlags,
  addCommonFlags,
  addProgramFlags,
  continueFlag,
  type OperationFlags,
} from "./operation-flags";

export function register(program: Command, context: CliContext): void {
  const command = program
    .command("up")
    .description(
      "Runs the program, shows the changes, asks, and applies them: afterwards the stack matches the program.",
    )
    .option(...continueFlag)
    .option("--plan <path>", "do nothing that exceeds this plan, which `preview --save-plan` writes")
    .option("--expect-no-changes", "exit with 7 when something was changed");
  addApprovalFlags(addProgramFlags(addCommonFlags(command)))
    .addHelpText(
      "after",
      example("npx pulumi-modelplatform up", "npx pulumi-modelplatform up --yes --refresh --parallel 8"),
    )
    .action((flags: OperationFlags) => operate("up", flags, context));
}
