import type { Command } from "commander";
import { figuresFormats } from "../../drift/report/formats";
import { mergeReports } from "../../drift/scan/merge";
import { failOnOf, sinceEarlier } from "../../drift/scan/result";
import { readStacks } from "../../drift/scan/stacks";
import { Stopwatch } from "../../provider/api/time";
import type { Client } from "../../provider/api/types";
import { openClient } from "../command/client";
import { type CliContext, exitCodes } from "../command/context";
import { CommandError, interruptible, usageError } from "../command/failure";
import { example, formatsHelp } from "../command/flags";
import { printTimeSpent } from "../command/output";
import { recordedFor, requireSources, sourceEnvironment } from "../command/recorded-stacks";
import {
  acceptFindings,
  checkBaseline,
  chosenBy,
  type DriftFlags,
  driftFlags,
  driftReports,
  earlierReport,
  notifyFlags,
  outputFlags,
  type ReportKind,
} from "./flags";
import { checkOutput, findPatches, streamFor, writeReport } from "./report";
import { connectionsFor, interrupted, scanStacks } from "./scan";
import type { Notifier, ScanHistory } from "./scan-history";

/** The history that `--history` names. Loaded only where there is one. */
function scanHistory({ history, historyDays }: DriftFlags, context: CliContext): ScanHistory | undefined {
  if (history === undefined) return undefined;
  const { historyOfScans } = require("./scan-history") as typeof import("./scan-history");
  return historyOfScans(history, historyDays, context);
}

function registerHistory(drift: Command, context: CliContext): void {
  const history = drift
    .command("history")
    .summary("how findings came and went, and how long they stayed")
    .description(
      "Shows what `drift --history <folder>` has recorded: what was open over time, how long it took until findings were gone, for each severity and account, and what comes back. Takes --history, one --format and --output.",
    );
  // The options are declared once, for the scan: its parser takes them, wherever they stand.
  history
    .addHelpText(
      "after",
      example(
        "npx pulumi-modelplatform drift history --history drift-history",
        "npx pulumi-modelplatform drift history --history drift-history --format html --output history.html",
      ),
    )
    .addHelpText("after", formatsHelp(figuresFormats))
    .action((_: unknown, command: Command) => {
      const { showHistory } = require("./scan-history") as typeof import("./scan-history");
      showHistory(command.optsWithGlobals<DriftFlags>(), context);
    });
}

/** Who is told what is new. Loaded only where `--notify` names a webhook. */
function scanNotifier(flags: DriftFlags, context: CliContext): Notifier | undefined {
  const { notify, history, notifySecretEnv, notifyFormat, notifyDryRun } = flags;
  if (notify === undefined) {
    if (notifySecretEnv !== undefined || notifyFormat !== undefined || notifyDryRun)
      throw usageError("--notify-secret-env, --notify-format and --notify-dry-run need --notify.");
    return undefined;
  }
  if (history === undefined)
    throw usageError("--notify tells what is new since the scan before: give --history, which knows that.");
  const { openNotifier } = require("./scan-history") as typeof import("./scan-history");
  return openNotifier(notify, flags, context);
}

/** `parent` is the command whose reports are put together. */
export function registerMerge(parent: Command, kind: ReportKind, context: CliContext): void {
  const { stem } = kind;
  const merge = parent
    .command("merge")
    .summary("put the reports of all shards together")
    .description(
      "Puts the JSON reports of all shards of one scan together. Refuses reports with a shard missing or given twice, and those of another version or of other stacks and accounts.",
    )
    .argument("<reports...>", `files that \`${stem} --shard i/n --format json\` wrote`);
  // The formats are declared once, for the scan: its parser takes them, wherever they stand.
  merge
    .addHelpText(
      "after",
      example(`npx pulumi-modelplatform ${stem} merge shard-*.json --format html --output ${stem}.html`),
    )
    .action((files: string[], _: unknown, command: Command) =>
      mergeRun(files, command.optsWithGlobals<DriftFlags>(), kind, context),
    );
}

async function mergeRun(
  files: readonly string[],
  flags: DriftFlags,
  kind: ReportKind,
  context: CliContext,
): Promise<void> {
  checkOutput(flags);
  const notifier = scanNotifier(flags, context);
  const reports = await Promise.all(files.map(async (file) => ({ file, report: await earlierReport(file, context) })));
  const merged = mergeReports(reports);
  if ("problem" in merged) throw new CommandError(merged.problem);
  const parts = reports.map(({ report }) => report);
  const known = await scanHistory(flags, context)?.record(parts, merged.report);
  const report = known?.report ?? merged.report;
  const patches = flags.patches && (await findPatches({ report, recorded: undefined }, flags, context));
  await writeReport(report, flags, context, { kind, ...known, patches });
  if (known) await notifier?.notify(known);
  context.exitCode = report.exitCode;
}

