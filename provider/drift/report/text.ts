import { createColors } from "picocolors";
import { columnsOf, fold, widthOf } from "../../text/layout";
import { printable, withoutCommands } from "../../text/printable";
import type { Change, DriftReport, Finding, Severity } from "../document";
import { isTold, natureOf } from "../nature";
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

type Paint = (text: string) => string;
interface Paints {
  title: Paint;
  faint: Paint;
  good: Paint;
  of: Readonly<Record<Severity, Paint>>;
}

/**
 * For users at a terminal: what was found first, then account by account, then finding by finding, then what to do.
 */
export const text: ReportFormat = {
  extension: "txt",
  render(report, { columns, color }) {
    const { bold, dim, green, red, yellow, cyan } = createColors(color);
    const paints: Paints = { title: bold, faint: dim, good: green, of: { error: red, warning: yellow, note: cyan } };
    const width = Math.max(40, columns);
    const blocks = [
      summary(report, width, paints),
      accounts(report, width, paints),
      ...findings(report, width, paints),
      remarks(report, width),
      advice(report, width, paints),
    ];
    return `${blocks
      .filter((block) => block !== "")
      .map(withoutCommands)
      .join("\n\n")}\n`;
  },
};

function summary(report: DriftReport, width: number, { title, good, of }: Paints): string {
  const paint = report.drifted ? of.error : report.complete ? good : of.warning;
  const counts = readingOrder
    .filter((verdict) => report.summary[verdict] > 0)
    .map((verdict) => `${report.summary[verdict]} ${wordings[verdict].title}`);
  const lines = [
    counts.join(" · ") || "no objects",
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
      account.status === "read" ? readings.read : of.warning(readings[account.status]),
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
  byCause(inReadingOrder(report.findings)).map((same) =>
    same.length === 1 ? findingText(same[0]!, report, width, paints) : causeText(same, width, paints),
  );

/** Findings, each alone; but together what could not be read in one account for one reason, such as an unknown key. */
function byCause(all: readonly Finding[]): Finding[][] {
  const groups = new Map<unknown, Finding[]>();
  for (const finding of all) {
    const { verdict, suppressed, account, reason } = finding;
    const isUnread = natureOf[verdict] === "unknown" && suppressed === undefined;
    const cause = isUnread ? JSON.stringify([verdict, account, reason]) : finding;
    groups.set(cause, [...(groups.get(cause) ?? []), finding]);
  }
  return [...groups.values()];
}

function causeText(same: readonly Finding[], width: number, { title, faint, of }: Paints): string {
  const [{ verdict, severity, account, reason }] = same as [Finding];
  const verdictText = wordings[verdict].title;
  const about = printable(`${count(same.length, "object")} of ${account}: ${reason}`);
  const [line, ...more] = fold(about, width - verdictText.length - 2);
  const kinds = [...new Set(same.map(({ type }) => type))].map(
    (type) => `${same.filter((each) => each.type === type).length} of ${type}`,
  );
  const stacks = [...new Set(same.flatMap((each) => each.stacks))];
  const told = `${kinds.join(", ")}${stacks.length === 0 ? "" : ` in ${stacks.join(", ")}`}`;
  const below = [...more, ...fold(printable(told), width - 2).map(faint)];
  return [`${of[severity](verdictText)}  ${title(line!)}`, ...below.map((part) => `  ${part}`)].join("\n");
}

function findingText(finding: Finding, { currency }: DriftReport, width: number, paints: Paints): string {
  const { verdict, severity, name, stacks, reason, unverified, suppressed, changes } = finding;
  const paint = suppressed === undefined ? paints.of[severity] : paints.faint;
  const verdictText = suppressed === undefined ? wordings[verdict].title : `${wordings[verdict].title}, accepted`;
  const [line, ...more] = fold(printable(`${shortName(finding)}: ${reason}`), width - verdictText.length - 2);
  const told = (...words: readonly string[]): string[] => fold(printable(words.join(" ")), width - 2).map(paints.faint);
  const below = [
    ...more,
    ...told(name, ...(stacks.length === 0 ? [] : ["in", stacks.join(", ")])),
    ...(costOf(finding, currency) === undefined ? [] : told(costOf(finding, currency)!)),
    ...(timesOf(finding) === undefined ? [] : told(timesOf(finding)!)),
    ...(unverified.length === 0 ? [] : told("cannot be compared:", unverified.join(", "))),
    ...(suppressed === undefined ? [] : told("accepted by", acceptance(suppressed))),
    ...(wordIn(finding) === undefined ? [] : told("to accept it:", wordIn(finding)!)),
  ];
  return [
    `${paint(verdictText)}  ${paints.title(line!)}`,
    ...below.map((part) => `  ${part}`),
    ...(changes.length === 0 ? [] : [changesText(comparableChanges(finding), width, paints)]),
  ].join("\n");
}

function changesText(changes: readonly Change[], width: number, { faint, of }: Paints): string {
  const cells = changes.map(({ path, recorded, live }) => [printable(path), valueText(recorded), valueText(live)]);
  const wanted = [0, 1, 2].map((column) => Math.max(8, ...cells.map((row) => widthOf(row[column]!))));
  const widths = shared(wanted, width - 2 - "  →  ".length - 2 - 2 - "warning*".length);
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
function shared(wanted: readonly number[], room: number): number[] {
  const part = Math.floor(room / wanted.length);
  const narrow = wanted.filter((width) => width <= part);
  if (narrow.length === wanted.length || narrow.length === 0) return wanted.map((width) => Math.min(width, part));
  const rest = shared(
    wanted.filter((width) => width > part),
    room - narrow.reduce((sum, width) => sum + width, 0),
  );
  return wanted.map((width) => (width <= part ? width : rest.shift()!));
}

const remarks = (report: DriftReport, width: number): string =>
  remarksOn(report)
    .map(({ about, remark }) => fold(printable(`${about} ${remark}`), width - 2).join("\n  "))
    .join("\n");

function advice({ findings }: DriftReport, width: number, { title }: Paints): string {
  const open = inReadingOrder(findings.filter((finding) => finding.suppressed === undefined && !isTold(finding))).map(
    adviceOn,
  );
  const steps = [...new Map(open.map((step) => [step.title, step.next]))];
  const first = Math.max(...steps.map(([name]) => name.length)) + 2;
  return steps.length === 0
    ? ""
    : `${title("What to do")}\n${columnsOf(steps.map(([name, next]) => [name, fold(next, width - first).join("\n")]))}`;
}
