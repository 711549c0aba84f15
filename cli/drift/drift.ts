import type { Command } from "commander";
import { figuresFormats } from "../../drift/report/formats";
import { type CliContext, exitCodes } from "../command/context";
import { usageError } from "../command/failure";
import { addFlags, example, formatsHelp, without } from "../command/flags";
import { takeGroupFlags } from "../command/help";
import { requireSources } from "../command/stack-flags";
import {
  checkBaseline,
  checkNotify,
  checkOutput,
  chosenBy,
  type DriftFlags,
  driftFlags,
  driftReports,
  judgingFlags,
  type MergeFlags,
  mergeFlags,
  notifyFlags,
  outputFlags,
  type ReportKind,
  runFlags,
} from "./flags";
import type { ScanRunFlags } from "./runs";

/** What scans is loaded once the command line makes sense. */
const loadRuns = () => require("./runs") as typeof import("./runs");

function registerHistory(drift: Command, context: CliContext): void {
  const taken = ["--history", "--format", "--output", "--json"].map((long) => ({ long }));
  const history = takeGroupFlags(drift.command("history"), taken)
    .summary("how findings came and went, and how long they stayed")
    .description(
      "Shows what `drift --history <folder>` has recorded: what was open over time, how long it took until findings were gone, for each severity and account, and what comes back. Takes --history, one --format and --output.",
    );
  // The options are declared once, for the scan: its parser takes them, wherever they stand.
  history
    .addHelpText("after", example("npx pulumi-modelplatform drift history --history drift-history"))
    .addHelpText("after", formatsHelp(figuresFormats))
    .action((_: unknown, command: Command) => {
      const { showHistory } = require("./scan-history") as typeof import("./scan-history");
      showHistory(command.optsWithGlobals<DriftFlags>(), context);
    });
}

/** `parent` is the command whose reports are put together. */
export function registerMerge(parent: Command, kind: ReportKind, context: CliContext): void {
  const { stem } = kind;
  const shared = [...runFlags(), ...judgingFlags(), ...notifyFlags(), ...outputFlags(kind)];
  const inherited = parent.options.map((option) => option.attributeName());
  const merge = addFlags(parent.command("merge"), [...mergeFlags(), ...without(shared, ...inherited)]);
  takeGroupFlags(merge, shared)
    .summary("put the reports of all shards together")
    .description(
      "Puts the JSON reports of the shards of one scan together. Names what is missing, a shard, an account or a stack that not every shard knew, and ends with 3 then. Refuses a shard that is given twice, reports of another version, of other policies or flags, and those of two runs: by --run, else by their times, which --timeout may keep apart. What counts is computed from what they found, by the flags that a scan takes for that.",
    )
    .argument("<reports...>", `files that \`${stem} --shard i/n --format json\` wrote`);
  // The formats are declared once, for the scan: its parser takes them, wherever they stand.
  merge
    .addHelpText(
      "after",
      example(`npx pulumi-modelplatform ${stem} merge shard-*.json --format html --output ${stem}.html`),
    )
    .action((files: string[], _: unknown, command: Command) => {
      const flags = command.optsWithGlobals<MergeFlags>();
      checkOutput(flags);
      checkNotify(flags);
      checkBaseline(flags, context);
      return loadRuns().merge(files, flags, kind, context);
    });
}

export function register(program: Command, context: CliContext): void {
  const flags = [...driftFlags(), ...notifyFlags(), ...outputFlags(driftReports)];
  const drift = addFlags(program.command("drift"), without(flags, "writeBaseline"));
  drift
    .description(
      "Compares what stacks record with the live accounts, and reports whether each object is in sync, changed, missing or unmanaged. Only reads; needs no passphrase. Keys come from the environment: MODELPLATFORM_API_KEY with MODELPLATFORM_ACCOUNT_ID, MODELPLATFORM_ACCOUNTS, MODELPLATFORM_ACCOUNTS_FILE.",
    )
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
    .action((flags: DriftFlags) => scan(flags, context));
  registerMerge(drift, driftReports, context);
  registerHistory(drift, context);
  registerBaseline(drift, context);
}

/** What says how a scan is reported, and what it is compared with. */
const notOfBaseline = [
  ...(["shard", "run", "all", "failOn", "since", "history", "historyDays", "writeBaseline"] as const),
  ...(["format", "program", "patches", "json"] as const),
];

function registerBaseline(drift: Command, context: CliContext): void {
  const taken = without([...driftFlags(), ...outputFlags(driftReports)], ...notOfBaseline);
  takeGroupFlags(drift.command("baseline"), taken)
    .summary("accept what is found for a while")
    .description(
      "Scans as `drift` does, and writes a baseline that accepts what is found until a day. `drift --baseline <file>` reads it.",
    )
    .addHelpText(
      "after",
      example(
        'npx pulumi-modelplatform drift baseline --output drift-baseline.json --owner team-search --reason "moved by hand, #42" --expires 2027-01-31',
      ),
    )
    .addHelpText(
      "after",
      "Exit codes: 0 written, 1 error, 3 something could not be read,\n64 usage, 130 interrupted.\n",
    )
    .action(async (_: unknown, command: Command) => {
      const { output = "drift-baseline.json", ...flags } = command.optsWithGlobals<DriftFlags>();
      await scan({ ...flags, writeBaseline: output, isSilent: true }, context);
      if (context.exitCode === exitCodes.drift) context.exitCode = exitCodes.done;
    });
}

async function scan(flags: ScanRunFlags, context: CliContext): Promise<void> {
  check(flags, context);
  const sources = await requireSources("drift", flags, context);
  await loadRuns().scan(sources, flags, context);
}

/** Checked before anything is read: combinations that make no sense. */
function check(flags: DriftFlags, context: CliContext): void {
  checkOutput(flags);
  checkNotify(flags);
  if (chosenBy(flags) && !flags.unmanaged)
    throw usageError("--filter and --kind choose among objects in no stack: add --unmanaged.");
  checkBaseline(flags, context);
}