export function register(program: Command, context: CliContext): void {
  const drift = program
    .command("drift")
    .description(
      "Compares what stacks record with the live accounts, and reports whether each object is in sync, changed, missing or unmanaged. Only reads; needs no passphrase. Keys come from the environment: MODELPLATFORM_API_KEY with MODELPLATFORM_ACCOUNT_ID, MODELPLATFORM_ACCOUNTS, MODELPLATFORM_ACCOUNTS_FILE.",
    );
  for (const option of [...driftFlags(), ...notifyFlags(), ...outputFlags(driftReports)])
    drift.addOption(option.attributeName() === "writeBaseline" ? option.hideHelp() : option);
  drift
    .addHelpText(
      "after",
      example(
        "npx pulumi-modelplatform drift --backend file://~/state",
        "npx pulumi-modelplatform drift --stack prod --all-accounts --unmanaged --format markdown",
        "npx pulumi-modelplatform drift --stack-file prod.json --format sarif --format html --output reports",
      ),
    )
    .addHelpText("after", formatsHelp(driftReports.formats))
    .addHelpText(
      "after",
      "Exit codes: 0 no drift, 1 error, 2 drift, 3 something could not be read,\n64 usage, 130 interrupted.\n",
    )
    .action((flags: DriftFlags) => run(flags, context));
  registerMerge(drift, driftReports, context);
  registerHistory(drift, context);
  registerBaseline(drift, context);
}

function registerBaseline(drift: Command, context: CliContext): void {
  drift
    .command("baseline")
    .summary("accept what is found for a while")
    .description(
      "Scans as `drift` does, and writes a baseline that accepts what is found until a day. `drift --baseline <file>` reads it.",
    )
    .addHelpText(
      "after",
      example(
        'npx pulumi-modelplatform drift baseline --output drift-baseline.json --owner team-search --reason "moved by hand, #42" --expires 2027-01-31',
      ),
    )
    .addHelpText(
      "after",
      "Exit codes: 0 written, 1 error, 3 something could not be read,\n64 usage, 130 interrupted.\n",
    )
    .action(async (_: unknown, command: Command) => {
      const { output = "drift-baseline.json", ...flags } = command.optsWithGlobals<DriftFlags>();
      await run({ ...flags, writeBaseline: output, isSilent: true }, context);
      if (context.exitCode === exitCodes.drift) context.exitCode = exitCodes.done;
    });
}

async function run(flags: DriftFlags & { isSilent?: true }, context: CliContext): Promise<void> {
  check(flags, context);
  const sources = await requireSources("drift", flags, context);
  const connections = connectionsFor(flags.concurrency);
  const stopwatch = new Stopwatch(context.time.now);
  const history = scanHistory(flags, context);
  const notifier = scanNotifier(flags, context);
  const stream = streamFor(flags, context);
  let client: Client | undefined;
  try {
    let earlier = flags.since === undefined ? undefined : await earlierReport(flags.since, context);
    for (;;) {
      const recorded = await readStacks(sources, sourceEnvironment(context));
      client ??= openClient(context, { effects: ["read"], connections, stopwatch }, recordedFor(recorded, context));
      const report = await scanStacks(client, recorded, flags, context, { stream });
      const known = await history?.record([report], report);
      const dated = known?.report ?? report;
      const final = earlier ? sinceEarlier(dated, earlier, failOnOf(flags)) : dated;
      const patches = flags.patches && (await findPatches({ report: final, recorded }, flags, context));
      if (stream) stream.end(final);
      else if (!flags.isSilent)
        await writeReport(final, flags, context, { kind: driftReports, recorded, ...known, patches });
      await acceptFindings(final, flags, context);
      if (known) await notifier?.notify(known);
      context.exitCode = final.exitCode;
      if (flags.watch === undefined) return;
      earlier = report;
      const { watch } = flags;
      await interruptible(context, { message: interrupted, run: (signal) => context.time.sleep(watch, signal) });
    }
  } finally {
    await client?.close();
    printTimeSpent(stopwatch, context);
  }
}

/** Checked before anything is read: combinations that make no sense. */
function check(flags: DriftFlags, context: CliContext): void {
  checkOutput(flags);
  if (chosenBy(flags) && !flags.unmanaged)
    throw usageError("--filter and --kind choose among objects in no stack: add --unmanaged.");
  if (flags.writeBaseline !== undefined && flags.watch !== undefined)
    throw usageError("A baseline is written once: leave out --watch.");
  checkBaseline(flags, context);
}
