import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { browserPath, openBrowser } from "../../tests/drift/report/chromium";
import { start } from "../../tests/e2e/commands";
import { builtIn, repository } from "../../tests/e2e/engines";
import { Site } from "../../tests/e2e/site";
import { runScript, type Script } from "../../tools/script";
import { pictureOf } from "./screen";
import { scanOfPicture, tamper, textOfPage } from "./shown";

const script = {
  command: "npm run pictures",
  about: "Draws the pictures of the README, from a real run of the quickstart. Needs tmux and Chromium.",
} satisfies Script;

const images = join(repository, "docs", "images");
const columns = 108;

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

const run = promisify(execFile);

/** What a terminal shows once `args` have run in it, from the command on. */
async function screenOf(site: Site, args: readonly string[]): Promise<string[]> {
  const socket = ["-L", `pictures-${process.pid}`];
  const tmux = async (...given: string[]): Promise<string> => (await run("tmux", [...socket, ...given])).stdout;
  const command = [builtIn.command, ...builtIn.args, ...args, "--stack", site.stack].map(quoted).join(" ");
  const environment = Object.entries(site.env).map(([name, value]) => quoted(`${name}=${value}`));
  const line = `env ${environment.join(" ")} ${command}; tmux ${socket.join(" ")} wait-for -S ended; sleep 60`;
  await tmux("new-session", "-d", "-x", String(columns), "-y", "60", "-c", site.program, line);
  try {
    await tmux("wait-for", "ended");
    const shown = (await tmux("capture-pane", "-e", "-p")).replace(/\s+$/, "").split("\n");
    return [`\x1b[1m$ npx pulumi-modelplatform ${args.join(" ")}\x1b[0m`, ...shown];
  } finally {
    await tmux("kill-server");
  }
}

async function photograph(page: string, picture: string): Promise<void> {
  const executable = browserPath();
  if (executable === undefined) throw new Error("there is no Chromium on the PATH: set CHROME_PATH");
  const browser = await openBrowser(executable);
  try {
    const tab = await browser.newPage({ viewport: { width: 1180, height: 660 }, colorScheme: "light" });
    await tab.goto(pathToFileURL(page).href);
    await tab.locator("summary").first().click();
    await tab.screenshot({ path: picture });
  } finally {
    await browser.close();
  }
}

async function main(): Promise<number> {
  const site = await Site.open(builtIn, { program: "modelplatform-quickstart", settings: { speed: 60 } });
  try {
    const up = await screenOf(site, ["up", "--yes", "--skip-preview"]);
    writeFileSync(join(images, "up.svg"), pictureOf(up, columns, up.join("\n").replace(/\x1b\[[\d;]*m/g, "")));
    await tamper(site);
    const page = join(site.folder, "drift.html");
    const { code, output } = await start(builtIn, scanOfPicture(page), {
      cwd: site.program,
      env: site.env,
      rollCall: site.folder,
    }).ended;
    if (code !== 2) throw new Error(`the scan ended with ${code}:\n${output}`);
    await photograph(page, join(images, "drift-report.png"));
    writeFileSync(join(__dirname, "drift-report.txt"), textOfPage(readFileSync(page, "utf8")));
    return 0;
  } finally {
    await site.close();
  }
}

void runScript(script, main);
