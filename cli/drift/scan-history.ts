import { join, resolve } from "node:path";
import {
  type Foreseen,
  figuresOf,
  type HistoryStore,
  HistoryVersionError,
  type LastScans,
  lastScansOf,
  type Occurrence,
  openHistory,
  PartialReportError,
  type RecordResult,
  type RemedyTimes,
  remedyTimesOf,
  unreadFindings,
  withDates,
} from "../../drift/history/store";
import { figuresFormats } from "../../drift/report/formats";
import type { DriftReport } from "../../drift/scan/document";
import { wantsColour } from "../../engine/display/text";
import { assertStaysInFolder } from "../../io/files/folders";
import { printable } from "../../io/text/printable";
import { omitUndefined } from "../../provider/core/values/values";
import type { CliContext } from "../command/context";
import { unwritableError, usageError } from "../command/failure";
import { columnsTo, writeReportFile } from "../command/output";
import type { DriftFlags } from "./flags";

export interface ScanHistory {
  /**
   * Records a scan by its report, or by those of its shards, and dates the findings of `report`. Never rejects: without
   * a history, a report says less and stands all the same. A warning says why. `keep` is called for each part that the
   * history does not have, before it has it.
   */
  record(
    parts: readonly DriftReport[],
    report: DriftReport,
    keep?: (news: ScanNews) => void,
  ): Promise<KnownReport | undefined>;
}

/** A report, and what is new in it or in one of its parts. */
export interface ScanNews extends Foreseen {
  report: DriftReport;
}

interface KnownReport extends ScanNews {
  remedies: readonly RemedyTimes[];
  lastScans: LastScans;
  unread: readonly Occurrence[];
}

export function historyOfScans(name: string, days: number | undefined, context: CliContext): ScanHistory {
  const folder = resolve(context.cwd, name);
  const store = openNamedHistory(name, days, context);
  return {
    record: async (parts, report, keep) => {
      const missing = (report.missing ?? []).map((part) => ({ ...part, at: report.finishedAt }));
      const foresee = ({ delta, history }: Foreseen) =>
        keep?.({ report, delta: { ...delta, missing: [...missing, ...(delta.missing ?? [])] }, history });
      try {
        assertStaysInFolder(join(folder, "history"), context.cwd);
        const recorded: RecordResult[] = [];
        for (const part of inOrder(parts))
          recorded.push(
            await store.record(omitUndefined({ ...part, missing: report.missing, complete: report.complete }), foresee),
          );
        const { history } = recorded.at(-1)!;
        const news = (what: "found" | "worse") => recorded.flatMap((each) => each.delta[what]);
        const resolved = recorded.flatMap((each) => each.delta.resolved);
        return {
          report: withDates(report, history),
          delta: {
            found: news("found"),
            worse: news("worse"),
            resolved,
            handedOver: recorded.flatMap((each) => each.delta.handedOver),
            missing: [
              ...(recorded.some(({ isNew }) => isNew) ? missing : []),
              ...recorded.flatMap((each) => each.delta.missing ?? []),
            ],
          },
          history,
          remedies: remedyTimesOf(history, report),
          lastScans: lastScansOf(history, report),
          unread: unreadFindings(report, history),
        };
      } catch (cause) {
        warn(`the scan is not in the history: ${reasonOf(folder, cause)}`, context);
        return undefined;
      }
    },
  };
}

/** As they ended: of shards that ran one after the other, the last one says what counts. */
const inOrder = (parts: readonly DriftReport[]): DriftReport[] =>
  [...parts].sort((left, right) => (left.finishedAt < right.finishedAt ? -1 : 1));

/** The history in a folder that the user has named. */
function openNamedHistory(name: string, days: number | undefined, context: CliContext): HistoryStore {
  return openHistory(resolve(context.cwd, name), {
    days,
    now: context.time.now,
    sleep: context.time.sleep,
    warn: (warning) => warn(warning, context),
  });
}

/** What the system refuses, in words. */
const reasonOf = (folder: string, cause: unknown): string =>
  cause instanceof HistoryVersionError || cause instanceof PartialReportError
    ? cause.message
    : unwritableError(folder, cause).message;

const warn = (warning: string, { stderr }: CliContext): void => {
  stderr.write(`warning: ${printable(warning.replace(/\.$/, ""))}.\n`);
};

/** `drift history`: the figures of a history in one format. */
export function showHistory({ history, format: formats, json, output }: DriftFlags, context: CliContext): void {
  const { env, stdout, colour, time } = context;
  if (history === undefined) throw usageError("drift history needs the folder of the history: give --history.");
  const [name = json ? "json" : "text", ...others] = formats ?? [];
  const format = figuresFormats[name];
  if (!format || others.length > 0)
    throw usageError(`drift history takes one --format of ${Object.keys(figuresFormats).join(", ")}.`);
  const figures = figuresOf(openNamedHistory(history, undefined, context).read());
  const color = output === undefined && (colour ?? wantsColour(env, stdout.isTTY));
  const text = format.render(figures, {
    columns: columnsTo(output, context),
    color,
    now: time.now(),
  });
  if (output === undefined) stdout.write(text);
  else writeReportFile(output, text, context);
}
