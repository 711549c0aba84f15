import { fork } from "node:child_process";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { createEmulator } from "../../emulator/index";
import { load } from "./load";

/**
 * GET requests that the emulator answers, against a bare node:http server that sends the same bytes. Each server is a
 * process of its own, in turns, under the same load from this one. The ratio of the servers' CPU time per request is
 * the one to look at on a machine that does other things as well.
 */

const path = "/v1/accounts/demo/deployments/chat";
const headers = { authorization: "Bearer demo-key" };
const rounds = Number(process.env["ROUNDS"] ?? 5);
const requests = Number(process.env["REQUESTS"] ?? 20_000);
const connections = 16;

interface Told {
  port?: number;
  /** Microseconds. */
  cpu?: number;
}

const servers: Readonly<Record<string, () => Promise<number>>> = { bare, emulator };

async function emulator(): Promise<number> {
  const { fetch, listen } = createEmulator({ clock: "manual" });
  await fetch(
    new Request("http://emulator.test/v1/accounts/demo/deployments?deploymentId=chat", {
      method: "POST",
      headers: { ...headers, "content-type": "application/json" },
      body: JSON.stringify({ baseModel: "accounts/platform/models/open-8b", deploymentShape: "default" }),
    }),
  );
  return (await listen({ port: 0 })).port;
}

async function bare(): Promise<number> {
  const { fetch: answer } = createEmulator({ clock: "manual" });
  await answer(
    new Request("http://emulator.test/v1/accounts/demo/deployments?deploymentId=chat", {
      method: "POST",
      headers: { ...headers, "content-type": "application/json" },
      body: JSON.stringify({ baseModel: "accounts/platform/models/open-8b", deploymentShape: "default" }),
    }),
  );
  const body = await (await answer(new Request(`http://emulator.test${path}`, { headers }))).text();
  const server = createServer((_, response) => {
    response.writeHead(200, { "content-type": "application/json", "content-length": Buffer.byteLength(body) });
    response.end(body);
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  return (server.address() as AddressInfo).port;
}

/** The server's side: tells its port, then its CPU time whenever asked. */
async function serveAs(role: string): Promise<void> {
  const port = await servers[role]!();
  process.on("message", () => {
    const { user, system } = process.cpuUsage();
    process.send!({ cpu: user + system });
  });
  process.on("disconnect", () => process.exit());
  process.send!({ port });
}

async function measure(role: string): Promise<{ role: string; perSecond: number; cpuPerRequest: number }> {
  const child = fork(join(__dirname, "run.cjs"), ["emulator-throughput", role]);
  const told = () => new Promise<Told>((resolve) => child.once("message", (message) => resolve(message as Told)));
  const { port } = await told();
  const cpu = async () => {
    const answer = told();
    child.send("cpu");
    return (await answer).cpu!;
  };
  const go = { port: port!, path, headers, connections };
  await load({ ...go, requests: requests / 4 });
  const [cpuBefore, before] = [await cpu(), performance.now()];
  const good = await load({ ...go, requests });
  const seconds = (performance.now() - before) / 1000;
  const spent = (await cpu()) - cpuBefore;
  child.disconnect();
  if (good !== requests) throw new Error(`${role}: ${good} of ${requests} requests were answered 200`);
  return { role, perSecond: requests / seconds, cpuPerRequest: spent / requests };
}

const median = (values: number[]): number => [...values].sort((a, b) => a - b)[values.length >> 1]!;

async function compare(): Promise<void> {
  const results: Awaited<ReturnType<typeof measure>>[] = [];
  for (let round = 0; round < rounds; round++)
    for (const role of Object.keys(servers)) results.push(await measure(role));
  const of = (role: string, what: "perSecond" | "cpuPerRequest") =>
    median(results.filter((result) => result.role === role).map((result) => result[what]));
  for (const role of Object.keys(servers))
    console.log(
      `${role.padEnd(9)} ${Math.round(of(role, "perSecond"))} GET/s, ${of(role, "cpuPerRequest").toFixed(1)} µs of CPU per GET (median of ${rounds} x ${requests} requests, ${connections} connections)`,
    );
  console.log(
    `ratio     ${(of("emulator", "perSecond") / of("bare", "perSecond")).toFixed(2)} by requests per second, ${(of("bare", "cpuPerRequest") / of("emulator", "cpuPerRequest")).toFixed(2)} by CPU time (target: at least 0.60)`,
  );
}

/** With a role, a process that \`measure\` starts. */
export const main = (role?: string): Promise<void> => (role === undefined ? compare() : serveAs(role));
