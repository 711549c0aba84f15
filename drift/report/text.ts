import { createColors } from "picocolors";
import { printable, withoutCommands } from "../../io/text/printable";
import { columnsOf, fold, widthOf } from "../../io/text/report-format";
import { groupBy } from "../../provider/core/values/grouping";
import { type DriftReport, type Finding, type GroupChange, isInformational, type Severity } from "../scan/document";
import { causesIn, inReadingOrder, listUnconfigured, type SharedCause, unconfiguredTitle, warningsOf } from "./causes";
import type { ReportContext, ReportWriter } from "./context";
import { comparableChanges, describeFinding, sideText, totalCost } from "./values";
import {
  acceptance,
  acceptLine,
  adviceOn,
  adviceScope,
  costOf,
  countIn,
  coverageIn,
  coverageText,
  dependentsIn,
  dependentsText,
  firstSeenText,
  headline,
  membersByAccount,
  readingOf,
  readingOrder,
  readings,
  refusedKeysText,
  scopeOf,
  shortName,
  subjectOf,
  timesOf,
  unreadOf,
  whereabouts,
  wordings,
} from "./wording";

type Paint = (text: string) => string;
interface Paints {
  title: Paint;
  faint: Paint;
  good: Paint;
  of: Readonly<Record<Severity, Paint>>;
}

/**
 * For users at a terminal: totals first, then accounts, then findings, then what to do.
 */
export const text: ReportWriter = (report, context) => {
  const { columns, color } = context;
  const { bold, dim, green, red, yellow, cyan } = createColors(color);
  const paints: Paints = { title: bold, faint: dim, good: green, of: { error: red, warning: yellow, note: cyan } };
  const width = Math.max(40, columns);
  const blocks = [
    summary(report, width, paints),
    accounts(report, width, paints),
    ...findings(report, width, paints),
    warningLines(report, width),
    unconfiguredText(report, width, paints),
    advice(report, context, width, paints),
  ];
  return `${blocks
    .filter((block) => block !== "")
    .map(withoutCommands)
    .join("\n\n")}\n`;
};

function summary(report: DriftReport, width: number, { title, good, of }: Paints): string {
  const undrifted = report.complete ? good : of.warning;
  const paint = report.drifted ? of.error : undrifted;
  const counts = readingOrder
    .filter((verdict) => countIn(report, verdict) > 0)
    .map((verdict) => `${countIn(report, verdict)} ${wordings[verdict].title}`);
  const lines = [
    counts.join(" · ") || "no objects",
    ...(refusedKeysText(report) === undefined ? [] : [printable(refusedKeysText(report)!)]),
    ...(totalCost(report) === undefined ? [] : [totalCost(report)!]),
    `managed: ${coverageText(report.coverage)}`,
    `scanned: ${scopeOf(report).join(", ")}`,
  ];
  return [
    ...fold(headline(report), width).map((line) => title(paint(line))),
    ...lines.flatMap((line) => fold(line, width)),
  ].join("\n");
}

function accounts(report: DriftReport, width: number, { title, of }: Paints): string {
  if (report.accounts.length === 0) return "";
  const rows = report.accounts.flatMap((account) => [
    [
      printable(account.account),
      account.status === "read" ? readingOf(account) : of.warning(readingOf(account)),
      coverageText(coverageIn(account)),
      String(account.requests),
    ],
    ...unreadOf(account).map(({ name, status, requests }) => [
      `└ ${printable(name)}`,
      of.warning(readings[status]),
      "",
      String(requests),
    ]),
  ]);
  return columnsOf([
    ["ACCOUNT", "STATUS", "MANAGED", "REQUESTS"].map(title),
    ...rows.map(([name, ...rest]) => [fold(name!, width - 50).join("\n"), ...rest]),
  ]);
}

const findings = (report: DriftReport, width: number, paints: Paints): string[] =>
  causesIn(report).map((cause) =>
    "finding" in cause ? findingText(cause.finding, report, width, paints) : groupText(cause, report, width, paints),
  );

/** How many members of a group are listed. */
const mostMembers = 12;

function groupText({ group, members }: SharedCause, { currency }: DriftReport, width: number, paints: Paints): string {
  const { suppressed, changes, type } = group;
  const faint = (words: string): string[] => fold(printable(words), width - 2).map(paints.faint);
  const about = [
    whereabouts(group),
    costOf(group, currency),
    dependentsText(group.dependents ?? 0, false),
    firstSeenText(group),
  ];
  const listed = memberLines(members.slice(0, mostMembers)).flatMap((line) => fold(printable(line), width - 2));
  const rest = members.length - mostMembers;
  return [
    heading(group, `${subjectOf(group, members)}: ${describeFinding(group)}`, width, paints),
    ...faint(about.filter((part) => part !== undefined).join("; ")).map(indentLine),
    ...(suppressed === undefined ? [] : faint(`accepted by ${acceptance(suppressed)}`).map(indentLine)),
    ...listed.map(indentLine),
    ...(rest <= 0 ? [] : faint(`… and ${rest} more, which the other formats list`).map(indentLine)),
    ...(changes.length === 0 ? [] : [changesText(comparableChanges({ type: type ?? "", changes }), width, paints)]),
  ].join("\n");
}

