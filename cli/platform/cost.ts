import type { Command } from "commander";
import type { RecordedStack } from "../../drift/scan/recorded-object";
import { costReport } from "../../governance/cost/estimate";
import { formats } from "../../governance/cost/formats";
import { planSteps, previewSteps, type State, stackOf, subjectsOf } from "../../governance/cost/preview";
import { requirePrices } from "../../governance/cost/read-prices";
import type { CostLine, Grouping } from "../../governance/cost/report";
import { liveSubjects, serviceCatalogue } from "../../governance/cost/service";
import type { CostSubject } from "../../governance/cost/subject";
import { breachOf } from "../../governance/policies/cost-rules";
import { printable } from "../../io/text/printable";
import { hasKey, heldAccounts } from "../../provider/api/settings/credentials";
import type { Client } from "../../provider/api/types";
import { dynamicToken } from "../../provider/core/pulumi-names";
import { dayOf } from "../../provider/core/values/grouping";
import { openClient } from "../command/client";
import { type CliContext, exitCodes } from "../command/context";
import { CommandError, interruptible, usageError } from "../command/failure";
import {
  addFlags,
  example,
  type FlagsOf,
  flag,
  formatFlag,
  formatsHelp,
  repeatable,
  withHelpGroup,
} from "../command/flags";
import { hourlyCeiling } from "../command/hourly-ceiling";
import { inputFrom } from "../command/input";
import { columnsTo, writeReportFile } from "../command/output";
import { readRecorded } from "../command/recorded-stacks";
import { requireSources, selectsStacks, stackFlags } from "../command/stack-flags";
import { reportDoubts } from "./doctor/doubts";

export function register(program: Command, context: CliContext): void {
  addFlags(program.command("cost"), costFlags())
    .description(
      "What deployments and training cost, with your own prices: per hour at the least and at the most, before and after a change. Prices come from MODELPLATFORM_PRICES, a YAML or JSON file; none ship with this package. Sends only reads, and needs a key only for hardware that a shape decides, and for --live.",
    )
    .addHelpText(
      "after",
      example(
        "npx pulumi-modelplatform cost --stack acme/shop/prod --by annotation:custom/team",
        "pulumi preview --json | npx pulumi-modelplatform cost --preview-json -",
        "npx pulumi-modelplatform cost --live --format html --output cost.html",
        "npx pulumi-modelplatform cost --preview-json preview.json --format markdown --fail-above 120/h",
      ),
    )
    .addHelpText("after", formatsHelp(formats))
    .addHelpText("after", "Exit codes: 0 done, 1 error, 2 above the ceiling, 64 usage, 130 interrupted.\n")
    .action((flags: CostFlags) => run(flags, context));
}

async function run(flags: CostFlags, context: CliContext): Promise<void> {
  checkCostFlags(flags);
  const prices = requirePrices({ env: context.env }, context);
  for (const warning of prices.warnings) context.stderr.write(`warning: ${printable(warning)}.\n`);
  const client = openClient(context, { effects: ["read", "readViaPost"] });
  try {
    const report = await interruptible(context, {
      message: "interrupted",
      run: async (signal) =>
        costReport(await subjectsFrom(flags, context, client, signal), {
          prices,
          day: dayOf(context.time.now()),
          catalogue: hasKey(client.settings) ? serviceCatalogue(client, signal) : undefined,
          grouping: flags.by,
        }),
    });
    const format = formats[flags.format ?? (flags.json ? "json" : "text")]!;
    const text = format.render(report, { columns: columnsTo(flags.output, context) });
    if (flags.output === undefined) context.stdout.write(text);
    else writeReportFile(flags.output, text, context);
    const breach = breachOf(report, { ceiling: flags.failAbove, strict: flags.strict === true });
    if (breach === undefined) return;
    context.stderr.write(`${printable(breach)}\n`);
    context.exitCode = exitCodes.aboveCeiling;
  } finally {
    await client.close();
  }
}

