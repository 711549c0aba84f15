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
  const parts = [];
  if (group.changes.length > 0) parts.push(changes(group.changes, members.length + " objects"));
  if (group.next !== "") parts.push(make("p", { class: "next" }, ...prose(group.next)));
  parts.push(...group.remedies.map(remedy));
  parts.push(memberList(group, members));
  const facts = group.facts.flatMap(([label, fact]) => [make("dt", {}, label), make("dd", { class: "mono" }, fact)]);
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
