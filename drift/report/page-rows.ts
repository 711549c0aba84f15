import { printable } from "../../io/text/printable";
import type { DriftReport, Finding, FindingGroup, GroupChange } from "../scan/document";
import { causesIn, type SharedCause } from "./causes";
import { type Remedy, type ReportContext, remediesOf, remediesOfAll } from "./context";
import { comparableChanges, rowText, valueLines, various } from "./values";
import {
  acceptance,
  acceptLine,
  adviceOn,
  adviceScope,
  changeWindow,
  count,
  dependentName,
  firstSeenText,
  knownSince,
  shortName,
  subjectOf,
  wordings,
} from "./wording";

/** A piece of a text, and whether the other text has something else there. */
export type Piece = readonly [text: string, differs: boolean];

// Beyond it the time grows with the product of both lengths, and a difference
// in so many places is none that people read.
const mostPairs = 250_000;

/** Common and differing words of two texts. */
export function difference(before: string, after: string): { before: Piece[]; after: Piece[] } {
  const [old, young] = [wordsOf(before), wordsOf(after)];
  const front = commonLength(old, young, (words, index) => words[index]);
  const back = commonLength(old.slice(front), young.slice(front), (words, index) => words.at(-1 - index));
  const [oldMiddle, youngMiddle] = [old.slice(front, old.length - back), young.slice(front, young.length - back)];
  const common = oldMiddle.length * youngMiddle.length > mostPairs ? [] : commonWords(oldMiddle, youngMiddle);
  const pieces = (words: readonly string[], middle: readonly string[], side: 0 | 1): Piece[] => {
    const kept = new Set(common.map((pair) => pair[side]));
    return joinPieces([
      [words.slice(0, front).join(""), false],
      ...middle.map((word, index): Piece => [word, !kept.has(index)]),
      [back === 0 ? "" : words.slice(-back).join(""), false],
    ]);
  };
  return { before: pieces(old, oldMiddle, 0), after: pieces(young, youngMiddle, 1) };
}

const wordsOf = (text: string): string[] => text.match(/[\p{L}\p{N}_]+|\s+|[^\p{L}\p{N}_\s]/gu) ?? [];

function commonLength(
  a: readonly string[],
  b: readonly string[],
  at: (words: readonly string[], index: number) => string | undefined,
): number {
  const most = Math.min(a.length, b.length);
  let length = 0;
  while (length < most && at(a, length) === at(b, length)) length++;
  return length;
}

/** Places of a longest common subsequence. */
function commonWords(a: readonly string[], b: readonly string[]): [number, number][] {
  const lengths = Array.from({ length: a.length + 1 }, () => new Uint32Array(b.length + 1));
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--)
      lengths[i]![j] = a[i] === b[j] ? lengths[i + 1]![j + 1]! + 1 : Math.max(lengths[i + 1]![j]!, lengths[i]![j + 1]!);
  }
  const pairs: [number, number][] = [];
  for (let i = 0, j = 0; i < a.length && j < b.length; ) {
    if (a[i] === b[j]) pairs.push([i++, j++]);
    else if (lengths[i + 1]![j]! >= lengths[i]![j + 1]!) i++;
    else j++;
  }
  return pairs;
}

/** Neighbours of the same kind as one piece. */
function joinPieces(pieces: readonly Piece[]): Piece[] {
  const result: [string, boolean][] = [];
  for (const [text, differs] of pieces) {
    const last = result.at(-1);
    if (text === "") continue;
    if (last?.[1] === differs) last[0] += text;
    else result.push([text, differs]);
  }
  return result;
}

/** A finding as the page shows it: texts only, so that the script only places them. */
export interface FindingRow {
  fingerprint: string;
  verdict: string;
  title: string;
  severity: string;
  account: string;
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

/** Findings of one cause. */
export interface GroupRow {
  id: string;
  verdict: string;
  title: string;
  severity: string;
  /** Kind of the objects. */
  type: string;
  reason: string;
  accepted: boolean;
  facts: [label: string, text: string][];
  changes: ChangeRow[];
  next: string;
  remedies: Remedy[];
  /** Fingerprints of the findings. */
  members: readonly string[];
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
  return {
    id: printable(id),
    verdict,
    title: wordings[verdict].title,
    severity,
    type: printable(type ?? "object"),
    reason: printable(rowText(group, report.currency)),
    accepted: suppressed !== undefined,
    facts: groupFactsOf(group, members),
    changes: comparableChanges({ type: type ?? "", changes }).map(changeOf),
    next: suppressed === undefined ? adviceOn(group, adviceScope(members, report, context)).next : "",
    remedies: remediesOfAll(members, report, context),
    members: members.map(({ fingerprint }) => printable(fingerprint)),
  };
}

function groupFactsOf(group: FindingGroup, members: readonly Finding[]): [string, string][] {
  const { accounts, stacks, suppressed, ruleId } = group;
  return knownFacts([
    ["Accepted by", suppressed && acceptance(suppressed)],
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

/** The facts that there are. */
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
    ["FindingGroup", group],
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
