import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import type { Browser } from "playwright-core";

const names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"];

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** A Chromium of this machine: `CHROME_PATH`, else the first on the PATH. */
export function browserPath(env: NodeJS.ProcessEnv = process.env): string | undefined {
  const onPath = (env["PATH"] ?? "").split(delimiter).flatMap((folder) => names.map((name) => join(folder, name)));
  return [...(env["CHROME_PATH"] === undefined ? [] : [env["CHROME_PATH"]]), ...onPath].find(isExecutable);
}

/** Starts it without a window, and without a word to anyone. */
export async function openBrowser(executablePath: string): Promise<Browser> {
  const { chromium } = await import("playwright-core");
  const args = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
  ];
  return chromium.launch({ executablePath, args });
}
