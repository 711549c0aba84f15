import type { Command } from "commander";
import { maskProperties } from "../../engine/display/wording";
import { exportDeployment, importDeployment } from "../../engine/state/checkpoint";
import { type PropertyMap, type Snapshot, type StateValue, stackType } from "../../engine/state/resource-state";
import { encryptSnapshot, openStack, showSecrets } from "../../engine/state/secrets";
import { readStackConfig, writeStackConfig } from "../../engine/state/stack-config";
import { type Edit, forgetResources, type Mark, renameResource, setMark } from "../../engine/state-edits";
import { stripSecrets } from "../../engine/values/values";
import { ceilings } from "../../io/files/read";
import { printableJson } from "../../io/text/printable";
import type { CliContext } from "../command/context";
import { CommandError, usageError } from "../command/failure";
import { addFlags, confirm, example, type FlagsOf, flag, jsonFlag, stackFlag, yesFlag } from "../command/flags";
import { inputOnStdin, inputText } from "../command/input";
import { jsonText, listing, writeOutput } from "../command/output";
import { chooseStack, didYouMeanText, openProjectBackend } from "../command/stack-choice";
import { registerMove } from "./move";

const outputFlags = [stackFlag, flag("--show-secrets", "print secrets as plain text"), jsonFlag];
const exportFlags = [
  stackFlag,
  flag("--file <path>", "write to a file"),
  flag("--show-secrets", "write secrets as plain text"),
];
const importFlags = [
  stackFlag,
  flag("--file <path>", "read from a file (default: standard input)"),
  flag("-f, --force", "also when it is of another stack or project"),
];

export function registerStackState(group: Command, context: CliContext): void {
  addFlags(group.command("output"), outputFlags)
    .summary("print the stack's outputs")
    .description("Prints the stack's outputs, or one of them, as its last update left them.")
    .argument("[name]")
    .addHelpText("after", example("npx pulumi-modelplatform stack output endpoint"))
    .action((name: string | undefined, options: FlagsOf<typeof outputFlags>) => output(name, options, context));
  addFlags(group.command("export"), exportFlags)
    .summary("print the stack's state")
    .description("Prints the stack's state as `pulumi stack export` does; secrets stay encrypted.")
    .addHelpText("after", example("npx pulumi-modelplatform stack export --file state.json"))
    .action((options: FlagsOf<typeof exportFlags>) => exportState(options, context));
  addFlags(group.command("import"), importFlags)
    .summary("replace the stack's state")
    .description(
      "Replaces the stack's state by an exported one, as `pulumi stack import` does. Nothing but the state changes.",
    )
    .addHelpText("after", example("npx pulumi-modelplatform stack import --file state.json"))
    .action((options: FlagsOf<typeof importFlags>) => importState(options, context));
}

/** The state with secrets as they stand in the file, or opened. */
async function load(
  { stack: requestedStack, showSecrets: opened = false }: { stack?: string; showSecrets?: boolean },
  context: CliContext,
): Promise<{ stack: string; snapshot: Snapshot }> {
  const session = await openProjectBackend(context);
  const stack = await chooseStack(session, requestedStack);
  const snapshot = await session.backend.stack(session.project.name, stack).load();
  if (snapshot === undefined) throw new CommandError(`The stack ${stack} was removed just now. Try again.`);
  if (!opened) return { stack, snapshot };
  const config = await readStackConfig(session.project, stack);
  return { stack, snapshot: (await openStack(config, snapshot, context.env)).snapshot ?? snapshot };
}

async function output(
  name: string | undefined,
  { json = false, ...options }: FlagsOf<typeof outputFlags>,
  context: CliContext,
): Promise<void> {
  const { stack, snapshot } = await load(options, context);
  const recorded = snapshot.resources.find(({ type }) => type === stackType)?.outputs ?? {};
  const outputs: PropertyMap = options.showSecrets
    ? Object.fromEntries(Object.entries(recorded).map(([key, value]) => [key, stripSecrets(value)]))
    : maskProperties(recorded);
  if (name !== undefined) {
    const value = outputs[name];
    if (value === undefined)
      throw new CommandError(`The stack ${stack} has no output ${name}.${didYouMeanText(name, Object.keys(outputs))}`);
    return context.stdout.write(json ? jsonText(value) : `${textOf(value)}\n`);
  }
  if (json) return context.stdout.write(jsonText(outputs));
  const rows = Object.entries(outputs).map(([key, value]) => [key, textOf(value)]);
  context.stdout.write(
    rows.length === 0
      ? `The stack ${stack} has no outputs.\n`
      : listing(["OUTPUT", "VALUE"], rows, context.stdout.columns),
  );
}

const textOf = (value: StateValue): string => (typeof value === "string" ? value : JSON.stringify(value));

async function exportState({ file, ...options }: FlagsOf<typeof exportFlags>, context: CliContext): Promise<void> {
  const { stack, snapshot } = await load(options, context);
  const text = `${printableJson(exportDeployment(options.showSecrets ? showSecrets(snapshot) : snapshot), 4)}\n`;
  if (file === undefined) return context.stdout.write(text);
  // Its secrets may be plain text.
  writeOutput(file, text, context);
  context.stdout.write(`Wrote the state of the stack ${stack} to ${file}.\n`);
}

