import { closeSync, writeSync } from "node:fs";
import { join } from "node:path";
import type { ReportContext } from "../../drift/report/context";
import type { NdjsonStream } from "../../drift/report/json";
import type { DriftReport } from "../../drift/scan/document";
import type { RecordedStack } from "../../drift/scan/recorded-object";
import { wantsColour } from "../../engine/display/text";
import { toDiskError } from "../../io/files/disk-error";
import { openPrivate } from "../../io/files/write";
import { type CliContext, exitCodes } from "../command/context";
import { programOf } from "../command/flags";
import { columnsTo, writeReportFile } from "../command/output";
import type { ScanForPatches } from "./accept/patches";
import { type DriftFlags, formatsOf, type OutputFlags, type ReportKind, type ScanFlags } from "./flags";

/** What a report is of, and what its formats show besides. */
interface ReportExtras {
  kind: ReportKind;
  patches?: ReportContext["patches"] | undefined;
  /** The stacks, where their states have been read. */
  recorded?: readonly RecordedStack[] | undefined;
  remedies?: ReportContext["remedies"] | undefined;
  lastScans?: ReportContext["lastScans"] | undefined;
  unread?: ReportContext["unread"] | undefined;
}

/** One format on standard output or in a file, several in a folder. */
export async function writeReport(
  report: DriftReport,
  flags: OutputFlags,
  context: CliContext,
  { kind, patches, recorded, remedies, lastScans, unread }: ReportExtras,
): Promise<void> {
  const { stem, formats } = kind;
  const names = formatsOf(flags);
  const { env, stdout, colour } = context;
  const programs = Object.fromEntries(
    report.scope.stacks.map((stack) => [stack, programOf(flags.program, stack) ?? "."]),
  );
  const allowances = recorded && loadAllowances().allowancesOf(report.findings, recorded);
  for (const name of names) {
    const format = formats[name]!;
    const toTerminal = flags.output === undefined;
    const text = format.render(report, {
      columns: columnsTo(flags.output, context),
      color: toTerminal && (colour ?? wantsColour(env, stdout.isTTY)),
      programs,
      builtIn: new Set(report.scope.builtIn),
      allowances,
      patches,
      remedies,
      lastScans,
      unread,
    });
    const summary = env["GITHUB_STEP_SUMMARY"];
    if (name === "markdown" && summary) appendTo(summary, text);
    if (flags.output === undefined) stdout.write(text);
    else
      writeReportFile(
        names.length > 1 ? join(flags.output, `${stem}.${format.extension}`) : flags.output,
        text,
        context,
      );
  }
}

/** What edits programs takes long to load. */
const loadAllowances = () => require("../../drift/accept/allowances") as typeof import("../../drift/accept/allowances");

/** What a command ends with that has written the report. */
export const exitCodeOf = ({ exitCode }: DriftReport, { exitZero = false }: Pick<ScanFlags, "exitZero">): number =>
  exitZero ? exitCodes.done : exitCode;

/** The runner owns the file and reads it after the job. */
function appendTo(path: string, text: string): void {
  try {
    const file = openPrivate(path, "append");
    try {
      writeSync(file, text);
    } finally {
      closeSync(file);
    }
  } catch (cause) {
    throw toDiskError(path, "written", cause);
  }
}

/**
 * Prints findings as soon as their account is read: in the one format that can, unless something else has to be known
 * of each first. Undefined where the report is written at its end.
 */
export function streamFor(
  { format = [], output, since, history }: DriftFlags,
  { stdout }: CliContext,
): NdjsonStream | undefined {
  const waits = [output, since, history].some((flag) => flag !== undefined);
  if (waits || format.length !== 1 || format[0] !== "ndjson") return undefined;
  const { NdjsonStream } = require("../../drift/report/json") as typeof import("../../drift/report/json");
  return new NdjsonStream((text) => stdout.write(text));
}

/** The patch for each finding. The editor of programs takes longer to load than a small scan takes. */
export async function findPatches(
  scanned: ScanForPatches,
  flags: OutputFlags,
  context: CliContext,
): Promise<ReportContext["patches"]> {
  const { patchesFor } = require("./accept/patches") as typeof import("./accept/patches");
  return patchesFor(scanned, flags, context);
}
