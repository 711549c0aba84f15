import type { Command } from "commander";
import type { BrokenLock } from "../../engine/state/lock";
import { parseUrn, type ResourceState } from "../../engine/state/resource-state";
import { encryptSnapshot, openStack } from "../../engine/state/secrets";
import { readStackConfig, writeStackConfig } from "../../engine/state/stack-config";
import type { StackFiles } from "../../engine/state/stack-files";
import { CutOffError, finishing, isSameUndertaking, moveIn, type Undertaking } from "../../engine/state/undertaking";
import { type Entries, type MoveResult, moveBetween } from "../../engine/state-edits";
import type { CliContext } from "../command/context";
import { CommandError, usageError } from "../command/failure";
import { addFlags, confirm, example, type FlagsOf, flag, yesFlag } from "../command/flags";
import { chooseStack, openProjectBackend, type ProjectBackend } from "../command/stack-choice";

const moveFlags = [
  flag("--source <stack>", "the stack that has them (default: the selected one, or the only one)"),
  flag("--dest <stack>", "the stack that gets them (default: the selected one, or the only one)"),
  flag("--include-parents", "their parents, too"),
  yesFlag,
];

type MoveFlags = FlagsOf<typeof moveFlags>;

export function registerMove(group: Command, context: CliContext): void {
  addFlags(group.command("move"), moveFlags)
    .summary("move resources to another stack")
    .description(
      "Moves resources, with all their children, to another stack of the project. Copies their providers; removes and lists dependencies between moved and remaining resources. A move that was cut off goes on with the same command, or without URNs.",
    )
    .argument("[urn...]")
    .addHelpText("after", example("npx pulumi-modelplatform state move 'urn:pulumi:dev::…::ada' --dest people --yes"))
    .action((urns: string[], flags: MoveFlags) => move(urns, flags, context));
}

async function move(urns: readonly string[], flags: MoveFlags, context: CliContext): Promise<void> {
  if (flags.source === undefined && flags.dest === undefined) throw usageError("Give --source, --dest or both.");
  const session = await openProjectBackend(context);
  const [source, destination] = [await chooseStack(session, flags.source), await chooseStack(session, flags.dest)];
  if (source === destination) throw usageError(`Both are the stack ${source}: give another --source or --dest.`);
  await confirm(`Move to ${destination}?`, flags.yes === true, context);
  const undertaking: Undertaking = { operation: "state move", from: source, to: destination };
  await holdLocks(session, undertaking, [source, destination].sort(), async (files, broken) => {
    const open = (stack: string) => openOne(session, files.get(stack)!, context);
    const [from, to] = [await open(source), await open(destination)];
    const begun = moveIn(source, from.entries.resources);
    if (begun && begun.to !== destination) throw new CutOffError(source, begun);
    const isContinued = begun !== undefined || broken.some((lock) => isSameUndertaking(undertaking, lock.undertaking));
    const moved = moveBetween(from.entries, to.entries, {
      urns: isContinued ? remaining(urns, from.entries.resources, to.entries.resources) : named(urns),
      includeParents: flags.includeParents ?? false,
      isContinued,
      to: { project: session.project.name, stack: destination },
    });
    await save(moved, { from, to, undertaking, isContinued });
    const cut = moved.cut.map((each) => `  ${each}\n`).join("");
    context.stdout.write(`Moved to ${destination}:\n${moved.moved.map((urn) => `  ${urn}\n`).join("")}`);
    if (cut !== "") context.stdout.write(`These dependencies are cut:\n${cut}`);
  });
}

function named(urns: readonly string[]): readonly string[] {
  if (urns.length === 0) throw usageError("Which resources? Give their URNs.");
  return urns;
}

/** The URNs without those that have moved before the command was cut off. */
function remaining(
  urns: readonly string[],
  here: readonly ResourceState[],
  there: readonly ResourceState[],
): readonly string[] {
  const nameOf = (urn: string): string => {
    const { type, name } = parseUrn(urn);
    return `${type}::${name}`;
  };
  const urnsHere = new Set(here.map(({ urn }) => urn));
  const namesThere = new Set(there.map(({ urn }) => nameOf(urn)));
  return urns.filter((urn) => urnsHere.has(urn) || !namesThere.has(nameOf(urn)));
}

interface Sides {
  from: OpenedState;
  to: OpenedState;
  undertaking: Undertaking;
  isContinued: boolean;
}

/**
 * An entry too many is a deletion, one too few a duplicate: what moves is first marked in the source, so that no engine
 * deletes its objects, and leaves it once the destination has it.
 */
async function save(moved: MoveResult, { from, to, undertaking, isContinued }: Sides): Promise<void> {
  let hasArrived = false;
  await from.save(moved.marked);
  try {
    await to.save(moved.destination);
    hasArrived = true;
    await from.save(moved.source);
  } catch (cause) {
    try {
      if (isContinued) throw cause;
      if (hasArrived) await to.save(to.entries);
      await from.save(from.entries);
    } catch {
      const why = cause instanceof Error ? cause.message : String(cause);
      throw new CommandError(
        `${why} The move is half done: what moves is marked in the state of ${undertaking.from}, so that nothing deletes its objects. Once the cause is fixed, ${finishing(undertaking)} finishes it.`,
        undefined,
        { cause },
      );
    }
    throw cause;
  }
}

type Held = (files: ReadonlyMap<string, StackFiles>, broken: readonly BrokenLock[]) => Promise<void>;

async function holdLocks(
  { project, backend }: ProjectBackend,
  undertaking: Undertaking,
  [first, ...rest]: string[],
  work: Held,
): Promise<void> {
  if (first === undefined) return work(new Map(), []);
  await backend.locked(
    project.name,
    first,
    (files, broken) =>
      holdLocks({ project, backend }, undertaking, rest, (others, more) =>
        work(new Map(others).set(first, files), [...broken, ...more]),
      ),
    { undertaking },
  );
}

interface OpenedState {
  /** With their secrets open. */
  entries: Entries;
  /** Saves others in their place. */
  save: (entries: Entries) => Promise<void>;
}

async function openOne({ project }: ProjectBackend, files: StackFiles, { env }: CliContext): Promise<OpenedState> {
  const stack = files.name;
  const state = await files.load();
  if (state === undefined) throw new CommandError(`The stack ${stack} was removed just now. Try again.`);
  const config = await readStackConfig(project, stack);
  let isSalted = config.encryptionSalt !== undefined;
  const { manager, snapshot = state } = await openStack(config, state, env);
  const save = async (entries: Entries) => {
    // No state is without the config that opens its secrets.
    if (!isSalted) await writeStackConfig(config);
    isSalted = true;
    await files.save(encryptSnapshot({ ...snapshot, ...entries }, manager));
  };
  return { entries: snapshot, save };
}
