import type { Command } from "commander";
import type { CliContext } from "../command/context";
import { CommandError, usageError } from "../command/failure";
import { example, stackFlag, yesFlag } from "../command/flags";
import { chooseStack, openProjectBackend } from "../command/stack-choice";
import {
  addApprovalFlags,
  addCommonFlags,
  addProgramFlags,
  continueFlag,
  excludeDependentsFlag,
  type OperationFlags,
  operate,
  refreshFlag,
  targetDependentsFlag,
} from "./operation";

export const preview = {
  register(program: Command, context: CliContext): void {
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
  },
};

export const up = {
  register(program: Command, context: CliContext): void {
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
  },
};

export const refresh = {
  register(program: Command, context: CliContext): void {
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
  },
};

export const destroy = {
  register(program: Command, context: CliContext): void {
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
  },
};

export const cancel = {
  register(program: Command, context: CliContext): void {
    program
      .command("cancel")
      .description(
        "Removes the lock that an operation left behind when it was killed. An operation of this engine that is still running stops when it finds its lock gone; one of the Pulumi CLI continues: stop it first.",
      )
      .argument("[stack]", "default: the selected one, or the only one")
      .option(...stackFlag)
      .option(...yesFlag)
      .addHelpText("after", example("npx pulumi-modelplatform cancel --yes"))
      .action((name: string | undefined, options: { stack?: string; yes?: boolean }) =>
        removeLocks(name ?? options.stack, options.yes === true, context),
      );
  },
};

async function removeLocks(name: string | undefined, yes: boolean, context: CliContext): Promise<void> {
  if (!yes && !context.isTTY) throw usageError("cancel needs --yes when there is no terminal.");
  const session = await openProjectBackend(context);
  const stack = await chooseStack(session, name);
  if (!yes) {
    const answer = await context.prompt(
      `This removes every lock of the stack ${stack}. Has its operation ended? (yes/no) `,
    );
    if (!/^y(es)?$/i.test(answer?.trim() ?? "")) throw new CommandError("Not confirmed: nothing was removed.");
  }
  const holders = await session.backend.lock(session.project.name, stack).breakAll();
  const lines = holders.map(
    ({ pid, username, hostname, timestamp }) =>
      `Removed the lock of process ${pid} of ${username}@${hostname}, held since ${timestamp}.\n`,
  );
  context.stdout.write(lines.join("") || `The stack ${stack} is not locked.\n`);
}
