import type { Command } from "commander";
import type { CliContext } from "../command/context";
import { CommandError, usageError } from "../command/failure";
import { addFlags, example, stackFlag, yesFlag } from "../command/flags";
import { chooseStack, openProjectBackend } from "../command/stack-choice";
import { type OperationFlags, operationFlags } from "./flags";
import { operate } from "./operation";

/** `-ry` is two flags, not one with a value. */
const addCommand = (program: Command, name: keyof typeof operationFlags): Command =>
  addFlags(program.command(name).combineFlagAndOptionalValue(false), operationFlags[name]);

export const preview = {
  register(program: Command, context: CliContext): void {
    addCommand(program, "preview")
      .description("Runs the program and shows what `up` would do. Nothing is changed.")
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
    addCommand(program, "up")
      .description(
        "Runs the program, shows the changes, asks, and applies them: afterwards the stack matches the program.",
      )
      .addHelpText(
        "after",
        example("npx pulumi-modelplatform up", "npx pulumi-modelplatform up --yes --refresh --parallel 8"),
      )
      .action((flags: OperationFlags) => operate("up", flags, context));
  },
};

export const refresh = {
  register(program: Command, context: CliContext): void {
    addCommand(program, "refresh")
      .description("Reads the live objects and records differences. Changes no live object.")
      .addHelpText("after", example("npx pulumi-modelplatform refresh --preview-only --diff --expect-no-changes"))
      .action((flags: OperationFlags) => operate("refresh", flags, context));
  },
};

export const destroy = {
  register(program: Command, context: CliContext): void {
    addCommand(program, "destroy")
      .description(
        "Deletes everything the stack manages. The stack itself stays, with its config and history; `npx pulumi-modelplatform stack rm` removes it.",
      )
      .addHelpText("after", example("npx pulumi-modelplatform destroy --yes"))
      .action((flags: OperationFlags) => operate("destroy", flags, context));
  },
};

export const cancel = {
  register(program: Command, context: CliContext): void {
    addFlags(program.command("cancel"), [stackFlag, yesFlag])
      .description(
        "Removes the lock that an operation left behind when it was killed. An operation of this engine that is still running stops when it finds its lock gone; one of the Pulumi CLI continues: stop it first.",
      )
      .argument("[stack]", "default: the selected one, or the only one")
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
