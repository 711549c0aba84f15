import type { Command } from "commander";
import type { CliContext } from "../command/context";
import { example } from "../command/flags";
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
    .description("Reads the live objects and records differences. Changes no live object.")
    .option(...targetDependentsFlag)
    .option(...excludeDependentsFlag)
    .option("--clear-pending-creates", "forget interrupted creates: their ids are unknown")
    .option("--preview-only", "show differences, record nothing")
    .option("--expect-no-changes", "exit with 7 when something is different");
  addApprovalFlags(addCommonFlags(command))
    .addHelpText("after", example("npx pulumi-modelplatform refresh --preview-only --diff --expect-no-changes"))
    .action((flags: OperationFlags) => operate("refresh", flags, context));
}
