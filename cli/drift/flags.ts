import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { notificationFormats } from "../../drift/notify/forms";
import { auditFormats, formats as driftFormats } from "../../drift/report/formats";
import type { ObjectSelection } from "../../drift/scan/selection";
import { parseShard, type Shard } from "../../drift/scan/shard";
import { latestExpiry, runName, severities, verdicts } from "../../drift/scan/verdicts";
import { durationSeconds } from "../../provider/core/fields/equality";
import { dayOf } from "../../provider/core/values/grouping";
import type { CliContext } from "../command/context";
import { usageError } from "../command/failure";
import {
  type FlagsOf,
  flag,
  formatsFlag,
  listFlag,
  listOf,
  programFlag,
  repeatable,
  withHelpGroup,
  without,
} from "../command/flags";
import { stackFlags } from "../command/stack-flags";

/** What is scanned, and what of it counts. */
export const driftFlags = () => [
  ...withHelpGroup("Stacks:", stackFlags()),
  ...accountFlags(),
  ...withHelpGroup(whatCounts, [
    flag("--unmanaged", "list live objects that are in no stack, and count them as drift"),
    ...selectionFlags(),
    flag("--all", "also list objects that are in sync"),
  ]),
  ...judgingFlags(),
];

const accountFlags = () =>
  withHelpGroup("Accounts:", [
    repeatable("-a, --account <account>", "only this account (default: all in which something is recorded)"),
    flag("--all-accounts", "also every account that a configured key can list"),
    flag(
      "--shard <i/n>",
      "read only the i-th of n parts of the accounts; `drift merge` puts the reports together",
      shardIn,
    ),
    ...runFlags(),
    flag("--concurrency <n>", "accounts that are read at once (default: 64)", countIn),
  ]);

/** Which scans are of one run. */
export const runFlags = () => [
  flag(
    "--run <id>",
    "name of the run that this is part of, so that only its reports are merged (default: the pipeline's, of GitHub or GitLab)",
    runIn,
  ),
  flag("--timeout <duration>", "how long the scan may take (default: 10m)", durationIn),
];

const whatCounts = "What is reported, and what counts:";

/** What counts of what was found: a scan judges it, and a merge judges it anew. */
export const judgingFlags = () =>
  withHelpGroup(whatCounts, [
    flag(
      "--fail-on <verdict,…>",
      "what counts as drift (default: changed,missing, and unmanaged with its flag)",
      listOf("--fail-on", () => verdicts),
    ),
    flag("--exit-zero", "end with 0 wherever there is a report: a merge says what the shards come to"),
    flag("--ignore <file>", "what to ignore: gitignore syntax on account/type/id and account/type/id#path"),
    flag("--since <report.json>", "ignore what this earlier report found"),
    flag("--history <folder>", "record in this folder what is found and what is gone, and report since when"),
    flag("--history-days <n>", "days that the history goes back (default: 400)", daysIn),
    flag("--baseline <file>", "findings that are accepted for a while, as `drift baseline` writes them"),
    flag("--baseline-errors", "let the baseline accept findings of severity error"),
    flag(
      "--write-baseline <file>",
      "accept the current findings: writes a baseline; needs --owner, --reason and --expires",
    ),
    repeatable(
      "--cause <id>",
      "accept only this cause, in every object that has or gets it: an id of `groups` in the JSON report",
    ),
    flag("--owner <who>", "who is responsible for a baseline"),
    flag("--reason <text>", "why a baseline is accepted"),
    flag("--expires <day>", "last day of a baseline, YYYY-MM-DD, at most 180 days from now"),
    flag("--owners <file>", "which team owns what is found (default: MODELPLATFORM_OWNERS)"),
  ]);

/** What a merge takes besides the flags of its scans. */
export const mergeFlags = () => [
  flag("--require-complete", "refuse reports of which a shard, an account or a stack is missing"),
];

