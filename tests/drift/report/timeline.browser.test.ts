import { readFileSync } from "node:fs";
import { figuresFormats, formats } from "../../../drift/report/formats";
import type { DriftReport } from "../../../drift/scan/document";
import { sampleReport } from "../sample-report";
import { inBrowser, title, useBrowser } from "./browser";
import { day, figures } from "./sample-history";

/** Ninety days, and more accounts than a panel shows at once. */
const timeline = Array.from({ length: 90 }, (_, index) =>
  day(index + 1, { error: index % 5, warning: index % 7 }, 1, 1),
);
const manyAccounts: DriftReport = {
  ...sampleReport,
  accounts: Array.from({ length: 14 }, (_, index) => ({ ...sampleReport.accounts[0]!, account: `team-${index}` })),
};
const tool = { name: "modelplatform", version: "1.2.3" };
const pages = {
  report: formats["html"]!.render(manyAccounts, { columns: 80, color: false, timeline }),
  history: figuresFormats["html"]!.render({ ...figures, timeline }, { columns: 80, color: false, tool, now: 0 }),
};

const browser = useBrowser();
const open = (name: keyof typeof pages, width: number, colorScheme: "light" | "dark" = "light") =>
  browser.open(pages[name], { width, height: 844, colorScheme, bypassCSP: true });

inBrowser.each([
  ["report", 390],
  ["report", 1280],
  ["history", 390],
  ["history", 1280],
] as const)(
  title("the timeline of the %s is whole %d pixels wide, and nothing beside it is cut off"),
  async (name, width) => {
    const page = await open(name, width);
    const bars = page.locator(".timeline svg g");
    expect(await bars.count()).toBe(90);
    const chart = (await page.locator(".timeline svg").boundingBox())!;
    const [first, last] = [(await bars.first().boundingBox())!, (await bars.last().boundingBox())!];
    expect([first.x >= chart.x, last.x + last.width <= chart.x + chart.width, chart.height]).toEqual([true, true, 120]);
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(width);
    const cut = await page.evaluate<string[]>(`
    [...document.querySelectorAll(".figures td, .timeline p, .key")].flatMap((each) => {
      const { right } = each.getBoundingClientRect();
      return right > innerWidth ? [each.textContent] : [];
    })`);
    expect(cut).toEqual([]);
  },
);

inBrowser(title("a narrow window lays no accounts over the findings"), async () => {
  const page = await open("report", 390);
  const panel = (await page.locator(".accounts").boundingBox())!;
  const heading = (await page.locator("#findings").boundingBox())!;
  expect(panel.y + panel.height).toBeLessThanOrEqual(heading.y);
  await page.locator("#list summary").first().click();
  expect(await page.locator("#list details[open]").count()).toBe(1);
});

inBrowser.each([
  ["report", "light"],
  ["history", "light"],
  ["history", "dark"],
] as const)(title("the %s with a timeline is accessible, by axe, in the %s scheme"), async (name, scheme) => {
  const page = await open(name, 1280, scheme);
  await page.evaluate(readFileSync(require.resolve("axe-core/axe.min.js"), "utf8"));
  const found = await page.evaluate<{ violations: { id: string; nodes: { html: string }[] }[] }>(
    `axe.run(document, { resultTypes: ["violations"] })`,
  );
  expect(found.violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([]);
});
