/** The part of the page's script that puts findings of one cause into one row. */
export const entries = /* javascript */ `/**
 * What is listed: a finding, or those of a cause that the filters leave.
 * @typedef {{ key: string, row: Row } | { key: string, group: Group, members: Row[] }} Entry
 */

/** @type {(string | Group)[]} */
const causes = JSON.parse(find("#causes", HTMLScriptElement).textContent ?? "[]");
const byFingerprint = new Map(rows.map((row) => [row.fingerprint, row]));

/** @param {Row} row @returns {Entry} */
const alone = (row) => ({ key: row.fingerprint, row });

/** Each cause once; one that is left with a single finding is that finding. @param {Row[]} chosen @returns {Entry[]} */
function byCause(chosen) {
  const left = new Set(chosen);
  /** @type {Set<Row>} */
  const placed = new Set();
  /** @param {string} fingerprint */
  const single = (fingerprint) => {
    const row = byFingerprint.get(fingerprint);
    if (!row || !left.has(row) || placed.has(row)) return [];
    placed.add(row);
    return [alone(row)];
  };
  const selected = single(opened);
  const listed = causes.flatMap((cause) => {
    if (typeof cause === "string") return single(cause);
    const members = cause.members.flatMap((member) => byFingerprint.get(member) ?? []).filter((row) => left.has(row));
    if (members.length > 1) return [{ key: cause.id, group: cause, members }];
    return members.flatMap(({ fingerprint }) => single(fingerprint));
  });
  return [...selected, ...listed];
}

/** Ids of the causes that a finding shares with others, by its fingerprint. @type {Map<string, string[]>} */
const groupsOf = new Map();
for (const cause of causes)
  if (typeof cause !== "string")
    for (const member of cause.members) groupsOf.set(member, [...(groupsOf.get(member) ?? []), cause.id]);

/** @param {Entry} entry @returns {{ severity: string, title: string, object: string, reason: string, accepted: boolean, account: string }} */
function headOf(entry) {
  if ("row" in entry) return entry.row;
  const { group, members } = entry;
  const accounts = new Set(members.map(({ account }) => account));
  return {
    ...group,
    object: members.length + " × " + group.type,
    account: accounts.size === 1 ? [...accounts].join() : accounts.size + " accounts",
  };
}

/** @param {Group} group @param {Row[]} members */
function groupBody(group, members) {
  const { facts: known, next, remedies } = group.byOwner.find(([team]) => team === owner.value)?.[1] ?? group;
  const parts = [];
  if (group.changes.length > 0) parts.push(changes(group.changes, members.length + " objects"));
  if (next !== "") parts.push(make("p", { class: "next" }, ...prose(next)));
  parts.push(...remedies.map(remedy));
  parts.push(memberList(group, members));
  const facts = known.flatMap(([label, fact]) => [make("dt", {}, label), make("dd", { class: "mono" }, fact)]);
  const link = make("a", { href: "#" + new URLSearchParams({ finding: group.id }) }, group.id);
  parts.push(make("dl", {}, ...facts, make("dt", {}, "Link"), make("dd", { class: "mono" }, link)));
  return make("div", { class: "body" }, ...parts);
}

const mostMembers = 100;

/** Links to the findings, no more than a page has rows. @param {Group} group @param {Row[]} members */
function memberList(group, members) {
  const items = members.slice(0, mostMembers).map((row) =>
    make("li", {}, make("a", { href: "#" + new URLSearchParams({ finding: row.fingerprint }) }, row.object),
      make("span", { class: "faint" }, " " + row.account)));
  const button = make("button", { type: "button" }, "List them one by one");
  button.addEventListener("click", () => {
    text.value = group.id;
    order.value = "verdict";
    update();
    text.focus();
  });
  const rest = members.length - items.length;
  const more = rest > 0 ? [make("p", { class: "faint" }, "and " + rest + " more")] : [];
  return make("section", { class: "members" },
    make("header", {}, make("h3", {}, members.length + " objects"), button), make("ul", {}, ...items), ...more);
}
`;

