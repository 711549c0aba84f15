import { ascending } from "../../provider/core/values/grouping";
import { omitUndefined } from "../../provider/core/values/values";
import { missingList } from "./accounts";
import { defaultTimeoutMs } from "./detect";
import type { DriftReport, FailedPolicy, MissingPart } from "./document";
import { withGroups } from "./finding";
import type { Verdict } from "./finding-document";
import { byAccountAndName, coverageOf, isWhole, unknownCoverage, withExitCode } from "./result";
import { mergeRetirements } from "./retirements";
import { parseShard, shardText } from "./shard";
import { verdicts } from "./verdicts";

export interface ReportPart {
  /** How errors call it. */
  file: string;
  report: DriftReport;
}

interface MergeOptions {
  /** The run that all reports have to be of. */
  run?: string | undefined;
  /** The same, where they name one: that of the pipeline. */
  pipelineRun?: string | undefined;
  /** Milliseconds that may lie between reports that name no run. Default: 10 minutes. */
  timeout?: number | undefined;
  /** The time, before which reports that name no run have ended. Default: they are believed. */
  now?: number | undefined;
  /** What counts. Default: as the scans say. */
  failOn?: readonly string[] | undefined;
  /** Whether a missing part is a problem. Default: the report names it, and is not complete. */
  requireComplete?: boolean | undefined;
}

/** One report of the shards, or why they do not make one. What it comes to is computed from what they found. */
export function mergeReports(
  parts: readonly ReportPart[],
  options: MergeOptions = {},
): { report: DriftReport } | { problem: string } {
  const problem = scanProblem(parts) ?? runProblem(parts, options) ?? shardProblem(parts);
  if (problem !== undefined) return { problem };
  const unlisted = unlistedIn(parts.map(({ report }) => report));
  const missing = [...missingParts(parts), ...unlisted.map(missingList)];
  if (options.requireComplete && missing.length > 0) return { problem: incompleteProblem(missing) };
  const reports = parts.map(({ report }) => report);
  const accounts = reports.flatMap((report) => report.accounts);
  const { scope, tool, currency, policies, unconfiguredPolicies } = reports[0]!;
  const complete = missing.length === 0 && reports.every(isWhole);
  const isAllListed = missing.every(({ part }) => part === "stack");
  const times = (key: "startedAt" | "finishedAt"): string[] => reports.map((report) => report[key]).sort();
  const findings = reports.flatMap((report) => report.findings).sort(byAccountAndName);
  const merged = withGroups(
    omitUndefined<DriftReport>({
      schemaVersion: 1,
      tool,
      startedAt: times("startedAt")[0]!,
      finishedAt: times("finishedAt").at(-1)!,
      complete,
      drifted: false,
      exitCode: 0,
      scope: omitUndefined({
        ...scope,
        stacks: namesIn(reports, "stacks"),
        builtIn: mergeLists(reports.map((report) => report.scope.builtIn)),
        accounts: namesIn(reports, "accounts"),
        narrowed: reports.some((report) => report.scope.narrowed) ? true : undefined,
        shard: undefined,
        unlisted: unlisted.length > 0 ? unlisted : undefined,
        failOn: options.failOn ? [...options.failOn] : scope.failOn,
      }),
      summary: {
        ...(Object.fromEntries(
          verdicts.map((verdict) => [verdict, total(reports, verdict)]),
        ) as DriftReport["summary"]),
        ...omitUndefined({ breach: policies && findings.filter(({ verdict }) => verdict === "breach").length }),
      },
      coverage: coverageOf([...reports.map(({ coverage }) => coverage), ...(isAllListed ? [] : [unknownCoverage])]),
      accounts: accounts.sort((left, right) => (left.account < right.account ? -1 : 1)),
      missing: missing.length > 0 ? missing : undefined,
      currency,
      findings,
      leftOut: leftOutOf(reports),
      policies,
      unconfiguredPolicies,
      failedPolicies: failedPolicies(reports),
      owners: mergeLists(reports.map(({ owners }) => owners)),
      ...mergeRetirements(reports),
      unusable: mergeLists(reports.map(({ unusable }) => unusable)),
      resolved: mergeLists(reports.map(({ resolved }) => resolved)),
      // An entry about an account is reported by the shard that read it, an expired one by every shard.
      staleBaseline: mergeLists(reports.map(({ staleBaseline }) => staleBaseline)),
    }),
  );
  return { report: withExitCode(merged) };
}

