import type { Command } from "commander";
import { audit, withExitCode } from "../../drift/audit/audit";
import type { DriftReport } from "../../drift/scan/document";
import type { RecordedStack } from "../../drift/scan/recorded-object";
import { sinceEarlier } from "../../drift/scan/result";
import { printable } from "../../io/text/printable";
import { accountIdOf } from "../../provider/api/settings/config";
import { Stopwatch } from "../../provider/api/trace/time-spent";
import type { Client } from "../../provider/api/types";
import { connectionsFor } from "../command/connections";
import type { CliContext } from "../command/context";
import { formatsHelp } from "../command/format-flag";
import { example } from "../command/help";
import { recordedFor, stacksOf } from "../command/recorded-stacks";
import { tellTimeSpent } from "../command/time-spent";
import { acceptFindings, checkBaseline } from "../drift/accepted";
import { earlierReport } from "../drift/input";
import { registerMerge } from "../drift/merge";
import { checkOutput, writeReport } from "../drift/report";
import { scanStacks } from "../drift/scan";
import { openClient } from "../platform/platform";
import { type AuditFlags, auditFlags, auditReports } from "./flags";
import { rulesIn } from "./rules";

export function register(program: Command, context: CliContext): void {
  const command = program
    .command("audit")
    .description(
      "Holds the policies of `pulumi-modelplatform/policies` against whatever is live in accounts, in a stack or not. Stacks, where given, say which object is whose and what a program has chosen. Only reads, and reads what `drift` would; keys come from the environment.",
    );
  for (const option of auditFlags()) command.addOption(option);
  command
    .addHelpText(
      "after",
      example(
        "npx pulumi-modelplatform audit --all-accounts",
        "npx pulumi-modelplatform audit --backend file://~/state --policy-pack-config policies.json --format html --output audit.html",
        "npx pulumi-modelplatform audit --all-accounts --format ics --output retirements.ics",
      ),
    )
    .addHelpText("after", formatsHelp(auditReports.formats))
    .addHelpText(
      "after",
      "Exit codes: 0 no breach, 1 error, 2 breaches, 3 something could not be read,\n64 usage, 130 interrupted.\n",
    )
    .action((flags: AuditFlags) => run(flags, context));
  registerMerge(command, auditReports, context);
}

async function run(flags: AuditFlags, context: CliContext): Promise<void> {
  checkOutput(flags);
  checkBaseline(flags, context);
  const rules = await rulesIn(flags.policyPackConfig, context);
  const { failOn, ...scan } = flags;
  const earlier = flags.since === undefined ? undefined : await earlierReport(flags.since, context);
  const stopwatch = new Stopwatch(context.time.now);
  let client: Client | undefined;
  try {
    const recorded = await stacksOf(scan, context);
    const connections = connectionsFor(flags.concurrency);
    client = openClient(context, { effects: ["read"], connections, stopwatch }, recordedFor(recorded, context));
    const report = await scanStacks(client, recorded, withAccounts(scan, recorded, client), context, {
      detect: ({ journal: _, costs: __, failOn: ___, ...options }) =>
        audit({ ...options, rules, failOn, env: context.env, cwd: context.cwd }),
      interrupted: "interrupted; nothing was changed",
    });
    const told = earlier ? withExitCode(sinceEarlier(report, earlier, []), failOn) : report;
    tellFailed(told, context);
    await writeReport(told, flags, context, { kind: auditReports });
    await acceptFindings(told, flags, context);
    context.exitCode = told.exitCode;
  } finally {
    await client?.close();
    tellTimeSpent(stopwatch, context);
  }
}

/** Without stacks, the default account is audited unless others are asked for. */
function withAccounts(
  flags: Omit<AuditFlags, "failOn">,
  recorded: readonly RecordedStack[],
  { settings }: Client,
): Omit<AuditFlags, "failOn"> {
  if (flags.account || flags.allAccounts || recorded.length > 0) return flags;
  return { ...flags, account: [accountIdOf(settings)] };
}

function tellFailed({ failedPolicies = [] }: DriftReport, { stderr }: CliContext): void {
  for (const { name, reason } of failedPolicies)
    stderr.write(`error: ${printable(`the policy ${name} could not be held: ${reason}`)}\n`);
}
