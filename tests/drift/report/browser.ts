import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { browserPath, openBrowser } from "./chromium";

const executable = browserPath();

/** A test in a browser; skipped, with the reason, where there is none. */
export const inBrowser = executable === undefined ? test.skip : test;
export const title = (sentence: string): string =>
  executable === undefined ? `${sentence} (skipped: no Chromium on the PATH; set CHROME_PATH)` : sentence;

export interface Opening {
  hash?: string;
  width?: number;
  height?: number;
  colorScheme?: "dark" | "light";
  bypassCSP?: boolean;
}

/**
 * A browser for the tests of one suite. A tab costs more than a page, so that pages follow each other in one tab for
 * each color scheme and policy. What a page logs, throws or asks the network for is a complaint, which fails the test.
 */
export function useBrowser(): { open(html: string, opening?: Opening): Promise<Page>; complaints: string[] } {
  const complaints: string[] = [];
  const tabs = new Map<string, Promise<Page>>();
  let browser: Browser;
  let folder: string;
  beforeAll(async () => {
    if (executable === undefined) return;
    folder = await mkdtemp(join(tmpdir(), "drift-page-"));
    browser = await openBrowser(executable);
  });
  afterEach(() => expect(complaints.splice(0)).toEqual([]));
  afterAll(async () => {
    await browser?.close();
    if (folder !== undefined) await rm(folder, { recursive: true });
  });

  const newTab = async (options: BrowserContextOptions): Promise<Page> => {
    const page = await (await browser.newContext(options)).newPage();
    page.on("console", (message) => complaints.push(message.text()));
    page.on("pageerror", (error) => complaints.push(String(error)));
    page.on(
      "request",
      (request) => /^(file|about):/.test(request.url()) || complaints.push(`asked for ${request.url()}`),
    );
    return page;
  };

  const open = async (html: string, opening: Opening = {}): Promise<Page> => {
    const { hash = "", width = 1180, height = 900, colorScheme = "light", bypassCSP = false } = opening;
    const file = join(folder, "page.html");
    await writeFile(file, html);
    const kind = `${colorScheme} ${bypassCSP}`;
    if (!tabs.has(kind)) tabs.set(kind, newTab({ colorScheme, bypassCSP }));
    const page = await tabs.get(kind)!;
    // Another fragment of the same file is no new page.
    await page.goto("about:blank");
    await page.emulateMedia({ media: null, colorScheme });
    await page.setViewportSize({ width, height });
    await page.goto(`${pathToFileURL(file)}${hash}`);
    return page;
  };
  return { open, complaints };
}
