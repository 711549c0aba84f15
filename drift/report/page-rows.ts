import { diffArrays } from "diff";
import { printable } from "../../io/text/printable";
import { groupBy } from "../../provider/core/values/grouping";
import type { DriftReport } from "../scan/document";
import type { Finding, FindingGroup, GroupChange } from "../scan/finding-document";
import { adviceOn, adviceScope, wordings } from "./advice";
import { causesIn, type SharedCause } from "./causes";
import { type Remedy, type ReportContext, remediesOf, remediesOfAll } from "./context";
import { comparableChanges, rowText, valueLines, various } from "./values";
import {
  acceptance,
  acceptLine,
  changeWindow,
  count,
  dependentName,
  firstSeenText,
  knownSince,
  ownersText,
  shortName,
  subjectOf,
} from "./wording";

/** A piece of a text, and whether the other text has something else there. */
export type Piece = readonly [text: string, differs: boolean];

/** Beyond so many differing words the time grows with their square, and nobody reads that many marks. */
const mostEdits = 500;

/** Common and differing words of two texts. */
export function difference(before: string, after: string): { before: Piece[]; after: Piece[] } {
  const changes = diffArrays(wordsOf(before), wordsOf(after), { maxEditLength: mostEdits });
  if (changes === undefined) return { before: [[before, true]], after: [[after, true]] };
  const side = (other: "added" | "removed"): Piece[] =>
    changes.filter((change) => !change[other]).map(({ value, added, removed }) => [value.join(""), added || removed]);
  return { before: side("added"), after: side("removed") };
}

const wordsOf = (text: string): string[] => text.match(/[\p{L}\p{N}_]+|\s+|[^\p{L}\p{N}_\s]/gu) ?? [];

/** A finding as the page shows it: texts only, so that the script only places them. */
export interface FindingRow {
  fingerprint: string;
  verdict: string;
  title: string;
  severity: string;
  account: string;
  /** Empty where nobody owns it. */
  owner: string;
  object: string;
  reason: string;
  accepted: boolean;
  updated: string;
  facts: [label: string, text: string][];
  changes: ChangeRow[];
  next: string;
  /** Why a person has to write some of it. */
  left: string;
  remedies: Remedy[];
}

interface ChangeRow {
  path: string;
  severity: string;
  managed: boolean;
  /** Null where there is none. */
  recorded: readonly Piece[] | null;
  live: readonly Piece[] | null;
}

/** A cause as the page displays it, or the fingerprint of a single finding. In reading order. */
type CauseRow = string | GroupRow;

/** What a cause comes to for all of its findings, or for those of one team. */
interface GroupPart {
  facts: [label: string, text: string][];
  next: string;
  remedies: Remedy[];
}

/** Findings of one cause. */
export interface GroupRow extends GroupPart {
  id: string;
  verdict: string;
  title: string;
  severity: string;
  /** Kind of the objects. */
  type: string;
  reason: string;
  accepted: boolean;
  changes: ChangeRow[];
  /** Fingerprints of the findings. */
  members: readonly string[];
  /** By team, where the findings are not all of one. */
  byOwner: [owner: string, part: GroupPart][];
}

export const causeRowsOf = (report: DriftReport, context: ReportContext): CauseRow[] =>
  causesIn(report).map((cause) =>
    "finding" in cause ? printable(cause.finding.fingerprint) : groupRowOf(cause, report, context),
  );

function groupRowOf(
  { group, members }: SharedCause,
  report: Pick<DriftReport, "scope" | "currency">,
  context: ReportContext,
): GroupRow {
  const { id, type, verdict, severity, suppressed, changes } = group;
  const byOwner = groupBy(members, ({ owner = "" }) => owner);
  const part = (some: readonly Finding[], about: FindingGroup): GroupPart => ({
    facts: groupFactsOf(about, some),
    next: suppressed === undefined ? adviceOn(group, adviceScope(some, report, context)).next : "",
    remedies: remediesOfAll(some, report, context),
  });
  return {
    id: printable(id),
    verdict,
    title: wordings[verdict].title,
    severity,
    type: printable(type ?? "object"),
    reason: printable(rowText(group, report.currency)),
    accepted: suppressed !== undefined,
    ...part(members, group),
    changes: comparableChanges({ type: type ?? "", changes }).map(changeOf),
    members: members.map(({ fingerprint }) => printable(fingerprint)),
    byOwner:
      byOwner.size < 2
        ? []
        : [...byOwner].map(([owner, some]) => [printable(owner), part(some, narrowedTo(some, group))]),
  };
}

