import { firstOf } from "../../io/text/first-of";
import { printable } from "../../io/text/printable";
import { groupBy } from "../../provider/core/values/grouping";
import type { News, Occurrence } from "../history/store";
import { wordings } from "../report/advice";
import { type Cause, causesIn, missingWarnings, unreadTexts } from "../report/causes";
import { comparableChanges, sideText } from "../report/values";
import {
  costOf,
  count,
  dependentsText,
  headline,
  ownersText,
  reportSubject,
  scopeOf,
  shortName,
  subjectOf,
  whereabouts,
} from "../report/wording";
import type { DriftReport } from "../scan/document";
import { groupsOf } from "../scan/finding";
import {
  type Finding,
  type FindingGroup,
  type GroupChange,
  type Severity,
  sealValue,
  type Verdict,
} from "../scan/finding-document";

/** The content of a message: what is new, worse or resolved since the last scan. Every text is printable. */
export interface Notice {
  /** The same for each try to send it. */
  id: string;
  /** End of the scan. */
  time: string;
  tool: DriftReport["tool"];
  subject: ReturnType<typeof reportSubject>;
  /** The team that it is for, where it is for one. */
  owner?: string | undefined;
  /** The report in one sentence. */
  headline: string;
  scope: readonly string[];
  /** The run that the scan is part of. */
  run?: string | undefined;
  sections: readonly NoticeSection[];
}

export interface NoticeSection {
  kind: "new" | "worse" | "resolved";
  /** Findings that it is about. */
  count: number;
  entries: readonly NoticeEntry[];
  /** Findings of the entries that do not fit. */
  omitted: number;
}

/** Findings of one cause. */
export interface NoticeEntry {
  verdict: Verdict;
  severity: Severity;
  type: string | null;
  ruleId: string;
  /** `40 of Deployment: 1 field differs from what is recorded`. */
  title: string;
  /** `maxReplicaCount: 2 → 8`. */
  changes: readonly string[];
  /** Where it is, what it costs, what depends on it. */
  facts: readonly string[];
  count: number;
  accounts: readonly string[];
  /** Resource names, and how many there are besides. */
  names: readonly string[];
  omitted: number;
}

/** Chats and gateways take messages of some dozens of kilobytes. */
const most = { entries: 15, names: 10, changes: 6, accounts: 20, text: 400 };

const clipText = (text: string): string => {
  const safeText = printable(text);
  return safeText.length > most.text ? `${safeText.slice(0, most.text - 1)}…` : safeText;
};

/** Whom a notice is for. */
interface Addressee {
  /** The team whose report and news these are. */
  owner?: string | undefined;
  /** Open findings that others are told of. */
  left?: number;
}

/** What there is to say; undefined where nothing has happened. */
export function noticeOf(
  report: DriftReport,
  { id, news }: { id: string; news: News },
  { owner, left = 0 }: Addressee = {},
): Notice | undefined {
  const leaving = left === 0 ? "" : `; owners are told of ${left}`;
  const sections = [
    sectionOf("new", entriesOf(news.found, { ...report, owner })),
    sectionOf("worse", entriesOf(news.worse, { ...report, owner })),
    sectionOf("resolved", resolvedEntries(news.resolved)),
  ].filter(({ count }) => count > 0);
  if (sections.length === 0 && !news.missing?.length) return undefined;
  return {
    id: clipText(id),
    time: clipText(report.finishedAt),
    tool: { name: clipText(report.tool.name), version: clipText(report.tool.version) },
    subject: reportSubject(report),
    owner: owner && clipText(owner),
    headline: clipText(`${owner === undefined ? "" : `${owner}: `}${headline(report)}${leaving}`),
    scope: [...scopeOf(report), ...missingTexts(report), ...earlierMissing(report, news), ...unreadTexts(report)].map(
      clipText,
    ),
    run: report.scope.run && clipText(report.scope.run),
    sections,
  };
}

const missingTexts = (missed: Pick<DriftReport, "missing">): string[] =>
  missingWarnings(missed).map(({ about, warning }) => `${about} ${warning}`);

/** What earlier scans have not read, where nobody has been told of it. */
function earlierMissing({ finishedAt }: DriftReport, { missing = [] }: News): string[] {
  const byScan = groupBy(
    missing.filter(({ at }) => at !== finishedAt),
    ({ at }) => at,
  );
  return [...byScan].flatMap(([at, parts]) =>
    missingTexts({ missing: parts }).map((text) => `${text}, in the scan that ended ${at}`),
  );
}