/** The part of the page's script that keeps in the address what is chosen, and takes it from there. */
export const address = /* javascript */ `function remember() {
  const chosen = new URLSearchParams();
  for (const verdict of verdicts) chosen.append("verdict", verdict);
  for (const { checked, value } of severities) if (checked) chosen.append("severity", value);
  if (account.value !== "") chosen.set("account", account.value);
  if (owner.value !== "") chosen.set("owner", owner.value);
  if (text.value !== "") chosen.set("text", text.value);
  if (accepted.checked) chosen.set("accepted", "hidden");
  if (order.value !== "cause") chosen.set("order", order.value);
  if (page > 0) chosen.set("page", String(page + 1));
  if (opened !== "") chosen.set("finding", opened);
  const hash = chosen.toString() === "" ? "" : "#" + chosen;
  if (hash === location.hash) return;
  try {
    history.replaceState(null, "", hash === "" ? location.pathname + location.search : hash);
  } catch {
    // A frame without an address has nothing to keep.
  }
}

/** Shows what the address asks for, even a finding that its filters exclude or that is on another page. */
function recall() {
  const choice = new URLSearchParams(location.hash.slice(1));
  verdicts = new Set(choice.getAll("verdict"));
  for (const input of severities) input.checked = choice.getAll("severity").includes(input.value);
  account.value = choice.get("account") ?? "";
  owner.value = choice.get("owner") ?? "";
  text.value = choice.get("text") ?? "";
  accepted.checked = choice.get("accepted") === "hidden";
  order.value = Object.hasOwn(orders, choice.get("order") ?? "") ? (choice.get("order") ?? "") : "cause";
  opened = choice.get("finding") ?? "";
  page = Math.max(0, Number(choice.get("page") ?? 1) - 1) || 0;
  choose();
  const place = shown.findIndex(({ key }) => key === opened);
  if (opened !== "" && place < 0 && byFingerprint.has(opened)) {
    location.replace("#" + new URLSearchParams({ finding: opened }));
    return;
  }
  if (place >= 0) page = Math.floor(place / pageSize);
  draw();
  const summary = list.querySelector("details[open] > summary");
  if (place >= 0 && summary instanceof HTMLElement) {
    summary.scrollIntoView({ block: "center" });
    summary.focus({ preventScroll: true });
  }
}`;

/**
 * Script of the page. It makes elements and texts, never markup, and keeps at most a page of rows in the
 * document, so that thousands of findings cost no more than a hundred. What is chosen stands in the
 * address, so that it can be sent to someone.
 */