/** Who is told what is new. */
export const notifyFlags = () =>
  withHelpGroup("Notification:", [
    flag("--notify <url>", "post what is new, worse or resolved since the scan before to a webhook; needs --history"),
    flag(
      "--notify-owners",
      "tell each team of its findings, at the destination that --owners has for it; needs --history",
    ),
    flag("--notify-secret-env <name>", "environment variable with the secret that messages are signed with"),
    flag("--notify-format <format>", "form of messages (default: cloudevents)", notificationFormats),
    flag("--notify-dry-run", "print the message instead of sending it"),
  ]);

export const outputFlags = ({ stem, formats, isOfPrograms }: ReportKind) =>
  withHelpGroup("Report:", [
    formatsFlag(formats),
    flag("--output <path>", `write to a file; with several formats to a folder, as ${stem}.<ext>`),
    programFlag("folder of the program in the repository, for links to its source (default: the root)"),
    ...(isOfPrograms ? [patchesFlag] : []),
    flag("-j, --json", "print JSON, as --format json does"),
  ]);

const patchesFlag = flag(
  "--patches",
  "in HTML, show the patch that would accept each finding: reads the programs that --program names, else the one in this folder, with their own TypeScript",
);

function shardIn(text: string): Shard {
  const shard = parseShard(text);
  if (!shard) throw usageError("--shard takes a part and how many there are, such as 1/4; the first is 1.");
  return shard;
}

function runIn(text: string): string {
  if (runName.test(text)) return text;
  throw usageError("--run takes up to 128 letters, digits and `.`, `_`, `:`, `@`, `/`, `-`, such as 2026-01-31.");
}

/** Where pipelines say which run this is: the same in all jobs of it, and in those that are tried again. */
export const pipelineRun = ({ env }: Pick<CliContext, "env">): string | undefined =>
  ["GITHUB_RUN_ID", "CI_PIPELINE_ID"].map((name) => env[name]).find((id) => id !== undefined && runName.test(id));

/** The run that a scan is part of. */
export const runOf = ({ run }: Pick<ScanFlags, "run">, context: Pick<CliContext, "env">): string | undefined =>
  run ?? pipelineRun(context);

function countIn(text: string): number {
  const count = Number(text);
  if (!Number.isInteger(count) || count < 1) throw usageError("--concurrency takes a whole number from 1 on.");
  return count;
}

function daysIn(text: string): number {
  const days = Number(text);
  if (!Number.isInteger(days) || days < 1) throw usageError("--history-days takes a whole number of days from 1 on.");
  return days;
}

function durationIn(text: string): number {
  const seconds = durationSeconds(text);
  if (!(seconds > 0)) throw usageError("--timeout takes a duration such as 90s, 10m or 1h.");
  return seconds * 1000;
}

/** What a command reports, and in which formats. */
export interface ReportKind {
  /** Of the files, where there are several: `drift.<extension>`. */
  stem: string;
  formats: typeof driftFormats;
  /** Its findings are differences to programs, which patches end. */
  isOfPrograms: boolean;
}

export const driftReports: ReportKind = { stem: "drift", formats: driftFormats, isOfPrograms: true };

export const auditReports: ReportKind = { stem: "audit", formats: auditFormats, isOfPrograms: false };

/** What is declared is loaded once a line names a kind, or its help does. */
const managedSpecs = () =>
  (require("../../provider/resources/index") as typeof import("../../provider/resources/index")).managedSpecs;

/** Which live objects that are in no stack a command lists. */
export const selectionFlags = () => [
  flag(
    "--filter <filter>",
    "of the objects in no stack, only those that match this AIP-160 filter, such as 'state = FAILED'",
  ),
  listFlag("--kind <kind>", "of the objects in no stack, only this kind; may be repeated", () =>
    managedSpecs().map(({ kind }) => kind),
  ),
];

/** What only a comparison with stacks takes. */
const ofDrift = ["unmanaged", "filter", "kind", "all", "failOn"] as const;

export const auditFlags = () => [
  ...withHelpGroup("Policies:", [
    flag(
      "--policy-pack-config <file>",
      "levels and options of the policies, as the Pulumi CLI's flag of this name takes them (default: those of the pack)",
    ),
    flag(
      "--fail-on <severity,…>",
      "severities of breaches that fail the audit (default: error)",
      listOf("--fail-on", () => severities),
    ),
  ]),
  ...without(driftFlags(), ...ofDrift),
  ...notifyFlags(),
  ...outputFlags(auditReports),
];

