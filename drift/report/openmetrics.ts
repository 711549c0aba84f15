import { printable } from "../../io/text/printable";
import { groupBy } from "../../provider/core/values/grouping";
import { omitUndefined } from "../../provider/core/values/values";
import type { RemedyTimes } from "../history/store";
import type { DriftReport } from "../scan/document";
import { natureOf, type Severity, type Verdict } from "../scan/finding-document";
import { severities } from "../scan/verdicts";
import { readingOrder } from "./advice";
import type { ReportContext, ReportWriter } from "./context";
import { secondsOf } from "./wording";

/**
 * For Prometheus, through the text files that a node exporter reads: OpenMetrics 1.0, of which only gauges without
 * times are used, so that readers of the older text format take it too.
 */
export const openmetrics: ReportWriter = (report, context) =>
  `${[
    ...findingFamilies(report, context),
    ...accountFamilies(report),
    ...scanFamilies(report),
    ...lastFamilies(report, context),
    ...ageFamilies(report, context),
  ]
    .filter(({ samples }) => samples.length > 0)
    .map(familyText)
    .join("")}# EOF\n`;

type Labels = Readonly<Record<string, string>>;

interface Family {
  name: string;
  help: string;
  samples: readonly (readonly [labels: Labels, value: number])[];
}

const family = (name: string, help: string, samples: Family["samples"]): Family => ({
  name: `modelplatform_drift_${name}`,
  help,
  samples,
});

const familyText = ({ name, help, samples }: Family): string =>
  [
    `# HELP ${name} ${help}`,
    `# TYPE ${name} gauge`,
    ...samples.map(([labels, value]) => `${name}${labelsText(labels)} ${value}`),
  ]
    .map((line) => `${line}\n`)
    .join("");