export const script = /* javascript */ `
"use strict";
/** @typedef {import("./page-rows").FindingRow & { words?: string }} Row */
/** @typedef {import("./page-rows").GroupRow} Group */

/** @template {Element} T @param {string} selector @param {new () => T} kind @returns {T} */
function find(selector, kind) {
  const element = document.querySelector(selector);
  if (!(element instanceof kind)) throw new Error("the page has no " + selector);
  return element;
}

/** @param {string} tag @param {Record<string, string>} attributes @param {(Node | string)[]} children */
function make(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

/** @type {Row[]} */
const rows = JSON.parse(find("#data", HTMLScriptElement).textContent ?? "[]");
const pageSize = 100;

const list = find("#list", HTMLOListElement);
const text = find("#text", HTMLInputElement);
const account = find("#account", HTMLSelectElement);
const owner = find("#owner", HTMLSelectElement);
const order = find("#order", HTMLSelectElement);
const accepted = find("#accepted", HTMLInputElement);
const severities = [...document.querySelectorAll("input[name=severity]")].filter(
  (input) => input instanceof HTMLInputElement,
);
const tiles = [...document.querySelectorAll("button[data-verdict]")].filter(
  (tile) => tile instanceof HTMLButtonElement,
);

/** @type {Set<string>} */
let verdicts = new Set();
let page = 0;
let opened = "";
let printing = false;
/** Findings that the filters leave. @type {Row[]} */
let chosen = [];
/** @type {Entry[]} */
let shown = [];

${entries}

/** @type {Record<string, (a: Row, b: Row) => number>} */
const orders = {
  cause: () => 0,
  verdict: () => 0,
  account: (a, b) => compare(a.account, b.account) || compare(a.object, b.object),
  object: (a, b) => compare(a.object, b.object),
  owner: (a, b) => compare(a.owner === "" ? "~" : a.owner, b.owner === "" ? "~" : b.owner),
  updated: (a, b) => compare(b.updated, a.updated),
};

/** @param {string} a @param {string} b */
const compare = (a, b) => (a < b ? -1 : a > b ? 1 : 0);

/** Everything in a row that can be searched for. @param {Row} row */
const wordsOf = (row) =>
  (row.words ??= [
    ...[row.title, row.severity, row.account, row.object, row.reason, row.fingerprint],
    ...row.facts.map(([, fact]) => fact),
    ...(groupsOf.get(row.fingerprint) ?? []),
    ...row.changes.flatMap(({ path, recorded, live }) => [path, textOf(recorded), textOf(live)]),
  ].join(" ").toLowerCase());

/** @param {Row["changes"][number]["live"]} pieces */
const textOf = (pieces) => (pieces ?? []).map(([piece]) => piece).join("");

function choose() {
  const wanted = text.value.toLowerCase().split(/\\s+/).filter((word) => word !== "");
  const levels = severities.filter(({ checked }) => checked).map(({ value }) => value);
  chosen = rows.filter((row) =>
    (verdicts.size === 0 || verdicts.has(row.verdict)) && (levels.length === 0 || levels.includes(row.severity)) &&
    (account.value === "" || account.value === row.account) && (owner.value === "" || owner.value === row.owner) && !(accepted.checked && row.accepted) &&
    wanted.every((word) => wordsOf(row).includes(word)));
  shown = order.value === "cause" ? byCause(chosen) : chosen.sort(orders[order.value]).map(alone);
}

/** @param {{ keep?: boolean }} [options] keep: stay on this page of the list */
function update({ keep = false } = {}) {
  choose();
  if (!keep) page = 0;
  if (!shown.some(({ key }) => key === opened)) opened = "";
  draw();
  remember();
}

/** @param {number} [size] */
function draw(size = pageSize) {
  page = Math.max(0, Math.min(page, Math.ceil(shown.length / size) - 1));
  const first = page * size;
  const part = shown.slice(first, first + size);
  list.replaceChildren(...part.map(item));
  find("#empty", HTMLElement).hidden = part.length > 0;
  const range = part.length === shown.length ? "" : (first + 1) + "–" + (first + part.length) + " of ";
  const unfiltered = chosen.length === rows.length ? "" : " (" + rows.length + " in all)";
  const found = chosen.length + (chosen.length === 1 ? " finding" : " findings") + unfiltered;
  const grouped = shown.some((entry) => "group" in entry);
  const listed = grouped ? range + shown.length + (shown.length === 1 ? " cause of " : " causes of ") : range;
  find("#status", HTMLElement).textContent = listed + found;
  find("#previous", HTMLButtonElement).disabled = page === 0;
  find("#next", HTMLButtonElement).disabled = first + size >= shown.length;
  for (const tile of tiles) tile.setAttribute("aria-pressed", String(verdicts.has(tile.dataset["verdict"] ?? "")));
}

/** @param {Entry} entry */
function item(entry) {
  const { severity, title, object, reason, accepted, account } = headOf(entry);
  const open = entry.key === opened;
  const summary = make("summary", {},
    make("span", {}, make("span", { class: "tag " + severity }, severity)),
    make("span", {}, title),
    make("span", { class: "object" }, object),
    make("span", { class: "reason" }, ...prose((accepted ? "accepted: " : "") + reason)),
    make("span", { class: "account faint" }, account));
  const states = { ...(accepted && { class: "accepted" }), ...(open && { open: "" }) };
  const details = make("details", { "data-fingerprint": entry.key, ...states }, summary);
  if (open) details.append(body(entry));
  details.addEventListener("toggle", () => {
    if (!(details instanceof HTMLDetailsElement) || printing || !details.isConnected) return;
    if (details.open && details.children.length === 1) details.append(body(entry));
    if (details.open) opened = entry.key;
    else if (opened === entry.key) opened = "";
    remember();
  });
  return make("li", {}, details);
}

/** @param {Entry} entry */
const body = (entry) => ("row" in entry ? findingBody(entry.row) : groupBody(entry.group, entry.members));

/** @param {Row} row */
function findingBody(row) {
  const parts = [];
  if (row.changes.length > 0) parts.push(changes(row.changes, row.object));
  if (row.next !== "") parts.push(make("p", { class: "next" }, ...prose(row.next)));
  if (row.left !== "") parts.push(make("p", { class: "next" }, ...prose("A person has to look at this: " + row.left + ".")));
  parts.push(...row.remedies.map(remedy));
  const link = make("a", { href: "#" + new URLSearchParams({ finding: row.fingerprint }) }, row.fingerprint);
  const facts = row.facts.flatMap(([label, fact]) => [make("dt", {}, label), make("dd", { class: "mono" }, fact)]);
  parts.push(make("dl", {}, ...facts, make("dt", {}, "Link"), make("dd", { class: "mono" }, link)));
  return make("div", { class: "body" }, ...parts);
}

/** Text whose parts between backticks are code. @param {string} words */
const prose = (words) => words.split("\\u0060").map((part, index) => (index % 2 === 1 ? make("code", {}, part) : part));

/** A text to copy. @param {Row["remedies"][number]} given */
function remedy({ title, text }) {
  const source = make("pre", { tabindex: "0", class: text.includes("\\n") ? "lines" : "line" }, text);
  const button = make("button", { type: "button" }, "Copy");
  button.addEventListener("click", () => copy(text, source, button));
  return make("section", { class: "remedy" }, make("header", {}, make("h3", {}, ...prose(title)), button), source);
}

/** Where the browser keeps the clipboard to itself, the text is left selected. @param {string} text @param {Element} source @param {Element} button */
async function copy(text, source, button) {
  let done = true;
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    getSelection()?.selectAllChildren(source);
    done = document.execCommand("copy");
  }
  button.textContent = done ? "Copied" : "Selected";
  setTimeout(() => (button.textContent = "Copy"), 2000);
}

const unset = () => make("div", { class: "faint" }, "not set by the program");

/** @param {Row["changes"]} differing @param {string} object */
function changes(differing, object) {
  const heads = ["Field", "Recorded", "Live", "Severity"].map((head) => make("th", { scope: "col", role: "columnheader" }, head));
  const lines = differing.map(({ path, recorded, live, severity, managed }) =>
    make("tr", { role: "row" },
      make("th", { scope: "row", role: "rowheader", class: "mono" }, path),
      make("td", { role: "cell", "data-head": "Recorded" }, value(recorded, "del")),
      make("td", { role: "cell", "data-head": "Live" }, value(live, "ins")),
      make("td", { role: "cell" }, make("span", { class: "tag " + severity }, severity), ...(managed ? [] : [unset()]))));
  const table = make("table", { role: "table" },
    make("thead", { role: "rowgroup" }, make("tr", { role: "row" }, ...heads)),
    make("tbody", { role: "rowgroup" }, ...lines));
  return make("div", { class: "changes stacked", tabindex: "0", role: "region", "aria-label": "Fields of " + object }, table);
}

/** @param {readonly (readonly [string, boolean])[] | null} pieces @param {"del" | "ins"} mark */
function value(pieces, mark) {
  if (pieces === null) return make("span", { class: "faint" }, "absent");
  return make("pre", {}, ...pieces.map(([piece, differs]) => (differs ? make(mark, {}, piece) : piece)));
}

${address}

/** @param {number} by */
function turn(by) {
  page += by;
  update({ keep: true });
  find("#findings", HTMLElement).scrollIntoView();
}

for (const input of [account, owner, order, accepted, ...severities]) input.addEventListener("change", () => update());
text.addEventListener("input", () => update());
for (const tile of tiles) {
  tile.addEventListener("click", () => {
    const verdict = tile.dataset["verdict"] ?? "";
    if (!verdicts.delete(verdict)) verdicts.add(verdict);
    update();
  });
}
for (const button of document.querySelectorAll("button[data-account]")) {
  button.addEventListener("click", () => {
    account.value = button.getAttribute("data-account") ?? "";
    update();
    account.focus();
  });
}
find("#previous", HTMLButtonElement).addEventListener("click", () => turn(-1));
find("#next", HTMLButtonElement).addEventListener("click", () => turn(1));
find("#filters", HTMLFormElement).addEventListener("submit", (event) => event.preventDefault());
find("#filters", HTMLFormElement).addEventListener("reset", () => setTimeout(() => {
  verdicts.clear();
  update();
}));
addEventListener("hashchange", recall);
addEventListener("beforeprint", () => {
  printing = true;
  page = 0;
  draw(Math.max(1, shown.length));
  list.querySelectorAll("details").forEach((details, index) => {
    const entry = shown[index];
    if (entry && details.children.length === 1) details.append(body(entry));
    details.open = true;
  });
});
addEventListener("afterprint", () => {
  printing = false;
  draw();
});
recall();
`;
