import { systemTime, type Time } from "../../provider/api/time";
import { dayOf } from "../../provider/core/values/grouping";
import { accountOf } from "../../provider/core/values/names";
import { type AccountChoice, isIn, targetsOf } from "./accounts";
import type { DriftReport } from "./document";
import { withGroups } from "./finding";
import type { Finding, Verdict } from "./finding-document";
import { withOwner } from "./owners";
import { type DependentReference, type RecordedObject, withDependents } from "./recorded-object";
import {
  accountReport,
  byAccountAndName,
  failOnOf,
  headerOf,
  maskFinding,
  type ReadAccount,
  type ReportHeader,
  type ReportOptions,
  reportOf,
  sinceEarlier,
} from "./result";
import { collectRetirements } from "./retirements";
import { type AccountResult, type Journal, type Progress, scan, scannedSpecs } from "./scan";
import { RecordsByAccount } from "./stacks";
import { applySuppressions, type Suppressor } from "./suppression";

export interface DriftOptions extends ReportOptions {
  /** Also scans every account that an available key can list. Default: false. */
  allAccounts?: boolean;
  /** Lists models that are taken down whenever that is. Default: where that is worth a warning. */
  allRetirements?: boolean;
  /** Lists objects that are in sync. Default: they are counted only. */
  all?: boolean;
  /** Further reasons why something does not count, such as an ignore file. */
  suppressors?: readonly Suppressor[] | undefined;
  /** Leaves out findings that this report already has. */
  since?: DriftReport;
  /** Accounts that are read at once. Default: 64. */
  concurrency?: number | undefined;
  /** Milliseconds that the scan may take. Default: 10 minutes. */
  timeout?: number | undefined;
  signal?: AbortSignal;
  time?: Time;
  journal?: Journal;
  /** Called with the findings of an account as soon as it is read. */
  stream?: ReportStream | undefined;
  onProgress?(progress: Progress): void;
  /** Called once everything is read: what follows waits for nobody. */
  onRead?(): void;
}

/**
 * Receives a report while it is made, account by account, in the order in which they are read. Findings do not have
 * yet what is known only at the end: the group, when they were first seen, which live objects of other accounts need
 * them.
 */
export interface ReportStream {
  begin(header: ReportHeader): void;
  /** Of one account. */
  found(findings: readonly Finding[]): void;
}

export const defaultConcurrency = 64;
export const defaultTimeoutMs = 600_000;

/** Compares stacks with the live accounts. Rejects with the reason of `signal` when that aborts. */
export async function detectDrift(options: DriftOptions): Promise<DriftReport> {
  const { client, stacks, shard, time = systemTime, signal = new AbortController().signal } = options;
  const startedAt = time.now();
  const limits = { deadline: startedAt + (options.timeout ?? defaultTimeoutMs), signal };
  const records = new RecordsByAccount(stacks);
  const choice: AccountChoice = {
    all: options.allAccounts ?? false,
    recorded: records.accounts,
    accounts: options.accounts?.length ? options.accounts : records.accounts,
  };
  const { targets, unlisted } = await targetsOf(client, choice, { ...limits, shard });
  const mine = shard ? targets.filter((target) => isIn(shard, target)) : targets;
  const header = headerOf(options, { targets, unlisted }, startedAt);
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
      const read = await concludeAccount(result, { ...options, objects, records, signal, today });
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

interface Conclusion extends Pick<DriftOptions, "client" | "suppressors" | "baseline" | "allRetirements" | "owners"> {
  objects: readonly RecordedObject[];
  records: RecordsByAccount;
  signal: AbortSignal;
  today: string;
}

/** An account as the report says it: everything is known but what other accounts' live objects need of it. */
async function concludeAccount(
  result: AccountResult,
  { client, objects, records, ...of }: Conclusion,
): Promise<ReadAccount> {
  const { account, collections, models } = result;
  const references = collections.flatMap(({ name, references }) => {
    const { kind } = scannedSpecs.find(({ collection }) => collection === name)!;
    return references.map(([from, to]): DependentReference => ({ type: kind, from, to, urn: null }));
  });
  const findings = [...collections.flatMap((collection) => collection.findings), ...result.findings];
  const known = withDependents(findings, objects, [...records.referringTo(account), ...references])
    .map((finding) => maskFinding(finding, client))
    .map((finding) => (of.owners ? withOwner(finding, of.owners) : finding));
  const suppressors = [...(of.suppressors ?? []), ...(of.baseline ? [of.baseline.suppressor] : [])];
  return {
    report: accountReport(result),
    collections: collections.map(({ counts, leftOut }) => ({ counts, leftOut })),
    findings: (await applySuppressions(known, suppressors, of.signal)).sort(byAccountAndName),
    references: references.filter(({ to }) => accountOf(to) !== account),
    retirements: collectRetirements([models], objects, {
      notice: client.settings.retirementNotice,
      today: of.today,
      all: of.allRetirements === true,
    }),
  };
}

/** An audit lists what it finds itself, and what could not be read. */
function isListed(verdict: Verdict, { auditor, all = false, unmanaged = false }: DriftOptions): boolean {
  if (auditor) return verdict === "error" || verdict === "forbidden";
  return verdict === "in-sync" ? all : verdict !== "unmanaged" || unmanaged;
}
