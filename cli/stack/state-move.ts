import type { Command } from "commander";
import { moveBetween } from "../../engine/edits/move";
import { encryptSnapshot, openStack } from "../../engine/state/secrets";
import { readStackConfig, writeStackConfig } from "../../engine/state/stack-config";
import type { StackFiles } from "../../engine/state/stack-files";
import type { ResourceState } from "../../engine/state/types";
import type { CliContext } from "../command/context";
import { CommandFailure, usageFailure } from "../command/failure";
import { confirm, example, yesFlag } from "../command/flags";
import { chooseStack, openWorkplace, type Workplace } from "./stack-choice";

interface Flags {
  source?: string;
  dest?: string;
  includeParents?: boolean;
  yes?: boolean;
}

export function registerMove(group: Command, context: CliContext): void {
  group
    .command("move")
    .summary("move resources to another stack")
    .description(
      "Moves resources, with all their children, to another stack of the project. Copies their providers; removes and lists dependencies between moved and remaining resources.",
    )
    .argument("<urn...>")
    .option("--source <stack>", "the stack that has them (default: the selected one, or the only one)")
    .option("--dest <stack>", "the stack that gets them (default: the selected one, or the only one)")
    .option("--include-parents", "their parents, too")
    .option(...yesFlag)
    .addHelpText("after", example("npx pulumi-modelplatform state move 'urn:pulumi:dev::…::ada' --dest people --yes"))
    .action((urns: string[], flags: Flags) => move(urns, flags, context));
}

async function move(urns: readonly string[], flags: Flags, context: CliContext): Promise<void> {
  if (flags.source === undefined && flags.dest === undefined) throw usageFailure("Give --source, --dest or both.");
  const session = await openWorkplace(context);
  const [source, destination] = [await chooseStack(session, flags.source), await chooseStack(session, flags.dest)];
  if (source === destination) throw usageFailure(`Both are the stack ${source}: give another --source or --dest.`);
  await confirm(`Move to ${destination}?`, flags.yes === true, context);
  await holdLocks(session, [source, destination].sort(), async (files) => {
    const open = (stack: string) => openOne(session, files.get(stack)!, context);
    const [from, to] = [await open(source), await open(destination)];
    const { includeParents = false } = flags;
    const target = { project: session.project.name, stack: destination };
    const moved = moveBetween(from.resources, to.resources, { urns, includeParents, to: target });
    // What is in both is never lost: the destination comes first.
    await to.save(moved.destination);
    await from.save(moved.source).catch(async (error: unknown) => {
      await to.save(to.resources);
      throw error;
    });
    const cut = moved.cut.map((each) => `  ${each}\n`).join("");
    context.stdout.write(`Moved to ${destination}:\n${moved.moved.map((urn) => `  ${urn}\n`).join("")}`);
    if (cut !== "") context.stdout.write(`These dependencies are cut:\n${cut}`);
  });
}

async function holdLocks(
  { project, backend }: Workplace,
  [first, ...rest]: string[],
  work: (files: ReadonlyMap<string, StackFiles>) => Promise<void>,
): Promise<void> {
  if (first === undefined) return work(new Map());
  await backend.locked(project.name, first, (files) =>
    holdLocks({ project, backend }, rest, (others) => work(new Map(others).set(first, files))),
  );
}

/** A stack's resources with their secrets open, and how to save others in their place. */
async function openOne({ project }: Workplace, files: StackFiles, { env }: CliContext) {
  const stack = files.name;
  const state = await files.load();
  if (state === undefined) throw new CommandFailure(`The stack ${stack} was removed just now. Try again.`);
  const config = await readStackConfig(project, stack);
  const salted = config.encryptionSalt !== undefined;
  const { manager, snapshot = state } = await openStack(config, state, env);
  const save = async (resources: readonly ResourceState[]) => {
    await files.save(encryptSnapshot({ ...snapshot, resources: [...resources] }, manager));
    if (!salted) await writeStackConfig(config);
  };
  return { resources: snapshot.resources, save };
}
