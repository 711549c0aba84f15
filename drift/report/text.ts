import { textReport } from "../../io/text/report/text";
import type { Block } from "../../io/text/report/tree";
import { groupBy } from "../../provider/core/values/grouping";
import type { DriftReport } from "../scan/document";
import { isInformational } from "../scan/finding-document";
import { adviceOn, adviceScope, readingOrder, wordings } from "./advice";
import { causesIn, inReadingOrder, missingText, refusedKeysText } from "./causes";
import type { ReportContext, ReportWriter } from "./context";
import { accountsTable, entryOf, unconfiguredSection, warningsList } from "./entries";
import { totalCost } from "./values";
import { countIn, countsByOwner, coverageText, headline, scopeOf } from "./wording";

/** How many members of a group are listed. */
const most = 12;

/** For users at a terminal: totals first, then findings, then accounts, then what to do. */
export const text: ReportWriter = (report, context) => {
  const { drifted, complete, currency } = report;
  const undrifted = complete ? "good" : "warning";
  return textReport(
    {
      title: { own: headline(report) },
      outcome: drifted ? "error" : undrifted,
      blocks: [
        summary(report),
        ...causesIn(report).map((cause) => entryOf(cause, { currency, most })),
        ...accountsTable(report),
        ...warningsList(report),
        ...unconfiguredSection(report),
        ...advice(report, context),
      ],
    },
    context,
  );
};

function summary(report: DriftReport): Block {
  const counts = readingOrder
    .filter((verdict) => countIn(report, verdict) > 0)
    .map((verdict) => `${countIn(report, verdict)} ${wordings[verdict].title}`);
  const lines = [
    counts.join(" · ") || "no objects",
    countsByOwner(report),
    missingText(report),
    refusedKeysText(report),
    totalCost(report),
    `managed: ${coverageText(report.coverage)}`,
    `scanned: ${scopeOf(report).join(", ")}`,
  ];
  return { kind: "facts", lines: lines.filter((line) => line !== undefined) };
}

function advice(report: DriftReport, context: ReportContext): Block[] {
  const open = inReadingOrder(
    report.findings.filter((finding) => finding.suppressed === undefined && !isInformational(finding)),
  );
  const steps = [...groupBy(open, (finding) => adviceOn(finding).title)].map(([name, findings]) => ({
    cells: [name, adviceOn(findings[0]!, adviceScope(findings, report, context)).next],
  }));
  if (steps.length === 0) return [];
  const title = "What to do";
  const columns = [
    { head: "", as: "amount" as const },
    { head: "", as: "value" as const },
  ];
  return [{ kind: "section", title, blocks: [{ kind: "table", caption: title, columns, rows: steps }] }];
}
