import type { Block, Cell, Column, Entry, Phrase, Row, Section } from "../../io/text/report/tree";
import type { AccountReport, DriftReport } from "../scan/document";
import type { Finding, FindingGroup, GroupChange } from "../scan/finding-document";
import { coverageOf } from "../scan/result";
import { wordings } from "./advice";
import { type Cause, listUnconfigured, type SharedCause, unconfiguredTitle, warningsOf } from "./causes";
import { comparableChanges, rowText, sideText } from "./values";
import {
  acceptance,
  acceptLine,
  count,
  coverageIn,
  coverageText,
  dependentsIn,
  dependentsText,
  firstSeenText,
  membersByAccount,
  ownersText,
  readingOf,
  readings,
  shortName,
  subjectOf,
  timesOf,
  unreadOf,
  whereabouts,
} from "./wording";

/** What reports of drift say in lines: in text and in Markdown. */

/** What a format decides about the entries of findings. */
interface EntryOptions {
  currency?: string | undefined;
  /** Members of a group that are listed. */
  most: number;
  /** What to do about a finding, where the format has no place for all of that. */
  adviceOn?: (finding: Finding) => string | undefined;
}

export const entryOf = (cause: Cause, options: EntryOptions): Entry =>
  "finding" in cause ? findingEntry(cause.finding, options) : groupEntry(cause, options);

function findingEntry(finding: Finding, { currency, adviceOn }: EntryOptions): Entry {
  const { name, stacks, dependents = [], unverified, suppressed } = finding;
  const recorded: Phrase = stacks.length === 0 ? "" : [" in ", codes(stacks)];
  return {
    ...headOf(finding, currency),
    title: shortName(finding),
    findings: 1,
    blocks: [
      facts(
        [{ code: name }, recorded],
        ownersText([finding]),
        dependentsIn(dependents),
        timesOf(finding),
        unverified.length === 0 ? undefined : [{ own: "cannot be compared: " }, codes(unverified)],
        suppressed && `accepted by ${acceptance(suppressed)}`,
        adviceOn?.(finding),
        acceptLine(finding) === undefined ? undefined : [{ own: "to accept it: " }, { code: acceptLine(finding)! }],
      ),
      ...changesTable(finding),
    ],
  };
}

function groupEntry({ group, members }: SharedCause, { currency, most }: EntryOptions): Entry {
  const { suppressed, dependents = 0 } = group;
  const about = [whereabouts(group), ownersText(members), dependentsText(dependents, false), firstSeenText(group)];
  const rest = members.length - most;
  return {
    ...headOf(group, currency),
    title: subjectOf(group, members),
    findings: members.length,
    blocks: [
      facts(
        about.filter((part) => part !== undefined).join("; "),
        suppressed && `accepted by ${acceptance(suppressed)}`,
      ),
      { kind: "list", caption: "Objects", items: memberItems(members.slice(0, most)) },
      ...(rest <= 0 ? [] : [facts(`… and ${rest} more, which the other formats list`)]),
      ...changesTable(group),
    ],
  };
}

const headOf = (of: Finding | FindingGroup, currency: string | undefined) => ({
  kind: "entry" as const,
  severity: of.severity,
  label: of.suppressed === undefined ? wordings[of.verdict].title : `${wordings[of.verdict].title}, accepted`,
  isAccepted: of.suppressed !== undefined,
  says: rowText(of, currency),
});

const facts = (...lines: (Phrase | undefined)[]): Block => ({
  kind: "facts",
  lines: lines.filter((line) => line !== undefined),
});

const codes = (texts: readonly string[]): Phrase =>
  texts.flatMap((code, index): Phrase[] => (index === 0 ? [{ code }] : [", ", { code }]));

/** A line per account; with a history a line per member, which says since when. */
function memberItems(members: readonly Finding[]): Phrase[] {
  const isDated = members.every(({ firstSeen }) => firstSeen !== undefined);
  const lines = isDated ? members.map((member) => [member]) : [members];
  return lines.flatMap((line) =>
    membersByAccount(line).map(([account, ids]): Phrase => {
      const times = isDated ? timesOf(line[0]!) : undefined;
      return [
        { code: account },
        ids.length === 0 ? "" : [{ own: ": " }, codes(ids)],
        times === undefined ? "" : `; ${times}`,
      ];
    }),
  );
}

function changesTable({ type, changes }: { type: string | null; changes: readonly GroupChange[] }): Block[] {
  if (changes.length === 0) return [];
  const unset = changes.every(({ managed }) => managed) ? [] : [{ head: "", as: "note" as const }];
  const columns: Column[] = [
    { head: "field", as: "name" },
    { head: "recorded", as: "value" },
    { head: "live", as: "value", after: "→" },
    { head: "severity", as: "amount" },
    ...unset,
  ];
  const rows = comparableChanges({ type: type ?? "", changes }).map(
    (change): Row => ({
      cells: [
        { code: change.path },
        { code: sideText(change, "recorded") },
        { code: sideText(change, "live") },
        { severity: change.severity },
        ...unset.map(() => (change.managed ? "" : "not set by the program")),
      ],
    }),
  );
  return [{ kind: "table", caption: "Changes", columns, rows }];
}

/** Those of which something could not be read, and the others in one row: there may be thousands. */
export function accountsTable({ accounts }: DriftReport): Block[] {
  if (accounts.length === 0) return [];
  const columns: Column[] = [
    { head: "account", as: "name" },
    { head: "status", as: "amount" },
    { head: "managed", as: "amount" },
    { head: "requests", as: "amount" },
  ];
  const whole = accounts.filter(({ status }) => status === "read");
  const rows = accounts
    .filter(({ status }) => status !== "read")
    .flatMap((account): Row[] => [
      rowOf({ code: account.account }, { attention: readingOf(account) }, [account]),
      ...unreadOf(account).map(
        ({ name, status, requests }): Row => ({
          cells: [[{ own: "└ " }, { code: name }], { attention: readings[status] }, "", String(requests)],
        }),
      ),
    ]);
  const [first] = whole;
  const title = first && (whole.length === 1 ? { code: first.account } : { own: count(whole.length, "account") });
  if (title) rows.push(rowOf(title, readings.read, whole));
  return [{ kind: "table", caption: "Accounts", columns, rows }];
}

const rowOf = (title: Cell, reading: Cell, accounts: readonly AccountReport[]): Row => ({
  cells: [
    title,
    reading,
    { own: coverageText(coverageOf(accounts.map(coverageIn))) },
    String(accounts.reduce((sum, { requests }) => sum + requests, 0)),
  ],
});

export function warningsList(report: DriftReport): Block[] {
  const items = warningsOf(report).map(({ about, warning }): Phrase => [{ code: about }, " ", warning]);
  return items.length === 0 ? [] : [{ kind: "list", caption: "Also", items }];
}

export function unconfiguredSection(report: DriftReport): Section[] {
  const text = listUnconfigured(report);
  const blocks: Block[] = [{ kind: "code", language: "yaml", text }];
  return text === "" ? [] : [{ kind: "section", title: unconfiguredTitle, isFolded: true, blocks }];
}
