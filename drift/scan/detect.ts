import { systemTime, type Time } from "../../provider/api/time";
import type { Client } from "../../provider/api/types";
import { dayOf } from "../../provider/core/values/day";
import { defined } from "../../provider/core/values/defined";
import { ascending } from "../../provider/core/values/order";
import { type AccountChoice, type ScanTarget, targetsOf } from "./accounts";
import type { Baseline } from "./baseline";
import type { CollectionResult, CostComparison } from "./collection";
import { coverageOf } from "./coverage";
import { withDependents } from "./dependents";
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
import { type AccountAuditor, type AccountResult, type Journal, type Progress, scan, scannedSpecs } from "./scan";
import { isIn, type Shard, shardText } from "./shard";
import { type Suppressor, suppressed } from "./suppression";
import type { WantedObjects } from "./wanted";
import { whatEnds } from "./what-ends";

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
  const objects = stacks.flatMap((stack) => stack.objects);
  const choice: AccountChoice = {
    all: options.allAccounts ?? false,
    accounts: options.accounts?.length ? options.accounts : undefined,
  };
  const targets = await targetsOf(client, objects, choice, limits);
  const mine = shard ? targets.filter((target) => isIn(shard, target)) : targets;
  const results = await scan({
    ...options,
    ...limits,
    objects,
    targets: mine,
    isListed: (verdict) => isListed(verdict, options),
    concurrency: options.concurrency ?? defaultConcurrency,
  });
  const finishedAt = time.now();
  options.onRead?.();
  const report = await reportOf(
    { ...options, signal },
    { startedAt, finishedAt, objects, targets, scanned: mine, results },
  );
  if (finishedAt < limits.deadline) await options.journal?.clear();
  return options.since ? sinceEarlier(report, options.since, failOnOf(options)) : withGroups(report);
}

/** What a scan has read, and when. */
interface Scanned {
  /** Milliseconds since 1970. */
  startedAt: number;
  finishedAt: number;
  /** What the stacks record. */
  objects: readonly RecordedObject[];
  /** Accounts of the whole scan. */
  targets: readonly ScanTarget[];
  /** Those of this shard. */
  scanned: readonly ScanTarget[];
  results: readonly AccountResult[];
}

async function reportOf(
  options: DriftOptions & { signal: AbortSignal },
  { objects, results, ...scan }: Scanned,
): Promise<DriftReport> {
  const { client, stacks, shard, unmanaged = false, baseline } = options;
  const suppressors = [...(options.suppressors ?? []), ...(baseline ? [baseline.suppressor] : [])];
  const findings = await suppressed(foundIn(results, objects, client), suppressors, options.signal);
  const read = new Set(scan.scanned.map(({ account }) => account));
  const drifted = isDrift(findings, failOnOf(options));
  const unusable = stacks.flatMap(({ stack, unusable: found }) => found.map((resource) => ({ stack, ...resource })));
  const complete =
    unusable.length === 0 &&
    isComplete(results, findings, unmanaged || options.auditor !== undefined, options.accounts);
  return defined<DriftReport>({
    schemaVersion: 1,
    tool: options.tool,
    startedAt: new Date(scan.startedAt).toISOString(),
    finishedAt: new Date(scan.finishedAt).toISOString(),
    complete,
    drifted,
    exitCode: exitCodeOf({ complete, drifted }),
    scope: {
      stacks: stacks.map(({ stack }) => stack),
      accounts: scan.targets.map(({ account }) => account),
      ...defined({ shard: shard && shardText(shard) }),
    },
    summary: summaryOf(results),
    coverage: coverageOf(results.flatMap(({ collections }) => collections)),
    accounts: results.map(accountReport),
    currency: options.costs?.currency,
    leftOut: options.wanted && sum(results.flatMap(({ collections }) => collections.map(leftOutOf))),
    findings: findings.sort(byPlace),
    ...whatEnds(
      results.map(({ models }) => models),
      objects.filter(({ account }) => read.has(account)),
      { notice: client.settings.retirementNotice, today: dayOf(scan.startedAt), all: options.allRetirements === true },
    ),
    unusable: unusable.length > 0 ? unusable : undefined,
    staleBaseline: baseline?.stale(read),
  });
}

/** The findings of all collections, each with what depends on its object. */
function foundIn(
  results: readonly AccountResult[],
  objects: readonly RecordedObject[],
  { redactor }: Client,
): Finding[] {
  const collections = results.flatMap((result) => result.collections);
  const references = collections.flatMap(({ name, references }) => {
    const { kind } = scannedSpecs.find(({ collection }) => collection === name)!;
    return references.map(([from, to]) => ({ type: kind, from, to }));
  });
  const findings = results.flatMap((result) => [
    ...result.collections.flatMap((collection) => collection.findings),
    ...result.findings,
  ]);
  return withDependents(findings, objects, references).map((finding) =>
    finding.dependents ? { ...finding, dependents: redactor.value(finding.dependents) } : finding,
  );
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
  results: readonly AccountResult[],
  findings: readonly Finding[],
  unmanaged: boolean,
  named: readonly string[] = [],
): boolean {
  const unread = findings.some(
    ({ verdict, suppressed }) => !suppressed && (verdict === "error" || verdict === "forbidden"),
  );
  const closed = results.some(({ account, collections }) => named.includes(account) && collections.every(isUnread));
  const gaps = unmanaged && results.some(({ collections }) => collections.some(isUnread));
  return !unread && !closed && !gaps;
}

const isUnread = ({ status }: CollectionResult): boolean => status !== "read";

function summaryOf(results: readonly AccountResult[]): DriftReport["summary"] {
  const count = (verdict: Verdict): number =>
    sum(results.flatMap(({ collections }) => collections.map(({ counts }) => counts[verdict] ?? 0)));
  return Object.fromEntries(verdicts.map((verdict) => [verdict, count(verdict)])) as DriftReport["summary"];
}

const leftOutOf = ({ leftOut = 0 }: CollectionResult): number => leftOut;

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