/** The group, as if it had only some of its members. */
const narrowedTo = (members: readonly Finding[], group: FindingGroup): FindingGroup => ({
  ...group,
  accounts: [...new Set(members.map(({ account }) => account))].sort(),
  stacks: [...new Set(members.flatMap(({ stacks }) => stacks))].sort(),
  dependents: group.dependents && members.reduce((sum, { dependents = [] }) => sum + dependents.length, 0),
  firstSeen: members.flatMap(({ firstSeen }) => firstSeen ?? []).sort()[0],
});

function groupFactsOf(group: FindingGroup, members: readonly Finding[]): [string, string][] {
  const { accounts, stacks, suppressed, ruleId } = group;
  return knownFacts([
    ["Accepted by", suppressed && acceptance(suppressed)],
    ["Owner", ownersText(members)?.replace(/^\w+: /, "")],
    ["Objects", subjectOf(group, members)],
    ["History", firstSeenText(group)],
    ["Depending on them", group.dependents === undefined ? undefined : count(group.dependents, "object")],
    ["Accounts", truncatedList(accounts)],
    ["Recorded in", truncatedList(stacks)],
    ["Rule", ruleId],
  ]);
}

/** How many names of a list a fact holds. */
const mostListed = 20;

const truncatedList = (names: readonly string[]): string =>
  [...names.slice(0, mostListed), ...(names.length > mostListed ? [`${names.length - mostListed} more`] : [])].join(
    ", ",
  );

const knownFacts = (facts: readonly [label: string, text: string | null | undefined][]): [string, string][] =>
  facts.flatMap(([label, text]) =>
    text === null || text === undefined || text === "" ? [] : [[label, printable(text)]],
  );

export function rowOf(
  finding: Finding,
  report: Pick<DriftReport, "scope" | "currency">,
  context: ReportContext,
): FindingRow {
  const patch = context.patches?.get(finding.fingerprint);
  const { fingerprint, verdict, severity, account, suppressed, updateTime } = finding;
  return {
    fingerprint: printable(fingerprint),
    verdict,
    title: wordings[verdict].title,
    severity,
    account: printable(account),
    owner: printable(finding.owner ?? ""),
    object: printable(shortName(finding)),
    reason: printable(rowText(finding, report.currency)),
    accepted: suppressed !== undefined,
    updated: updateTime ?? "",
    facts: factsOf(finding),
    changes: comparableChanges(finding).map(changeOf),
    next: suppressed === undefined ? adviceOn(finding, adviceScope([finding], report, context)).next : "",
    left: printable((patch?.left ?? []).join("; ")),
    remedies: remediesOf(finding, report, patch, context),
  };
}

function factsOf(finding: Finding): [string, string][] {
  const { name, urn, stacks, origin, source, updateTime, unverified, ruleId, suppressed, dependents, group } = finding;
  const place = source && [source.path, source.line, source.column].filter((part) => part !== undefined).join(":");
  return knownFacts([
    ["Accepted by", suppressed && acceptance(suppressed)],
    ["Owner", finding.owner],
    ["To accept it", acceptLine(finding)],
    ["Needed by", dependents && truncatedList(dependents.map(dependentName))],
    ["Resource", name],
    ["Recorded in", stacks.join(", ")],
    ["URN", urn],
    ["Declared at", place],
    ["Cannot be compared", unverified.join(", ")],
    ["History", knownSince(finding)],
    ["When", changeWindow(finding)],
    ["Last change", updateTime],
    ["Service", origin],
    ["Rule", ruleId],
    ["Group", group],
  ]);
}

function changeOf({ path, severity, managed, recorded, live, ...rest }: GroupChange): ChangeRow {
  const same = { path: printable(path), severity, managed };
  const placeholder = (side: "recorded" | "live"): readonly Piece[] | undefined =>
    rest.various?.includes(side) ? [[various, false]] : undefined;
  if (recorded === undefined || live === undefined) {
    const whole = (value: unknown): Piece[] | null => (value === undefined ? null : [[valueLines(value), true]]);
    return {
      ...same,
      recorded: placeholder("recorded") ?? whole(recorded),
      live: placeholder("live") ?? whole(live),
    };
  }
  const { before, after } = difference(valueLines(recorded), valueLines(live));
  return { ...same, recorded: before, live: after };
}