/** A line per account; with a history a line per member, which says since when. */
function memberLines(members: readonly Finding[]): string[] {
  const isDated = members.every(({ firstSeen }) => firstSeen !== undefined);
  const lines = isDated ? members.map((member) => [member]) : [members];
  return lines.flatMap((line) =>
    membersByAccount(line).map(([account, ids]) => {
      const named = ids.length === 0 ? account : `${account}: ${ids.join(", ")}`;
      return isDated ? [named, timesOf(line[0]!)].filter((part) => part !== undefined).join("; ") : named;
    }),
  );
}

const indentLine = (line: string): string => `  ${line}`;

/** The verdict, and the changes on as many lines as they take. */
function heading(
  { verdict, severity, suppressed }: Pick<Finding, "verdict" | "severity" | "suppressed">,
  findingSummary: string,
  width: number,
  { title, faint, of }: Paints,
): string {
  const paint = suppressed === undefined ? of[severity] : faint;
  const verdictText = suppressed === undefined ? wordings[verdict].title : `${wordings[verdict].title}, accepted`;
  const [line, ...more] = fold(printable(findingSummary), width - verdictText.length - 2);
  return [`${paint(verdictText)}  ${title(line!)}`, ...more.map(indentLine)].join("\n");
}

function findingText(finding: Finding, { currency }: DriftReport, width: number, paints: Paints): string {
  const { name, stacks, unverified, suppressed, changes, dependents = [] } = finding;
  const line = (words: string | undefined): string[] =>
    words === undefined ? [] : fold(printable(words), width - 2).map(paints.faint);
  const below = [
    ...line([name, ...(stacks.length === 0 ? [] : ["in", stacks.join(", ")])].join(" ")),
    ...line(costOf(finding, currency)),
    ...line(dependentsIn(dependents)),
    ...line(timesOf(finding)),
    ...(unverified.length === 0 ? [] : line(`cannot be compared: ${unverified.join(", ")}`)),
    ...(suppressed === undefined ? [] : line(`accepted by ${acceptance(suppressed)}`)),
    ...(acceptLine(finding) === undefined ? [] : line(`to accept it: ${acceptLine(finding)!}`)),
  ];
  return [
    heading(finding, `${shortName(finding)}: ${describeFinding(finding)}`, width, paints),
    ...below.map(indentLine),
    ...(changes.length === 0 ? [] : [changesText(comparableChanges(finding), width, paints)]),
  ].join("\n");
}

function changesText(changes: readonly GroupChange[], width: number, { faint, of }: Paints): string {
  const cells = changes.map((change) => [
    printable(change.path),
    sideText(change, "recorded"),
    sideText(change, "live"),
  ]);
  const desiredWidths = [0, 1, 2].map((column) => Math.max(8, ...cells.map((row) => widthOf(row[column]!))));
  const widths = distributeWidth(desiredWidths, width - 2 - "  →  ".length - 2 - 2 - "warning*".length);
  const rows = changes.map(({ severity, managed }, index) => {
    const [path, recorded, live] = cells[index]!.map((cell, column) => fold(cell, widths[column]!).join("\n"));
    return [path!, recorded!, "→", live!, of[severity](severity) + (managed ? "" : "*")];
  });
  const note = changes.every(({ managed }) => managed) ? "" : `\n  ${faint("* not set by the program")}`;
  return columnsOf([["FIELD", "RECORDED", "", "LIVE", ""].map(faint), ...rows], "  ") + note;
}

/**
 * Widths of columns that want so much and have `room` between them: the narrow ones
 * get what they want, the wide ones equal parts.
 */
function distributeWidth(desiredWidths: readonly number[], room: number): number[] {
  const part = Math.floor(room / desiredWidths.length);
  const narrow = desiredWidths.filter((width) => width <= part);
  if (narrow.length === desiredWidths.length || narrow.length === 0)
    return desiredWidths.map((width) => Math.min(width, part));
  const rest = distributeWidth(
    desiredWidths.filter((width) => width > part),
    room - narrow.reduce((sum, width) => sum + width, 0),
  );
  return desiredWidths.map((width) => (width <= part ? width : rest.shift()!));
}

const warningLines = (report: DriftReport, width: number): string =>
  warningsOf(report)
    .map(({ about, warning }) => fold(printable(`${about} ${warning}`), width - 2).join("\n  "))
    .join("\n");

function unconfiguredText(report: DriftReport, width: number, { title }: Paints): string {
  const yaml = listUnconfigured(report);
  return yaml === ""
    ? ""
    : `${title(fold(unconfiguredTitle, width).join("\n"))}\n${yaml.split("\n").map(printable).join("\n")}`;
}

function advice(report: DriftReport, context: ReportContext, width: number, { title }: Paints): string {
  const open = inReadingOrder(
    report.findings.filter((finding) => finding.suppressed === undefined && !isInformational(finding)),
  );
  const steps = [...groupBy(open, (finding) => adviceOn(finding).title)].map(
    ([name, findings]) => [name, adviceOn(findings[0]!, adviceScope(findings, report, context)).next] as const,
  );
  const first = Math.max(...steps.map(([name]) => name.length)) + 2;
  return steps.length === 0
    ? ""
    : `${title("What to do")}\n${columnsOf(steps.map(([name, next]) => [name, fold(next, width - first).join("\n")]))}`;
}
