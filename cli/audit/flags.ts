import { Option } from "commander";
import { auditFormats } from "../../drift/audit/formats";
import { type Severity, severities } from "../../drift/scan/finding-schema";
import { listOf } from "../command/list-of";
import { grouped } from "../command/recorded-stacks";
import { driftFlags, type OutputFlags, outputFlags, type ScanFlags } from "../drift/flags";
import type { ReportKind } from "../drift/report-kind";

export interface AuditFlags extends OutputFlags, Omit<ScanFlags, "failOn"> {
  failOn?: Severity[];
  policyPackConfig?: string;
}

export const auditReports: ReportKind = { stem: "audit", formats: auditFormats };

/** What only a comparison with stacks takes. */
const ofDrift = new Set(["unmanaged", "filter", "kind", "all", "failOn", "watch", "patches"]);

export const auditFlags = (): Option[] => [
  ...grouped("Policies:", [
    new Option(
      "--policy-pack-config <file>",
      "levels and options of the policies, as the Pulumi CLI's flag of this name takes them (default: those of the pack)",
    ),
    new Option("--fail-on <severity,…>", "severities of breaches that fail the audit (default: error)").argParser(
      listOf("--fail-on", severities),
    ),
  ]),
  ...driftFlags().filter((option) => !ofDrift.has(option.attributeName())),
  ...outputFlags(auditReports).filter((option) => !ofDrift.has(option.attributeName())),
];
