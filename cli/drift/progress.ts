import type { Progress } from "../../drift/scan/scan";
import type { Canvas } from "../../engine/display/live";
import { columns, formatElapsed, truncate } from "../../engine/display/text";
import type { CliContext } from "../command/context";
import { isDrawable } from "../command/safe-output";

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
