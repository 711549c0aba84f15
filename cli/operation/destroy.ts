import type { Command } from "commander";
import type { CliContext } from "../command/context";
import { example } from "../command/flags";
import { operate } from "./operation";
import {
  addApprovalFlags,
  addCommonFlags,
  continueFlag,
  type OperationFlags,
  refreshFlag,
  targetDependentsFlag,
} from "./operation-flags";

export function register(program: Command, context: CliContext): void {
  const command = program
    .command("destroy")
    .description(
      "Deletes everything the stack manages. The stack itself stays, with its config and history; `npx pulumi-modelplatform stack rm` removes it.",
    )
    .option("--preview-only", "show what would be deleted, delete nothing")
    .option(...targetDependentsFlag)
    .option("--exclude-protected", "keep protected resources and everything they depend on")
    .option(...refreshFlag)
    .option(...continueFlag);
  addApprovalFlags(addCommonFlags(command))
    .addHelpText("after", example("npx pulumi-modelplatform destroy --yes"))
    .action((flags: OperationFlags) => operate("destroy", flags, context));
}
