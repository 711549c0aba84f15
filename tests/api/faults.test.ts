import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { inspect } from "node:util";
import type { Dispatcher } from "undici";
import { createDispatcher } from "../../provider/api/http/dispatcher";
import { defaultLimits } from "../../provider/api/http/transport";
import type { CallOptions } from "../../provider/api/types";
import {
  isAborted,
  isAmbiguousOutcome,
  isConflict,
  isForbidden,
  isNotFound,
  type ModelPlatformError,
} from "../../provider/core/errors";
import { rejection } from "../rejection";
import { instantTime } from "./support/instant-time";
import { hang, json, type Reply, raw, reset, type ScriptedServer, scriptedServer } from "./support/scripted-server";
import { type TestClient, testClient } from "./support/test-client";

const deployment = {
  name: "accounts/acme/deployments/chat",
  state: "READY",
  baseModel: "accounts/platform/models/open-8b",
};
const ok = json(200, deployment);
const refusal = (status: number, code: number, headers: Record<string, string> = {}): Reply =>
  json(status, { code, message: "the service says no", details: [] }, { "x-request-id": "req-7", ...headers });

let server: ScriptedServer;
let client: TestClient;
const impatient: Dispatcher[] = [];

const limits = { ...defaultLimits, headers: 80, body: 80 };

async function start(...replies: Reply[]): Promise<void> {
  server = await scriptedServer(...replies);
  const dispatcher = createDispatcher({}, limits);
  impatient.push(dispatcher);
  client = testClient(server.url, { dispatcher });
}

afterEach(async () => {
  await client.close();
  await server.close();
  await Promise.all(impatient.splice(0).map((dispatcher) => dispatcher.destroy()));
});

const get = () => client.call("getDeployment", { parameters: { name: deployment.name } });
const createWithId = () =>
  client.call("createDeployment", {
    parameters: { account: "acme" },
    query: { deploymentId: "chat" },
    body: {},
    idempotent: true,
  });
const createWithoutId = () => client.call("createUser", { parameters: { account: "acme" }, body: { role: "user" } });
const deletion = () => client.call("deleteDeployment", { parameters: { name: deployment.name } });

const stall: Reply = (response) => {
  response.writeHead(200, { "content-type": "application/json", "content-length": "100" });
  response.write('{"name"');
};
const truncate: Reply = (response) => {
  response.writeHead(200, { "content-type": "application/json", "content-length": "1000" });
  response.write('{"name":"accounts/acme');
  setImmediate(() => response.socket?.destroy());
};
const oversized = raw(200, JSON.stringify({ ...deployment, description: "x".repeat(11 * 1024 * 1024) }));
const html = raw(200, "<!doctype html><html><body>Sign in</body></html>", { "content-type": "text/html" });
const redirect = raw(302, "", { location: "https://elsewhere.example.com/v1?token=abc" });

/** Half of a second, by the numbers of these tests: others may have been told to come back at the same moment. */
const spread = 500;

/** Faults that pass, and the pauses before the second try. */
const passing: readonly [fault: string, reply: Reply, pauses: number[]][] = [
  ["1 429 Retry-After seconds", refusal(429, 8, { "retry-after": "3" }), [3000, spread]],
  [
    "2 429 Retry-After date",
    refusal(429, 8, { "retry-after": "Thu, 01 Jan 2026 00:00:04 GMT", date: "Thu, 01 Jan 2026 00:00:00 GMT" }),
    [4000, spread],
  ],
  ["3 429 retry-after-ms", refusal(429, 8, { "retry-after-ms": "70" }), [70, spread]],
  // How long that takes is for the gate to guess.
  ["4 429 bare", refusal(429, 8), [expect.any(Number)]],
  ["5 500", refusal(500, 13), [250]],
  ["6 502", raw(502, "<html><body>Bad Gateway</body></html>", { "content-type": "text/html" }), [250]],
  ["7 503 Retry-After", refusal(503, 14, { "retry-after": "2" }), [2000]],
  ["8 504", raw(504, ""), [250]],
  ["9 408", raw(408, ""), [250]],
  ["12 reset before headers", reset, [250]],
  ["14 headers that never come", hang, [250]],
  ["15 a body that stalls", stall, [250]],
  ["16 a truncated body", truncate, [250]],
  ["17 malformed JSON", raw(200, '{"name": "accounts/acme/depl'), [250]],
];