function sectionOf(kind: NoticeSection["kind"], entries: readonly NoticeEntry[]): NoticeSection {
  const visibleEntries = entries.slice(0, most.entries);
  const totalCount = (some: readonly NoticeEntry[]): number => some.reduce((sum, entry) => sum + entry.count, 0);
  return {
    kind,
    count: totalCount(entries),
    entries: visibleEntries,
    omitted: totalCount(entries.slice(most.entries)),
  };
}

interface EntryOptions {
  currency?: string | undefined;
  /** Whose message it is. */
  owner?: string | undefined;
}

/** Causes among these findings alone: a finding is reported once. */
function entriesOf(findings: readonly Finding[], options: EntryOptions): NoticeEntry[] {
  const reported = new Set<Finding>();
  return causesIn({ accounts: [], findings: [...findings], groups: groupsOf(findings) }).flatMap((cause) => {
    const members = ("finding" in cause ? [cause.finding] : cause.members).filter((finding) => !reported.has(finding));
    for (const finding of members) reported.add(finding);
    return members.length === 0 ? [] : [entryOf(cause, members, options)];
  });
}

function entryOf(cause: Cause, members: readonly Finding[], { currency, owner }: EntryOptions): NoticeEntry {
  const about = "finding" in cause ? asSingleGroup(cause.finding) : cause.group;
  const { verdict, severity, type, ruleId, reason, changes } = about;
  const subject = "finding" in cause ? shortName(cause.finding) : subjectOf(about, members);
  const facts = [
    whereabouts(about),
    owner === undefined ? ownersText(members) : undefined,
    costOf(about, currency),
    dependentsText(about.dependents ?? 0, members.length === 1),
  ];
  const visibleChanges = comparableChanges({ type: type ?? "", changes: sealValue(changes) as GroupChange[] });
  return {
    ...{ verdict, severity, type, ruleId },
    title: clipText(`${wordings[verdict].title}: ${subject}: ${reason}`),
    changes: [
      ...visibleChanges.slice(0, most.changes).map(changeText),
      ...(visibleChanges.length > most.changes ? [count(visibleChanges.length - most.changes, "more field")] : []),
    ],
    facts: facts.flatMap((fact) => (fact === undefined ? [] : [clipText(fact)])),
    ...namesOf(members),
  };
}

const changeText = (change: GroupChange): string =>
  clipText(`${change.path}: ${sideText(change, "recorded")} → ${sideText(change, "live")}`);

const asSingleGroup = ({ dependents, account, ...finding }: Finding): FindingGroup => ({
  ...finding,
  id: finding.fingerprint,
  members: [finding.fingerprint],
  accounts: [account],
  dependents: dependents?.length,
});

/** Resolved findings, by kind and verdict. */
function resolvedEntries(resolved: News["resolved"]): NoticeEntry[] {
  const groups = groupBy(resolved, ({ type, verdict, severity }) => JSON.stringify([type, verdict, severity]));
  return [...groups.values()].map((same) => {
    const [{ verdict, severity, type, ruleId }] = same as [Occurrence];
    const subject = same.length === 1 ? shortName(same[0]!) : `${same.length} of ${type}`;
    return {
      ...{ verdict, severity, type, ruleId, changes: [], facts: [] },
      title: clipText(`no longer ${wordings[verdict].title}: ${subject}`),
      ...namesOf(same),
    };
  });
}

function namesOf(members: readonly Pick<Finding, "name" | "account">[]) {
  const accounts = [...new Set(members.map(({ account }) => printable(account)))].sort();
  return {
    count: members.length,
    accounts: accounts.slice(0, most.accounts),
    names: members.slice(0, most.names).map(({ name }) => clipText(name)),
    omitted: Math.max(0, members.length - most.names),
  };
}

/** What a section is about, in words. */
export const sectionTitle = ({ kind, count: findings }: NoticeSection): string =>
  `${{ new: "New", worse: "Worse", resolved: "Resolved" }[kind]} (${findings})`;

/** Names of an entry on one line. */
export const namesText = ({ names, omitted }: NoticeEntry): string =>
  firstOf(names, { most: names.length, of: names.length + omitted });

/** One line of everything, for previews of a message. */
export const summaryOf = ({ headline: sentence, sections }: Notice): string =>
  [sentence, ...(sections.length > 0 ? [sections.map(sectionTitle).join(", ")] : [])]
    .map((text) => `${text}.`)
    .join(" ");

/** A form of message that a receiver understands. */
export interface NotificationForm {
  contentType: string;
  /** The document that is sent as JSON. */
  bodyOf(notice: Notice): object;
}
