import { statSync } from "node:fs";
import { resolve } from "node:path";
import { Command, Help, type Option } from "commander";
import { openCheckout } from "./checkout/checkout";
import { callsServiceWithSettings, isAffectedByTrust, trustPolicyOf } from "./checkout/trust-policies";
import type { Activity } from "./command/activity";
import type { CliContext } from "./command/context";
import { reportFailure, usageError } from "./command/failure";
import { addFlags, example, type FlagsOf, flag } from "./command/flags";
import { AdvisingCommand, assertNoGroupFlags, ShortHelp, withoutAll } from "./command/help";
import { isDrawable, withSafeOutput } from "./command/safe-output";
import { type CommandEntry, commands } from "./commands";

/** What every command takes. */
const globalOptions = [
  flag("-C, --cwd <folder>", "work as if started in this folder"),
  flag("--color <when>", "always, never, raw or auto", ["always", "never", "raw", "auto"]),
  flag("--trace <file>", "write all requests to a HAR file"),
  flag("--non-interactive", "never ask, and draw nothing over"),
];

/** Runs one command line (without node and script) and gives the exit code. Never throws. */
export async function run(
  args: readonly string[],
  rawContext: CliContext,
  version: string,
  entries: readonly CommandEntry[] = commands,
): Promise<number> {
  const context = withSafeOutput(rawContext);
  const { args: line, showsAll } = withoutAll(args);
  let activity = startActivity(line, entries, rawContext, context);
  try {
    const program = createProgram(context, version, showsAll);
    addCommands(program, context, entries, requestedCommand(line));
    program.hook("preAction", (_, action) => {
      const entry = entries.find(({ name }) => name === commandOf(action).name());
      const begins = messageOf(entry, action.name());
      if (entry === undefined || begins === undefined) return;
      entry.load().check?.(action);
      if (!isForData(action)) activity ??= createActivity(begins, rawContext, context);
    });
    await program.parseAsync([...line], { from: "user" });
    return context.exitCode;
  } catch (error) {
    return reportFailure(error, context);
  } finally {
    activity?.end();
  }
}

/** On a terminal it is drawn before the command is loaded, which takes longest: nothing of it stays there. */
function startActivity(
  line: readonly string[],
  entries: readonly CommandEntry[],
  rawContext: CliContext,
  context: CliContext,
): Activity | undefined {
  const startMessage = messageOf(
    entries.find(({ name }) => name === line[0]),
    line[1],
  );
  if (startMessage === undefined || !isDrawable(rawContext.stderr, rawContext) || line.some((arg) => undrawn.has(arg)))
    return undefined;
  return createActivity(startMessage, rawContext, context);
}

/** What a command does first, or the one below it of that name. */
const messageOf = (entry: CommandEntry | undefined, below: string | undefined): string | undefined =>
  (below !== undefined && entry?.partMessages?.[below]) || entry?.startMessage;

/** Flags of those who want nothing drawn, or no command. */
const undrawn: ReadonlySet<string> = new Set(["--json", "-j", "--non-interactive", "--help", "-h", "--list"]);

/** Whether the user wants data alone, and not what the command does first. */
const isForData = (action: Command): boolean => action.optsWithGlobals<{ json?: boolean }>().json === true;

function createActivity(begins: string, rawContext: CliContext, context: CliContext): Activity {
  const { Activity } = require("./command/activity") as typeof import("./command/activity");
  const activity = new Activity(rawContext);
  Object.assign(context, activity.endedBy(context));
  activity.begin(begins, { nonInteractive: context.nonInteractive === true });
  return activity;
}

