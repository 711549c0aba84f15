import { missingText } from "../../drift/report/causes";
import { mayBeIn } from "../../drift/scan/accounts";
import type { DriftReport } from "../../drift/scan/document";
import type { Finding } from "../../drift/scan/finding-document";
import { mergeReports, type ReportPart } from "../../drift/scan/merge";
import { type Owners, withOwner } from "../../drift/scan/owners";
import { teamsOf } from "../../drift/scan/result";
import type { StackSources, Surroundings } from "../../drift/scan/stacks";
import { applySuppressions } from "../../drift/scan/suppression";
import { printable } from "../../io/text/printable";
import { resolveSettings } from "../../provider/api/settings/config";
import { Stopwatch } from "../../provider/api/time";
import type { Client } from "../../provider/api/types";
import { openClient } from "../command/client";
import type { CliContext } from "../command/context";
import { CommandError, interruptible } from "../command/failure";
import { printTimeSpent } from "../command/output";
import { readRecorded, recordedFor } from "../command/recorded-stacks";
import { openConclusion } from "./conclusion";
import { type DriftFlags, driftReports, type MergeFlags, pipelineRun, type ReportKind } from "./flags";
import { streamFor } from "./report";
import { connectionsFor, scanStacks } from "./scan";
import { earlierReport, NoReportError, suppressionsIn } from "./scan-files";

/** Puts the reports of all shards together. */
export async function merge(
  files: readonly string[],
  flags: MergeFlags,
  kind: ReportKind,
  context: CliContext,
): Promise<void> {
  const { conclude, owners } = await openConclusion(flags, kind, context);
  const judge = await openJudge(flags, owners, context);
  const given = await readReports(files, flags, context);
  for (const { file, report } of given) assertKind(file, report, kind);
  const reports = await judge.parts(given);
  const { run, timeout, failOn, requireComplete } = flags;
  const pipeline = pipelineRun(context);
  const merged = mergeReports(reports, {
    run,
    pipelineRun: pipeline,
    timeout,
    now: context.time.now(),
    failOn,
    requireComplete,
  });
  if ("problem" in merged) throw new CommandError(merged.problem);
  const missing = missingText(merged.report);
  if (missing !== undefined && flags.output !== undefined)
    context.stderr.write(`warning: ${printable(missing)}. The report names each, and why.\n`);
  await conclude({ report: judge.whole(merged.report), parts: reports.map(({ report }) => report) });
}

/** What counts of the findings of others, by the flags that say so in a scan. */
interface Judge {
  parts(reports: readonly ReportPart[]): Promise<ReportPart[]>;
  whole(report: DriftReport): DriftReport;
}

async function openJudge(flags: MergeFlags, owners: Owners | undefined, context: CliContext): Promise<Judge> {
  const { baseline, ignored } = await suppressionsIn(flags, context);
  const suppressors = [ignored?.suppressor, baseline?.suppressor].filter((each) => each !== undefined);
  const owned = (finding: Finding): Finding => (owners ? withOwner(finding, owners) : finding);
  return {
    parts: (reports) =>
      interruptible(context, {
        message: "interrupted; nothing was written",
        run: (signal) =>
          Promise.all(
            reports.map(async ({ file, report }) => ({
              file,
              report: {
                ...report,
                findings: (await applySuppressions(report.findings, suppressors, signal)).map(owned),
              },
            })),
          ),
      }),
    // Where the scans had a baseline, they have said what of it is stale: its findings are suppressed already.
    whole: (report) => ({
      ...report,
      ...(baseline &&
        report.staleBaseline === undefined && {
          staleBaseline: baseline.stale(new Set(report.accounts.map(({ account }) => account))),
        }),
      ...(owners && teamsOf(owners, report)),
    }),
  };
}

/** The reports. One that was cut off is left out, so that what it is about is missing. */
async function readReports(
  files: readonly string[],
  { requireComplete }: MergeFlags,
  context: CliContext,
): Promise<ReportPart[]> {
  const cut: NoReportError[] = [];
  const read = async (file: string): Promise<ReportPart[]> => {
    try {
      return [{ file, report: await earlierReport(file, context) }];
    } catch (error) {
      if (!(error instanceof NoReportError)) throw error;
      cut.push(error);
      return [];
    }
  };
  const parts = (await Promise.all(files.map(read))).flat();
  const [first] = cut;
  if (first && (requireComplete || parts.length === 0)) throw first;
  for (const { message } of cut) context.stderr.write(`warning: ${printable(message)} It is left out.\n`);
  return parts;
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
  const { conclude, owners } = await openConclusion(flags, driftReports, context);
  const stream = streamFor(flags, context);
  const write = stream ? (report: DriftReport) => stream.end(report) : flags.isSilent && (() => {});
  let client: Client | undefined;
  try {
    const recorded = await readRecorded(sources, context, neededIn(flags, context));
    client = openClient(context, { effects: ["read"], connections, stopwatch }, recordedFor(recorded, context));
    const report = await scanStacks(client, recorded, flags, context, { stream, owners });
    await conclude({ report, recorded, ...(write && { write }) });
  } finally {
    await client?.close();
    printTimeSpent(stopwatch, context);
  }
}
