import { createHash } from "node:crypto";
import { printable } from "./printable";

/** The columns of a file for spreadsheets, by their heads. What is not known is empty. */
export type CsvColumns<Row> = Readonly<Record<string, (row: Row) => string | number | null | undefined>>;

/** Rows for spreadsheets, by RFC 4180. */
export const csvText = <Row>(columns: CsvColumns<Row>, rows: readonly Row[]): string =>
  [Object.keys(columns), ...rows.map((row) => Object.values(columns).map((read) => String(read(row) ?? "")))]
    .map((fields) => `${fields.map(field).join(",")}\r\n`)
    .join("");

/** Spreadsheets read these beginnings as a formula, some also in full width. A number is not a formula. */
const isFormula = (text: string): boolean => /^\s*[=+\-@|%＝＋－＠]/.test(text) && !/^-?\d+(\.\d+)?$/.test(text);

const neutralizeFormula = (text: string): string => (isFormula(text) ? `'${text}` : text);

/** Some spreadsheets begin a new cell after a semicolon, so the text after one is escaped like a cell. */
function field(raw: string): string {
  const safe = printable(raw)
    .split(/(?<=;)/)
    .map(neutralizeFormula)
    .join("");
  return /[",;\s]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** The name of a page's own script or style in its policy. */
export const hashOf = (source: string): string => `'sha256-${createHash("sha256").update(source).digest("base64")}'`;

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Text that cannot become markup, in an element or in a quoted attribute. */
export const escapeHtml = (raw: string): string =>
  printable(raw).replace(/[&<>"']/g, (character) => entities[character]!);

/** A page that needs no other file. `policy` decides which scripts and styles run. `body` is HTML, `title` is text. */
export const page = ({ title, policy, style, body }: Page): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${escapeHtml(title)}</title>
<style>${style}</style>
</head>
<body>
${body}
</body>
</html>
`;

interface Page {
  title: string;
  policy: string;
  style: string;
  body: string;
}

/** Style of report pages. It must not contain a URL: the page loads nothing. */
export const style = /* css */ `
:root {
  color-scheme: light dark;
  --back: #f7f7f5; --panel: #fff; --text: #1b1e22; --faint: #596069; --line: #dfe1e4; --hover: #f1f3f6; --accent: #1f55c0;
  --error: #a8201a; --error-back: #fdeceb; --warning: #7d5100; --warning-back: #fff3d6; --note: #44505d; --note-back: #eceff2; --good: #17693b;
  --old: #fbdcd9; --new: #d3f0dc;
  --mono: ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace;
}
@media screen and (prefers-color-scheme: dark) {
  :root {
    --back: #121418; --panel: #1a1d22; --text: #e5e8ec; --faint: #9ba5b0; --line: #2d333b; --hover: #22262d; --accent: #8bb5ff;
    --error: #ff9d93; --error-back: #3b1f1d; --warning: #efc270; --warning-back: #362b14; --note: #b6c1cd; --note-back: #272d35; --good: #84d8a4;
    --old: #5a2a28; --new: #1f4a30;
  }
}
* { box-sizing: border-box; }
html { scroll-padding-top: 64px; }
body { margin: 0; background: var(--back); color: var(--text); font: 14px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
header, main, footer { max-width: 1180px; margin: 0 auto; padding: 0 24px; }
h1 { margin: 2px 0 6px; font-size: 24px; line-height: 1.25; font-weight: 650; letter-spacing: -0.01em; }
h2 { margin: 30px 0 10px; font-size: 15px; font-weight: 650; }
code, pre, .mono { font-family: var(--mono); font-size: 12.5px; }
a { color: var(--accent); }
button, input, select { font: inherit; color: inherit; }
button { cursor: pointer; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
[hidden] { display: none !important; }
.skip { position: absolute; left: -999em; padding: 8px 14px; background: var(--panel); }
.skip:focus { left: 8px; top: 8px; z-index: 3; }
.faint { color: var(--faint); }

header { padding-top: 28px; }
header p { margin: 0; color: var(--faint); }
.state { display: inline-block; width: 10px; height: 10px; margin-right: 10px; border-radius: 50%; vertical-align: 0.12em; background: var(--good); }
.state.drifted { background: var(--error); }
.state.partial { background: var(--warning); }

.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(104px, 1fr)); gap: 8px; margin: 20px 0 0; padding: 0; list-style: none; }
.tile { display: flex; flex-direction: column; width: 100%; height: 100%; padding: 10px 12px 9px; border: 1px solid var(--line); border-radius: 8px; background: var(--panel); text-align: left; }
button.tile:hover { background: var(--hover); }
.tile[aria-pressed="true"] { border-color: var(--accent); box-shadow: inset 0 0 0 1px var(--accent); }
.tile b { font-size: 22px; line-height: 1.15; font-weight: 600; font-variant-numeric: tabular-nums; }
.tile span, .tile small { color: var(--faint); }
.tile small { font-size: 12px; }
.tile.drift b { color: var(--error); }
.tile.unknown b { color: var(--warning); }
.tile.good b { color: var(--good); }
.tile.none b { color: var(--faint); font-weight: 400; }

.panel { border: 1px solid var(--line); border-radius: 8px; background: var(--panel); overflow-x: auto; }
.accounts { max-height: 330px; overflow: auto; }
.accounts thead th { position: sticky; top: 0; background: var(--panel); }
.accounts th:first-child { min-width: 120px; }
table { width: 100%; border-collapse: collapse; }
th { text-align: left; font-size: 12px; font-weight: 600; color: var(--faint); }
th, td { padding: 7px 12px; border-bottom: 1px solid var(--line); vertical-align: top; }
tbody tr:last-child > * { border-bottom: 0; }
td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
td .link { padding: 0; border: 0; background: none; color: var(--accent); text-align: left; text-decoration: underline; text-underline-offset: 2px; }
meter { width: 84px; height: 12px; margin-right: 8px; vertical-align: -1px; }
.whole { white-space: nowrap; font-variant-numeric: tabular-nums; }
.part { display: inline-block; overflow-wrap: anywhere; }
.warning { color: var(--warning); }

.bar { position: sticky; top: 0; z-index: 2; display: flex; flex-wrap: wrap; gap: 8px; align-items: center; margin: 0 -4px; padding: 10px 4px; background: var(--back); }
.bar input[type="search"], .bar select, .bar button, nav button { height: 32px; padding: 0 10px; border: 1px solid var(--line); border-radius: 6px; background: var(--panel); }
.bar input[type="search"] { flex: 1 1 220px; min-width: 0; }
.bar select { max-width: 220px; }
.bar label { display: inline-flex; gap: 5px; align-items: center; white-space: nowrap; }
.bar div { display: flex; gap: 12px; margin: 0 4px; }
nav { display: flex; gap: 8px; align-items: center; margin: 12px 0; }
nav p { margin: 0; flex: 1; color: var(--faint); font-variant-numeric: tabular-nums; }
nav button:disabled { opacity: 0.45; cursor: default; }

ol.findings { margin: 0; padding: 0; list-style: none; }
ol.findings > li + li { border-top: 1px solid var(--line); }
summary { display: grid; grid-template-columns: 76px 104px minmax(190px, 1fr) minmax(0, 1.5fr) minmax(0, 150px) 14px; gap: 12px; align-items: baseline; padding: 8px 12px; cursor: pointer; list-style: none; }
.heads { display: grid; grid-template-columns: 76px 104px minmax(190px, 1fr) minmax(0, 1.5fr) minmax(0, 150px) 14px; gap: 12px; padding: 7px 12px; border-bottom: 1px solid var(--line); font-size: 12px; font-weight: 600; color: var(--faint); }
summary::-webkit-details-marker { display: none; }
summary::after { content: "›"; color: var(--faint); font-size: 17px; line-height: 1; text-align: right; }
details[open] > summary::after { transform: rotate(90deg); }
summary:hover { background: var(--hover); }
summary:focus-visible { outline-offset: -2px; border-radius: 8px; }
summary > span { overflow-wrap: anywhere; }
pre { overflow-x: auto; }
.object { font-weight: 600; }
.accepted .object, .accepted .reason { font-weight: 400; color: var(--faint); }
.tag { display: inline-block; padding: 0 8px; border-radius: 9px; font-size: 12px; line-height: 20px; white-space: nowrap; }
.tag.error { color: var(--error); background: var(--error-back); }
.tag.warning { color: var(--warning); background: var(--warning-back); }
.tag.note { color: var(--note); background: var(--note-back); }
.body { padding: 4px 12px 16px 100px; }
.changes { margin: 4px 0 12px; border: 1px solid var(--line); border-radius: 6px; overflow-x: auto; }
.changes table { table-layout: fixed; min-width: 620px; }
.changes th:nth-child(1) { width: 26%; }
.changes th:nth-child(4) { width: 132px; }
.changes tbody th { color: var(--text); font-size: 12.5px; font-weight: 500; }
.changes td, .changes th { overflow-wrap: anywhere; }
.changes pre { margin: 0; white-space: pre-wrap; }
del, ins { text-decoration: none; border-radius: 3px; padding: 1px 0; box-decoration-break: clone; }
del { background: var(--old); }
ins { background: var(--new); }
dl { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: 3px 16px; align-items: baseline; margin: 0; }
dt { color: var(--faint); }
dd { margin: 0; overflow-wrap: anywhere; }
.changes .faint { font-size: 12px; line-height: 1.35; margin-top: 2px; }
.next { margin: 0 0 10px; }
.remedy { margin: 0 0 12px; border: 1px solid var(--line); border-radius: 6px; overflow: hidden; }
.remedy header { display: flex; gap: 12px; align-items: center; max-width: none; margin: 0; padding: 5px 6px 5px 10px; border-bottom: 1px solid var(--line); background: var(--back); }
.remedy h3 { flex: 1; margin: 0; font-size: 12.5px; font-weight: 600; }
.remedy button { height: 26px; padding: 0 10px; border: 1px solid var(--line); border-radius: 5px; background: var(--panel); font-size: 12px; }
.remedy button:hover { background: var(--hover); }
.remedy pre { margin: 0; padding: 8px 10px; max-height: 420px; overflow: auto; tab-size: 4; }
.remedy .line { white-space: pre-wrap; overflow-wrap: anywhere; }
.members header { display: flex; gap: 12px; align-items: center; max-width: none; margin: 0; padding: 0; }
.members h3 { margin: 0; font-size: 12.5px; font-weight: 600; }
.members button { height: 26px; padding: 0 10px; border: 1px solid var(--line); border-radius: 5px; background: var(--panel); font-size: 12px; }
.members button:hover { background: var(--hover); }
.members ul { columns: 260px; column-gap: 24px; margin: 6px 0 12px; padding: 0; list-style: none; overflow-wrap: anywhere; }
.members p { margin: 0 0 10px; }
.empty { margin: 0; padding: 28px 12px; text-align: center; color: var(--faint); }
footer { padding-top: 8px; padding-bottom: 40px; color: var(--faint); }
.more { margin: 10px 0 0; padding-left: 18px; }

@media (max-width: 760px) {
  .tiles li:has(> div.none) { display: none; }
  header, main, footer { padding-left: 14px; padding-right: 14px; }
  h1 { font-size: 20px; }
  .bar { position: static; }
  summary { grid-template-columns: auto auto 1fr 14px; gap: 4px 8px; }
  summary .object, summary .reason, summary .account { grid-column: 1 / -1; }
  summary::after { grid-column: 4; grid-row: 1; }
  .heads { display: none; }
  .body { padding-left: 12px; }
  .stacked { overflow: visible; }
  .accounts { overflow: auto; max-height: 640px; }
  .stacked table { display: block; min-width: 0; }
  .stacked thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  .stacked tbody { display: block; }
  .stacked tr { display: grid; gap: 4px 12px; padding: 9px 12px; }
  .stacked tr + tr { border-top: 1px solid var(--line); }
  .stacked tr > * { width: auto !important; min-width: 0; padding: 0; border: 0; }
  .changes tr { grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); }
  .changes td[data-head]::before { content: attr(data-head); display: block; font-size: 12px; color: var(--faint); }
  .changes tbody th { grid-column: 1; grid-row: 1; }
  .changes td:last-child { grid-column: 2; grid-row: 1; text-align: right; }
  .accounts tr { grid-template-columns: minmax(0, 1fr) auto; }
  .accounts td:nth-child(3) { grid-column: 1 / -1; grid-row: 2; }
  .accounts td.number { grid-column: 1 / -1; grid-row: 3; text-align: left; color: var(--faint); }
  .accounts td.number::after { content: " requests"; }
  dl { grid-template-columns: minmax(0, 1fr); gap: 0; }
  dd { margin-bottom: 6px; }
}
@media (min-width: 761px) and (max-width: 1000px) {
  summary, .heads { grid-template-columns: 70px 96px minmax(0, 1fr) minmax(0, 1.4fr) minmax(0, 84px) 14px; gap: 8px; }
  .body { padding-left: 12px; }
}

@media print {
  :root { color-scheme: light; --back: #fff; --panel: #fff; --text: #000; --faint: #444; --line: #bbb; }
  body { font-size: 10.5px; }
  code, pre, .mono, th, .tag, .heads, .tile small, .changes .faint, .changes tbody th { font-size: 9.5px; }
  .bar, nav, .skip, .remedy button, summary::after { display: none !important; }
  .remedy pre { max-height: none; white-space: pre-wrap; overflow-wrap: anywhere; }
  .panel, .changes { max-height: none; overflow: visible; }
  details { break-inside: avoid; }
  .body { padding-left: 12px; }
  del, ins, .tag, meter { print-color-adjust: exact; }
}
`;

const encodeCharacter = (text: string): string =>
  text.replace(/[^\p{L}\p{N}\p{M} ,/.-]|(?<=www)\./giu, (character) => `&#${character.codePointAt(0)};`);

/**
 * Text that Markdown, HTML and the mentions of a forge leave alone: an empty comment keeps `@` and `#` from
 * what follows. Code in backticks stays code.
 */
export const escapeProse = (text: string): string =>
  printable(text)
    .split("`")
    .map((part, index, parts) => {
      if (index % 2 === 1 && index < parts.length - 1) return code(part);
      return encodeCharacter(index % 2 === 1 ? `\`${part}` : part).replace(/&#(64|35);/g, "$&<!-- -->");
    })
    .join("");

/** Code whose every character is literal, also in a table and next to backticks. */
export const code = (text: string): string => `<code>${encodeCharacter(printable(text))}</code>`;

/** A table of cells that are Markdown already. */
export const table = (heading: readonly string[], rows: readonly (readonly string[])[]): string =>
  [heading, heading.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
