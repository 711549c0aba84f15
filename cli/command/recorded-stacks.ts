import { type RecordedStack, summaryOf } from "../../drift/scan/recorded-object";
import { readStacks, type StackSources, type Surroundings } from "../../drift/scan/stacks";
import { harmlessOperations } from "../../provider/api/operations";
import { createSources } from "../../provider/api/settings/sources";
import type { Overrides } from "../../provider/api/types";
import type { RecordedSettings } from "../../provider/core/declaration/own-fields";
import { isObject, omitUndefined } from "../../provider/core/values/values";
import { allSpecs } from "../../provider/resources/index";
import type { CliContext } from "./context";
import { CommandError } from "./failure";
import { type StackFlags, selectsStacks, stackSources } from "./stack-flags";

/** Where states are read, and where the Pulumi CLI runs that exports one. */
export const sourceEnvironment = ({ cwd, env, checkout }: CliContext): Surroundings => ({
  cwd,
  env,
  programs: checkout.programs,
});

/** The stacks as their sources record them; a large state is read without a pause. */
export const readRecorded = (
  sources: StackSources,
  context: CliContext,
  needed?: Pick<Surroundings, "isNeeded">,
): Promise<RecordedStack[]> =>
  context.signals.leave(() => readStacks(sources, { ...sourceEnvironment(context), ...needed }));

/** The stacks that flags name, otherwise those of the backend at hand; none without a backend. */
export const stacksOf = async (flags: StackFlags, context: CliContext): Promise<RecordedStack[]> =>
  readRecorded(await stackSources(flags, context), context);

export const namedStacks = async (flags: StackFlags, context: CliContext): Promise<RecordedStack[]> =>
  selectsStacks(flags) ? stacksOf(flags, context) : [];

/**
 * The settings that stacks record, as far as a command takes them from a state: it moves reads within an account, and
 * nothing else. A dialect could turn a secret into a field that is displayed, so that it needs somebody who vouches
 * for the state; without it, false differences would be reported.
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
  const recorded = stacks.flatMap((stack) => summaryOf(stack).settings);
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
