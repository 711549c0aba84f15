import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ReportContext } from "../../drift/report/context";
import { auditFormats, figuresFormats } from "../../drift/report/formats";
import { formats as costFormats } from "../../governance/cost/formats";
import { reviewDocument } from "../../governance/review/report";
import { htmlReport } from "../../io/text/report/html";
import { markdownReport } from "../../io/text/report/markdown";
import { textReport } from "../../io/text/report/text";
import type { Formats } from "../../io/text/report-format";
import { day, figures } from "../drift/report/sample-history";
import { preview, recorded, recordedCost, reviewed, userStep, written } from "../review/recorded";
import { costWorlds, longCost } from "./cost-worlds";
import { driftWorlds, longDrift } from "./drift-worlds";
import { everyBlock } from "./every-block";

/**
 * Every report in every format, as it was when somebody last looked at it. Where a change is intended, `GOLDEN=write`
 * writes the files, and their diff is explained in the commit.
 */
const folder = join(__dirname, "fixtures");

const shown = { columns: Number.POSITIVE_INFINITY, color: false };
const now = Date.parse("2026-03-01T02:00:00Z");
const tool = { name: "modelplatform", version: "1.2.3" };

/** Terminals of 80 and 140 columns, one with colours, and no terminal at all. */
const displays: readonly [title: string, context: ReportContext][] = [
  ["80 columns", { columns: 80, color: false }],
  ["140 columns, in colour", { columns: 140, color: true }],
  ["no terminal", shown],
];

const atTerminals = (render: (context: ReportContext) => string): string =>
  displays.map(([title, context]) => `══ ${title} ══\n${render(context).replaceAll("\u001b[", "␛[")}`).join("\n");

/** A page without its style and script, which are constants; both themes are in its style. */
const body = (page: string): string =>
  page
    .replace(/<style>.*?<\/style>/s, "<style>…</style>")
    .replace(/<script>.*?<\/script>/s, "<script>…</script>")
    .replace(/'sha256-[^']*'/g, "'sha256-…'");

/** The beginning and the end of a long text, and how long it is. */
function ends(text: string): string {
  const lines = text.split("\n");
  const left = lines.slice(25, -40);
  return [
    ...lines.slice(0, 25),
    `⋮ ${left.length} lines; ${text.length} characters in all ⋮`,
    ...lines.slice(-40),
  ].join("\n");
}

function formatsOf<Report>(formats: Formats<Report, never>, report: Report, names: readonly string[]) {
  return names.map((name): [string, string] => {
    const { extension, render } = formats[name]! as Formats<Report, object>[string];
    if (name === "text") return ["txt", atTerminals((context) => render(report, { ...context, now, tool }))];
    const text = render(report, { ...shown, now, tool });
    return [extension, name === "html" ? body(text) : text];
  });
}

const users = (count: number): string =>
  preview(
    Array.from({ length: count }, (_, index) =>
      userStep({
        op: index % 40 === 0 ? "delete" : "update",
        name: `user-${index}`,
        old: { email: "a@example.com" },
        new: { email: "b@example.com", displayName: `User ${index}` },
      }),
    ),
  );

/** File by file, what the code writes. */
function everyReport(): Map<string, string> {
  const files = new Map<string, string>();
  const put = (report: string, world: string, written: readonly (readonly [string, string])[]): void => {
    for (const [extension, text] of written) files.set(`${report}-${world}.${extension}`, text);
  };
  const readable = ["text", "markdown", "html", "csv"];
  for (const [world, report] of Object.entries(driftWorlds))
    put("drift", world, formatsOf(auditFormats, report, world === "audit" ? Object.keys(auditFormats) : readable));
  put("drift", "long", [["md", ends(auditFormats["markdown"]!.render(longDrift, shown))]]);
  for (const [world, report] of Object.entries(costWorlds))
    put("cost", world, formatsOf(costFormats, report, world === "change" ? Object.keys(costFormats) : readable));
  put("cost", "long", [["md", ends(costFormats["markdown"]!.render(longCost, shown))]]);
  const months = Array.from({ length: 60 }, (_, index) => day(index + 1, { warning: index, note: index % 3 }, 1, 2));
  const { from: _, to: __, ...undated } = figures;
  const none = { ...undated, bySeverity: [], byAccount: [], recurring: [], timeline: [] };
  put("history", "days", formatsOf(figuresFormats, figures, ["text", "json"]));
  put("history", "weeks", formatsOf(figuresFormats, { ...figures, timeline: months, recurring: [] }, ["text"]));
  put("history", "none", formatsOf(figuresFormats, none, ["text"]));
  const changed = [reviewed(recorded("cli-changes"), { cost: recordedCost() }), reviewed(recorded("builtin-nothing"))];
  const options = { commit: "8aaf08a1b2c3", link: "https://ci.example.com/1" };
  put("review", "changes", [
    ["md", written(changed, options)],
    ["json", `${JSON.stringify(reviewDocument(changed), null, 2)}\n`],
  ]);
  const failed = ["builtin-type-error", "cli-key", "cli-removed"].map((name) => reviewed(recorded(name)));
  put("review", "failed", [["md", written([...failed, reviewed("", { name: "empty", exitCode: 255 })])]]);
  put("review", "long", [["md", ends(written([reviewed(users(1500))]))]]);
  put("review", "short", [["md", written([reviewed(users(100)), ...failed], { maxLength: 3000 })]]);
  put("tree", "everything", [
    ["txt", atTerminals((context) => textReport(everyBlock, context))],
    ["md", markdownReport(everyBlock)],
    ["html", body(htmlReport(everyBlock))],
  ]);
  return files;
}

test("every report reads as it did, in every format", () => {
  const files = everyReport();
  if (process.env["GOLDEN"] === "write") for (const [name, text] of files) writeFileSync(join(folder, name), text);
  expect([...files.keys()].sort()).toEqual(readdirSync(folder).sort());
  for (const [name, text] of files) expect([name, text]).toEqual([name, readFileSync(join(folder, name), "utf8")]);
});
