import type { Command } from "commander";
import { audit, auditFormats } from "../../drift/audit";
import { type DriftReport, severities } from "../../drift/scan/document";
import type { RecordedStack } from "../../drift/scan/recorded-object";
import { sinceEarlier, withExitCode } from "../../drift/scan/result";
import { guardrails, openRules, type RuleOptions } from "../../governance/policies/guardrails";
import { printable } from "../../io/text/printable";
import { accountIdOf } from "../../provider/api/settings/credentials";
import { Stopwatch } from "../../provider/api/time";
import type { Client } from "../../provider/api/types";
import { messageOf } from "../../provider/core/errors";
import { settingVariable } from "../../provider/core/settings";
import { isObject } from "../../provider/core/values/values";
import { openClient } from "../command/client";
import { type CliContext, exitCodes } from "../command/context";
import { CommandError } from "../command/failure";
import { addFlags, example, type FlagsOf, flag, formatsHelp, listOf, withHelpGroup, without } from "../command/flags";
import { printTimeSpent } from "../command/output";
import { recordedFor, stacksOf } from "../command/recorded-stacks";
import { registerMerge } from "./drift";
import { checkBaseline, driftFlags, outputFlags, type ReportKind } from "./flags";
import { checkOutput, writeReport } from "./report";
import { connectionsFor, scanStacks } from "./scan";
import { acceptFindings, documentOf, earlierReport } from "./scan-files";

export function register(program: Command, context: CliContext): void {
  const command = addFlags(program.command("audit"), auditFlags());
  command
    .description(
      "Holds the policies of `pulumi-modelplatform/policies` against live state: every object of the accounts, in a stack or not. Stacks, where given, say which of them has an object and what its program has chosen. Only reads, and reads what `drift` would; keys come from the environment.",
    )
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
      "Exit codes: 0 no breach, 1 error, 2 breaches, 3 something could not be read\nor judged,\n64 usage, 130 interrupted.\n",
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
      decidedBy: { failOn, rules: decisionsOf(rules, context) },
      detect: ({ journal: _, costs: __, failOn: ___, ...options }) =>
        audit({ ...options, rules, failOn, env: context.env, cwd: context.cwd }),
      interrupted: "interrupted; nothing was changed",
    });
    const final = earlier ? withExitCode(sinceEarlier(report, earlier, [])) : report;
    reportFailed(final, context);
    await writeReport(final, flags, context, { kind: auditReports });
    await acceptFindings(final, flags, context);
    context.exitCode = final.exitCode;
  } finally {
    await client?.close();
    printTimeSpent(stopwatch, context);
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

function reportFailed({ failedPolicies = [] }: DriftReport, { stderr }: CliContext): void {
  for (const { name, reason } of failedPolicies)
    stderr.write(`error: ${printable(`the policy ${name} could not be held: ${reason}`)}\n`);
}

const auditReports: ReportKind = { stem: "audit", formats: auditFormats };

/** What decides what the policies say, so that no audits of others are merged: all of it, defaults included. */
const decisionsOf = (rules: RuleOptions, { env }: CliContext) => [
  openRules(rules).map(({ guardrail: { name }, level, config }) => [name, level, config()]),
  ...(["prices", "retirementDays", "retirementErrorDays"] as const).map((setting) => env[settingVariable(setting)]),
];

/** What only a comparison with stacks takes. */
const ofDrift = ["unmanaged", "filter", "kind", "all", "failOn", "patches"] as const;

const auditFlags = () => [
  ...withHelpGroup("Policies:", [
    flag(
      "--policy-pack-config <file>",
      "levels and options of the policies, as the Pulumi CLI's flag of this name takes them (default: those of the pack)",
    ),
    flag(
      "--fail-on <severity,…>",
      "severities of breaches that fail the audit (default: error)",
      listOf("--fail-on", severities),
    ),
  ]),
  ...without(driftFlags(), ...ofDrift),
  ...without(outputFlags(auditReports), ...ofDrift),
];

type AuditFlags = FlagsOf<typeof auditFlags>;

/**
 * The levels and options of a file in the form of Pulumi's `--policy-pack-config`: by policy, a level or an object with
 * `enforcementLevel` and options; `all` is the level of policies that it does not name.
 */
async function rulesIn(path: string | undefined, context: CliContext): Promise<RuleOptions> {
  if (path === undefined) return {};
  const document = await documentOf(path, context);
  if (!isObject(document))
    throw new CommandError(
      `${path} is not a configuration of policies: it takes JSON or YAML such as { "admins-listed": { "emails": ["ada@example.com"] } }.`,
    );
  const { all, ...named } = document as RuleOptions;
  // A level for all decides nothing for a rule that needs a decision.
  const decided = guardrails.filter(({ decision }) => decision === undefined);
  const others = all === undefined ? [] : decided.map(({ name }) => [name, all] as const);
  const rules = { ...Object.fromEntries(others), ...named };
  try {
    openRules(rules);
  } catch (cause) {
    throw new CommandError(`${path}: ${messageOf(cause)}`, exitCodes.usage, { cause });
  }
  return rules;
}
