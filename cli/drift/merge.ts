import type { Command } from "commander";
import { mergeReports } from "../../drift/scan/merge";
import type { CliContext } from "../command/context";
import { CommandError } from "../command/failure";
import { example } from "../command/flags";
import type { DriftFlags, ReportKind } from "./flags";
import { scanHistory, scanNotifier } from "./history";
import { earlierReport } from "./input";
import { checkOutput, findPatches, writeReport } from "./report";

/** `parent` is the command whose reports are put together. */
export function registerMerge(parent: Command, kind: ReportKind, context: CliContext): void {
  const { stem } = kind;
  const merge = parent
    .command("merge")
    .summary("put the reports of all shards together")
    .description(
      "Puts the JSON reports of all shards of one scan together. Refuses reports with a shard missing or given twice, and those of another version or of other stacks and accounts.",
    )
    .argument("<reports...>", `files that \`${stem} --shard i/n --format json\` wrote`);
  // The formats are declared once, for the scan: its parser takes them, wherever they stand.
  merge
    .addHelpText(
      "after",
      example(`npx pulumi-modelplatform ${stem} merge shard-*.json --format html --output ${stem}.html`),
    )
    .action((files: string[], _: unknown, command: Command) =>
      run(files, command.optsWithGlobals<DriftFlags>(), kind, context),
    );
}

async function run(files: readonly string[], flags: DriftFlags, kind: ReportKind, context: CliContext): Promise<void> {
  checkOutput(flags);
  const notifier = scanNotifier(flags, context);
  const reports = await Promise.all(files.map(async (file) => ({ file, report: await earlierReport(file, context) })));
  const merged = mergeReports(reports);
  if ("problem" in merged) throw new CommandError(merged.problem);
  const parts = reports.map(({ report }) => report);
  const known = await scanHistory(flags, context)?.record(parts, merged.report);
  const report = known?.report ?? merged.report;
  const patches = flags.patches && (await findPatches({ report, recorded: undefined }, flags, context));
  await writeReport(report, flags, context, { kind, ...known, patches });
  if (known) await notifier?.notify(known);
  context.exitCode = report.exitCode;
}