const costFlags = () => [
  ...withHelpGroup("What is costed, one of:", [
    flag("--preview-json <file>", "what `pulumi preview --json` printed; - is standard input"),
    flag("--plan <file>", "what `pulumi preview --save-plan` wrote; where it changes something, with its stack"),
    ...stackFlags(),
    flag("--live", "everything that the accounts hold now, in a stack or not, by its present replicas"),
  ]),
  ...withHelpGroup("Accounts:", [
    repeatable("-a, --account <account>", "with --live: only this account (default: all with a key)"),
  ]),
  ...withHelpGroup("Report:", [
    flag("--by <what>", "add up by account, stack, kind or annotation:KEY", groupingIn),
    formatFlag(formats),
    flag("--output <file>", "write to this file"),
    flag("-j, --json", "print JSON, as --format json does"),
  ]),
  ...withHelpGroup("Ceiling:", [
    flag("--fail-above <amount>", "exit with 2 when an hour may cost more, such as 120/h", hourlyCeiling),
    flag("--strict", "with --fail-above: a cost that is not known is above it, too"),
  ]),
];

type CostFlags = FlagsOf<typeof costFlags>;

const groupings: Readonly<Record<string, (line: CostLine) => string>> = {
  account: ({ account }) => account || "(not known)",
  stack: ({ stack }) => stack ?? "(none)",
  kind: ({ kind }) => kind,
};

function groupingIn(by: string): Grouping {
  const [, key] = /^annotation:(.+)$/s.exec(by) ?? [];
  if (key !== undefined)
    return { by, keyOf: ({ annotations }) => (Object.hasOwn(annotations, key) ? annotations[key]! : "(none)") };
  const keyOf = Object.hasOwn(groupings, by) ? groupings[by] : undefined;
  if (!keyOf) throw usageError(`--by takes account, stack, kind or annotation:KEY, not ${JSON.stringify(by)}.`);
  return { by, keyOf };
}

const sources = (flags: CostFlags): string[] => [
  ...(flags.previewJson === undefined ? [] : ["--preview-json"]),
  ...(flags.plan === undefined ? [] : ["--plan"]),
  ...(selectsStacks(flags) ? ["a stack"] : []),
  ...(flags.live ? ["--live"] : []),
];

/** Checked before anything is read. A plan may come with its stack. */
function checkCostFlags(flags: CostFlags): void {
  const sourceFlags = sources(flags);
  const isPlanOfStack = sourceFlags.length === 2 && sourceFlags[0] === "--plan" && sourceFlags[1] === "a stack";
  if (sourceFlags.length > 1 && !isPlanOfStack)
    throw usageError(`${sourceFlags.join(" and ")} do not go together: give one of them.`);
  if (flags.account && !flags.live) throw usageError("--account goes with --live.");
  if (flags.strict && flags.failAbove === undefined) throw usageError("--strict goes with --fail-above.");
  if (flags.json && flags.format !== undefined && flags.format !== "json")
    throw usageError("--json and --format do not go together.");
}

/** What the flags name, as subjects of an estimate. */
async function subjectsFrom(
  flags: CostFlags,
  context: CliContext,
  client: Client | undefined,
  signal: AbortSignal,
): Promise<CostSubject[]> {
  if (flags.live) return liveSubjects(client!, accountsOf(flags, client!), signal);
  if (flags.previewJson !== undefined) {
    const steps = previewSteps(await inputFrom(flags.previewJson, context));
    return subjectsOf(steps, { stack: steps[0] && stackOf(steps[0].urn) });
  }
  if (flags.plan === undefined) return (await recordedStacks(flags, context)).flatMap(subjectsOfStack);
  const text = await inputFrom(flags.plan, context);
  const states = statesOf(selectsStacks(flags) ? await recordedStacks(flags, context) : []);
  const steps = planSteps(text, states);
  return subjectsOf(steps, { stack: steps[0] && stackOf(steps[0].urn) });
}

function accountsOf({ account }: CostFlags, { settings }: Client): string[] {
  const accounts = [...new Set(account ?? heldAccounts(settings))];
  if (accounts.length > 0) return accounts;
  throw new CommandError(
    "--live needs a key. Set MODELPLATFORM_API_KEY with MODELPLATFORM_ACCOUNT_ID, MODELPLATFORM_ACCOUNTS or MODELPLATFORM_ACCOUNTS_FILE.",
  );
}

async function recordedStacks(flags: CostFlags, context: CliContext): Promise<RecordedStack[]> {
  const sources = await requireSources("cost", flags, context, ["--preview-json", "--plan", "--live"]);
  const stacks = await readRecorded(sources, context);
  for (const warning of stacks.flatMap(({ warnings }) => warnings))
    context.stderr.write(`warning: ${printable(warning)}\n`);
  reportDoubts(stacks, context);
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
