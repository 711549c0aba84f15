import { join } from "node:path";
import type { Command } from "commander";
import { createClient } from "../api/client";
import { resolveSettings } from "../api/config";
import { createCatalogue } from "../api/operations";
import type { Client } from "../api/types";
import { defaultConcurrency, detectDrift, type DriftOptions } from "../drift/detect";
import { fileJournal } from "../drift/journal";
import { readStacks } from "../drift/stacks";
import { thisTool } from "../drift/tool";
import { stateFolder } from "../lifecycle/intents";
import { allSpecs } from "../resources/index";
import type { CliContext } from "./context";
import { driftFlags, type DriftFlags, outputFlags } from "./drift-flags";
import { earlierReport } from "./drift-input";
import { registerMerge } from "./drift-merge";
import { openProgress } from "./drift-progress";
import { checkOutput, writeReport } from "./drift-report";
import { CommandFailure, interruption, usageFailure } from "./failure";
import { example } from "./help";

export function register(program: Command, context: CliContext): void {
  const drift = program
    .command("drift")
    .description(
      "Compares what stacks record with the live accounts, and says of every object whether it is in sync, changed, missing, or in nobody's stack. Only reads; needs no passphrase. Keys come from the environment: MODELPLATFORM_API_KEY with MODELPLATFORM_ACCOUNT_ID, MODELPLATFORM_ACCOUNTS, MODELPLATFORM_ACCOUNTS_FILE.",
    );
  for (const option of [...driftFlags(), ...outputFlags()]) drift.addOption(option);
  drift
    .addHelpText("after", example("modelplatform drift --backend file://~/state", "modelplatform drift --stack acme/shop/prod --all-accounts --unmanaged --format markdown", "modelplatform drift --stack-file prod.json --format sarif --format html --output reports"))
    .addHelpText("after", "\nExit codes: 0 no drift, 1 error, 2 drift, 3 something could not be read, 64 usage, 130 interrupted.\n")
    .action((flags: DriftFlags) => run(flags, context));
  registerMerge(drift, context);
}

async function run(flags: DriftFlags, context: CliContext): Promise<void> {
  checkOutput(flags);
  const backends = flags.backend ?? (!flags.stackFile && !flags.stack && context.env["PULUMI_BACKEND_URL"] ? [context.env["PULUMI_BACKEND_URL"]] : []);
  if (backends.length === 0 && !flags.stackFile && !flags.stack) throw usageFailure("drift needs to know which stacks: give --stack-file, --backend or --stack.");
  const abort = new AbortController();
  const silence = context.signals.listen(() => abort.abort(interruption()));
  const client = openClient(flags, context);
  try {
    const options = await optionsOf(flags, context, client);
    const stacks = await readStacks({ ...sourcesOf(flags), backends }, context);
    for (const warning of stacks.flatMap(({ warnings }) => warnings)) context.stderr.write(`warning: ${warning}\n`);
    const progress = await openProgress(context);
    const report = await detectDrift({ ...options, stacks, signal: abort.signal, onProgress: progress.onProgress }).finally(() => progress.close());
    await writeReport(report, flags, context);
    context.exitCode = report.exitCode;
  } catch (error) {
    if (abort.signal.aborted) throw new CommandFailure("interrupted; what has been read stays good for an hour if you run the same scan again", interruption().exitCode);
    throw error;
  } finally {
    silence();
    await client.close();
  }
}

/** For one origin: every account reads several collections at a time. */
const connectionsPerAccount = 4;
const mostConnections = 512;

function openClient({ concurrency = defaultConcurrency }: DriftFlags, { env, stderr, time }: CliContext): Client {
  const settings = resolveSettings({ env });
  const log = ({ level, text }: { level: string; text: string }): void => void (level === "warning" && stderr.write(`warning: ${text}\n`));
  const connections = Math.min(mostConnections, concurrency * connectionsPerAccount);
  return createClient({ settings, catalogue: createCatalogue(allSpecs, { overrides: settings.operations }), effects: ["read"], connections, env, log, ...(time && { time }) });
}

const sourcesOf = ({ stackFile, stack, project, stackName }: DriftFlags) => ({
  ...(stackFile && { files: stackFile }),
  ...(stack && { stacks: stack }),
  ...(project !== undefined && { project }),
  ...(stackName !== undefined && { stackName }),
});

async function optionsOf(flags: DriftFlags, context: CliContext, client: Client): Promise<Omit<DriftOptions, "stacks">> {
  const { account, allAccounts, unmanaged, all, failOn, since, shard, concurrency, timeout } = flags;
  const tool = thisTool();
  const now = context.time?.now ?? Date.now;
  return {
    client,
    tool,
    journal: fileJournal(join(stateFolder(context.env), "drift"), tool.version, now),
    ...(context.time && { time: context.time }),
    ...(account && { accounts: account }),
    ...(allAccounts && { allAccounts }),
    ...(unmanaged && { unmanaged }),
    ...(all && { all }),
    ...(failOn && { failOn }),
    ...(shard && { shard }),
    ...(concurrency !== undefined && { concurrency }),
    ...(timeout !== undefined && { timeout }),
    ...(since !== undefined && { since: await earlierReport(since, context) }),
  };
}
