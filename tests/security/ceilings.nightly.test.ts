import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";

// Each reads as much as a ceiling lets through.
jest.setTimeout(900_000);

const main = join(__dirname, "../../dist/cli/main.js");
const most = 512 * 1024;

let folder: string;
let server: Server | undefined;
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), "ceilings-"))));
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
  server = undefined;
  rmSync(folder, { recursive: true, force: true });
});

/** Starts a service that answers so; gives its URL. */
async function serve(answer: RequestListener): Promise<string> {
  server = createServer(answer).listen(0, "127.0.0.1");
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** The command line in a process of its own. */
function start(line: string, url: string) {
  const peak = join(folder, "peak");
  const child = spawn(process.execPath, ["--require", join(__dirname, "peak-memory.cjs"), main, ...line.split(" ")], {
    cwd: folder,
    env: {
      ...{ PATH: process.env["PATH"], HOME: folder, PEAK_MEMORY: peak },
      ...{ MODELPLATFORM_ACCOUNT_ID: "acme", MODELPLATFORM_API_KEY: "acme-key", MODELPLATFORM_BASE_URL: url },
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const texts: string[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => void texts.push(String(text)));
  const ended = once(child, "close").then(([code, signal]) => ({
    code: code as number | null,
    signal: signal as NodeJS.Signals | null,
    output: texts.join(""),
    // A process that a signal ends tells nothing.
    kilobytes: signal === null ? Number(readFileSync(peak, "utf8")) : 0,
  }));
  return { child, ended };
}

const json = (body: unknown): string => JSON.stringify(body);
/** Of a list, a page of a megabyte that names another one, without end. */
const endless: RequestListener = ({ url = "" }, response) => {
  const { pathname } = new URL(url, "http://service");
  const collection = pathname.split("/").at(-1)!;
  const page = `${Date.now()}-${Math.random()}`;
  const objects = Array.from({ length: 500 }, (_, index) => ({
    name: `${pathname.slice(4)}/${page}-${index}`,
    displayName: "x".repeat(2000),
  }));
  response.end(json({ [collection]: objects, nextPageToken: page }));
};
const refusing =
  (message: string): RequestListener =>
  (_, response) =>
    void response.writeHead(400).end(json({ code: 3, message }));

test.each([
  ["codify, of lists without an end", "codify", endless],
  ["call, of a text that patterns are slow on", "call listUsers", refusing("a.".repeat(4_500_000))],
  ["call, of a text of addresses", "call listUsers", refusing("https://a@".repeat(900_000))],
  ["call, of nested lists", "call listUsers", (_, response) => void response.end("[".repeat(9_000_000))],
] satisfies [string, string, RequestListener][])("%s takes less than 512 MB and ends", async (_, line, service) => {
  const { code, output, kilobytes } = await start(line, await serve(service)).ended;
  // 64 would be a command line that never came to ask.
  expect({ isRefused: [1, 3].includes(code ?? 0), output: output.slice(-300) }).toMatchObject({ isRefused: true });
  expect(kilobytes).toBeGreaterThan(1024);
  expect(kilobytes).toBeLessThan(most);
});

test("a packed state that unpacks to 150 MB takes less than 512 MB and is refused", async () => {
  const resources = Buffer.from(`{"version":3,"deployment":{"resources":[${"{},".repeat(50_000_000)}{}]}}`);
  writeFileSync(join(folder, "state.json.gz"), gzipSync(resources));
  const { code, kilobytes } = await start("drift --stack-file state.json.gz", "https://api.example.com").ended;
  expect(code).toBe(1);
  expect(kilobytes).toBeLessThan(most);
});

test.each(["codify", "call listUsers", "drift --unmanaged --account acme --stack-file state.json"])(
  "^C ends `%s` while a service drips",
  async (line) => {
    writeFileSync(join(folder, "state.json"), json({ version: 3, deployment: { manifest: {}, resources: [] } }));
    let asked: () => void = () => undefined;
    const reached = new Promise<void>((resolve) => (asked = resolve));
    const url = await serve((_, response) => {
      response.write("{");
      const drip = setInterval(() => response.write(" "), 50);
      response.on("close", () => clearInterval(drip));
      asked();
    });
    const { child, ended } = start(line, url);
    await reached;
    child.kill("SIGINT");
    const { code, signal } = await ended;
    // A command with nothing to tidy leaves the signal to the system.
    expect([130, "SIGINT"]).toContain(code ?? signal);
  },
);
