import { escapeHtml, hashOf, page, style } from "../../io/text/markup";
import { printableJson } from "../../io/text/printable";
import { blockHtml } from "../../io/text/report/html";
import type { AccountReport, CollectionReport, DriftReport } from "../scan/document";
import { natureOf, type Verdict } from "../scan/finding-document";
import { severities } from "../scan/verdicts";
import { readingOrder, wordings } from "./advice";
import { inReadingOrder, missingText, refusedKeysText } from "./causes";
import type { ReportWriter } from "./context";
import { unconfiguredSection, warningsList } from "./entries";
import { causeRowsOf, rowOf } from "./page-rows";
import { script } from "./page-script";
import { totalCost } from "./values";
import {
  countIn,
  countsByOwner,
  coverageIn,
  coverageText,
  headline,
  readingOf,
  readings,
  reportSubject,
  scopeOf,
  shownFindings,
} from "./wording";

/**
 * One page that needs nothing else: no network, no other file. What was found and the
 * coverage are readable without its script, too.
 */
export const html: ReportWriter = (report, context) =>
  page({
    title: `${headline(report)} – ${report.tool.name} ${reportSubject(report)}`,
    policy,
    style,
    body: `<a class="skip" href="#findings">Skip to the findings</a>
${heading(report)}
<main>
${tiles(report)}
${findings(report)}
${accounts(report)}
${warningsList(report).map(blockHtml).join("")}
${unconfiguredSection(report)
  .map((section) => blockHtml({ ...section, isFolded: false }))
  .join("")}
</main>
<footer><p>${escapeHtml(`${report.tool.name} ${report.tool.version}, scanned ${report.startedAt} to ${report.finishedAt}`)}</p></footer>
<script type="application/json" id="data">${printableJson(inReadingOrder(shownFindings(report)).map((finding) => rowOf(finding, report, context)))}</script>
<script type="application/json" id="causes">${printableJson(causeRowsOf(report, context))}</script>
<script>${script}</script>`,
  });

/** Only this script and this style run, nothing is loaded or sent, and no text can become markup. */
const policy = `default-src 'none'; script-src ${hashOf(script)}; style-src ${hashOf(style)}; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'`;

function heading(report: DriftReport): string {
  const { coverage, drifted, complete, exitCode } = report;
  const cost = totalCost(report);
  const facts = [
    ...(cost === undefined ? [] : [cost]),
    ...[missingText(report), refusedKeysText(report)].filter((text) => text !== undefined),
    ...scopeOf(report),
    ...(countsByOwner(report) === undefined ? [] : [countsByOwner(report)!]),
    `${coverageText(coverage)} objects managed`,
    `exit code ${exitCode}`,
  ];
  const undrifted = complete ? "" : " partial";
  const state = drifted ? " drifted" : undrifted;
  return `<header>\n<p>${escapeHtml(report.startedAt.slice(0, 16).replace("T", " "))} UTC</p>\n<h1><span class="state${state}" aria-hidden="true"></span>${escapeHtml(headline(report))}</h1>\n<p>${facts.map(escapeHtml).join(" · ")}</p>\n</header>`;
}

/** A number for each verdict; pressed, it filters the findings. */
function tiles(report: DriftReport): string {
  const { summary, findings } = report;
  const listed = new Set(shownFindings(report).map(({ verdict }) => verdict));
  const acceptedCount = (verdict: Verdict): number =>
    findings.filter((finding) => finding.verdict === verdict && finding.suppressed !== undefined).length;
  const items = readingOrder
    .filter((verdict) => summary[verdict] !== undefined)
    .map((verdict) => {
      const { title } = wordings[verdict];
      const amount = countIn(report, verdict);
      const nature = verdict === "in-sync" ? "good" : natureOf[verdict];
      const look = amount === 0 ? "none" : nature;
      const inner = `<b>${amount}</b> <span>${escapeHtml(title)}</span>${acceptedCount(verdict) === 0 ? "" : ` <small>${acceptedCount(verdict)} accepted</small>`}`;
      return `<li>${listed.has(verdict) ? `<button type="button" class="tile ${look}" data-verdict="${verdict}" aria-pressed="false">${inner}</button>` : `<div class="tile ${look}">${inner}</div>`}</li>`;
    });
  return `<ul class="tiles" aria-label="Objects by verdict">${items.join("")}</ul>`;
}