test.each(passing)("a read outlives fault %s", async (_, reply, pauses) => {
  await start(reply, ok);
  expect((await get()).value).toEqual(deployment);
  expect(server.seen).toHaveLength(2);
  expect(client.time.pauses).toEqual(pauses);
});

/** The time limits of the HTTP library count in seconds, so each is met once only. */
const quick = passing.filter(([, reply]) => reply !== hang && reply !== stall);

/** A success that cannot be read is a success: the write is not sent again. */
const failing = quick.filter(([fault]) => !fault.startsWith("17"));

test.each(failing)("a delete and a create with a chosen id outlive fault %s", async (_, reply) => {
  await start(reply, json(200, {}), reply, ok);
  await deletion();
  await createWithId();
  expect(server.seen).toHaveLength(4);
});

/** Faults that someone has to do something about. */
const lasting: readonly [fault: string, reply: Reply, says: RegExp][] = [
  ["18 HTML", html, /answered 200 with an HTML page.*check the base URL/],
  ["19 oversized body", oversized, /answered more than 10 MB/],
  [
    "20 401",
    refusal(401, 16),
    /answered 401 UNAUTHENTICATED \(code 16\): "the service says no" \(request id req-7\).*does not accept the API key of account `acme`/,
  ],
  ["21 403", refusal(403, 7), /answered 403 PERMISSION_DENIED.*use the key of a member whose role allows it/],
  ["23 redirect", redirect, /answered 302, a redirect to https:\/\/elsewhere.example.com\. Redirects are not followed/],
  [
    "404 with HTML",
    raw(404, "<html></html>", { "content-type": "text/html" }),
    /404 with an HTML page.*check the base URL/,
  ],
];

test.each(lasting)("fault %s is reported at once and not retried", async (_, reply, says) => {
  server = await scriptedServer(reply);
  client = testClient(server.url);
  const error = (await rejection(get())) as ModelPlatformError;
  expect(error.message).toMatch(says);
  expect(error).toMatchObject({
    operation: "getDeployment",
    method: "GET",
    path: "/v1/accounts/acme/deployments/chat",
    account: "acme",
    outcome: "none",
    attempts: 1,
  });
  expect(server.seen).toHaveLength(1);
  expect(error.message).not.toContain("token=abc");
});

test("fault 10, a conflict, is a question for the caller", async () => {
  await start(refusal(409, 6), refusal(403, 7));
  const error = await rejection(createWithId());
  expect(isConflict(error)).toBe(true);
  expect(error.message).toMatch(/set `adopt`/);
  expect(isForbidden(await rejection(get()))).toBe(true);
});

test.each([
  ["reset after commit", reset],
  ["truncated answer", truncate],
  ["malformed answer", raw(200, "{")],
  ["a page for a browser", html],
  ["503", refusal(503, 14)],
  ["500", refusal(500, 13)],
  ["504", refusal(504, 4)],
])("fault 13: a create without an id is not repeated after a %s: outcome unknown", async (_, reply) => {
  await start(reply);
  const error = await rejection(createWithoutId());
  expect(isAmbiguousOutcome(error)).toBe(true);
  expect(error).toMatchObject({ outcome: "unknown", attempts: 1 });
  expect(error.message).toMatch(/is not known: look at the object before you repeat it/);
  expect(server.seen).toHaveLength(1);
});

test("a create without an id is repeated after a rate limit, which has done nothing", async () => {
  await start(refusal(429, 8), json(200, { name: "accounts/acme/users/u1" }));
  await createWithoutId();
  expect(server.seen).toHaveLength(2);
});

test("a create that is lost and then meets its own object says how often it was sent", async () => {
  await start(reset, refusal(409, 6));
  const error = await rejection(createWithId());
  expect(isConflict(error)).toBe(true);
  expect(error).toMatchObject({ attempts: 2, outcome: "unknown" });
});

test("a fault that stays ends within the budget of requests", async () => {
  await start(refusal(500, 13));
  const error = await rejection(get());
  expect(error.message).toMatch(/answered 500 INTERNAL \(code 13\).*after 8 attempts/);
  expect(server.seen).toHaveLength(8);
  expect(client.time.pauses).toEqual([250, 500, 1000, 2000, 4000, 8000, 10_000]);
});

test("an answer that is no JSON twice in the same words is not asked for again", async () => {
  await start(raw(200, "{"));
  const error = await rejection(get());
  expect(error.message).toMatch(/answered 200 with something that is not JSON.*after 2 attempts.*check proxies/);
  expect(server.seen).toHaveLength(2);
});

