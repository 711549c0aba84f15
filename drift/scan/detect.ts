import { systemTime, type Time } from "../../provider/api/time";
import type { Client } from "../../provider/api/types";
import { dayOf } from "../../provider/core/values/day";
import { defined } from "../../provider/core/values/defined";
import { accountOf } from "../../provider/core/values/names";
import { ascending } from "../../provider/core/values/order";
import { type AccountChoice, type ScanTarget, targetsOf } from "./accounts";
import type { Baseline } from "./baseline";
import type { CollectionResult, CostComparison } from "./collection";
import { coverageOf } from "./coverage";
import { type DependentReference, withDependents } from "./dependents";
import {
  type AccountReport,
  type CollectionReport,
  type DriftReport,
  type Finding,
  type Verdict,
  verdicts,
} from "./document";
import { sinceEarlier } from "./earlier";
import { exitCodeOf, isDrift } from "./exit-code";
import { withGroups } from "./groups";
import type { RecordedObject, RecordedStack } from "./recorded-object";
import { RecordsByAccount } from "./records-by-account";
import { type AccountAuditor, type AccountResult, type Journal, type Progress, scan, scannedSpecs } from "./scan";
import { isIn, type Shard, shardText } from "./shard";
import type { ReportHeader, ReportStream } from "./stream";
import { type Suppressor, suppressed } from "./suppression";
import type { WantedObjects } from "./wanted";
import { together, type WhatEnds, whatEnds } from "./what-ends";

export interface DriftOptions {
  /** Whatever it may send, only reads pass. */
  client: Client;
  stacks: readonly RecordedStack[];
  tool: DriftReport["tool"];
  /** Accounts to scan. Default: those in which something is recorded. */
  accounts?: readonly string[] | undefined;
  /** Also scans every account that an available key can list. Default: false. */
  allAccounts?: boolean;
  /** Lists live objects that no stack records. Default: they are counted only. */
  unmanaged?: boolean;
  /** Finds more in each account, from what the scan reads anyway. */
  auditor?(target: ScanTarget): AccountAuditor;
  /** Lists models that are taken down whenever that is. Default: where that is worth a warning. */
  allRetirements?: boolean;
  /** Of the unmanaged objects, lists only these. Default: all. */
  wanted?: WantedObjects | undefined;
  /** Lists objects that are in sync. Default: they are counted only. */
  all?: boolean;
  /** Verdicts that count as drift. Default: `changed` and `missing`, and `unmanaged` where those are listed. */
  failOn?: readonly Verdict[];
  shard?: Shard | undefined;
  baseline?: Baseline | undefined;
  /** Further reasons why something does not count, such as an ignore file. */
  suppressors?: readonly Suppressor[] | undefined;
  /** Leaves out what this report has found already. */
  since?: DriftReport;
  /** Accounts that are read at once. Default: 64. */
  concurrency?: number | undefined;
  /** Milliseconds that the scan may take. Default: 10 minutes. */
  timeout?: number | undefined;
  signal?: AbortSignal;
  time?: Time;
  journal?: Journal;
  /** Says what differences cost. Default: costs are left out. */
  costs?: CostComparison | undefined;
  /** Told what is found as soon as the account is read. */
  stream?: ReportStream | undefined;
  onProgress?(progress: Progress): void;
  /** Called once everything is read: what follows waits for nobody. */
  onRead?(): void;
}

export const defaultConcurrency = 64;
const defaultTimeoutMs = 600_000;
/** The verdicts that count as drift. */
export const failOnOf = ({
  failOn,
  unmanaged = false,
}: Pick<DriftOptions, "failOn" | "unmanaged">): readonly Verdict[] =>
  failOn ?? ["changed", "missing", ...(unmanaged ? ["unmanaged" as const] : [])];

/** Compares stacks with the live accounts. Rejects with the reason of `signal` when that aborts. */
export async function detectDrift(options: DriftOptions): Promise<DriftReport> {
  const { client, stacks, shard, time = systemTime, signal = new AbortController().signal } = options;
  const startedAt = time.now();
  const limits = { deadline: startedAt + (options.timeout ?? defaultTimeoutMs), signal };
  const records = new RecordsByAccount(stacks);
  const choice: AccountChoice = {
    all: options.allAccounts ?? false,
    accounts: options.accounts?.length ? options.accounts : records.accounts,
  };
  const targets = await targetsOf(client, choice, limits);
  const mine = shard ? targets.filter((target) => isIn(shard, target)) : targets;
  const header = headerOf(options, targets, startedAt);
  options.stream?.begin(header);
  const today = dayOf(startedAt);
  const results = await scan({
    ...options,
    ...limits,
    targets: mine,
    isListed: (verdict) => isListed(verdict, options),
    concurrency: options.concurrency ?? defaultConcurrency,
    objectsOf: (account) => records.of(account),
    conclude: async (result, objects) => {
      const read = await concluded(result, { ...options, objects, records, signal, today });
      options.stream?.found(read.findings);
      return read;
    },
  });
  const finishedAt = time.now();
  options.onRead?.();
  const report = reportOf(options, { header, finishedAt, results });
  if (finishedAt < limits.deadline) await options.journal?.clear();
  return options.since ? sinceEarlier(report, options.since, failOnOf(options)) : withGroups(report);
}

