import type { Command } from "commander";
import { figuresFormats } from "../../drift/report/timeline/index";
import type { CliContext } from "../command/context";
import { formatsHelp } from "../command/format-flag";
import { example } from "../command/help";
import type { DriftFlags } from "./flags";
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
      const { showHistory } = require("./history-figures") as typeof import("./history-figures");
      showHistory(command.optsWithGlobals<DriftFlags>(), context);
    });
}
