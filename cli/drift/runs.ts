import { mayBeIn } from "../../drift/scan/accounts";
import type { DriftReport } from "../../drift/scan/document";
import { mergeReports } from "../../drift/scan/merge";
import { failOnOf, sinceEarlier } from "../../drift/scan/result";
import { readStacks, type StackSources, type Surroundings } from "../../drift/scan/stacks";
import { resolveSettings } from "../../provider/api/settings/config";
import { Stopwatch } from "../../provider/api/time";
import type { Client } from "../../provider/api/types";
import { openClient } from "../command/client";
import type { CliContext } from "../command/context";
import { CommandError } from "../command/failure";
import { printTimeSpent } from "../command/output";
import { recordedFor, sourceEnvironment } from "../command/recorded-stacks";
import { type DriftFlags, driftReports, type MergeFlags, pipelineRun, type ReportKind } from "./flags";
import { exitCodeOf, findPatches, streamFor, writeReport } from "./report";
import { connectionsFor, scanStacks } from "./scan";
import { acceptFindings, earlierReport } from "./scan-files";
import type { Notifier, ScanHistory } from "./scan-history";

/** The history that `--history` names. Loaded only where there is one. */
function scanHistory({ history, historyDays }: DriftFlags, context: CliContext): ScanHistory | undefined {
  if (history === undefined) return undefined;
  const { historyOfScans } = require("./scan-history") as typeof import("./scan-history");
  return historyOfScans(history, historyDays, context);
}

/** Who is told what is new. Loaded only where `--notify` names a webhook. */
function scanNotifier(flags: DriftFlags, context: CliContext): Notifier | undefined {
  if (flags.notify === undefined) return undefined;
  const { openNotifier } = require("./scan-history") as typeof import("./scan-history");
  return openNotifier(flags.notify, flags, context);
}

/** Puts the reports of all shards together. */
export async function merge(
  files: readonly string[],
  flags: MergeFlags,
  kind: ReportKind,
  context: CliContext,
): Promise<void> {
  const notifier = scanNotifier(flags, context);
  const reports = await Promise.all(files.map(async (file) => ({ file, report: await earlierReport(file, context) })));
  for (const { file, report } of reports) assertKind(file, report, kind);
  const { run, timeout, failOn, requireComplete } = flags;
  const pipeline = pipelineRun(context);
  const merged = mergeReports(reports, { run, pipelineRun: pipeline, timeout, failOn, requireComplete });
  if ("problem" in merged) throw new CommandError(merged.problem);
  const parts = reports.map(({ report }) => report);
  const known = await scanHistory(flags, context)?.record(parts, merged.report);
  const report = known?.report ?? merged.report;
  const patches = flags.patches ? await findPatches({ report, recorded: undefined }, flags, context) : undefined;
  await writeReport(report, flags, context, { kind, ...known, patches });
  if (known) await notifier?.notify(known);
  context.exitCode = report.exitCode;
}

function assertKind(file: string, { policies }: DriftReport, { stem }: ReportKind): void {
  const own = policies ? "audit" : "drift";
  if (own !== stem)
    throw new CommandError(
      `${file} is a report of \`${own}\`: merge it with \`${own} merge\`, and not with \`${stem} merge\`.`,
    );
}

/** Of stacks whose accounts are all in other shards, only patches need the objects. */
function neededIn(
  { shard, patches, allAccounts = false }: DriftFlags,
  { env }: CliContext,
): Pick<Surroundings, "isNeeded"> {
  if (shard === undefined || patches) return {};
  return { isNeeded: mayBeIn(shard, { settings: resolveSettings({ env }) }, { all: allAccounts }) };
}

export interface ScanRunFlags extends DriftFlags {
  /** Writes no report. */
  isSilent?: true;
}

export async function scan(sources: StackSources, flags: ScanRunFlags, context: CliContext): Promise<void> {
  const connections = connectionsFor(flags.concurrency);
  const stopwatch = new Stopwatch(context.time.now);
  const history = scanHistory(flags, context);
  const notifier = scanNotifier(flags, context);
  const stream = streamFor(flags, context);
  let client: Client | undefined;
  try {
    const earlier = flags.since === undefined ? undefined : await earlierReport(flags.since, context);
    const recorded = await readStacks(sources, { ...sourceEnvironment(context), ...neededIn(flags, context) });
    client = openClient(context, { effects: ["read"], connections, stopwatch }, recordedFor(recorded, context));
    const report = await scanStacks(client, recorded, flags, context, { stream });
    const known = await history?.record([report], report);
    const dated = known?.report ?? report;
    const final = earlier ? sinceEarlier(dated, earlier, failOnOf(flags)) : dated;
    const patches = flags.patches ? await findPatches({ report: final, recorded }, flags, context) : undefined;
    if (stream) stream.end(final);
    else if (!flags.isSilent)
      await writeReport(final, flags, context, { kind: driftReports, recorded, ...known, patches });
    await acceptFindings(final, flags, context);
    if (known) await notifier?.notify(known);
    context.exitCode = exitCodeOf(final, flags);
  } finally {
    await client?.close();
    printTimeSpent(stopwatch, context);
  }
}