export type AuditFlags = FlagsOf<typeof auditFlags>;

type SelectionFlags = FlagsOf<typeof selectionFlags>;
export type ScanFlags = FlagsOf<typeof driftFlags>;
export type NotifyFlags = FlagsOf<typeof notifyFlags>;
export type OutputFlags = FlagsOf<typeof outputFlags>;
type JudgingFlags = FlagsOf<typeof judgingFlags>;
/** What commands take that make a report: by a scan, or of other reports. */
export type ReportFlags = JudgingFlags & NotifyFlags & OutputFlags;
export type DriftFlags = ScanFlags & NotifyFlags & OutputFlags;
export type MergeFlags = ReportFlags & FlagsOf<typeof runFlags> & FlagsOf<typeof mergeFlags>;

/** The choice that flags make; undefined where they make none. */
export function chosenBy({ filter, kind }: SelectionFlags): ObjectSelection | undefined {
  if (filter === undefined && kind === undefined) return undefined;
  const { selectObjects } = require("../../drift/scan/selection") as typeof import("../../drift/scan/selection");
  try {
    return selectObjects(managedSpecs(), { kinds: kind, filter });
  } catch (error) {
    const { InvalidFilterError } = require("../../filters/grammar") as typeof import("../../filters/grammar");
    if (error instanceof InvalidFilterError) throw usageError(`--filter: ${error.message}`);
    throw error;
  }
}

export type BaselineFlags = Pick<
  ScanFlags,
  "baseline" | "writeBaseline" | "cause" | "owner" | "reason" | "expires" | "baselineErrors"
>;

/** Checked before anything is read. */
export function checkBaseline(
  { baseline, writeBaseline, cause, owner, reason, expires }: BaselineFlags,
  { cwd, time }: CliContext,
): void {
  if (writeBaseline === undefined && cause !== undefined)
    throw usageError("--cause says what a baseline accepts: it goes with `drift baseline`, or with --write-baseline.");
  if (writeBaseline === undefined) return;
  if (!owner || !reason || !expires)
    throw usageError(
      "A baseline needs --owner, --reason and --expires: who accepts what is found, why, and until when.",
    );
  if (cause && baseline === undefined && existsSync(resolve(cwd, writeBaseline)))
    throw usageError(`${writeBaseline} exists. Give --baseline ${writeBaseline} to add to it, or write another file.`);
  const latest = latestExpiry(time.now());
  const today = dayOf(time.now());
  if (!/^\d{4}-\d{2}-\d{2}$/.test(expires) || expires < today || expires > latest)
    throw usageError(`--expires takes a day like 2026-01-31, from ${today} up to ${latest}.`);
}

/** Checked before anything is read. */
export function checkNotify({
  notify,
  notifyOwners = false,
  history,
  notifySecretEnv,
  notifyFormat,
  notifyDryRun = false,
}: Omit<ReportFlags, "failOn">): void {
  if (notify === undefined && (notifySecretEnv !== undefined || notifyFormat !== undefined))
    throw usageError("--notify-secret-env and --notify-format need --notify; a file of owners has its own.");
  if (notify === undefined && !notifyOwners && notifyDryRun)
    throw usageError("--notify-dry-run needs --notify or --notify-owners.");
  if ((notify !== undefined || notifyOwners) && history === undefined)
    throw usageError(
      "--notify and --notify-owners tell what is new since the scan before: give --history, which knows that.",
    );
}

export const formatsOf = ({ format, json }: OutputFlags): string[] => format ?? (json ? ["json"] : ["text"]);

/** Checked before anything is read: a scan that cannot be written is useless. */
export function checkOutput(flags: OutputFlags): void {
  if (flags.json && flags.format && !flags.format.includes("json"))
    throw usageError("--json and --format do not go together; give --format json among the formats.");
  if (formatsOf(flags).length > 1 && flags.output === undefined)
    throw usageError("Several formats need a folder to be written to: give --output.");
  if (flags.patches && !formatsOf(flags).includes("html"))
    throw usageError("--patches are shown in HTML alone: add --format html.");
}
