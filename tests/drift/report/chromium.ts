import type { Browser } from "playwright-core";
import { isExecutable, placesOf } from "../../executables";

const names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"];

/** A Chromium of this machine: `CHROME_PATH`, else the first on the PATH. */
export function browserPath(env: NodeJS.ProcessEnv = process.env): string | undefined {
  const given = env["CHROME_PATH"] === undefined ? [] : [env["CHROME_PATH"]];
  return [...given, ...placesOf(names, env)].find(isExecutable);
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
