import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, realpathSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { registriesFolder } from "../../tools/rehearsal/registries";
import { root } from "../rooms";

jest.setTimeout(900_000);

let folder: string;
beforeEach(() => void (folder = mkdtempSync(join(realpathSync(tmpdir()), "rehearse-"))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** The part of a rehearsal that needs Node.js alone, with its temporary files in `folder`. */
const rehearse = (env: Readonly<Record<string, string>> = {}): ChildProcess =>
  spawn(process.execPath, [join(root, "dist/tools/release.js"), "--rehearse", "npm"], {
    env: { ...process.env, TMPDIR: folder, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });

async function ended(child: ChildProcess): Promise<{ code: number; stdout: string; stderr: string }> {
  const printed = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const)
    child[name]!.setEncoding("utf8").on("data", (text: string) => void (printed[name] += text));
  const [code] = (await once(child, "close")) as [number];
  return { code, ...printed };
}

const processesIn = (path: string): string[] =>
  execFileSync("ps", ["-A", "-o", "args="], { encoding: "utf8" })
    .split("\n")
    .filter((line) => line.includes(path));

test("the npm package is published, installed and run, and published again unchanged", async () => {
  const { code, stdout, stderr } = await ended(rehearse());
  expect({ code, stderr: code === 0 ? "" : stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toMatch(/^npm +http:\/\/127\.0\.0\.1:\d+\/ +2\.\d MB +published +unchanged +[\d.]+ s$/m);
  expect(stdout).toMatch(/^npm install pulumi-modelplatform \(.*README's program.*up, clean preview, destroy/m);
  expect(stdout).toMatch(/^- npm: a wrong token: exit code 1, E?401/m);
  expect(readdirSync(folder)).toEqual([]);
});

test("an interrupt while the registry serves leaves no process and no file", async () => {
  const child = rehearse();
  const end = ended(child);
  for await (const line of createInterface({ input: child.stderr! }))
    if (/^Now installing/.test(line)) child.kill("SIGTERM");
  expect((await end).code).toBe(128 + 15);
  expect(readdirSync(folder)).toEqual([]);
  expect(processesIn(folder)).toEqual([]);
});

test("a registry out of reach ends it with the step and what helps", async () => {
  const { code, stderr } = await ended(
    rehearse({ npm_config_registry: "http://127.0.0.1:9/", npm_config_fetch_retries: "0" }),
  );
  expect(code).toBe(1);
  expect(stderr).toMatch(/The rehearsal stopped while starting the registries: `npm \w+ .*` ended with 1/);
  expect(stderr).toContain("Nothing had been published.\nA registry was not reached. Check the network");
  expect(readdirSync(folder)).toEqual([]);
});

describe("a package of our name in another registry", () => {
  let elsewhere: Server;
  let asked: string[];
  beforeEach(async () => {
    asked = [];
    elsewhere = createServer((request, response) => {
      asked.push(request.url!);
      const name = decodeURIComponent(request.url!.slice(1));
      const versions = { "9.9.9": { name, version: "9.9.9", dist: { tarball: "http://127.0.0.1:9/x.tgz" } } };
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify({ name, versions, "dist-tags": { latest: "9.9.9" } }));
    });
    await new Promise<void>((listening) => elsewhere.listen(0, "127.0.0.1", listening));
  });
  afterEach(() => void elsewhere.close());

  test("is never looked up", async () => {
    const uplink = `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}/`;
    const args = [
      join(registriesFolder, "npm/serve.mjs"),
      join(root, ".release/rehearsal/npm"),
      folder,
      "ours",
      uplink,
    ];
    const server = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "inherit"] });
    try {
      const [port] = (await once(createInterface({ input: server.stdout! }), "line")) as [string];
      const statusOf = async (name: string) => (await fetch(`http://127.0.0.1:${port}/${name}`)).status;
      expect([await statusOf("ours"), await statusOf("another")]).toEqual([404, 200]);
      expect(asked).toEqual(["/another"]);
    } finally {
      const end = once(server, "exit");
      // It ends with the process that started it.
      server.stdin!.end();
      await end;
    }
  });
});
