import type { Command } from "commander";
import type { CliContext } from "../command/context";
import { CommandFailure, usageFailure } from "../command/failure";
import { example, stackFlag, yesFlag } from "../command/flags";
import { chooseStack, openWorkplace } from "../stack/stack-choice";

export function register(program: Command, context: CliContext): void {
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
      cancel(name ?? options.stack, options.yes === true, context),
    );
}

async function cancel(name: string | undefined, yes: boolean, context: CliContext): Promise<void> {
  if (!yes && !context.isTTY) throw usageFailure("cancel needs --yes when there is no terminal.");
  const session = await openWorkplace(context);
  const stack = await chooseStack(session, name);
  if (!yes) {
    const answer = await context.ask(
      `This removes every lock of the stack ${stack}. Has its operation ended? (yes/no) `,
    );
    if (!/^y(es)?$/i.test(answer?.trim() ?? "")) throw new CommandFailure("Not confirmed: nothing was removed.");
  }
  const holders = await session.backend.lock(session.project.name, stack).breakAll();
  const lines = holders.map(
    ({ pid, username, hostname, timestamp }) =>
      `Removed the lock of process ${pid} of ${username}@${hostname}, held since ${timestamp}.\n`,
  );
  context.stdout.write(lines.join("") || `The stack ${stack} is not locked.\n`);
}
