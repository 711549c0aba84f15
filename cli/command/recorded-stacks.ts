import { Option } from "commander";
import type { RecordedStack } from "../../drift/scan/recorded-object";
import { settingsOf } from "../../drift/scan/recorded-settings";
import { readStacks, type StackSources, type Surroundings } from "../../drift/scan/stacks";
import { createSources } from "../../provider/api/sources";
import type { CliContext } from "./context";
import { CommandFailure } from "./failure";

/** Selects stacks, for every command that reads states. */
export interface StackFlags {
  stackFile?: string[];
  backend?: string[];
  project?: string;
  stackName?: string;
  stack?: string[];
}

export const several = (flags: string, description: string): Option =>
  new Option(flags, `${description}; may be repeated`).argParser((text: string, before: string[] | undefined) => [
    ...(before ?? []),
    text,
  ]);

export const grouped = (heading: string, options: readonly Option[]): Option[] =>
  options.map((option) => option.helpGroup(heading));

export const stackFlags = ({ heading, backend = "" }: { heading?: string; backend?: string } = {}): Option[] => {
  const options = [
    several("--stack-file <path>", "a stack as `pulumi stack export` writes it, or a state file"),
    several("--backend <path>", `every stack of a backend, by folder or file:// URL${backend}`),
    new Option("--project <name>", "of the backends, only this project"),
    new Option("--stack-name <name>", "of the backends, only stacks of this name"),
    several("-s, --stack <org/project/stack>", "a stack that the Pulumi CLI exports"),
  ];
  return heading === undefined ? options : grouped(heading, options);
};

/** A folder is as good as its URL. */
const addressOf = (backend: string): string =>
  /^[a-z][a-z\d+.-]*:\/\//i.test(backend) ? backend : `file://${backend}`;

const sourcesOf = ({ stackFile, backend, stack, project, stackName }: StackFlags): StackSources => ({
  files: stackFile,
  backends: backend?.map(addressOf),
  stacks: stack,
  project,
  stackName,
});

/** The backends that flags name; where they name no stack at all, the one of the environment. */
export const backendsOf = ({ backend, stackFile, stack }: StackFlags, { env }: CliContext): string[] =>
  backend?.map(addressOf) ?? (!stackFile && !stack && env["PULUMI_BACKEND_URL"] ? [env["PULUMI_BACKEND_URL"]] : []);

/** The stacks that flags name, else those that the environment names. */
export const stackSources = (flags: StackFlags, context: CliContext): StackSources => ({
  ...sourcesOf(flags),
  backends: backendsOf(flags, context),
});

/** Where states are read, and where the Pulumi CLI runs that exports one. */
export const surroundingsOf = ({ cwd, env, checkout }: CliContext): Surroundings => ({
  cwd,
  env,
  programs: checkout.programs,
});

/** The stacks that flags name, else those that the environment names. */
export const stacksOf = (flags: StackFlags, context: CliContext): Promise<RecordedStack[]> =>
  readStacks(stackSources(flags, context), surroundingsOf(context));

/** The stacks that flags name. */
export const namedStacks = (flags: StackFlags, context: CliContext): Promise<RecordedStack[]> =>
  readStacks(sourcesOf(flags), surroundingsOf(context));

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
  const takesDialect = checkout.takes("address", "project");
  if (dialect && !takesDialect && !createSources({ env }).find("dialect"))
    throw new CommandFailure(
      "the stacks record a dialect (`modelplatform:dialect`), without which fields of the service have other names. Give it with --config modelplatform:dialect=<file> or `MODELPLATFORM_DIALECT`, or trust the one in the state with --trust-project.",
    );
  return { recorded: { operations, dialect: takesDialect ? dialect : undefined } };
}
