import { formatAmount, nanosIn } from "../../governance/cost/money";
import { firstOf } from "../../io/text/first-of";
import { resourceNameIn } from "../../provider/core/pulumi-names";
import type { AccountReport, CollectionReport, DriftReport } from "../scan/document";
import {
  type Dependent,
  type Finding,
  type FindingGroup,
  openDriftIn,
  type Suppression,
  type Verdict,
} from "../scan/finding-document";
import { coverageOf, type StackCoverage } from "../scan/result";

/** Phrases that several formats share. They are not safe to print yet: they hold names that others have written. */

export const count = (number: number, one: string, many = `${one}s`): string =>
  `${number} ${number === 1 ? one : many}`;

/** Objects with a verdict, without those that a choice leaves out; of breaches, how many there are. */
export const countIn = ({ summary, leftOut = 0 }: Pick<DriftReport, "summary" | "leftOut">, verdict: Verdict): number =>
  (summary[verdict] ?? 0) - (verdict === "unmanaged" ? leftOut : 0);

/** What a report is of: a scan of drift, or an audit. */
export const reportSubject = ({ policies }: Pick<DriftReport, "policies">): "drift" | "audit" =>
  policies === undefined ? "drift" : "audit";

/** What follows account and collection; empty where an account has but one object of the kind. */
const idIn = (name: string): string => name.split("/").slice(3).join("/");

/**
 * Which object a finding is about, in few words: `Deployment chat`, or
 * `PolicySettings of acme` where an account has but one.
 */
export function shortName({ name, type, account }: Pick<Finding, "name" | "type" | "account">): string {
  const id = idIn(name);
  return id === "" ? `${type} of ${account}` : `${type} ${id}`;
}

/** A report in one sentence. */
export function headline(report: DriftReport): string {
  const { drifted, complete, exitCode } = report;
  const subject = reportSubject(report);
  if (exitCode === 1) return `The ${subject === "audit" ? "audit" : "scan"} failed`;
  const open = openDriftIn(report).length;
  const { failing, harmless, none, counted } = outcomes[subject];
  if (subject === "audit" && !complete && open === 0) return "Not everything could be judged";
  if (!complete && open === 0 && nothingIsRead(report)) return "Nothing could be read";
  const summary = open > 0 ? harmless : none;
  const partial = complete ? "" : ", and not everything could be read";
  return `${drifted ? failing : summary}${open > 0 ? `: ${counted(open)}` : ""}${partial}`;
}

const nothingIsRead = ({ accounts }: DriftReport): boolean =>
  accounts.every(({ collections }) => collections.every(({ status }) => status !== "read"));

/** How a report begins: with findings that fail it, with others only, and with none. */
const outcomes = {
  drift: {
    failing: "Drift found",
    harmless: "Nothing that fails the scan",
    none: "No drift",
    counted: (open: number): string => `${count(open, "object")} ${open === 1 ? "differs" : "differ"} from the stacks`,
  },
  audit: {
    failing: "Breaches found",
    harmless: "Nothing that fails the audit",
    none: "No breach",
    counted: (open: number): string => `${count(open, "breach", "breaches")} of policies`,
  },
};

/** `19 of 20 (95%)`, or `19 of ?`. */
export function coverageText({ managed, total }: StackCoverage): string {
  if (total === null) return `${managed} of ?`;
  return total === 0 ? "0 of 0" : `${managed} of ${total} (${Math.floor((managed / total) * 100)}%)`;
}

/** The totals of an account's collections. */
export const coverageIn = ({ status, collections }: AccountReport): StackCoverage =>
  collections.length === 0 && status !== "read" ? { managed: 0, total: null } : coverageOf(collections);

/**
 * The unreadable parts of an account that was read otherwise; of an account that could not be read at all, there is
 * nothing more to say.
 */
export const unreadOf = ({ status, collections }: AccountReport): CollectionReport[] =>
  status === "partial" ? collections.filter((collection) => collection.status !== "read") : [];

/** Why a finding does not count, in words. */
export const acceptance = ({ by, owner, reason, expires }: Suppression): string =>
  [
    by,
    ...(owner === null ? [] : [`owner ${owner}`]),
    ...(reason === null ? [] : [reason]),
    ...(expires === null ? [] : [`until ${expires}`]),
  ].join(", ");

