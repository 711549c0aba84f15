import { Agent, get } from "node:http";
import { connect } from "node:net";
import { createEmulator, type Emulator, type Listening } from "../../emulator/index";

const list = "/v1/accounts/demo/deployments";
const authorization = "Bearer demo-key";

let emulator: Emulator;
let listening: Listening;
/** Callbacks that the emulator waits with, to be called by the test. */
let waiting: (() => void)[];

beforeEach(async () => {
  waiting = [];
  emulator = createEmulator({
    clock: "manual",
    after: (_, callback) => {
      waiting.push(callback);
      return () => undefined;
    },
  });
  listening = await emulator.listen({ port: 0 });
});

afterEach(() => emulator.close());

const request = (path: string, init: RequestInit = {}) =>
  fetch(listening.url + path, { ...init, headers: { authorization, ...(init.headers as Record<string, string>) } });

const fault = async (kind: string, more: object = {}) =>
  expect(
    (await request("/_emulator/faults", { method: "POST", body: JSON.stringify({ fault: { kind, ...more } }) })).status,
  ).toBe(200);

const journal = async () =>
  ((await (await request("/_emulator/requests")).json()) as { requests: { id: string; status: number }[] }).requests;

/** Sends text over a socket and gives all that comes back until the other end closes, with the socket's error. */
function raw(text: string): Promise<{ received: string; error?: string }> {
  return new Promise((resolve) => {
    let received = "";
    let error: string | undefined;
    const socket = connect(listening.port, "127.0.0.1", () => socket.write(text));
    socket.on("data", (chunk) => (received += chunk.toString()));
    socket.on("error", (failure: NodeJS.ErrnoException) => (error = failure.code));
    socket.on("close", () => resolve({ received, ...(error !== undefined && { error }) }));
  });
}