const headerOf = (
  { tool, stacks, shard }: DriftOptions,
  targets: readonly ScanTarget[],
  startedAt: number,
): ReportHeader => ({
  schemaVersion: 1,
  tool,
  startedAt: new Date(startedAt).toISOString(),
  scope: {
    stacks: stacks.map(({ stack }) => stack),
    accounts: targets.map(({ account }) => account),
    ...defined({ shard: shard && shardText(shard) }),
  },
});

/** What stays of an account once it is read. */
interface ReadAccount {
  report: AccountReport;
  /** Of its collections, what the whole report counts. */
  collections: Pick<CollectionResult, "counts" | "leftOut">[];
  findings: Finding[];
  /** Objects of other accounts that its live objects name. */
  references: DependentReference[];
  ends: WhatEnds;
}

interface Conclusion extends Pick<DriftOptions, "client" | "suppressors" | "baseline" | "allRetirements"> {
  objects: readonly RecordedObject[];
  records: RecordsByAccount;
  signal: AbortSignal;
  today: string;
}

/** An account as the report says it: everything is known but what other accounts' live objects need of it. */
async function concluded(result: AccountResult, { client, objects, records, ...of }: Conclusion): Promise<ReadAccount> {
  const { account, collections, models } = result;
  const references = collections.flatMap(({ name, references }) => {
    const { kind } = scannedSpecs.find(({ collection }) => collection === name)!;
    return references.map(([from, to]): DependentReference => ({ type: kind, from, to, urn: null }));
  });
  const found = [...collections.flatMap((collection) => collection.findings), ...result.findings];
  const known = withDependents(found, objects, [...records.referringTo(account), ...references]).map((finding) =>
    masked(finding, client),
  );
  const suppressors = [...(of.suppressors ?? []), ...(of.baseline ? [of.baseline.suppressor] : [])];
  return {
    report: accountReport(result),
    collections: collections.map(({ counts, leftOut }) => ({ counts, leftOut })),
    findings: (await suppressed(known, suppressors, of.signal)).sort(byPlace),
    references: references.filter(({ to }) => accountOf(to) !== account),
    ends: whatEnds([models], objects, {
      notice: client.settings.retirementNotice,
      today: of.today,
      all: of.allRetirements === true,
    }),
  };
}

const masked = (finding: Finding, { redactor }: Client): Finding =>
  finding.dependents ? { ...finding, dependents: redactor.value(finding.dependents) } : finding;

/** What a scan has read, and when. */
interface Scanned {
  header: ReportHeader;
  /** Milliseconds since 1970. */
  finishedAt: number;
  results: readonly ReadAccount[];
}

function reportOf(options: DriftOptions, { header, finishedAt, results }: Scanned): DriftReport {
  const { client, stacks, unmanaged = false, baseline } = options;
  const references = results.flatMap((result) => result.references);
  const findings = withDependents(
    results.flatMap((result) => result.findings),
    [],
    references,
  ).map((finding) => masked(finding, client));
  const drifted = isDrift(findings, failOnOf(options));
  const unusable = stacks.flatMap(({ stack, unusable: found }) => found.map((resource) => ({ stack, ...resource })));
  const accounts = results.map(({ report }) => report);
  const complete =
    unusable.length === 0 &&
    isComplete(accounts, findings, unmanaged || options.auditor !== undefined, options.accounts);
  const collections = results.flatMap((result) => result.collections);
  return defined<DriftReport>({
    ...header,
    finishedAt: new Date(finishedAt).toISOString(),
    complete,
    drifted,
    exitCode: exitCodeOf({ complete, drifted }),
    summary: summaryOf(collections),
    coverage: coverageOf(accounts.flatMap((account) => account.collections)),
    accounts,
    currency: options.costs?.currency,
    leftOut: options.wanted && sum(collections.map(({ leftOut = 0 }) => leftOut)),
    findings: findings.sort(byPlace),
    ...together(results.map(({ ends }) => ends)),
    unusable: unusable.length > 0 ? unusable : undefined,
    staleBaseline: baseline?.stale(new Set(accounts.map(({ account }) => account))),
  });
}

/** An audit lists what it finds itself, and what could not be read. */
function isListed(verdict: Verdict, { auditor, all = false, unmanaged = false }: DriftOptions): boolean {
  if (auditor) return verdict === "error" || verdict === "forbidden";
  return verdict === "in-sync" ? all : verdict !== "unmanaged" || unmanaged;
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
  const unread = findings.some(
    ({ verdict, suppressed }) => !suppressed && (verdict === "error" || verdict === "forbidden"),
  );
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

const accountReport = ({ account, origin, collections, models }: AccountResult): AccountReport => ({
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
}: CollectionResult): CollectionReport => defined({ name, status, read, managed, total, requests, problem });

/** By account, then by name: the same for the same world. */
export const byPlace = (left: Finding, right: Finding): number =>
  ascending(left.account, right.account) || ascending(left.name, right.name) || ascending(left.ruleId, right.ruleId);
