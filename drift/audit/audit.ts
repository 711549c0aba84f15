import { openRules, type RuleOptions } from "../../governance/policies/open-rule";
import { systemTime } from "../../provider/api/time";
import { dayOf } from "../../provider/core/values/day";
import { defined } from "../../provider/core/values/values";
import { type DriftOptions, detectDrift } from "../scan/detect";
import type { DriftReport } from "../scan/document";
import type { Finding, Severity, Verdict } from "../scan/finding-schema";
import { withGroups } from "../scan/groups";
import { exitCodeOf } from "../scan/result";
import { accountAuditor, FailedPolicies } from "./account-auditor";

export interface AuditOptions
  extends Omit<
    DriftOptions,
    "auditor" | "allRetirements" | "failOn" | "unmanaged" | "all" | "wanted" | "since" | "journal"
  > {
  /** Guardrails and their options, as a policy pack takes them. */
  rules?: RuleOptions;
  /** Severities of breaches that fail the audit. Default: `error`. */
  failOn?: readonly Severity[] | undefined;
  /** Where rules look for settings of theirs, such as prices. */
  env: { readonly [name: string]: string | undefined };
  /** The folder that relative paths of rules start from. */
  cwd: string;
}

/**
 * Holds the guardrails of policy packs against whatever is live, in a stack or not. A drift scan does the reading: an
 * audit sends what that one would. Throws for rules that there are not, or that cannot be configured like that.
 */
export async function audit({
  rules: given,
  failOn = ["error"],
  env,
  cwd,
  ...scan
}: AuditOptions): Promise<DriftReport> {
  const all = openRules(given);
  const rules = all.filter(({ level }) => level !== "disabled");
  const unconfigured = all.filter(({ isConfigured }) => !isConfigured).map(({ guardrail }) => guardrail);
  const { time = systemTime, client } = scan;
  const failed = new FailedPolicies(client.redactor);
  const around = { of: "account", day: dayOf(time.now()), env, cwd } as const;
  const report = await detectDrift({
    ...scan,
    failOn: [],
    allRetirements: true,
    auditor: (target) => accountAuditor(rules, { target, around, failed, redactor: client.redactor }),
  });
  const findings = report.findings.filter(({ verdict }) => isOfAudit.has(verdict));
  const breaches = findings.filter(({ verdict }) => verdict === "breach");
  const judged = defined<DriftReport>({
    ...report,
    summary: { ...report.summary, breach: breaches.length },
    policies: rules.map(({ guardrail: { name, description }, level }) => ({ name, description, level })),
    unconfiguredPolicies: unconfigured.map(({ name, description, decision }) => ({
      ...{ name, description },
      configuration: { [name]: decision },
    })),
    failedPolicies: failed.all.length > 0 ? failed.all : undefined,
    findings,
  });
  return withExitCode(withGroups(judged), failOn);
}

/** Breaches, and what could not be read. */
const isOfAudit: ReadonlySet<Verdict> = new Set<Verdict>(["breach", "error", "forbidden"]);

/** The report with the exit code that its findings amount to. */
export function withExitCode(report: DriftReport, failOn: readonly Severity[] = ["error"]): DriftReport {
  const counts = ({ verdict, severity, suppressed }: Finding): boolean =>
    verdict === "breach" && !suppressed && failOn.includes(severity);
  const drifted = report.findings.some(counts);
  return { ...report, drifted, exitCode: exitCodeOf({ complete: report.complete, drifted }) };
}