function accounts({ accounts }: DriftReport): string {
  if (accounts.length === 0) return "";
  const heads = ["Account", "Managed", "Collections", "Requests"].map(
    (title, index) => `<th scope="col" role="columnheader"${index === 3 ? ' class="number"' : ""}>${title}</th>`,
  );
  const head = `<tr role="row">${heads.join("")}</tr>`;
  return `<h2 id="accounts">Accounts</h2>\n<div class="panel accounts stacked" role="region" aria-labelledby="accounts" tabindex="0"><table role="table"><thead role="rowgroup">${head}</thead><tbody role="rowgroup">\n${accounts.map(accountRow).join("\n")}\n</tbody></table></div>`;
}

function accountRow(account: AccountReport): string {
  const coverage = coverageIn(account);
  const bar =
    coverage.total === null
      ? ""
      : `<meter min="0" max="${Math.max(1, coverage.total)}" value="${coverage.total === 0 ? 1 : coverage.managed}" aria-hidden="true"></meter>`;
  const isEmpty = ({ status, total }: CollectionReport): boolean => status === "read" && total === 0;
  const empty = account.collections.filter(isEmpty).length;
  const filled = account.collections.filter((collection) => !isEmpty(collection));
  const listed = filled.map(({ name, status, managed, total }) =>
    status === "read"
      ? `<span class="part">${escapeHtml(`${name} ${coverageText({ managed, total }).replace(/ \(.*/, "")}`)}</span>`
      : `<span class="part warning">${escapeHtml(`${name} ${readings[status]}`)}</span>`,
  );
  const collections = [...listed, ...(empty === 0 ? [] : [`<span class="part">${empty} empty</span>`])];
  const known = ["read", "partial"].includes(account.status)
    ? collections
    : [`<span class="part warning">${readingOf(account)}</span>`];
  const name = `<button type="button" class="link" data-account="${escapeHtml(account.account)}">${escapeHtml(account.account)}</button>`;
  return `<tr role="row"><td role="cell">${name}</td><td role="cell" class="whole">${bar}${coverageText(coverage)}</td><td role="cell">${known.join(" · ")}</td><td role="cell" class="number">${account.requests}</td></tr>`;
}

function findings({ findings, owners = [] }: DriftReport): string {
  const teams = owners.map((team) => `<option>${escapeHtml(team)}</option>`);
  const options = [...new Set(findings.map(({ account }) => account))]
    .sort()
    .map((account) => `<option>${escapeHtml(account)}</option>`);
  const levels = severities.map(
    (severity) => `<label><input type="checkbox" name="severity" value="${severity}">${severity}</label>`,
  );
  const orders = {
    cause: "by cause",
    verdict: "one by one",
    account: "by account",
    object: "by object",
    updated: "last changed first",
    ...(owners.length > 0 && { owner: "by owner" }),
  };
  return `<h2 id="findings" tabindex="-1">Findings</h2>
<noscript><p>The findings are listed by a script, which this browser does not run. The other formats of the report have them as text.</p></noscript>
<form id="filters" class="bar" role="search" aria-label="Findings">
<input type="search" id="text" placeholder="Search in names, fields and values" aria-label="Search in names, fields and values" autocomplete="off" spellcheck="false">
<select id="account" aria-label="Account"><option value="">all accounts</option>${options.join("")}</select>
<select id="owner" aria-label="Owner"${owners.length > 0 ? "" : " hidden"}><option value="">all owners</option>${teams.join("")}</select>
<div role="group" aria-label="Severity">${levels.join("")}</div>
<label><input type="checkbox" id="accepted">hide accepted</label>
<select id="order" aria-label="Order">${Object.entries(orders)
    .map(([value, title]) => `<option value="${value}">${title}</option>`)
    .join("")}</select>
<button type="reset">Reset</button>
</form>
<div class="panel">
<div class="heads" aria-hidden="true"><span>Severity</span><span>Verdict</span><span>Object</span><span>What</span><span>Account</span></div>
<ol class="findings" id="list"></ol>
<p class="empty" id="empty">Nothing to show.</p>
</div>
<nav aria-label="Pages of findings"><p id="status" role="status"></p><button type="button" id="previous" disabled>Previous</button><button type="button" id="next" disabled>Next</button></nav>`;
}
