import { createHash } from "node:crypto";
import { marked } from "marked";
import { formats } from "../../governance/cost/formats";
import type { CostReport } from "../../governance/cost/report";
import { inBrowser, title, useBrowser } from "../drift/report/browser";
import { hostileTexts } from "../drift/report/hostile-report";

const total = {
  hourly: { min: "4", max: "64", before: "16", beforeMin: "4" },
  monthly: "46720",
  monthlyMin: "2920",
  once: "12",
  unknown: 1,
};
const quantity = { acceleratorType: "VENDOR1_H100_80GB", perReplica: 2, min: 1, max: 8 };
const report: CostReport = {
  schemaVersion: 1,
  currency: "USD",
  day: "2026-01-15",
  resources: [
    {
      urn: "urn:pulumi:prod::shop::pulumi-nodejs:dynamic/modelplatform:Deployment::chat",
      name: "accounts/acme/deployments/chat-1",
      kind: "Deployment",
      account: "acme",
      quantity,
      hourly: { min: "4", max: "64", before: "16", beforeMin: "4" },
    },
    { name: "new", kind: "Deployment", account: "acme", hourly: { min: "0", unknown: "the price is `missing`" } },
    {
      name: "run",
      kind: "SupervisedFineTuningJob",
      account: "acme",
      hourly: { min: "0", max: "0" },
      once: { amount: "12" },
    },
  ],
  groups: [{ by: "account", key: "acme", ...total }],
  total,
};
for (const resource of report.resources) resource.group = "acme";

const live = (id: string, account: string, stack: string, max: string): CostReport["resources"][number] => ({
  ...{ name: `accounts/${account}/deployments/${id}`, kind: "Deployment", account, stack, group: account },
  hourly: { min: "0", max },
});
const totalOf = (max: string) => ({
  ...total,
  hourly: { ...total.hourly, min: "0", max, before: max, beforeMin: "0" },
});
const twoAccounts: CostReport = {
  ...report,
  resources: [
    live("chat", "acme", "organization/shop/dev", "2"),
    live("search", "globex", "organization/shop/prod", "5"),
    live("chat", "globex", "organization/shop/prod", "30"),
  ],
  groups: [
    { by: "account", key: "acme", ...totalOf("2") },
    { by: "account", key: "globex", ...totalOf("35") },
  ],
};
const hostile: CostReport = {
  ...report,
  resources: hostileTexts.map((text) => ({
    urn: `urn:${text}::${text}`,
    name: text,
    kind: text,
    account: text,
    stack: text,
    group: text,
    quantity: { ...quantity, acceleratorType: text },
    hourly: { min: "1", max: "2", unknown: text },
  })),
  groups: hostileTexts.map((text) => ({ by: text, key: text, ...total })),
};
const render = (name: string, of: CostReport = report): string => formats[name]!.render(of, { columns: 100 });

test.each(["text", "markdown", "html"])(
  "%s shows what it was and will be, the total, and what is not known",
  (name) => {
    const shown = render(name);
    for (const part of ["16.00 → 64.00", "11,680.00 → 46,720.00", "12.00", "missing"]) expect(shown).toContain(part);
  },
);

test("the dearest group and its dearest resource come first, with account and stack", () => {
  const lines = render("text", twoAccounts).split("\n");
  expect(lines[2]).toMatch(/^RESOURCE +ACCOUNT, STACK +HARDWARE +AT LEAST +AT MOST +PER MONTH$/);
  expect(lines.slice(3, 9).map((line) => line.trim().split(/ {2,}/).slice(0, 2))).toEqual([
    ["account globex", "+ 1 unknown"],
    ["Deployment chat", "globex, shop/prod"],
    ["Deployment search", "globex, shop/prod"],
    ["account acme", "+ 1 unknown"],
    ["Deployment chat", "acme, shop/dev"],
    ["total", "+ 1 unknown"],
  ]);
});

test.each(["markdown", "html"])("%s has the same order, and says account and stack", (name) => {
  const shown = render(name, twoAccounts);
  const order = [
    "account globex",
    "Deployment chat",
    "globex, shop",
    "Deployment search",
    "account acme",
    "acme, shop",
  ];
  const places = order.map((part) => shown.indexOf(part));
  expect(places.every((place) => place >= 0)).toBe(true);
  expect(places).toEqual([...places].sort((one, other) => one - other));
});

test("CSV has a row per resource, amounts as numbers, and no formula", () => {
  const [heading, first] = render("csv").split("\r\n");
  expect(heading!.split(",").slice(0, 3)).toEqual(["kind", "name", "urn"]);
  expect(first).toContain(",VENDOR1_H100_80GB,2,1,8,,,4,64,,16,,,USD");
  const cells = render("csv", hostile)
    .split("\r\n")
    .slice(1)
    .flatMap((line) => line.split(/,|;/));
  expect(cells.filter((cell) => /^"?\s*[=+\-@|%]/.test(cell) && !/^-?\d/.test(cell))).toEqual([]);
});

test("a hostile name stays text in Markdown: no link, image, element or table cell", () => {
  const html = marked.parse(render("markdown", hostile)) as string;
  expect(html).not.toMatch(/<(a|img|script|svg|style)\b/);
  const rows = html.match(/<tr>.*?<\/tr>/gs) ?? [];
  expect(rows.filter((row) => (row.match(/<t[dh]\b/g) ?? []).length !== 6)).toEqual([]);
});

test("a hostile name never becomes a command or moves the cursor in text", () => {
  const lines = render("text", hostile).split("\n");
  expect(lines.filter((line) => /[\u0000-\u001f\u007f-\u009f]/.test(line))).toEqual([]);
  expect(lines.filter((line) => line.includes("##["))).toEqual([]);
});

test("the page runs no script and loads nothing, by its own policy", () => {
  const page = render("html", hostile);
  const style = /<style>(.*?)<\/style>/s.exec(page)![1]!;
  const hash = createHash("sha256").update(style).digest("base64");
  expect(page).toContain(
    `content="default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'"`,
  );
  expect(page).not.toMatch(/<(script|img|a|iframe|link)\b/);
  expect(style).not.toMatch(/https?:|url\(|@import/);
});

const browser = useBrowser();

inBrowser.each([1280, 390])(title("the page fits %d pixels"), async (width) => {
  const page = await browser.open(render("html"), { width });
  const widest = await page.evaluate("document.documentElement.scrollWidth");
  expect({ width, widest }).toEqual({ width, widest: width });
  expect(await page.innerText("main")).toContain("16.00 → 64.00");
});