function createProgram(context: CliContext, version: string, showsAll: boolean): Command {
  const program = addFlags(
    new AdvisingCommand("npx pulumi-modelplatform", () => new ShortHelp(showsAll, withDefaultText)),
    globalOptions,
  )
    .description("Declare hosted AI models with Pulumi: run stacks, find drift, call the platform.")
    .version(version, "-V, --version", "print the version")
    .helpOption("-h, --help", "show help")
    .helpCommand("help [command]", "show help for a command")
    .configureOutput({
      writeOut: (text) => context.stdout.write(text),
      writeErr: (text) => context.stderr.write(text),
      getOutHelpWidth: () => context.stdout.columns,
      getErrHelpWidth: () => context.stderr.columns,
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    })
    .showSuggestionAfterError(false)
    .exitOverride();
  program.addHelpText("after", example("npx pulumi-modelplatform up --yes"));
  program.hook("preAction", (_, action) => {
    const { cwd, color = "auto", nonInteractive, trace } = program.opts<FlagsOf<typeof globalOptions>>();
    enterFolder(cwd, context);
    assertNoGroupFlags(action);
    if (trace !== undefined)
      Object.assign(context, { env: { ...context.env, MODELPLATFORM_TRACE: resolve(context.cwd, trace) } });
    const { setting } = action.opts<{ setting?: Record<string, string> }>();
    if (setting) Object.assign(context, { env: { ...context.env, ...setting } });
    context.checkout = checkoutFor(action, context);
    if (color !== "auto") context.colour = color === "always";
    if (nonInteractive) Object.assign(context, { nonInteractive, isTTY: false });
  });
  return program;
}

/** The command of which a subcommand may have been started. */
function commandOf(action: Command): Command {
  let command = action;
  while (command.parent?.parent) command = command.parent;
  return command;
}

/** The command's own declaration decides, whichever of its subcommands runs. */
function checkoutFor(action: Command, context: CliContext): CliContext["checkout"] {
  const command = commandOf(action);
  const { trustProject = false } = action.optsWithGlobals<{ trustProject?: boolean }>();
  return openCheckout(trustPolicyOf(command.name()), context, trustProject);
}

const trustFlag = () => flag("--trust-project", "trust the project: its addresses, keys and programs, and its owner");

/** A command and its subcommands, each of which reads its own options. */
const withCommands = (command: Command | undefined): readonly Command[] =>
  command ? [command, ...command.commands.flatMap(withCommands)] : [];

const settingsFlag = () => flag("--setting <key=value>", "a setting to use; may be repeated", settingsIn);

function settingsIn(pair: string, before: Record<string, string> = {}): Record<string, string> {
  const { variableIn } = require("./command/client") as typeof import("./command/client");
  return { ...before, ...variableIn(pair) };
}

/** Global options name their choices in fewer words: some help leaves no room for more. */
const withDefaultText = (option: Option): string =>
  globalOptions.includes(option) ? option.description : new Help().optionDescription(option);

function enterFolder(folder: string | undefined, context: CliContext): void {
  if (folder === undefined) return;
  context.cwd = resolve(context.cwd, folder);
  if (!statSync(context.cwd, { throwIfNoEntry: false })?.isDirectory())
    throw usageError(`--cwd: there is no folder ${context.cwd}`);
}

/** The requested command in full, the others by name only: enough for help and for suggestions. */
function addCommands(
  program: Command,
  context: CliContext,
  entries: readonly CommandEntry[],
  name: string | undefined,
): void {
  for (const entry of entries) {
    if (entry.name === name) entry.load().register(program, context);
    else program.command(entry.name);
    const command = program.commands.find((each) => each.name() === entry.name);
    command?.summary(entry.summary).helpGroup(entry.group);
    if (callsServiceWithSettings(trustPolicyOf(entry.name)))
      for (const each of withCommands(command)) each.addOption(settingsFlag());
    if (isAffectedByTrust(trustPolicyOf(entry.name)))
      for (const each of withCommands(command)) each.addOption(trustFlag());
  }
}

/**
 * Which command a line names, before its options are known: `help up` and `up --help` name
 * the same. None in a line that is wrong anyway.
 */
function requestedCommand(args: readonly string[]): string | undefined {
  const reader = addFlags(new Command(), globalOptions)
    .exitOverride()
    .configureOutput({ writeErr: () => {} });
  try {
    const { operands } = reader.parseOptions([...args]);
    return operands[0] === "help" ? operands[1] : operands[0];
  } catch {
    return undefined;
  }
}
