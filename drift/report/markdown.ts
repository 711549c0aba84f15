import { code, escapeProse, table } from "../../io/text/markup";
import type { DriftReport, Finding, GroupChange, Severity, Verdict } from "../scan/document";
import {
  type Cause,
  causesIn,
  headOf,
  listUnconfigured,
  type SharedCause,
  unconfiguredTitle,
  warningsOf,
} from "./causes";
import type { ReportContext, ReportWriter } from "./context";
import { comparableChanges, rowText, sideText, totalCost } from "./values";
import {
  acceptance,
  acceptLine,
  adviceOn,
  adviceScope,
  count,
  countIn,
  coverageIn,
  coverageText,
  dependentsIn,
  dependentsText,
  firstSeenText,
  headline,
  readingOf,
  readingOrder,
  readings,
  refusedKeysText,
  scopeOf,
  shortName,
  shownFindings,
  subjectOf,
  timesOf,
  unreadOf,
  whereabouts,
  wordings,
} from "./wording";

/** The longest body that a comment on a pull request takes is 65,536 characters; what does not fit is counted. */
const longest = 60_000;

/** For pull requests, and for the summary of a CI job. */
export const markdown: ReportWriter = (report, context) => {
  const opening = [`## ${headline(report)}`, summary(report), ...accounts(report)];
  const closing = [
    ...warningLines(report),
    ...unconfiguredText(report),
    `<sub>${escapeProse(`${report.tool.name} ${report.tool.version}, ${report.finishedAt}`)}</sub>`,
  ];
  const room = longest - [...opening, ...closing].join("\n\n").length;
  return `${[...opening, ...withinLimit(sections(report, context), room), ...closing].join("\n\n")}\n`;
};

const collapsible = (title: string, body: string): string =>
  `<details><summary>${title}</summary>\n\n${body}\n\n</details>`;

function summary(report: DriftReport): string {
  const present = readingOrder.filter((verdict) => countIn(report, verdict) > 0);
  const cost = totalCost(report) === undefined ? "" : ` ${escapeProse(capital(totalCost(report)!))}.`;
  const refused = refusedKeysText(report);
  const keys = refused === undefined ? "" : ` ⚠️ ${escapeProse(capital(refused))}.`;
  const scanned = `Scanned: ${scopeOf(report).join(", ")}. Managed: ${coverageText(report.coverage)}.${cost}${keys}`;
  return present.length === 0
    ? scanned
    : `${table(
        present.map((verdict) => wordings[verdict].title),
        [present.map((verdict) => String(countIn(report, verdict)))],
      )}\n\n${scanned}`;
}

function accounts({ accounts }: DriftReport): string[] {
  if (accounts.length === 0) return [];
  const rows = accounts.map((account) => {
    const unread = unreadOf(account).map(({ name, status }) => `${code(name)} ${readings[status]}`);
    return [
      code(account.account),
      [account.status === "read" ? readingOf(account) : `⚠️ ${readingOf(account)}`, ...unread].join("<br>"),
      coverageText(coverageIn(account)),
      String(account.requests),
    ];
  });
  return [collapsible("Accounts", table(["account", "status", "managed", "requests"], rows))];
}

interface Entry {
  text: string;
  /** How many findings it tells of. */
  findings: number;
}

interface Section {
  heading: string;
  entries: Entry[];
}

/** A section per verdict, and one for what is accepted. */
function sections(report: DriftReport, context: ReportContext): Section[] {
  const causes = causesIn(report).map((cause) => ({ ...headOf(cause), entry: entryOf(cause, report, context) }));
  const open = causes.filter(({ suppressed }) => suppressed === undefined);
  const accepted = causes.filter(({ suppressed }) => suppressed !== undefined);
  const countWhere = (isCounted: (finding: Finding) => boolean): number => report.findings.filter(isCounted).length;
  const sectionOf = (verdict: Verdict): Section => {
    const own = shownFindings(report).filter((each) => each.verdict === verdict && each.suppressed === undefined);
    const { title, meaning, next } = adviceOn({ ruleId: "", verdict }, adviceScope(own, report, context));
    return {
      heading: `### ${title} (${own.length})\n\n${meaning} ${next}`,
      entries: open.filter((cause) => cause.verdict === verdict).map(({ entry }) => entry),
    };
  };
  return [
    ...readingOrder.map(sectionOf),
    {
      heading: `### accepted (${countWhere(({ suppressed }) => suppressed !== undefined)})`,
      entries: accepted.map(({ entry }) => entry),
    },
  ].filter(({ entries }) => entries.length > 0);
}