const rawGet = (path: string) =>
  raw(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: ${authorization}\r\n\r\n`);

test("an answer is JSON with a request id that the journal knows", async () => {
  const response = await request(list);
  expect([response.status, response.headers.get("content-type")]).toEqual([200, "application/json"]);
  expect(await response.json()).toEqual({ deployments: [], totalSize: 0 });
  expect((await journal()).map(({ id }) => id)).toEqual([response.headers.get("x-request-id")]);
});

test("connections are kept for further requests", async () => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const ports = [];
  for (let index = 0; index < 3; index++) {
    ports.push(
      await new Promise((resolve) => {
        get({ host: "127.0.0.1", port: listening.port, path: list, headers: { authorization }, agent }, (response) => {
          const { localPort } = response.socket;
          response.resume().on("end", () => resolve(localPort));
        });
      }),
    );
  }
  agent.destroy();
  expect(new Set(ports).size).toBe(1);
});

test("queries and paths are decoded once", async () => {
  const filter = 'snapshot.base_model="accounts/platform/models/open-8b" AND latest_validated=true';
  const response = await request(`/v1/accounts/-/deploymentShapes/-/versions?filter=${encodeURIComponent(filter)}`);
  const { deploymentShapeVersions } = (await response.json()) as {
    deploymentShapeVersions: { snapshot: { baseModel: string }; latestValidated: boolean }[];
  };
  expect(deploymentShapeVersions.length).toBeGreaterThan(0);
  expect(
    deploymentShapeVersions.every(
      ({ snapshot, latestValidated }) => latestValidated && snapshot.baseModel === "accounts/platform/models/open-8b",
    ),
  ).toBe(true);
});

/** A body that is well formed, and would take the service's one thread for long. */
const many = (count: number): string =>
  JSON.stringify({
    baseModel: "accounts/platform/models/open-8b",
    annotations: Object.fromEntries(Array.from({ length: count }, (_, index) => [`custom/key-${index}`, ""])),
  });

test("a body of too many members is refused by their number, and one of many is taken", async () => {
  const post = async (count: number) => {
    const headers = { "content-type": "application/json" };
    const response = await request(list, { method: "POST", body: many(count), headers });
    return { status: response.status, body: await response.json() };
  };
  expect(await post(20_001)).toEqual({
    status: 400,
    body: expect.objectContaining({ code: 3, message: "the body has more than 20000 members" }),
  });
  expect(await post(2000)).toMatchObject({ status: 200 });
});

test.each([
  ["no JSON", "{", 400],
  ["a name that would change every object", '{"__proto__": {"admin": true}}', 400],
  ["nested beyond reason", `${'{"a":'.repeat(101)}1${"}".repeat(101)}`, 400],
  ["as deep as a stack", "[".repeat(200_000), 400],
  ["of 200,000 members", many(200_000), 400],
  ["of 200,000 elements", JSON.stringify({ precision: Array(200_000).fill(1) }), 400],
  ["larger than ten megabytes", JSON.stringify({ displayName: "x".repeat(10 * 1024 * 1024) }), 413],
])("a body that is %s is refused", async (_, body, status) => {
  const response = await request(list, { method: "POST", body });
  expect(response.status).toBe(status);
  expect(await response.json()).toMatchObject({ code: expect.any(Number), message: expect.any(String) });
  expect((await request(list)).status).toBe(200);
});

test("a fault of kind reset breaks the connection without a byte", async () => {
  await fault("reset");
  expect(await rawGet(list)).toEqual({ received: "", error: "ECONNRESET" });
  expect((await journal())[0]).toMatchObject({ status: 0 });
});

test("a fault of kind truncate promises more than it sends", async () => {
  await fault("truncate");
  const { received } = await rawGet(list);
  const [head = "", body = ""] = received.split("\r\n\r\n");
  expect(head).toMatch(/^HTTP\/1.1 200/);
  const promised = Number(/content-length: (\d+)/i.exec(head)?.[1]);
  expect(body.length).toBeGreaterThan(0);
  expect(body.length).toBeLessThan(promised);
});

test("a fault of kind hang sends nothing, and breaks the connection at its end", async () => {
  await fault("hang", { ms: 5000 });
  const answer = rawGet(list);
  while (waiting.length === 0) await new Promise(setImmediate);
  waiting.shift()!();
  expect((await answer).received).toBe("");
});

test("a fault of kind stall sends half, and breaks the connection at its end", async () => {
  await fault("stall", { ms: 5000 });
  const answer = rawGet(list);
  while (waiting.length === 0) await new Promise(setImmediate);
  // The half is on its way once the journal, asked afterwards, is answered.
  await journal();
  waiting.shift()!();
  const { received } = await answer;
  expect(received).toMatch(/^HTTP\/1.1 200/);
  expect(received).not.toContain('"totalSize":0}');
});

test("a fault of kind refuse rejects connections until its time is over", async () => {
  await fault("refuse", { ms: 5000 });
  const error = await request(list).then(
    () => undefined,
    (failure: Error) => failure,
  );
  expect(error?.name).toBe("TypeError");
  expect(await rawGet(list)).toEqual({ received: "", error: "ECONNREFUSED" });
  while (waiting.length === 0) await new Promise(setImmediate);
  waiting.shift()!();
  let answered = false;
  while (!answered)
    answered = await request(list).then(
      ({ status }) => status === 200,
      () => false,
    );
  expect(answered).toBe(true);
});

test("a fault of kind slow is answered when its time is over", async () => {
  await fault("slow", { ms: 5000 });
  const answer = request(list);
  while (waiting.length === 0) await new Promise(setImmediate);
  waiting.shift()!();
  expect((await answer).status).toBe(200);
});

test("the control plane is closed to names and pages of others, health is not", async () => {
  const asked = async (path: string, header: string) =>
    (await raw(`GET /_emulator/${path} HTTP/1.1\r\n${header}\r\nConnection: close\r\n\r\n`)).received.slice(9, 12);
  expect(await asked("objects", "Host: 127.0.0.1")).toBe("200");
  expect(await asked("objects", "Host: evil.example")).toBe("403");
  expect(await asked("objects", "Host: 127.0.0.1\r\nOrigin: https://evil.example")).toBe("403");
  expect(await asked("health", "Host: evil.example")).toBe("200");
});

test("closing ends hanging connections and releases the port", async () => {
  await fault("hang");
  const hanging = rawGet(list);
  while ((await journal()).length === 0) await new Promise(setImmediate);
  await listening.close();
  expect((await hanging).received).toBe("");
  const next = createEmulator({ clock: "manual" });
  expect((await next.listen({ port: listening.port })).port).toBe(listening.port);
  await next.close();
});

test("a port in use is a readable error", async () => {
  const other = createEmulator({ clock: "manual" });
  await expect(other.listen({ port: listening.port })).rejects.toThrow(
    `port ${listening.port} of 127.0.0.1 is in use; stop what listens there, or give another one with --port (0 takes a free one)`,
  );
  await other.close();
});

test.each([
  ["text/plain", 415],
  ["application/x-www-form-urlencoded", 415],
  ["", 415],
  ["application/jsonp", 415],
  ["application/json", 200],
  ["application/json; charset=utf-8", 200],
  ["Application/JSON", 200],
])("a body whose content type is %j is answered with %i", async (contentType, status) => {
  const body = Buffer.from(JSON.stringify({ email: "ada@example.com", role: "user" }));
  const answer = await request("/v1/accounts/demo/users", {
    method: "POST",
    body,
    headers: contentType === "" ? {} : { "content-type": contentType },
  });
  expect(answer.status).toBe(status);
  if (status === 415) expect(await answer.json()).toMatchObject({ code: 3, message: expect.stringContaining("JSON") });
});

test("a request without a body needs no content type", async () => {
  const answer = await request("/v1/accounts/demo/users/ada", { method: "DELETE" });
  expect(answer.status).toBe(404);
});
