import { manifest } from "../../io/files/package";
import type { Client } from "../../provider/api/types";
import { ascending } from "../../provider/core/values/grouping";
import { omitUndefined } from "../../provider/core/values/values";
import { missingList, type ScanTarget, type ScanTargets } from "./accounts";
import type { Baseline } from "./baseline";
import type { CollectionResult, CostComparison } from "./collection-scan";
import type { AccountReport, CollectionReport, DriftReport } from "./document";
import { recordedTwice, withGroups } from "./finding";
import type { Finding, Verdict } from "./finding-document";
import type { Owners } from "./owners";
import { type DependentReference, type RecordedStack, withDependents } from "./recorded-object";
import { mergeRetirements, type Retirements } from "./retirements";
import type { AccountAuditor, AccountResult } from "./scan";
import type { ObjectSelection } from "./selection";
import { type Shard, shardText } from "./shard";
import { substanceOf } from "./substance";
import { verdicts } from "./verdicts";

/** What determines the form of a report. */
export interface ReportOptions {
  /** Whatever it may send, only reads pass. */
  client: Client;
  stacks: readonly RecordedStack[];
  tool: DriftReport["tool"];
  /** Accounts to scan. Default: those in which something is recorded. */
  accounts?: readonly string[] | undefined;
  /** Lists live objects that no stack records. Default: they are counted only. */
  unmanaged?: boolean;
  /** Finds more in each account, from what the scan reads anyway. */
  auditor?(target: ScanTarget): AccountAuditor;
  /** Of the unmanaged objects, lists only these. Default: all. */
  wanted?: ObjectSelection | undefined;
  /** Verdicts that count as drift. Default: `changed` and `missing`, and `unmanaged` where those are listed. */
  failOn?: readonly Verdict[] | undefined;
  /** The stacks or accounts are a choice of those that there are. */
  isNarrowed?: boolean;
  shard?: Shard | undefined;
  /** Name of the run that the scan is part of. */
  run?: string | undefined;
  /** Digest of what decides what is found and what counts, so that no scans of two are merged. */
  optionsDigest?: string | undefined;
  baseline?: Baseline | undefined;
  /** Who owns what is found. Default: nobody. */
  owners?: Owners | undefined;
  /** Says what differences cost. Default: costs are left out. */
  costs?: CostComparison | undefined;
}

/** The tool that reports name as their author. */
export function thisTool(): DriftReport["tool"] {
  return { name: "modelplatform", version: manifest().version };
}

/** What is known of a report before anything is read. */
export type ReportHeader = Pick<DriftReport, "schemaVersion" | "tool" | "startedAt" | "scope">;

export function headerOf(
  { tool, stacks, isNarrowed, shard, run, optionsDigest: options, failOn }: ReportOptions,
  { targets, unlisted }: ScanTargets,
  startedAt: number,
): ReportHeader {
  const builtIn = stacks.filter((stack) => stack.isBuiltIn).map(({ stack }) => stack);
  return {
    schemaVersion: 1,
    tool,
    startedAt: new Date(startedAt).toISOString(),
    scope: {
      stacks: stacks.map(({ stack }) => stack),
      accounts: targets.map(({ account }) => account),
      ...omitUndefined({
        builtIn: builtIn.length > 0 ? builtIn : undefined,
        narrowed: isNarrowed ? true : undefined,
        shard: shard && shardText(shard),
        run,
        options,
        failOn: failOn && [...failOn],
        unlisted: unlisted && (shard !== undefined || unlisted.length > 0) ? [...unlisted] : undefined,
      }),
    },
  };
}

/** What is kept of an account once it is read. */
export interface ReadAccount {
  report: AccountReport;
  /** Of its collections, what the whole report counts. */
  collections: Pick<CollectionResult, "counts" | "leftOut">[];
  findings: Finding[];
  /** Objects of other accounts that its live objects name. */
  references: DependentReference[];
  retirements: Retirements;
}

/** What a scan has read, and when. */
interface ScanData {
  header: ReportHeader;
  /** Milliseconds since 1970. */
  finishedAt: number;
  results: readonly ReadAccount[];
}