test("a quota error is tried three times and does not hold others back", async () => {
  await start(
    json(
      429,
      { code: 8, message: "out of quota", details: [{ "@type": "type.example.com/rpc.QuotaFailure" }] },
      { "retry-after": "30" },
    ),
  );
  const error = await rejection(get());
  expect(error.message).toMatch(/A quota is exhausted/);
  expect(server.seen).toHaveLength(3);
});

describe("a key command that never ends", () => {
  const accounts = {
    MODELPLATFORM_ACCOUNTS: JSON.stringify({ acme: { keyCommand: ["vault"] } }),
    MODELPLATFORM_API_KEY: "",
  };
  const never = () => new Promise<string>(() => undefined);
  const call = (options: { deadline?: number; signal?: AbortSignal }) =>
    testClient("http://127.0.0.1:9", { run: never }, accounts).call("listUsers", options);

  test("does not outlive the deadline of the call that waits for its key", async () => {
    const error = await rejection(call({ deadline: instantTime().now() + 1000 }));
    expect(error.name).toBe("DeadlineError");
  });

  test("is not waited for by a caller that gives up", async () => {
    const error = await rejection(call({ signal: AbortSignal.abort(new Error("enough")) }));
    expect(error.name).toBe("AbortedError");
  });
});

test("a wait beyond the deadline fails now", async () => {
  await start(refusal(429, 8, { "retry-after": "90" }));
  const error = await rejection(
    client.call("getDeployment", { parameters: { name: deployment.name }, deadline: client.time.now() + 60_000 }),
  );
  expect(error).toMatchObject({ status: 429, attempts: 1 });
  expect(client.time.pauses).toEqual([]);
  expect(error.message).toContain("it asks to wait until 00:01:30Z");
});

const quota = (headers: Record<string, string>): Reply =>
  json(429, { code: 8, message: "Quota exceeded for GPUs" }, headers);

test.each<[what: string, reply: Reply, limits: CallOptions]>([
  ["asks for more than its time", refusal(429, 8, { "retry-after": "90" }), { deadline: Date.UTC(2026, 0, 1, 0, 1) }],
  ["asks for more than a minute", refusal(429, 8, { "retry-after": "61" }), {}],
  ["is about a quota", quota({ "retry-after": "20" }), {}],
  ["is not to be repeated", refusal(429, 8, { "retry-after": "20" }), { once: true }],
  ["is a failure for more than a minute", refusal(503, 14, { "retry-after": "90" }), {}],
])("a refusal that %s holds back its own call alone", async (_, reply, limits) => {
  await start(reply, ok);
  const told: string[] = [];
  const parameters = { name: deployment.name };
  await new Promise<unknown>((onWait) => {
    client.call("getDeployment", { parameters, ...limits, onWait }).catch(onWait);
  });
  await client.call("getDeployment", { parameters, onWait: (text) => told.push(text) });
  expect(told).toEqual([]);
});

test("a long wait says once until when it is and what for, as does its interrupt", async () => {
  await start(quota({ "retry-after": "61" }));
  const controller = new AbortController();
  const { signal } = controller;
  const told: string[] = [];
  const onWait = (text: string): void => {
    told.push(text);
    setImmediate(() => controller.abort());
  };
  const error = await rejection(
    client.call("getDeployment", { parameters: { name: deployment.name }, signal, onWait }),
  );
  const wait =
    'waits until 00:01:01Z (61 s): getDeployment answered 429 RESOURCE_EXHAUSTED (code 8): "Quota exceeded for GPUs"';
  expect(told).toEqual([wait]);
  expect(isAborted(error)).toBe(true);
  expect(error.message).toContain(`was interrupted while it ${wait}`);
});

test("calls that nobody tells apart say once what they wait for together", async () => {
  const told: string[] = [];
  await start(refusal(429, 8, { "retry-after": "20" }), ok);
  client = testClient(server.url, { onWait: (text) => told.push(text) });
  await Promise.all([get(), get(), get()]);
  expect(told).toEqual([
    'waits until 00:00:20Z (20 s): getDeployment answered 429 RESOURCE_EXHAUSTED (code 8): "the service says no"',
  ]);
});

test("x-should-retry: false ends retries, and true cannot force one that is never made", async () => {
  await start(
    refusal(503, 14, { "x-should-retry": "false" }),
    refusal(400, 3, { "x-should-retry": "true" }),
    refusal(425, 2, { "x-should-retry": "true" }),
    ok,
  );
  await rejection(get());
  await rejection(get());
  expect(server.seen).toHaveLength(2);
  await get();
  expect(server.seen).toHaveLength(4);
});