const entryOf = (cause: Cause, report: DriftReport, context: ReportContext): Entry =>
  "finding" in cause
    ? { text: findingText(cause.finding, report, context), findings: 1 }
    : { text: groupText(cause, report.currency), findings: cause.members.length };

/** The sections as far as they fit into `room` characters, and how many findings do not. */
function withinLimit(sections: readonly Section[], room: number): string[] {
  const parts: string[] = [];
  let left = room - 100;
  let dropped = 0;
  for (const { heading, entries } of sections) {
    const kept: string[] = [];
    for (const { text, findings } of entries) {
      const cost = text.length + 2 + (kept.length === 0 ? heading.length + 2 : 0);
      if (dropped > 0 || cost > left) dropped += findings;
      else {
        kept.push(text);
        left -= cost;
      }
    }
    if (kept.length > 0) parts.push(heading, ...kept);
  }
  return dropped === 0
    ? parts
    : [...parts, `**${count(dropped, "more finding")}** not shown here: the other formats have every one.`];
}

const capital = (words: string): string => `${words[0]!.toUpperCase()}${words.slice(1)}`;

const marks: Readonly<Record<Severity, string>> = { error: "🔴", warning: "🟠", note: "⚪" };

/** How many members of a group are listed. */
const mostMembers = 50;

function groupText({ group, members }: SharedCause, currency: string | undefined): string {
  const { severity, suppressed, changes, type } = group;
  const about = [
    `${whereabouts(group)}.`,
    ...[dependentsText(group.dependents ?? 0, false), firstSeenText(group)].flatMap((part) =>
      part === undefined ? [] : [`${part}.`],
    ),
    ...(suppressed === undefined ? [] : [`Accepted by ${acceptance(suppressed)}.`]),
  ];
  const listed = members.slice(0, mostMembers).map((member) => {
    const times = timesOf(member);
    return `- ${code(member.name)}${times === undefined ? "" : `: ${times}`}`;
  });
  const rest = members.length - listed.length;
  const parts = [
    about.map((part) => escapeProse(capital(part))).join("<br>"),
    ...(changes.length === 0 ? [] : [changesTable(comparableChanges({ type: type ?? "", changes }))]),
    [...listed, ...(rest === 0 ? [] : [`- and ${count(rest, "more object")}`])].join("\n"),
  ];
  return collapsible(
    `${marks[severity]} <b>${escapeProse(subjectOf(group, members))}</b>: ${escapeProse(rowText(group, currency))}`,
    parts.join("\n\n"),
  );
}

function findingText(finding: Finding, report: DriftReport, context: ReportContext): string {
  const { severity, name, stacks, suppressed, unverified, changes, dependents = [] } = finding;
  const facts = [
    `${code(name)}${stacks.length === 0 ? "" : `, recorded in ${stacks.map(code).join(", ")}`}`,
    ...(timesOf(finding) === undefined ? [] : [`${capital(timesOf(finding)!)}.`]),
    ...(dependents.length === 0 ? [] : [`It is ${escapeProse(dependentsIn(dependents)!)}.`]),
    ...(suppressed === undefined ? [] : [`Accepted by ${escapeProse(acceptance(suppressed))}.`]),
    ...(adviceOn(finding).title === wordings[finding.verdict].title
      ? []
      : [adviceOn(finding, adviceScope([finding], report, context)).next]),
    ...(acceptLine(finding) === undefined ? [] : [`To accept it: ${code(acceptLine(finding)!)}.`]),
    ...(unverified.length === 0 ? [] : [`Cannot be compared: ${unverified.map(code).join(", ")}.`]),
  ];
  return collapsible(
    `${marks[severity]} <b>${escapeProse(shortName(finding))}</b>: ${escapeProse(rowText(finding, report.currency))}`,
    [facts.join("<br>"), ...(changes.length === 0 ? [] : [changesTable(comparableChanges(finding))])].join("\n\n"),
  );
}

const changesTable = (changes: readonly GroupChange[]): string =>
  table(
    ["field", "recorded", "live", "severity"],
    changes.map((change) => [
      code(change.path),
      code(sideText(change, "recorded")),
      code(sideText(change, "live")),
      change.managed ? change.severity : `${change.severity}, not set by the program`,
    ]),
  );

function unconfiguredText(report: DriftReport): string[] {
  const yaml = listUnconfigured(report);
  return yaml === "" ? [] : [collapsible(escapeProse(unconfiguredTitle), `\`\`\`yaml\n${yaml}\n\`\`\``)];
}

function warningLines(report: DriftReport): string[] {
  const items = warningsOf(report).map(({ about, warning }) => `- ${code(about)} ${escapeProse(warning)}`);
  return items.length === 0 ? [] : [items.join("\n")];
}