/** What a difference costs: `costs 48.00 USD more per hour`. */
export function costOf(
  { hourlyCostChange: change }: Pick<Finding, "hourlyCostChange">,
  currency = "",
): string | undefined {
  const nanos = change === undefined ? undefined : nanosIn(change);
  if (nanos === undefined) return undefined;
  const [size, word] = nanos < 0n ? [-nanos, "less"] : [nanos, "more"];
  return `costs ${[formatAmount(size), currency, word].filter((part) => part !== "").join(" ")} per hour`;
}

const minute = (time: string): string => `${time.slice(0, 16).replace("T", " ")} UTC`;

/** Since when a finding is known: `first seen 2026-03-01 02:00 UTC, in 12 scans`. */
export const knownSince = ({ firstSeen, timesSeen }: Pick<Finding, "firstSeen" | "timesSeen">): string | undefined =>
  firstSeen === undefined ? undefined : `first seen ${minute(firstSeen)}, in ${count(timesSeen ?? 1, "scan")}`;

/** Since when the oldest of several is known. */
export const firstSeenText = ({ firstSeen }: Pick<Finding, "firstSeen">): string | undefined =>
  firstSeen === undefined ? undefined : `first seen ${minute(firstSeen)}`;

/** When it changed, as far as that is known: `changed between 2026-02-27 10:00 UTC and 2026-02-28 23:11 UTC`. */
export function changeWindow({
  verdict,
  changedBetween: window,
}: Pick<Finding, "verdict" | "changedBetween">): string | undefined {
  const { after, before } = window ?? {};
  const what = verdict === "missing" ? "deleted" : "changed";
  if (after !== undefined && before !== undefined && minute(after) === minute(before))
    return `${what} at ${minute(before)}`;
  if (after !== undefined && before !== undefined) return `${what} between ${minute(after)} and ${minute(before)}`;
  if (after !== undefined) return `${what} after ${minute(after)}`;
  return before === undefined ? undefined : `${what} before ${minute(before)}`;
}

/** Both in one line, where either is known. */
export const timesOf = (finding: Finding): string | undefined => {
  const known = [knownSince(finding), changeWindow(finding)].filter((part) => part !== undefined);
  return known.length === 0 ? undefined : known.join("; ");
};
/** `12 objects depend on it`. */
export function dependentsText(dependents: number, isOne: boolean): string | undefined {
  if (dependents === 0) return undefined;
  return `${count(dependents, "object depends", "objects depend")} on ${isOne ? "it" : "them"}`;
}

/** What depends on an object: `needed by DeployedModel support, DeployedModel chat and 3 more`. */
export function dependentsIn(dependents: readonly Dependent[]): string | undefined {
  if (dependents.length === 0) return undefined;
  return `needed by ${firstOf(dependents.map(dependentName), { most: mostDependents })}`;
}

/** Of an object, how many dependents a person reads. */
const mostDependents = 5;

export const dependentName = ({ type, name, urn }: Dependent): string =>
  `${type} ${name === null ? resourceNameIn(urn ?? "") : idIn(name)}`.trimEnd();

/** Which objects the findings of one cause are about: `40 of Deployment`. */
export function subjectOf({ type }: Pick<FindingGroup, "type">, members: readonly Finding[]): string {
  if (type !== null) return `${members.length} of ${type}`;
  const types = [...new Set(members.map((member) => member.type))];
  const counts = types.map((each) => `${members.filter((member) => member.type === each).length} of ${each}`);
  return counts.join(", ");
}

/** Where they are: `in 40 accounts, recorded in 3 stacks`. */
export function whereabouts({ accounts, stacks }: Pick<FindingGroup, "accounts" | "stacks">): string {
  const places = accounts.length === 1 ? accounts[0]! : count(accounts.length, "account");
  return `in ${places}${stacks.length === 0 ? "" : `, recorded in ${stacks.length === 1 ? stacks[0] : count(stacks.length, "stack")}`}`;
}

export function membersByAccount(members: readonly Finding[]): [account: string, ids: string[]][] {
  const accounts = new Map<string, string[]>();
  for (const { account, name } of members) {
    const id = idIn(name);
    accounts.set(account, [...(accounts.get(account) ?? []), ...(id === "" ? [] : [id])]);
  }
  return [...accounts];
}

