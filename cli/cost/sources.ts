import type { RecordedStack } from "../../drift/scan/recorded-object";
import { readStacks } from "../../drift/scan/stacks";
import { type State, stackOf, subjectsOf } from "../../governance/cost/sources/changes";
import { liveSubjects } from "../../governance/cost/sources/live";
import { planSteps, previewSteps } from "../../governance/cost/sources/preview";
import type { CostSubject } from "../../governance/cost/subject";
import { printable } from "../../io/text/printable";
import type { Client } from "../../provider/api/types";
import { dynamicToken } from "../../provider/core/fields/tokens";
import type { CliContext } from "../command/context";
import { CommandFailure } from "../command/failure";
import { inputText } from "../command/input-file";
import { namesStacks, requireSources, surroundingsOf } from "../command/recorded-stacks";
import type { CostFlags } from "./flags";

/** What the flags name, as subjects of an estimate. */
export async function subjectsFrom(
  flags: CostFlags,
  context: CliContext,
  client: Client | undefined,
  signal: AbortSignal,
): Promise<CostSubject[]> {
  if (flags.live) return liveSubjects(client!, accountsOf(flags, client!), signal);
  if (flags.previewJson !== undefined) {
    const steps = previewSteps(await textOf(flags.previewJson, context));
    return subjectsOf(steps, { stack: steps[0] && stackOf(steps[0].urn) });
  }
  if (flags.plan === undefined) return (await recordedStacks(flags, context)).flatMap(subjectsOfStack);
  const text = await textOf(flags.plan, context);
  const states = statesOf(namesStacks(flags) ? await recordedStacks(flags, context) : []);
  const steps = planSteps(text, states);
  return subjectsOf(steps, { stack: steps[0] && stackOf(steps[0].urn) });
}

function accountsOf({ account }: CostFlags, { settings }: Client): string[] {
  const held = settings.credentials.flatMap((credential) => credential.account ?? []);
  const accounts = [...new Set(account ?? held)];
  if (accounts.length > 0) return accounts;
  throw new CommandFailure(
    "--live needs a key. Set MODELPLATFORM_API_KEY with MODELPLATFORM_ACCOUNT_ID, MODELPLATFORM_ACCOUNTS or MODELPLATFORM_ACCOUNTS_FILE.",
  );
}

async function recordedStacks(flags: CostFlags, context: CliContext): Promise<RecordedStack[]> {
  const sources = await requireSources("cost", flags, context, ["--preview-json", "--plan", "--live"]);
  const stacks = await readStacks(sources, surroundingsOf(context));
  for (const warning of stacks.flatMap(({ warnings }) => warnings))
    context.stderr.write(`warning: ${printable(warning)}\n`);
  return stacks;
}

/** As recorded: what a refresh has seen since goes before what the program set. */
const subjectsOfStack = ({ objects }: RecordedStack): CostSubject[] =>
  objects
    .filter(({ spec }) => spec.billing !== undefined)
    .map(({ spec, name, account, urn, stack, inputs, outputs }) => ({
      spec,
      name,
      account,
      urn,
      stack,
      after: { ...inputs, ...outputs },
    }));

const statesOf = (stacks: readonly RecordedStack[]): Map<string, State> =>
  new Map(
    stacks
      .flatMap(({ objects }) => objects)
      .filter(({ pending }) => pending === undefined)
      .map(({ urn, spec, name, inputs, outputs }) => [
        urn,
        { urn, type: dynamicToken(spec.kind), id: name, inputs, outputs },
      ]),
  );

const textOf = (path: string, context: CliContext): Promise<string> =>
  path === "-" ? context.readStdin() : inputText(path, context);