function leftOutOf(reports: readonly DriftReport[]): number | undefined {
  const counts = reports.flatMap(({ leftOut }) => leftOut ?? []);
  return counts.length === 0 ? undefined : counts.reduce((sum, count) => sum + count, 0);
}

/** A policy that ended in an error in several shards is one, too. */
function failedPolicies(reports: readonly DriftReport[]): FailedPolicy[] | undefined {
  const failed = new Map<string, FailedPolicy>();
  for (const each of reports.flatMap((report) => report.failedPolicies ?? []))
    failed.set(each.name, { ...each, times: each.times + (failed.get(each.name)?.times ?? 0) });
  return failed.size > 0 ? [...failed.values()] : undefined;
}

const total = (reports: readonly DriftReport[], verdict: Verdict): number =>
  reports.reduce((sum, { summary }) => sum + (summary[verdict] ?? 0), 0);

/** The entries of all lists, each once; undefined where no report has the list. */
function mergeLists<T>(lists: readonly (readonly T[] | undefined)[]): T[] | undefined {
  const present = lists.filter((list) => list !== undefined);
  if (present.length === 0) return undefined;
  return [...new Map(present.flat().map((entry) => [JSON.stringify(entry), entry])).values()];
}

/** Why two of the reports cannot be of one scan. */
function scanProblem(parts: readonly ReportPart[]): string | undefined {
  const [first, ...others] = parts;
  if (!first) return "There is nothing to merge.";
  const same: readonly [what: string, of: (report: DriftReport) => unknown][] = [
    ["another version", ({ schemaVersion, tool }) => [schemaVersion, tool.name, tool.version]],
    ["another currency", ({ currency }) => currency],
    ["other policies", ({ policies }) => policies],
    ["another number of shards", ({ scope }) => parseShard(scope.shard ?? "")?.count],
    ["other flags, or other options of policies,", ({ scope }) => [scope.options, scope.failOn]],
  ];
  for (const { file, report } of others) {
    const other = same.find(([, of]) => JSON.stringify(of(report)) !== JSON.stringify(of(first.report)));
    if (other)
      return `${file} is of ${other[0]} than ${first.file}. Run all shards with the same version and the same flags.`;
  }
  return undefined;
}

/** Why the reports are not of one run, or not of the one that is expected. */
function runProblem(
  parts: readonly ReportPart[],
  { run, pipelineRun, timeout = defaultTimeoutMs, now = Number.POSITIVE_INFINITY }: MergeOptions,
): string | undefined {
  const named = parts.map(({ file, report: { scope } }) => ({ file, run: scope.run }));
  const [first] = named as [(typeof named)[number]];
  const other = named.find((each) => each.run !== first.run);
  if (other)
    return `${other.file} is ${ofRun(other.run)}, and ${first.file} ${ofRun(first.run)}. Merge the reports of one run.`;
  const expected = run ?? (first.run === undefined ? undefined : pipelineRun);
  if (expected !== undefined && first.run !== expected)
    return `${first.file} is ${ofRun(first.run)}, and not of ${expected}. Give the reports of that run, or \`--run\` with theirs.`;
  return first.run === undefined ? timeProblem(parts, timeout, now) : undefined;
}

const ofRun = (run: string | undefined): string => (run === undefined ? "of no named run" : `of the run ${run}`);

/** By how much clocks of the machines of a pipeline may differ. */
const clocksDifferMs = 5 * 60 * 1000;