export function reportOf(options: ReportOptions, { header, finishedAt, results }: ScanData): DriftReport {
  const { client, stacks, unmanaged = false, baseline } = options;
  const references = results.flatMap((result) => result.references);
  const findings = withDependents(
    results.flatMap((result) => result.findings),
    [],
    references,
  ).map((finding) => maskFinding(finding, client));
  const drifted = isDrift(findings, failOnOf(options));
  const unusable = stacks.flatMap(({ stack, unusable: unusableResources }) =>
    unusableResources.map((resource) => ({ stack, ...resource })),
  );
  const accounts = results.map(({ report }) => report);
  // Of a shard, the merge knows whether another one could list with the key.
  const missing = options.shard === undefined ? (header.scope.unlisted ?? []).map(missingList) : [];
  const complete =
    unusable.length === 0 &&
    missing.length === 0 &&
    isComplete(accounts, findings, unmanaged || options.auditor !== undefined, options.accounts);
  const collections = results.flatMap((result) => result.collections);
  return omitUndefined<DriftReport>({
    ...header,
    finishedAt: new Date(finishedAt).toISOString(),
    complete,
    drifted,
    exitCode: exitCodeOf({ complete, drifted }),
    summary: summaryOf(collections),
    coverage: coverageOf([
      ...accounts.flatMap((account) => account.collections),
      ...missing.map(() => unknownCoverage),
    ]),
    accounts,
    missing: missing.length > 0 ? missing : undefined,
    currency: options.costs?.currency,
    leftOut: options.wanted && sum(collections.map(({ leftOut = 0 }) => leftOut)),
    findings: findings.sort(byAccountAndName),
    ...(options.owners && teamsOf(options.owners, header)),
    ...mergeRetirements(results.map(({ retirements }) => retirements)),
    unusable: unusable.length > 0 ? unusable : undefined,
    staleBaseline: baseline?.stale(new Set(accounts.map(({ account }) => account))),
  });
}

/** What a report says of the file of owners. Of a part of what there is, a pattern need not match anything. */
export function teamsOf(
  { teams, unmatched }: Owners,
  { scope, missing = [] }: Pick<DriftReport, "scope" | "missing">,
): Pick<DriftReport, "owners" | "unmatchedOwners"> {
  const isPart = scope.narrowed === true || scope.shard !== undefined || missing.length > 0;
  const strays = isPart ? [] : unmatched(scope);
  return { owners: [...teams], unmatchedOwners: strays.length > 0 ? strays : undefined };
}

/**
 * Whether everything requested could be read: what stacks record, unless that is ignored; something of each account
 * requested by name; and, with unmanaged objects, every collection.
 */
function isComplete(
  accounts: readonly AccountReport[],
  findings: readonly Finding[],
  unmanaged: boolean,
  named: readonly string[] = [],
): boolean {
  const unread = findings.some(isUnreadFinding);
  const closed = accounts.some(({ account, collections }) => named.includes(account) && collections.every(isUnread));
  const gaps = unmanaged && accounts.some(({ collections }) => collections.some(isUnread));
  return !unread && !closed && !gaps;
}

const isUnread = ({ status }: CollectionReport): boolean => status !== "read";

function summaryOf(collections: readonly Pick<CollectionResult, "counts">[]): DriftReport["summary"] {
  const count = (verdict: Verdict): number => sum(collections.map(({ counts }) => counts[verdict] ?? 0));
  return Object.fromEntries(verdicts.map((verdict) => [verdict, count(verdict)])) as DriftReport["summary"];
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);

export const accountReport = ({ account, origin, collections, models }: AccountResult): AccountReport => ({
  account,
  origin,
  status: accountStatus(collections),
  requests: sum(collections.map(({ requests }) => requests)) + models.requests,
  collections: collections.map(collectionReport),
});

function accountStatus(collections: readonly CollectionResult[]): AccountReport["status"] {
  const unread = collections.filter(isUnread);
  if (unread.length === 0) return "read";
  if (unread.length < collections.length) return "partial";
  return unread.some(({ status }) => status === "error") ? "error" : "forbidden";
}

const collectionReport = ({
  name,
  status,
  read,
  managed,
  total,
  requests,
  problem,
}: CollectionResult): CollectionReport => omitUndefined({ name, status, read, managed, total, requests, problem });

export const maskFinding = (finding: Finding, { redactor }: Client): Finding =>
  finding.dependents ? { ...finding, dependents: redactor.value(finding.dependents) } : finding;

/** Exit code of a scan: 3 if something could not be read, 2 if something drifted, else 0. */
function exitCodeOf({ complete, drifted }: Pick<DriftReport, "complete" | "drifted">): number {
  if (!complete) return 3;
  return drifted ? 2 : 0;
}

