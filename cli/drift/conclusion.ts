import type { ReportContext } from "../../drift/report/context";
import type { DriftReport } from "../../drift/scan/document";
import type { Owners } from "../../drift/scan/owners";
import type { RecordedStack } from "../../drift/scan/recorded-object";
import { sinceEarlier } from "../../drift/scan/result";
import type { CliContext } from "../command/context";
import { usageError } from "../command/failure";
import type { ReportFlags, ReportKind } from "./flags";
import type { Notifier } from "./notifier";
import { exitCodeOf, findPatches, writeReport } from "./report";
import { acceptFindings, earlierReport, ownersIn } from "./scan-files";
import type { ScanHistory } from "./scan-history";

/** Flags of every report; what fails it has its own words in each command. */
type ConclusionFlags = Omit<ReportFlags, "failOn">;

/** What is done with a report, whether a scan, an audit or a merge has made it. */
interface MadeReport {
  report: DriftReport;
  /** Those of its shards. Default: itself. */
  parts?: readonly DriftReport[];
  /** The stacks, where their states have been read. */
  recorded?: readonly RecordedStack[] | undefined;
  /** Prints a report in place of those that `--format` and `--output` name. */
  write?(report: DriftReport): void;
}

interface Conclusion {
  owners: Owners | undefined;
  /** Records it and keeps what is new in it to be told; writes it, accepts it, and tells of it; sets the exit code. */
  conclude(made: MadeReport): Promise<void>;
}

/** Reads and checks beforehand what the flags name: a scan is too long to learn afterwards that it is wrong. */
export async function openConclusion(
  flags: ConclusionFlags,
  kind: ReportKind,
  context: CliContext,
): Promise<Conclusion> {
  const history = scanHistory(flags, context);
  const owners = await ownersIn(flags, context);
  const notifier = scanNotifier(flags, owners, context);
  const earlier = flags.since === undefined ? undefined : await earlierReport(flags.since, context);
  const asAsked = (report: DriftReport): DriftReport => (earlier ? sinceEarlier(report, earlier) : report);
  return {
    owners,
    conclude: async ({ report, parts = [report], recorded, write }) => {
      // What cannot be accepted fails before anything is recorded.
      const accept = await acceptFindings(() => asAsked(report), flags, context);
      const known = await history?.record(parts, report, notifier?.keep);
      const final = asAsked(known?.report ?? report);
      if (write) write(final);
      else await writeAll(final, recorded, known);
      accept?.();
      if (known) await notifier?.tell(known);
      context.exitCode = exitCodeOf(final, flags);
    },
  };

  async function writeAll(
    report: DriftReport,
    recorded: readonly RecordedStack[] | undefined,
    known: Pick<ReportContext, "remedies" | "lastScans" | "unread"> | undefined,
  ): Promise<void> {
    const patches = flags.patches ? await findPatches({ report, recorded }, flags, context) : undefined;
    await writeReport(report, flags, context, { kind, recorded, ...known, patches });
  }
}

/** The history that `--history` names. Loaded only where there is one. */
function scanHistory({ history, historyDays }: ConclusionFlags, context: CliContext): ScanHistory | undefined {
  if (history === undefined) return undefined;
  const { historyOfScans } = require("./scan-history") as typeof import("./scan-history");
  return historyOfScans(history, historyDays, context);
}

/** Who is told what is new. Loaded only where there is somebody. */
function scanNotifier(flags: ConclusionFlags, owners: Owners | undefined, context: CliContext): Notifier | undefined {
  if (flags.notify === undefined && !flags.notifyOwners) return undefined;
  if (flags.notifyOwners && !owners?.destinations.size)
    throw usageError("--notify-owners tells teams: give --owners, whose `teams` have a destination.");
  const { openNotifier } = require("./notifier") as typeof import("./notifier");
  return openNotifier(flags, owners, context);
}
