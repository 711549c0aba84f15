import type { Command } from "commander";
import { inRenamedStack } from "../../engine/edits/move";
import { readStackConfig } from "../../engine/state/stack-config";
import { UnsafeFileError } from "../../io/files/refusal";
import { moveFile } from "../../io/files/write";
import { codeOf, describeSystemError } from "../../io/text/disk-error";
import type { CliContext } from "../command/context";
import { CommandError, usageError } from "../command/failure";
import { example, stackFlag } from "../command/flags";
import { listing } from "../command/output";
import { chooseStack, openProjectBackend, ownName } from "./stack-choice";
import { registerStackHistory } from "./stack-history";
import { registerStackList } from "./stack-list";
import { registerStackState } from "./stack-state";

export function register(program: Command, context: CliContext): void {
  const group = program
    .command("stack")
    .description(
      "Stacks of the project in this folder. State lies where PULUMI_BACKEND_URL says (default: file://., the project's folder), in the Pulumi CLI's own format.",
    )
    .addHelpText(
      "after",
      example("npx pulumi-modelplatform stack init dev", "npx pulumi-modelplatform stack output endpoint"),
    );
  registerStackNames(group, context);
  registerStackList(group, context);
  registerStackHistory(group, context);
  registerStackState(group, context);
}

interface ShowFlags {
  stack?: string;
  showUrns?: boolean;
  showIds?: boolean;
  showName?: boolean;
}

function registerStackNames(group: Command, context: CliContext): void {
  const showCommand = group
    .command("show", { isDefault: true })
    .summary("show what a stack has, as `stack` alone does")
    .description("Shows the current stack and what its state holds.")
    .option(...stackFlag)
    .option("-u, --show-urns", "list the resources by URN")
    .option("-i, --show-ids", "list their ids, too")
    .option("--show-name", "print the stack's name and nothing else")
    .addHelpText(
      "after",
      example("npx pulumi-modelplatform stack show --show-urns", "npx pulumi-modelplatform stack --show-name"),
    );
  showCommand.action((flags: ShowFlags) => show(flags, context));
  group
    .command("rename")
    .summary("give a stack another name")
    .description(
      "Renames a stack, with its history and config file, and selects it. URNs hold the stack's name: a program that reads it may declare other resources.",
    )
    .argument("<name>", "its name from now on")
    .option(...stackFlag)
    .addHelpText("after", example("npx pulumi-modelplatform stack rename production"))
    .action((name: string, { stack }: { stack?: string }) => renameTo(name, stack, context));
}

async function show(
  { stack: requestedStack, showUrns, showIds, showName }: ShowFlags,
  context: CliContext,
): Promise<void> {
  const session = await openProjectBackend(context);
  const stack = await chooseStack(session, requestedStack);
  if (showName) return context.stdout.write(`${stack}\n`);
  const snapshot = await session.backend.stack(session.project.name, stack).load("inspect");
  const resources = snapshot?.resources ?? [];
  context.stdout.write(
    `The stack ${stack} has ${resources.length} resources, as of ${snapshot?.manifest.time ?? "never"}.\n`,
  );
  if (resources.length === 0) return;
  const rows = resources.map(({ urn, type, id = "" }) => [
    showUrns ? urn : `${type} ${urn.split("::").slice(3).join("::")}`,
    ...(showIds ? [id] : []),
  ]);
  context.stdout.write(`\n${listing(["RESOURCE", ...(showIds ? ["ID"] : [])], rows, context.stdout.columns)}`);
}

async function renameTo(name: string, requestedStack: string | undefined, context: CliContext): Promise<void> {
  const session = await openProjectBackend(context);
  const { project, backend } = session;
  const [from, to] = [await chooseStack(session, requestedStack), ownName(name, project)];
  if (from === to) throw usageError(`The stack ${from} has this name already. Choose another one.`);
  const names = (stack: string) => ({ project: project.name, stack });
  await backend.renameStack(project.name, from, to, (state) => inRenamedStack(state, names(from), names(to)));
  const [before, after] = [await readStackConfig(project, from), await readStackConfig(project, to)];
  moveConfig(before.file, after.file);
  await backend.selectStack(project, to);
  context.stdout.write(`Renamed the stack ${from} to ${to} and selected it.\n`);
}

function moveConfig(from: string, to: string): void {
  try {
    moveFile(from, to);
  } catch (cause) {
    if (codeOf(cause) === "ENOENT") return;
    const reason = cause instanceof UnsafeFileError ? `${to} is there already` : describeSystemError(cause).reason;
    throw new CommandError(`The stack is renamed, but ${from} is not (${reason}): rename it to ${to}.`, undefined, {
      cause,
    });
  }
}