/** Whose findings they are: `owner: search`; undefined where nobody owns any. */
export function ownersText(findings: readonly Pick<Finding, "owner">[]): string | undefined {
  const teams = [...new Set(findings.flatMap(({ owner }) => owner ?? []))].sort();
  if (teams.length === 0) return undefined;
  const isWhole = findings.every(({ owner }) => owner !== undefined);
  return `${teams.length === 1 ? "owner" : "owners"}: ${[...teams, ...(isWhole ? [] : ["nobody"])].join(", ")}`;
}

/** How much of what counts is whose, with owners: `by owner: search 12, serving 3, nobody 1`. */
export function countsByOwner({ owners, findings }: Pick<DriftReport, "owners" | "findings">): string | undefined {
  if (owners === undefined) return undefined;
  const open = openDriftIn({ findings });
  const countOf = (team: string | undefined): number => open.filter(({ owner }) => owner === team).length;
  const counts = [...owners, undefined].map((team) => [team ?? "nobody", countOf(team)] as const);
  const held = counts.filter(([, findings]) => findings > 0).map(([team, findings]) => `${team} ${findings}`);
  return held.length === 0 ? undefined : `by owner: ${held.join(", ")}`;
}

/** The line of the program that accepts changes of watched fields. */
export const acceptLine = ({
  acceptDrift,
  suppressed,
}: Pick<Finding, "acceptDrift" | "suppressed">): string | undefined =>
  acceptDrift === undefined || suppressed !== undefined ? undefined : `acceptDrift: ${JSON.stringify(acceptDrift)}`;

/** Seconds between the times that a report has recorded. */
export const secondsOf = ({ startedAt, finishedAt }: Pick<DriftReport, "startedAt" | "finishedAt">): number =>
  (Date.parse(finishedAt) - Date.parse(startedAt)) / 1000;

/** Length of a scan in words. */
function durationText(report: Pick<DriftReport, "startedAt" | "finishedAt">): string {
  const seconds = secondsOf(report);
  return seconds < 60 ? `${seconds.toFixed(1)} s` : `${Math.floor(seconds / 60)} min ${Math.floor(seconds % 60)} s`;
}

/** The scope of the scan, and its cost. */
export function scopeOf(report: DriftReport): string[] {
  const { stacks, accounts, shard, run } = report.scope;
  const requests = report.accounts.reduce((sum, account) => sum + account.requests, 0);
  return [
    count(stacks.length, "stack"),
    // A merge knows of accounts that it misses; a shard reads its own of all.
    (shard === undefined && report.accounts.length < accounts.length ? `${report.accounts.length} of ` : "") +
      count(accounts.length, "account"),
    ...(shard === undefined ? [] : [`shard ${shard}`]),
    ...(run === undefined ? [] : [`run ${run}`]),
    objectsRead(report),
    count(requests, "request"),
    durationText(report),
  ];
}

/** `12 objects read, 10 judged`. Unread objects do not count. */
function objectsRead({ accounts, summary }: DriftReport): string {
  const read = accounts.flatMap(({ collections }) => collections).reduce((sum, each) => sum + each.read, 0);
  const judged = Object.values(summary).reduce<number>((sum, each) => sum + (each ?? 0), 0);
  return `${count(read, "object")} read, ${judged} judged`;
}

/** Accounts whose key the service refuses: nothing of them is compared, which is said once and not for each object. */
export const refusedAccounts = ({ accounts }: Pick<DriftReport, "accounts">): string[] =>
  accounts.filter(({ status }) => status === "forbidden").map(({ account }) => account);

/** The findings that are listed one by one. */
export function shownFindings(report: Pick<DriftReport, "accounts" | "findings">): Finding[] {
  const refused = new Set(refusedAccounts(report));
  return report.findings.filter(({ verdict, account }) => verdict !== "forbidden" || !refused.has(account));
}

/** How far an account could be read. */
export const readingOf = ({ status }: Pick<AccountReport, "status">): string =>
  status === "forbidden" ? "key refused" : readings[status];

/** How far an account or a collection could be read. */
export const readings = {
  read: "read",
  partial: "read in part",
  forbidden: "forbidden",
  error: "could not be read",
} as const satisfies Record<AccountReport["status"], string>;
