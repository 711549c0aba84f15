import type { Command } from "commander";
import type { CliContext } from "./context";
import { example } from "./help";
import { operate } from "./operation";
import { addApprovalFlags, addCommonFlags, type OperationFlags } from "./operation-flags";

export function register(program: Command, context: CliContext): void {
  const command = program
    .command("destroy")
    .description(
      "Deletes everything the stack manages. The stack itself stays, with its config and history; `modelplatform stack rm` removes it.",
    )
    .option("--preview-only", "show what would be deleted, delete nothing")
    .option("-r, --refresh", "read the live world first");
  addApprovalFlags(addCommonFlags(command))
    .addHelpText("after", example("modelplatform destroy --yes"))
    .action((flags: OperationFlags) => operate("destroy", flags, context));
}
