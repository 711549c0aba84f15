import type { Command } from "commander";
import { failOnOf, sinceEarlier } from "../../drift/scan/result";
import { readStacks } from "../../drift/scan/stacks";
import { Stopwatch } from "../../provider/api/time";
import type { Client } from "../../provider/api/types";
import type { CliContext } from "../command/context";
import { usageError } from "../command/failure";
import { example, formatsHelp } from "../command/flags";
import { interruptible } from "../command/interruptible";
import { printTimeSpent } from "../command/output";
import { recordedFor, requireSources, sourceEnvironment } from "../command/recorded-stacks";
import { openClient } from "../platform/platform";
import { chosenBy, type DriftFlags, driftFlags, driftReports, notifyFlags, outputFlags } from "./flags";
import { registerHistory, scanHistory, scanNotifier } from "./history";
import { acceptFindings, checkBaseline, earlierReport } from "./input";
import { registerMerge } from "./merge";
import { checkOutput, findPatches, streamFor, writeReport } from "./report";
import { connectionsFor, interrupted, scanStacks } from "./scan";

export function register(program: Command, context: CliContext): void {
  const drift = program
    .command("drift")
    .description(
      "Compares what stacks record with the live accounts, and reports whether each object is in sync, changed, missing or unmanaged. Only reads; needs no passphrase. Keys come from the environment: MODELPLATFORM_API_KEY with MODELPLATFORM_ACCOUNT_ID, MODELPLATFORM_ACCOUNTS, MODELPLATFORM_ACCOUNTS_FILE.",
    );
  for (const option of [...driftFlags(), ...notifyFlags(), ...outputFlags(driftReports)]) drift.addOption(option);
  drift
    .addHelpText(
      "after",
      example(
        "npx pulumi-modelplatform drift --backend file://~/state",
        "npx pulumi-modelplatform drift --stack prod --all-accounts --unmanaged --format markdown",
        "npx pulumi-modelplatform drift --stack-file prod.json --format sarif --format html --output reports",
      ),
    )
    .addHelpText("after", formatsHelp(driftReports.formats))
    .addHelpText(
      "after",
      "Exit codes: 0 no drift, 1 error, 2 drift, 3 something could not be read,\n64 usage, 130 interrupted.\n",
    )
    .action((flags: DriftFlags) => run(flags, context));
  registerMerge(drift, driftReports, context);
  registerHistory(drift, context);
}

async function run(flags: DriftFlags, context: CliContext): Promise<void> {
  check(flags, context);
  const sources = await requireSources("drift", flags, context);
  const connections = connectionsFor(flags.concurrency);
  const stopwatch = new Stopwatch(context.time.now);
  const history = scanHistory(flags, context);
  const notifier = scanNotifier(flags, context);
  const stream = streamFor(flags, context);
  let client: Client | undefined;
  try {
    let earlier = flags.since === undefined ? undefined : await earlierReport(flags.since, context);
    for (;;) {
      const recorded = await readStacks(sources, sourceEnvironment(context));
      client ??= openClient(context, { effects: ["read"], connections, stopwatch }, recordedFor(recorded, context));
      const report = await scanStacks(client, recorded, flags, context, { stream });
      const known = await history?.record([report], report);
      const dated = known?.report ?? report;
      const final = earlier ? sinceEarlier(dated, earlier, failOnOf(flags)) : dated;
      const patches = flags.patches && (await findPatches({ report: final, recorded }, flags, context));
      if (stream) stream.end(final);
      else await writeReport(final, flags, context, { kind: driftReports, ...known, patches });
      await acceptFindings(final, flags, context);
      if (known) await notifier?.notify(known);
      context.exitCode = final.exitCode;
      if (flags.watch === undefined) return;
      earlier = report;
      const { watch } = flags;
      await interruptible(context, { message: interrupted, run: (signal) => context.time.sleep(watch, signal) });
    }
  } finally {
    await client?.close();
    printTimeSpent(stopwatch, context);
  }
}

/** Checked before anything is read: combinations that make no sense. */
function check(flags: DriftFlags, context: CliContext): void {
  checkOutput(flags);
  if (chosenBy(flags) && !flags.unmanaged)
    throw usageError("--filter and --kind choose among objects in no stack: add --unmanaged.");
  if (flags.writeBaseline !== undefined && flags.watch !== undefined)
    throw usageError("--write-baseline and --watch do not go together.");
  checkBaseline(flags, context);
}
