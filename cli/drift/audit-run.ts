import { audit } from "../../drift/audit";
import type { DriftReport } from "../../drift/scan/document";
import type { RecordedStack } from "../../drift/scan/recorded-object";
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
import { printTimeSpent } from "../command/output";
import { recordedFor, stacksOf } from "../command/recorded-stacks";
import { openConclusion } from "./conclusion";
import { type AuditFlags, auditReports } from "./flags";
import { connectionsFor, scanStacks } from "./scan";
import { documentOf } from "./scan-files";

/** Scans, and writes what policies object to. The flags have been checked. */
export async function run(flags: AuditFlags, context: CliContext): Promise<void> {
  const rules = await rulesIn(flags.policyPackConfig, context);
  const { failOn, ...scan } = flags;
  const { conclude, owners } = await openConclusion(flags, auditReports, context);
  const stopwatch = new Stopwatch(context.time.now);
  let client: Client | undefined;
  try {
    const recorded = await stacksOf(scan, context);
    const connections = connectionsFor(flags.concurrency);
    client = openClient(context, { effects: ["read"], connections, stopwatch }, recordedFor(recorded, context));
    const report = await scanStacks(client, recorded, withAccounts(scan, recorded, client), context, {
      owners,
      decidedBy: { failOn, rules: decisionsOf(rules, context) },
      detect: ({ journal: _, costs: __, failOn: ___, ...options }) =>
        audit({ ...options, rules, failOn, env: context.env, cwd: context.cwd }),
      interrupted: "interrupted; nothing was changed",
    });
    reportFailed(report, context);
    await conclude({ report });
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

/** What decides what the policies say, so that no audits of others are merged: all of it, defaults included. */
const decisionsOf = (rules: RuleOptions, { env }: CliContext) => [
  openRules(rules).map(({ guardrail: { name }, level, config }) => [name, level, config()]),
  ...(["prices", "retirementDays", "retirementErrorDays"] as const).map((setting) => env[settingVariable(setting)]),
];

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