test("fault 22: a 404 of the object is distinguished from one of the route", async () => {
  await start(
    json(404, { code: 5, message: "accounts/acme/deployments/chat does not exist" }),
    json(404, { code: 5, message: "Not Found" }),
  );
  expect(isNotFound(await rejection(get()))).toBe(true);
  const route = await rejection(get());
  expect(isNotFound(route)).toBe(false);
  expect(route.message).toMatch(/`getDeployment` follows a convention \(A015\).*setting `operations`/);
});

test("fault 11: a refused connection is tried five times", async () => {
  await start(ok);
  const { url } = server;
  await server.close();
  client = testClient(url);
  const error = await rejection(get());
  expect(error.message).toMatch(
    /getDeployment \(GET .*\) got no connection to 127\.0\.0\.1:\d+ \(ECONNREFUSED\) \(after 5 attempts\)\. Check the base URL/,
  );
  expect(error).toMatchObject({ outcome: "none", attempts: 5 });
});

test("fault 24: a server without TLS behind an https URL is reported at once", async () => {
  await start(ok);
  client = testClient(server.url.replace("http:", "https:"));
  expect((await rejection(get())).message).toMatch(/got no trusted connection to 127\.0\.0\.1/);
});

test("fault 24: a proxy that refuses is named, and its credentials are not shown", async () => {
  const proxy = createServer(
    (socket) =>
      void socket
        .on("error", () => {})
        .once("data", () => socket.end("HTTP/1.1 407 Proxy Authentication Required\r\ncontent-length: 0\r\n\r\n")),
  );
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  await start(ok);
  client = testClient("https://api.example.com", {
    env: { https_proxy: `http://me:proxy-password@127.0.0.1:${(proxy.address() as AddressInfo).port}` },
  });
  const error = await rejection(get());
  expect(error.message).toMatch(/through the proxy to api\.example\.com, which answered 407.*HTTPS_PROXY/);
  expect(inspect(error, { depth: 9 })).not.toContain("proxy-password");
  await client.close();
  await new Promise((resolve) => proxy.close(resolve));
});

/** Answers each request with these bytes. */
async function answering(bytes: string): Promise<{ url: string; close(): Promise<void> }> {
  const service = createServer(
    (socket) => void socket.on("error", () => {}).on("data", () => void socket.write(bytes)),
  );
  await new Promise<void>((resolve) => service.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(service.address() as AddressInfo).port}`,
    close: () => new Promise<void>((resolve) => void service.close(() => resolve())),
  };
}

test.each([
  [
    "headers of 30 kB",
    `HTTP/1.1 200 OK\r\nset-cookie: ${"x".repeat(30_000)}\r\ncontent-length: 2\r\n\r\n{}`,
    /got headers larger than 16 kB from .*--max-http-header-size/s,
  ],
  ["a 100 that was not asked for", "HTTP/1.1 100 Continue\r\n\r\n", /got 100 Continue from .*did not ask/s],
])("%s are named, and not asked for again", async (_, bytes, words) => {
  const service = await answering(bytes);
  await start(ok);
  client = testClient(service.url);
  const error = await rejection(get());
  expect(error.message).toMatch(words);
  expect(error).toMatchObject({ attempts: 1 });
  await client.close();
  await service.close();
});

test("after 421, the request is sent on a new connection", async () => {
  const connections = new Set<unknown>();
  const noting =
    (reply: Reply): Reply =>
    (response, request) => {
      connections.add(response.socket);
      reply(response, request);
    };
  await start(noting(json(421, {})), noting(ok));
  client = testClient(server.url);
  expect((await get()).status).toBe(200);
  expect(connections.size).toBe(2);
});

test("this machine is not reached through a proxy", async () => {
  await start(ok);
  client = testClient(server.url, { env: { http_proxy: "http://127.0.0.1:1" } });
  expect((await get()).status).toBe(200);
});

test("a caller that gives up is answered at once, and a change under way is unknown", async () => {
  await start(hang);
  client = testClient(server.url);
  const controller = new AbortController();
  const call = rejection(
    client.call("createUser", { parameters: { account: "acme" }, body: {}, signal: controller.signal }),
  );
  setTimeout(() => controller.abort(), 30);
  expect(await call).toMatchObject({ name: "AbortedError", outcome: "unknown" });
});
