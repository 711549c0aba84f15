import type { Command } from "commander";
import type { CliContext } from "./context";
import { example } from "./help";
import { operate } from "./operation";
import {
  addApprovalFlags,
  addCommonFlags,
  excludeDependentsFlag,
  type OperationFlags,
  targetDependentsFlag,
} from "./operation-flags";

export function register(program: Command, context: CliContext): void {
  const command = program
    .command("refresh")
    .description("Reads the live world and records what is different. The live world is not changed.")
    .option(...targetDependentsFlag)
    .option(...excludeDependentsFlag)
    .option("--clear-pending-creates", "forget creations that were interrupted: nobody knows their ids")
    .option("--preview-only", "show what is different, record nothing")
    .option("--expect-no-changes", "exit with 7 when something is different");
  addApprovalFlags(addCommonFlags(command))
    .addHelpText("after", example("npx pulumi-modelplatform refresh --preview-only --diff --expect-no-changes"))
    .action((flags: OperationFlags) => operate("refresh", flags, context));
}