async function importState(
  { stack: requestedStack, file, force = false }: FlagsOf<typeof importFlags>,
  context: CliContext,
): Promise<void> {
  const text =
    file === undefined
      ? await inputOnStdin(context, ceilings.state)
      : await inputText(file, context, "--file", ceilings.state);
  const { project, backend } = await openProjectBackend(context);
  const stack = await chooseStack({ project, backend }, requestedStack);
  const document = importDeployment(parse(text, stack));
  if (!force) assertSameStack(document, project.name, stack);
  await backend.locked(project.name, stack, async (files) => {
    const config = await readStackConfig(project, stack);
    const isSalted = config.encryptionSalt !== undefined;
    const { manager, snapshot = document } = await openStack(config, document, context.env);
    if (!isSalted) await writeStackConfig(config);
    await files.save(encryptSnapshot(snapshot, manager));
  });
  context.stdout.write(`Imported ${document.resources.length} resources into the stack ${stack}.\n`);
}

/** URNs name their stack and project: those of others would never be found by this one's program. */
function assertSameStack({ resources }: Snapshot, project: string, stack: string): void {
  const foreign = resources.find(({ urn }) => !urn.startsWith(`urn:pulumi:${stack}::${project}::`));
  if (foreign)
    throw new CommandError(
      `The state is of another stack or project: ${foreign.urn}. Import it into that one, or add --force.`,
    );
}

function parse(text: string, stack: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new CommandError(
      `The state to import into ${stack} is not JSON. Give it as \`stack export\` writes it.`,
      undefined,
      { cause },
    );
  }
}

const editFlags = [stackFlag, yesFlag];
const allFlag = flag("--all", "every resource of the stack");
const deleteFlags = [
  allFlag,
  flag("--force", "protected resources too"),
  flag("--target-dependents", "what depends on them, too"),
];

type EditFlags = FlagsOf<typeof editFlags> & { all?: boolean };
type DeleteFlags = EditFlags & FlagsOf<typeof deleteFlags>;

const someUrn = "'urn:pulumi:dev::shop::pulumi-nodejs:dynamic/modelplatform:User::ada'";

export function register(program: Command, context: CliContext): void {
  const group = program
    .command("state")
    .description(
      "Changes what a stack's state says of resources. No object is touched, and the program does not run. `stack --show-urns` lists URNs; quote them, for a shell takes `$` for its own.",
    )
    .addHelpText("after", example(`npx pulumi-modelplatform state protect ${someUrn} --yes`));
  const forget = addCommand(group, "delete", {
    summary: "forget resources",
    description: "Removes resources from the state. Their objects stay, without an owner.",
  });
  addFlags(forget, deleteFlags).action((urns: string[], flags: DeleteFlags) =>
    editState(
      flags,
      context,
      `Forget ${describeSelection(urns, flags)}?`,
      forgetResources(selectedUrns(urns, flags), flags),
    ),
  );
  for (const [name, mark, on, does] of marks) {
    const command = addCommand(group, name, does);
    addFlags(command, name === "taint" ? [] : [allFlag]).action((urns: string[], flags: EditFlags) =>
      editState(
        flags,
        context,
        `${does.question} ${describeSelection(urns, flags)}?`,
        setMark(mark, on, selectedUrns(urns, flags)),
      ),
    );
  }
  addCommand(group, "rename", {
    summary: "give a resource another name",
    description: "Renames a resource, and the references to it.",
    argument: "<urn>",
  })
    .argument("<name>", "its name from now on")
    .action((urn: string, name: string, flags: EditFlags) =>
      editState(flags, context, `Rename ${urn}?`, renameResource(urn, name)),
    );
  registerMove(group, context);
}

const marks: readonly [
  name: string,
  mark: Mark,
  on: boolean,
  does: { summary: string; description: string; question: string },
][] = [
  [
    "taint",
    "taint",
    true,
    {
      summary: "replace resources with the next up",
      description: "Marks resources: the next `up` replaces them.",
      question: "Taint",
    },
  ],
  [
    "untaint",
    "taint",
    false,
    {
      summary: "take that mark away",
      description: "Takes the mark away that has the next `up` replace resources.",
      question: "Untaint",
    },
  ],
  [
    "protect",
    "protect",
    true,
    {
      summary: "refuse to delete resources",
      description: "Protects resources from deletion, until an `up` of a program that does not.",
      question: "Protect",
    },
  ],
  [
    "unprotect",
    "protect",
    false,
    {
      summary: "allow to delete resources",
      description: "Takes the protection from deletion away.",
      question: "Unprotect",
    },
  ],
];

interface CommandTexts {
  summary: string;
  description: string;
  argument?: string;
}

function addCommand(
  group: Command,
  name: string,
  { summary, description, argument = "[urn...]" }: CommandTexts,
): Command {
  return addFlags(group.command(name), editFlags)
    .summary(summary)
    .description(description)
    .argument(argument)
    .addHelpText(
      "after",
      example(`npx pulumi-modelplatform state ${name} ${someUrn}${name === "rename" ? " grace" : ""} --yes`),
    );
}

function selectedUrns(urns: readonly string[], { all }: EditFlags): readonly string[] | "all" {
  if (all && urns.length > 0) throw usageError("Give URNs or --all, not both.");
  if (!all && urns.length === 0) throw usageError("Which resources? Give their URNs.");
  return all ? "all" : urns;
}

function describeSelection(urns: readonly string[], { all }: EditFlags): string {
  if (all) return "all resources";
  return urns.length === 1 ? urns[0]! : `${urns.length} resources`;
}

async function editState(
  { stack: requestedStack, yes }: EditFlags,
  context: CliContext,
  question: string,
  edit: Edit,
): Promise<void> {
  const { project, backend } = await openProjectBackend(context);
  const stack = await chooseStack({ project, backend }, requestedStack);
  await confirm(question, yes === true, context);
  await backend.locked(project.name, stack, async (files) => {
    const snapshot = await files.load();
    if (snapshot === undefined) throw new CommandError(`The stack ${stack} was removed just now. Try again.`);
    await files.save({ ...snapshot, ...edit(snapshot) });
  });
  context.stdout.write(`Changed the state of the stack ${stack}.\n`);
}
