import { code, prose, table } from "../../text/markdown";
import type { Change, DriftReport, Finding, Verdict } from "../document";
import { comparableChanges } from "./comparable";
import type { ReportFormat } from "./format";
import {
  acceptance,
  costOf,
  count,
  coverageIn,
  coverageText,
  headline,
  remarksOn,
  scopeOf,
  shortName,
  timesOf,
  unreadOf,
  wordIn,
} from "./phrases";
import { valueText } from "./values";
import { adviceOn, inReadingOrder, readingOrder, readings, wordings } from "./wording";

/** The longest body that a comment on a pull request takes is 65,536 characters; what does not fit is counted. */
const longest = 60_000;

/** For pull requests, and for the summary of a CI job. */
export const markdown: ReportFormat = {
  extension: "md",
  render(report) {
    const opening = [`## ${headline(report)}`, summary(report), ...accounts(report)];
    const closing = [
      ...remarks(report),
      `<sub>${prose(`${report.tool.name} ${report.tool.version}, ${report.finishedAt}`)}</sub>`,
    ];
    const room = longest - [...opening, ...closing].join("\n\n").length;
    return `${[...opening, ...fitting(sections(report), room), ...closing].join("\n\n")}\n`;
  },
};

const folded = (title: string, body: string): string => `<details><summary>${title}</summary>\n\n${body}\n\n</details>`;

function summary(report: DriftReport): string {
  const present = readingOrder.filter((verdict) => report.summary[verdict] > 0);
  const scanned = `Scanned: ${scopeOf(report).join(", ")}. Managed: ${coverageText(report.coverage)}.`;
  return present.length === 0
    ? scanned
    : `${table(
        present.map((verdict) => wordings[verdict].title),
        [present.map((verdict) => String(report.summary[verdict]))],
      )}\n\n${scanned}`;
}

function accounts({ accounts }: DriftReport): string[] {
  if (accounts.length === 0) return [];
  const rows = accounts.map((account) => {
    const unread = unreadOf(account).map(({ name, status }) => `${code(name)} ${readings[status]}`);
    return [
      code(account.account),
      [account.status === "read" ? readings.read : `⚠️ ${readings[account.status]}`, ...unread].join("<br>"),
      coverageText(coverageIn(account)),
      String(account.requests),
    ];
  });
  return [folded("Accounts", table(["account", "status", "managed", "requests"], rows))];
}

interface Section {
  heading: string;
  entries: string[];
}

/** A section per verdict, and one for what is accepted. */
function sections({ findings, currency }: DriftReport): Section[] {
  const open = inReadingOrder(findings.filter(({ suppressed }) => suppressed === undefined));
  const accepted = inReadingOrder(findings.filter(({ suppressed }) => suppressed !== undefined));
  const sectionOf = (verdict: Verdict): Section => {
    const entries = open
      .filter((finding) => finding.verdict === verdict)
      .map((finding) => findingText(finding, currency));
    return {
      heading: `### ${wordings[verdict].title} (${entries.length})\n\n${wordings[verdict].meaning} ${wordings[verdict].next}`,
      entries,
    };
  };
  return [
    ...readingOrder.map(sectionOf),
    {
      heading: `### accepted (${accepted.length})`,
      entries: accepted.map((finding) => findingText(finding, currency)),
    },
  ].filter(({ entries }) => entries.length > 0);
}

/** The sections as far as they fit into `room` characters, and how many findings do not. */
function fitting(sections: readonly Section[], room: number): string[] {
  const parts: string[] = [];
  let left = room - 100;
  let dropped = 0;
  for (const { heading, entries } of sections) {
    const kept: string[] = [];
    for (const entry of entries) {
      const cost = entry.length + 2 + (kept.length === 0 ? heading.length + 2 : 0);
      if (dropped > 0 || cost > left) dropped++;
      else {
        kept.push(entry);
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

function findingText(finding: Finding, currency: string | undefined): string {
  const { severity, name, stacks, reason, suppressed, unverified, changes } = finding;
  const mark = { error: "🔴", warning: "🟠", note: "⚪" }[severity];
  const told = [
    `${code(name)}${stacks.length === 0 ? "" : `, recorded in ${stacks.map(code).join(", ")}`}`,
    ...(costOf(finding, currency) === undefined ? [] : [`It ${prose(costOf(finding, currency)!)}.`]),
    ...(timesOf(finding) === undefined ? [] : [`${capital(timesOf(finding)!)}.`]),
    ...(suppressed === undefined ? [] : [`Accepted by ${prose(acceptance(suppressed))}.`]),
    ...(adviceOn(finding).next === wordings[finding.verdict].next ? [] : [adviceOn(finding).next]),
    ...(wordIn(finding) === undefined ? [] : [`To accept it: ${code(wordIn(finding)!)}.`]),
    ...(unverified.length === 0 ? [] : [`Cannot be compared: ${unverified.map(code).join(", ")}.`]),
  ];
  return folded(
    `${mark} <b>${prose(shortName(finding))}</b>: ${prose(reason)}`,
    [told.join("<br>"), ...(changes.length === 0 ? [] : [changesTable(comparableChanges(finding))])].join("\n\n"),
  );
}

const changesTable = (changes: readonly Change[]): string =>
  table(
    ["field", "recorded", "live", "severity"],
    changes.map(({ path, recorded, live, severity, managed }) => [
      code(path),
      code(valueText(recorded)),
      code(valueText(live)),
      managed ? severity : `${severity}, not set by the program`,
    ]),
  );

function remarks(report: DriftReport): string[] {
  const items = remarksOn(report).map(({ about, remark }) => `- ${code(about)} ${prose(remark)}`);
  return items.length === 0 ? [] : [items.join("\n")];
}
