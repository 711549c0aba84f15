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
  const asked = new URLSearchParams(location.hash.slice(1));
  verdicts = new Set(asked.getAll("verdict"));
  for (const input of severities) input.checked = asked.getAll("severity").includes(input.value);
  account.value = asked.get("account") ?? "";
  text.value = asked.get("text") ?? "";
  accepted.checked = asked.get("accepted") === "hidden";
  order.value = Object.hasOwn(orders, asked.get("order") ?? "") ? (asked.get("order") ?? "") : "cause";
  opened = asked.get("finding") ?? "";
  page = Math.max(0, Number(asked.get("page") ?? 1) - 1) || 0;
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