/** Whether a finding counts. */
const isDrift = (findings: readonly Finding[], failOn: readonly string[]): boolean =>
  findings.some(
    ({ verdict, ruleId, suppressed }) => !suppressed && failOn.includes(ruleId === recordedTwice ? "changed" : verdict),
  );

/** The report with the exit code that its findings amount to: verdicts count, or of an audit severities of breaches. */
export function withExitCode(report: DriftReport, failOn: readonly string[] = failOnIn(report)): DriftReport {
  const { complete, findings, policies } = report;
  const drifted = policies
    ? findings.some((each) => each.verdict === "breach" && !each.suppressed && failOn.includes(each.severity))
    : isDrift(findings, failOn);
  return { ...report, drifted, exitCode: exitCodeOf({ complete, drifted }) };
}

/** What its scan let count. Objects that are in no stack are listed only where they do. */
const failOnIn = ({ scope, policies }: DriftReport): readonly string[] =>
  scope.failOn ?? (policies ? ["error"] : failOnOf({ unmanaged: true }));

/** Whether a report, by what is in it, has read all that it was to read. */
export const isWhole = ({ complete, findings, accounts, policies, failedPolicies, unusable }: DriftReport): boolean =>
  complete &&
  !findings.some(isUnreadFinding) &&
  !(policies && accounts.some(({ collections }) => collections.some(isUnread))) &&
  failedPolicies === undefined &&
  unusable === undefined;

const isUnreadFinding = ({ verdict, suppressed }: Finding): boolean =>
  !suppressed && (verdict === "error" || verdict === "forbidden");

/** The verdicts that count as drift. */
export const failOnOf = ({
  failOn,
  unmanaged = false,
}: Pick<ReportOptions, "failOn" | "unmanaged">): readonly Verdict[] =>
  failOn ?? ["changed", "missing", ...(unmanaged ? ["unmanaged" as const] : [])];

/** How many of the live objects stacks manage. */
export interface StackCoverage {
  managed: number;
  /** Null where a collection could not be read. */
  total: number | null;
}

/** Of what nothing is known. */
export const unknownCoverage: StackCoverage = { managed: 0, total: null };

/** Coverage of several parts together; unknown if a part was not read. */
export const coverageOf = (parts: readonly StackCoverage[]): StackCoverage =>
  parts.reduce<StackCoverage>(
    (sum, { managed, total }) => ({
      managed: sum.managed + managed,
      total: sum.total === null || total === null ? null : sum.total + total,
    }),
    { managed: 0, total: 0 },
  );

/** By account, then by name: the same for the same world. */
export const byAccountAndName = (left: Finding, right: Finding): number =>
  ascending(left.account, right.account) || ascending(left.name, right.name) || ascending(left.ruleId, right.ruleId);

/** What a report says beyond an earlier one: findings that are new or changed, and those that are resolved. */
export function sinceEarlier(
  report: DriftReport,
  earlier: DriftReport,
  failOn: readonly string[] = failOnIn(report),
): DriftReport {
  const before = new Map(earlier.findings.map((finding) => [finding.fingerprint, finding]));
  const now = new Set(report.findings.filter(isOpen).map(({ fingerprint }) => fingerprint));
  const read = new Set(report.accounts.map(({ account }) => account));
  const findings = report.findings.filter((finding) => !isSame(finding, before.get(finding.fingerprint)));
  const over = earlier.findings.filter(
    (finding) => isOpen(finding) && read.has(finding.account) && !now.has(finding.fingerprint),
  );
  const resolved = over.map(({ fingerprint, verdict, type, name }) => ({ fingerprint, verdict, type, name }));
  return withExitCode(withGroups({ ...report, findings, resolved }), failOn);
}

const isOpen = ({ suppressed, verdict }: Finding): boolean => !suppressed && verdict !== "in-sync";

const isSame = (finding: Finding, other: Finding | undefined): boolean =>
  other !== undefined && essence(finding) === essence(other);

/** What is new to somebody who has decided on the earlier one. */
function essence(finding: Finding): string {
  const { verdict, changes, suppressed } = finding;
  const parts = changes.map((change) => [change.path, substanceOf(finding, change)]);
  return JSON.stringify([
    verdict,
    suppressed === undefined,
    parts.length > 0 ? parts : substanceOf(finding, undefined),
  ]);
}
