import { Option } from "commander";
import type { RecordedStack } from "../../drift/scan/recorded-object";
import { readStacks, type StackSources, type Surroundings } from "../../drift/scan/stacks";
import { harmlessOperations } from "../../provider/api/operations";
import { createSources } from "../../provider/api/settings/sources";
import type { Overrides } from "../../provider/api/types";
import type { RecordedSettings } from "../../provider/core/declaration/own-fields";
import { isObject, omitUndefined } from "../../provider/core/values/values";
import { allSpecs } from "../../provider/resources/index";
import type { CliContext } from "./context";
import { CommandError, usageError } from "./failure";

/** Selects stacks, for every command that reads states. */
export interface StackFlags {
  stackFile?: string[];
  backend?: string[];
  project?: string;
  stackName?: string[];
  stack?: string[];
}

export const repeatableOption = (flags: string, description: string): Option =>
  new Option(flags, `${description}; may be repeated`).argParser((text: string, before: string[] | undefined) => [
    ...(before ?? []),
    text,
  ]);

export const withHelpGroup = (heading: string, options: readonly Option[]): Option[] =>
  options.map((option) => option.helpGroup(heading));

/** `all`: without a flag, every stack of the backend at hand is read. */
export const stackFlags = (heading?: string, { all = true } = {}): Option[] => {
  const options = [
    repeatableOption(
      "-s, --stack <name>",
      `a stack of the backend, by its short or full name${all ? " (default: all of them)" : ""}`,
    ),
    repeatableOption(
      "--backend <path>",
      "a backend, by folder or URL (default: PULUMI_BACKEND_URL, else the one of the project in this folder)",
    ),
    new Option("--project <name>", "of the backend, only this project"),
    repeatableOption("--stack-file <path>", "a stack as `pulumi stack export` writes it, or a state file"),
    // What `--stack` was called for some backends.
    repeatableOption("--stack-name <name>", "the same as --stack").hideHelp(),
  ];
  return heading === undefined ? options : withHelpGroup(heading, options);
};

/** A folder is as good as its URL. */
const addressOf = (backend: string): string =>
  /^[a-z][a-z\d+.-]*:\/\//i.test(backend) ? backend : `file://${backend}`;

const stacksIn = ({ stack = [], stackName = [] }: StackFlags): string[] => [...stack, ...stackName];

/** The stacks that flags name; where they name no place, those of the backend at hand. */
export async function stackSources(flags: StackFlags, context: CliContext): Promise<StackSources> {
  const { stackFile: files, project } = flags;
  const stacks = stacksIn(flags);
  if (files !== undefined && stacks.length === 0 && flags.backend === undefined) return { files, project };
  const { findProject: projectAtHand, defaultBackend: backendAtHand } = loadOwnBackend();
  const home = await projectAtHand(context);
  const backends = flags.backend?.map(addressOf) ?? (await backendAtHand(home, context));
  return { files, backends, stacks, project, home: home?.name };
}

/** What reads a project is loaded only where one counts. */
const loadOwnBackend = () => require("./stack-choice") as typeof import("./stack-choice");

const isEmpty = ({ files = [], backends = [], stacks = [] }: StackSources): boolean =>
  files.length + backends.length + stacks.length === 0;

const either = (...ways: readonly string[]): string => `${ways.slice(0, -1).join(", ")} or ${ways.at(-1)}`;

/** The same, for a command that is of no use without stacks. */
export async function requireSources(
  command: string,
  flags: StackFlags,
  context: CliContext,
  instead: readonly string[] = [],
): Promise<StackSources> {
  const sources = await stackSources(flags, context);
  if (!isEmpty(sources)) return sources;
  throw usageError(
    `${command} needs to know which stacks: run it in the folder of a project that has some, or give ${either("--backend", "--stack-file", ...instead)}.`,
  );
}

/** Where states are read, and where the Pulumi CLI runs that exports one. */
export const sourceEnvironment = ({ cwd, env, checkout }: CliContext): Surroundings => ({
  cwd,
  env,
  programs: checkout.programs,
});

/** The stacks that flags name, else those of the backend at hand; none where there is none. */
export const stacksOf = async (flags: StackFlags, context: CliContext): Promise<RecordedStack[]> =>
  readStacks(await stackSources(flags, context), sourceEnvironment(context));

/** Whether flags say which stacks; `--project` alone chooses among those of the backend at hand. */
export const selectsStacks = (flags: StackFlags): boolean =>
  flags.stackFile !== undefined || flags.backend !== undefined || stacksIn(flags).length > 0;

/** The stacks that flags name. */
export const namedStacks = async (flags: StackFlags, context: CliContext): Promise<RecordedStack[]> =>
  selectsStacks(flags) ? stacksOf(flags, context) : [];

/**
 * The settings that stacks record, as far as a command takes them from a state: it moves reads within an account, and
 * nothing else. A dialect could have a secret of the service shown as a field that is none, so that it needs somebody
 * who vouches for the state; without one, differences that are none would be reported.
 */
export function recordedFor(
  stacks: readonly RecordedStack[],
  { env, checkout }: CliContext,
): { recorded: Readonly<Record<string, unknown>> } {
  const { operations, dialect } = settingsOf(stacks);
  const takesDialect = checkout.isAllowed("address", "project");
  if (dialect && !takesDialect && !createSources({ env }).find("dialect"))
    throw new CommandError(
      "the stacks record a dialect (`modelplatform:dialect`), without which fields of the service have other names. Give it with --setting modelplatform:dialect=<file> or `MODELPLATFORM_DIALECT`, or trust the one in the state with --trust-project.",
    );
  return { recorded: { operations, dialect: takesDialect ? dialect : undefined } };
}

/**
 * The settings with which the objects of stacks were last written or read. Objects that record none say nothing. Throws
 * if they record different ones: a scan has one table for all.
 */
function settingsOf(stacks: readonly RecordedStack[]): RecordedSettings {
  const recorded = stacks.flatMap(({ objects }) => objects.flatMap(({ outputs }) => outputs.serviceSettings ?? []));
  const operations = consistentSetting(recorded, "operations");
  const dialect = consistentSetting(recorded, "dialect");
  return omitUndefined({
    operations: isObject(operations) ? harmlessOperations(allSpecs, operations as Overrides) : undefined,
    dialect: isObject(dialect) ? dialect : undefined,
  });
}

function consistentSetting(recorded: readonly RecordedSettings[], name: keyof RecordedSettings): unknown {
  const texts = new Set(recorded.flatMap((each) => (each[name] === undefined ? [] : JSON.stringify(each[name]))));
  if (texts.size > 1)
    throw new Error(
      `The stacks record different settings \`${name}\`. Run \`refresh\` where it has changed since, or read stacks of different services one by one.`,
    );
  const [text] = texts;
  return text === undefined ? undefined : JSON.parse(text);
}
