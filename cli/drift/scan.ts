import { join } from "node:path";
import { type DriftOptions, defaultConcurrency, detectDrift } from "../../drift/scan/detect";
import type { DriftReport } from "../../drift/scan/document";
import { shortHash } from "../../drift/scan/finding";
import { fileJournal } from "../../drift/scan/journal";
import type { RecordedStack } from "../../drift/scan/recorded-object";
import { thisTool } from "../../drift/scan/result";
import type { Progress } from "../../drift/scan/scan";
import type { Canvas } from "../../engine/display/live";
import { columns, formatElapsed, truncate } from "../../engine/display/text";
import { stateFolder } from "../../io/files/user-folders";
import { printable } from "../../io/text/printable";
import type { Client } from "../../provider/api/types";
import { settingVariable } from "../../provider/core/settings";
import type { CliContext } from "../command/context";
import { interruptible } from "../command/failure";
import { isDrawable } from "../command/safe-output";
import { reportDoubts } from "../platform/doctor/doubts";
import { chosenBy, runOf, type ScanFlags } from "./flags";
import { suppressionsIn } from "./scan-files";

interface ScanProgress {
  onProgress(progress: Progress): void;
  close(): void;
}

/** Milliseconds between two frames. */
const interval = 100;

/**
 * Progress of each account, on standard error: redrawn on a terminal, one line per finished account elsewhere, and
 * where findings are `printing` on that terminal.
 */
export async function openProgress(context: CliContext, { printing = false } = {}): Promise<ScanProgress> {
  const isHidden = printing && context.stdout.isTTY;
  return isDrawable(context.stderr, context) && !isHidden
    ? live(context, await context.openCanvas("stderr"))
    : lines(context);
}

function lines({ stderr }: CliContext): ScanProgress {
  return {
    onProgress: (progress) => {
      if (progress.done === progress.of) stderr.write(`${lineOf(progress)}\n`);
    },
    close: () => {},
  };
}

function live({ stderr, clock }: CliContext, canvas: Canvas): ScanProgress {
  const accounts = new Map<string, Progress>();
  const begun = clock.now();
  let changed = true;
  const draw = (): void => {
    if (!changed) return;
    changed = false;
    canvas.draw(frame([...accounts.values()], stderr.columns, stderr.rows - 1, clock.now() - begun).join("\n"));
  };
  const stop = clock.every(interval, draw);
  return {
    onProgress: (progress) => {
      accounts.set(progress.account, progress);
      changed = true;
    },
    close: () => {
      stop();
      canvas.erase();
    },
  };
}

/** A heading, and the accounts that are being read as far as there is room. */
export function frame(accounts: readonly Progress[], width: number, height: number, elapsed: number): string[] {
  const active = accounts.filter(({ done, of }) => done < of);
  const objects = accounts.reduce((sum, account) => sum + account.objects, 0);
  const title = `Reading: ${accounts.length - active.length} of ${accounts.length} accounts done, ${objects} objects`;
  const time = formatElapsed(elapsed);
  const heading = `${truncate(title, width - columns(time) - 2)}  ${time}`;
  const room = Math.max(0, height - 2);
  const visibleAccounts = active.slice(0, room).map((progress) => truncate(`  ${lineOf(progress)}`, width));
  const hidden = active.length - visibleAccounts.length;
  return [heading, ...visibleAccounts, ...(hidden > 0 ? [`  … and ${hidden} more`] : [])];
}

const lineOf = ({ account, done, of, objects, problem }: Progress): string =>
  `${account}: ${problem ?? `${done === of ? "read" : `${done} of ${of} collections read`}, ${objects} object${objects === 1 ? "" : "s"}`}`;

/** How stacks are scanned, what a signal leaves of that, and who is told while it continues. */
interface ScanKind extends Pick<DriftOptions, "stream" | "owners"> {
  /** What decides what is found, besides the flags of every scan. */
  decidedBy?: object;
  detect?(options: DriftOptions): Promise<DriftReport>;
  interrupted?: string;
}

export async function scanStacks(
  client: Client,
  stacks: readonly RecordedStack[],
  flags: ScanFlags,
  context: CliContext,
  { detect = detectDrift, interrupted: left = interrupted, stream, owners, decidedBy = {} }: ScanKind = {},
): Promise<DriftReport> {
  const options = await optionsOf(client, flags, decidedBy, context);
  const unusable = stacks.flatMap(({ stack, unusable: unusableResources }) =>
    unusableResources.map(({ urn, reason }) => `stack ${stack}: ${urn} ${reason}; it is left out.`),
  );
  for (const warning of [...stacks.flatMap(({ warnings }) => warnings), ...unusable])
    context.stderr.write(`warning: ${printable(warning)}\n`);
  // Every shard reads the same states: one of them says that it has no journal.
  reportDoubts(stacks, context, { isSpoken: (flags.shard?.index ?? 1) === 1 });
  const progress = await openProgress(context, { printing: stream !== undefined });
  return interruptible(context, {
    message: left,
    run: (signal) =>
      detect({ ...options, stacks, signal, stream, owners, onProgress: progress.onProgress, onRead: progress.close }),
  }).finally(() => progress.close());
}

/** Loaded only where there are prices. */
function costsWith(context: CliContext): DriftOptions["costs"] {
  if ((context.env[settingVariable("prices")] ?? "") === "") return undefined;
  return (require("../operation/costs") as typeof import("../operation/costs")).costsOfDrift(context);
}

/** What a signal leaves of a scan. */
const interrupted = "interrupted; the same scan, run within an hour, continues with what has been read";

async function optionsOf(
  client: Client,
  flags: ScanFlags,
  decidedBy: object,
  context: CliContext,
): Promise<Omit<DriftOptions, "stacks">> {
  const { account, allAccounts = false, unmanaged = false, all = false, shard, concurrency, timeout, failOn } = flags;
  const isNarrowed = [account, flags.stack, flags.project].some((choice) => choice !== undefined);
  const tool = thisTool();
  const costs = costsWith(context);
  const selection = chosenBy(flags);
  const run = runOf(flags, context);
  const { baseline, ignored } = await suppressionsIn(flags, context);
  const decisions = [
    all,
    unmanaged,
    failOn,
    selection?.key,
    costs?.key,
    baseline?.key,
    ignored?.key,
    flags.since !== undefined,
  ];
  return {
    client,
    tool,
    allAccounts,
    unmanaged,
    all,
    failOn,
    run,
    optionsDigest: shortHash(JSON.stringify([...decisions, decidedBy])),
    journal: fileJournal(join(stateFolder(context.env), "drift"), [tool.version, run], context.time.now),
    time: context.time,
    accounts: account,
    isNarrowed,
    shard,
    costs,
    wanted: selection,
    concurrency,
    timeout,
    baseline,
    suppressors: ignored && [ignored.suppressor],
  };
}

/** For one origin: every account reads several collections at a time. */
const connectionsPerAccount = 4;
const mostConnections = 512;

/** Connections for a scan that reads so many accounts at once. */
export const connectionsFor = (concurrency = defaultConcurrency): number =>
  Math.min(mostConnections, concurrency * connectionsPerAccount);
