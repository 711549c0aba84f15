import type { Command } from "commander";
import { figuresFormats } from "../../drift/report/timeline/index";
import type { CliContext } from "../command/context";
import { usageError } from "../command/failure";
import { example, formatsHelp } from "../command/flags";
import type { DriftFlags } from "./flags";
import type { Notifier } from "./notify";
import type { ScanHistory } from "./scan-history";

/** The history that `--history` names. Loaded only where there is one. */
export function scanHistory({ history, historyDays }: DriftFlags, context: CliContext): ScanHistory | undefined {
  if (history === undefined) return undefined;
  const { historyOfScans } = require("./scan-history") as typeof import("./scan-history");
  return historyOfScans(history, historyDays, context);
}

export function registerHistory(drift: Command, context: CliContext): void {
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
export function scanNotifier(flags: DriftFlags, context: CliContext): Notifier | undefined {
  const { notify, history, notifySecretEnv, notifyFormat, notifyDryRun } = flags;
  if (notify === undefined) {
    if (notifySecretEnv !== undefined || notifyFormat !== undefined || notifyDryRun)
      throw usageError("--notify-secret-env, --notify-format and --notify-dry-run need --notify.");
    return undefined;
  }
  if (history === undefined)
    throw usageError("--notify tells what is new since the scan before: give --history, which knows that.");
  const { openNotifier } = require("./notify") as typeof import("./notify");
  return openNotifier(notify, flags, context);
}