/** A report that began long after the ones before had ended is of another run; one that has not ended is of none. */
function timeProblem(parts: readonly ReportPart[], timeout: number, now: number): string | undefined {
  const odd = parts.find(
    ({ report: { startedAt, finishedAt } }) => startedAt > finishedAt || Date.parse(finishedAt) > now + clocksDifferMs,
  );
  if (odd)
    return `${odd.file} is of ${odd.report.startedAt} to ${odd.report.finishedAt}, when no scan can have been. Scan again, or check the clock of its machine.`;
  const inTurn = [...parts].sort((one, other) => ascending(one.report.startedAt, other.report.startedAt));
  let last = inTurn[0]!;
  for (const part of inTurn) {
    const pause = Date.parse(part.report.startedAt) - Date.parse(last.report.finishedAt);
    if (pause > timeout)
      return `${part.file} began at ${part.report.startedAt}, and ${last.file} had ended at ${last.report.finishedAt}: reports that name no run are of one only within \`--timeout\`. Name it with \`--run\` when you scan.`;
    if (part.report.finishedAt > last.report.finishedAt) last = part;
  }
  return undefined;
}

/** Why a report is not that of a shard of its own. */
function shardProblem(parts: readonly ReportPart[]): string | undefined {
  const files = new Map<number, string>();
  for (const { file, report } of parts) {
    const shard = parseShard(report.scope.shard ?? "");
    if (!shard) return `${file} is a report of a whole scan: there is nothing to merge it with.`;
    const other = files.get(shard.index);
    if (other !== undefined)
      return `${file} and ${other} are both shard ${shard.index} of ${shard.count}. Give each shard once.`;
    files.set(shard.index, file);
  }
  return undefined;
}

/** What the reports of a scan, each of a shard of its own, do not say. */
function missingParts(parts: readonly ReportPart[]): MissingPart[] {
  const reports = parts.map(({ report }) => report);
  const given = new Set(reports.map(({ scope }) => scope.shard!));
  const { count } = parseShard(reports[0]!.scope.shard!)!;
  const read = new Set(reports.flatMap(({ accounts }) => accounts.map(({ account }) => account)));
  const shards = Array.from({ length: count }, (_, place) => shardText({ index: place + 1, count }));
  return [
    ...shards
      .filter((name) => !given.has(name))
      .map((name) => ({ part: "shard" as const, name, reason: "no report of it" })),
    ...namesIn(reports, "accounts")
      .filter((name) => !read.has(name))
      .map((name) => ({ part: "account" as const, name, reason: "in no report" })),
    ...unknownStacks(reports),
  ];
}

/**
 * The keys that no shard could list accounts with. A shard that has not asked every key has asked those of its own
 * accounts, none of them in vain.
 */
function unlistedIn(reports: readonly DriftReport[]): string[] {
  const failed = new Set(reports.flatMap(({ scope }) => scope.unlisted ?? []));
  const hasListed = ({ scope: { unlisted }, accounts }: DriftReport, key: string): boolean =>
    unlisted ? !unlisted.includes(key) : accounts.some(({ account }) => account === key);
  return [...failed].filter((key) => !reports.some((report) => hasListed(report, key))).sort();
}

/** Names of the stacks or accounts of all reports, each once. */
const namesIn = (reports: readonly DriftReport[], what: "stacks" | "accounts"): string[] => [
  ...new Set(reports.flatMap(({ scope }) => scope[what])),
];

/** Stacks that some shards have not compared with their accounts. */
function unknownStacks(reports: readonly DriftReport[]): MissingPart[] {
  const shards = reports
    .map(({ scope }) => ({ shard: parseShard(scope.shard!)!, stacks: new Set(scope.stacks) }))
    .sort((one, other) => ascending(one.shard.index, other.shard.index));
  return namesIn(reports, "stacks").flatMap((name) => {
    const unaware = shards.filter(({ stacks }) => !stacks.has(name)).map(({ shard }) => shardText(shard));
    const reason = `unknown to ${unaware.length === 1 ? "shard" : "shards"} ${unaware.join(", ")}`;
    return unaware.length === 0 ? [] : [{ part: "stack", name, reason }];
  });
}

function incompleteProblem([first, ...others]: readonly MissingPart[]): string {
  const more = others.length === 0 ? "" : `, and ${others.length} more`;
  return `The reports are not the whole scan. Missing: ${first!.part} ${first!.name} (${first!.reason})${more}. Run what is missing, or merge without \`--require-complete\`.`;
}