function labelsText(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`);
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
}

const escaped = (value: string): string =>
  printable(value).replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");

/** Verdicts that the report counts: breaches are an audit's alone. */
const verdictsOf = (summary: DriftReport["summary"]): Verdict[] =>
  readingOrder.filter((verdict) => summary[verdict] !== undefined);

/** What has not been read is as it was, so that an alert on it does not end. */
function findingFamilies(
  { accounts, findings, groups = [], summary, owners }: DriftReport,
  { unread = [] }: ReportContext,
): Family[] {
  const open: Place[] = [...findings.filter(({ suppressed }) => suppressed === undefined), ...unread];
  const accepted = findings.filter(({ suppressed }) => suppressed !== undefined);
  // Each account that was read has a value of these, so that an alert on one ends where it is over.
  const drifting = verdictsOf(summary).filter((verdict) => natureOf[verdict] === "drift");
  const read = accounts.filter(({ status }) => status === "read" || status === "partial");
  const usual = read.flatMap(({ account }) =>
    drifting.flatMap((verdict) => severities.map((severity) => ({ account, verdict, severity }))),
  );
  const teams = owners === undefined ? [] : [...owners, ""];
  return [
    family("findings", "Findings that count, by account, verdict and severity.", samplesByPlace(open, usual)),
    family(
      "accepted_findings",
      "Findings that are accepted, by account, verdict and severity.",
      samplesByPlace(accepted),
    ),
    family(
      "owner_findings",
      "Findings that count, by the team that owns them and severity; with owners.",
      teams.flatMap((owner) =>
        severities.map(
          (severity) =>
            [
              { owner, severity },
              open.filter((each) => each.severity === severity && (each.owner ?? "") === owner).length,
            ] as const,
        ),
      ),
    ),
    family(
      "causes",
      "Causes that several findings share, by severity.",
      severities.map((severity) => [
        { severity },
        groups.filter((group) => group.severity === severity && group.suppressed === undefined).length,
      ]),
    ),
    family(
      "objects",
      "Objects by verdict, accepted ones included.",
      verdictsOf(summary).map((verdict) => [{ verdict }, summary[verdict] ?? 0]),
    ),
  ];
}

interface Place {
  account: string;
  verdict: Verdict;
  severity: Severity;
  owner?: string | undefined;
}

function samplesByPlace(findings: readonly Place[], usual: readonly Place[] = []): Family["samples"] {
  const labelsOf = ({ account, verdict, severity, owner }: Place): Labels =>
    omitUndefined({ account, verdict, severity, owner });
  const keyOf = (place: Place): string => JSON.stringify(labelsOf(place));
  const byPlace = groupBy<Place, string>(findings, keyOf);
  const places = new Map([...usual, ...findings].map((place) => [keyOf(place), place]));
  return [...places].map(([key, place]) => [labelsOf(place), byPlace.get(key)?.length ?? 0]);
}

function accountFamilies({ accounts, missing = [] }: DriftReport): Family[] {
  const statuses = ["read", "partial", "forbidden", "error"] as const;
  return [
    family(
      "accounts",
      "Accounts by how far they could be read.",
      statuses.map((status) => [{ status }, accounts.filter((account) => account.status === status).length]),
    ),
    family(
      "missing_parts",
      "Parts of the scan that no report is about: shards, accounts and stacks that some shards did not know, lists of accounts.",
      (["shard", "account", "stack", "list"] as const).map((part) => [
        { part },
        missing.filter((each) => each.part === part).length,
      ]),
    ),
    family("accounts_not_scanned", "Accounts of which something or all could not be read.", [
      [{}, accounts.filter(({ status }) => status !== "read").length],
    ]),
    family(
      "account_scanned",
      "Whether all of an account could be read.",
      accounts.map(({ account, status }) => [{ account }, Number(status === "read")]),
    ),
    family(
      "managed_objects",
      "Live objects that a scanned stack manages.",
      accounts.map(({ account, collections }) => [
        { account },
        collections.reduce((sum, { managed }) => sum + managed, 0),
      ]),
    ),
  ];
}

function scanFamilies(report: DriftReport): Family[] {
  const { complete, drifted, exitCode, finishedAt, accounts } = report;
  const scanGauge = (name: string, help: string, value: number): Family => family(name, help, [[{}, value]]);
  return [
    scanGauge("scan_timestamp_seconds", "End of the scan, in seconds since 1970.", Date.parse(finishedAt) / 1000),
    scanGauge("scan_duration_seconds", "How long the scan took.", secondsOf(report)),
    scanGauge(
      "scan_requests",
      "Requests of the scan.",
      accounts.reduce((sum, { requests }) => sum + requests, 0),
    ),
    scanGauge("scan_complete", "Whether everything that was asked for could be read.", Number(complete)),
    scanGauge("scan_drifted", "Whether a finding counts.", Number(drifted)),
    scanGauge("scan_exit_code", "Exit code of the scan.", exitCode),
  ];
}

/** Where there is a history, also of accounts that this scan has not read. */
function lastFamilies(
  { accounts, missing = [], complete, finishedAt }: DriftReport,
  { lastScans }: ReportContext,
): Family[] {
  const read = new Map(accounts.flatMap(({ account, status }) => (status === "read" ? [[account, finishedAt]] : [])));
  const lost = missing.filter(({ part }) => part === "account").map(({ name }) => name);
  const secondsIn = (time: string | undefined): number[] => (time === undefined ? [] : [Date.parse(time) / 1000]);
  return [
    family(
      "account_last_scan_seconds",
      "End of the last scan that read all of an account, in seconds since 1970.",
      [...accounts.map(({ account }) => account), ...lost].flatMap((account) =>
        secondsIn(lastScans?.accounts.get(account) ?? read.get(account)).map((time) => [{ account }, time] as const),
      ),
    ),
    family(
      "last_complete_scan_seconds",
      "End of the last scan that read everything that was asked for, in seconds since 1970.",
      secondsIn(lastScans?.complete ?? (complete ? finishedAt : undefined)).map((time) => [{}, time] as const),
    ),
  ];
}

function ageFamilies({ findings, finishedAt }: DriftReport, { remedies = [] }: ReportContext): Family[] {
  const oldest = new Map<string, [Labels, number]>();
  const note = ({ account, severity }: Pick<RemedyTimes, "account" | "severity">, since: string | undefined): void => {
    if (since === undefined) return;
    const labels = { account, severity };
    const age = Math.max(0, Date.parse(finishedAt) - Date.parse(since)) / 1000;
    const [, before = 0] = oldest.get(JSON.stringify(labels)) ?? [];
    oldest.set(JSON.stringify(labels), [labels, Math.max(before, age)]);
  };
  for (const finding of findings) if (finding.suppressed === undefined) note(finding, finding.firstSeen);
  // What this scan has not read stays open in the history.
  for (const each of remedies) note(each, each.oldest);
  const times = (name: string, help: string, valueOf: (times: RemedyTimes) => number | undefined): Family =>
    family(
      name,
      help,
      remedies.flatMap((each) => {
        const value = valueOf(each);
        return value === undefined ? [] : [[{ account: each.account, severity: each.severity }, value] as const];
      }),
    );
  return [
    family("oldest_finding_age_seconds", "Age of the oldest finding that counts; with a history.", [
      ...oldest.values(),
    ]),
    times("time_to_remedy_median_seconds", "Median time from found to gone; with a history.", ({ median }) => median),
    times(
      "time_to_remedy_longest_seconds",
      "Longest time from found to gone; with a history.",
      ({ longest }) => longest,
    ),
    times("remedied_findings", "Findings that are gone; with a history.", ({ remedied }) => remedied),
  ];
}
