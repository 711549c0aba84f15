import { markdownReport } from "../../io/text/report/markdown";
import type { Block, Phrase, Section } from "../../io/text/report/tree";
import type { DriftReport } from "../scan/document";
import type { Finding, Verdict } from "../scan/finding-document";
import { adviceOn, adviceScope, readingOrder, wordings } from "./advice";
import { causesIn, headOf, missingText, refusedKeysText } from "./causes";
import type { ReportContext, ReportWriter } from "./context";
import { accountsTable, entryOf, unconfiguredSection, warningsList } from "./entries";
import { totalCost } from "./values";
import { countIn, countsByOwner, coverageText, headline, scopeOf, shownFindings } from "./wording";

/** How many members of a group are listed. */
const most = 50;

/** For pull requests, and for the summary of a CI job. */
export const markdown: ReportWriter = (report, context) => {
  const accounts = accountsTable(report);
  return markdownReport({
    title: { own: headline(report) },
    blocks: [
      ...summary(report),
      ...(accounts.length === 0 ? [] : [folded("Accounts", accounts)]),
      ...sections(report, context),
      ...warningsList(report),
      ...unconfiguredSection(report),
    ],
    footer: `${report.tool.name} ${report.tool.version}, ${report.finishedAt}`,
  });
};

const folded = (title: string, blocks: readonly Block[]): Section => ({
  kind: "section",
  title,
  isFolded: true,
  blocks,
});

function summary(report: DriftReport): Block[] {
  const present = readingOrder.filter((verdict) => countIn(report, verdict) > 0);
  const unread = [missingText(report), refusedKeysText(report)].filter((text) => text !== undefined);
  const cost = totalCost(report);
  const byOwner = countsByOwner(report);
  const scanned: Phrase = [
    { own: `Scanned: ${scopeOf(report).join(", ")}. Managed: ${coverageText(report.coverage)}.` },
    byOwner === undefined ? "" : ` ${capital(byOwner)}.`,
    cost === undefined ? "" : ` ${capital(cost)}.`,
    ...unread.map((text): Phrase => [" ", { attention: `${capital(text)}.` }]),
  ];
  const counts: Block = {
    ...{ kind: "table", caption: "Verdicts" },
    columns: present.map((verdict) => ({ head: wordings[verdict].title, as: "amount" })),
    rows: [{ cells: present.map((verdict) => String(countIn(report, verdict))) }],
  };
  return [...(present.length === 0 ? [] : [counts]), { kind: "sentence", phrase: scanned }];
}

const capital = (words: string): string => `${words[0]!.toUpperCase()}${words.slice(1)}`;

/** A section per verdict, and one for what is accepted. */
function sections(report: DriftReport, context: ReportContext): Section[] {
  const { currency, findings } = report;
  const adviceFor = (finding: Finding): string | undefined =>
    adviceOn(finding).title === wordings[finding.verdict].title
      ? undefined
      : adviceOn(finding, adviceScope([finding], report, context)).next;
  const causes = causesIn(report).map((cause) => ({
    ...headOf(cause),
    entry: entryOf(cause, { currency, most, adviceOn: adviceFor }),
  }));
  const sectionOf = (verdict: Verdict): Section => {
    const own = shownFindings(report).filter((each) => each.verdict === verdict && each.suppressed === undefined);
    const { title, meaning, next } = adviceOn({ ruleId: "", verdict }, adviceScope(own, report, context));
    const entries = causes.filter((cause) => cause.verdict === verdict && cause.suppressed === undefined);
    return section(`${title} (${own.length})`, [{ kind: "sentence", phrase: `${meaning} ${next}` }], entries);
  };
  const accepted = findings.filter(({ suppressed }) => suppressed !== undefined).length;
  return [
    ...readingOrder.map(sectionOf),
    section(
      `accepted (${accepted})`,
      [],
      causes.filter(({ suppressed }) => suppressed !== undefined),
    ),
  ].filter(({ blocks }) => blocks.some(({ kind }) => kind === "entry"));
}

const section = (own: string, opening: readonly Block[], causes: readonly { entry: Block }[]): Section => ({
  kind: "section",
  title: { own },
  blocks: [...opening, ...causes.map(({ entry }) => entry)],
});
