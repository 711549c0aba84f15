import { gzipSync } from "node:zlib";
import { liveObjects } from "../../drift/codify/live-objects";
import { readErrorBody } from "../../provider/api/error-body";
import { createDispatcher } from "../../provider/api/http/dispatcher";
import { createSend, defaultLimits, parseJson } from "../../provider/api/http/transport";
import { items } from "../../provider/api/paginate";
import type { Client, Json } from "../../provider/api/types";
import { createRedactor } from "../../provider/core/redact";
import { assertSameEndpoint, canonicalBaseUrl } from "../../provider/lifecycle/memory/identity";
import { managedSpecs } from "../../provider/resources/index";
import { type MockAnswer, mockService } from "../api/support/mock-service";
import { hang, json, type Reply, raw, scriptedServer } from "../api/support/scripted-server";
import { keys, testClient } from "../api/support/test-client";
import { isNightly, longerAtNight } from "../nightly";
import { rejection } from "../rejection";
import { testPairs } from "./pairs";

const origin = "https://api.example.com";

/** A client of a service that answers as told, and how often it was asked. */
function against(
  answer: (index: number) => MockAnswer,
  onAnswer: (client: { time: { now(): number } }) => void = () => {},
) {
  const { agent, requests } = mockService([origin], (_, index) => {
    onAnswer(client);
    return answer(index);
  });
  const client = testClient(origin, { dispatcher: agent });
  return { client, requests };
}

/** The same where no answer has to be written and read: pages, and the characters that each is said to have. */
function paging(page: (index: number) => { value: Json; size: number }) {
  let asked = 0;
  const call: Client["call"] = async () => ({ ...page(asked++), status: 200 });
  return { client: { ...testClient(origin), call }, asked: () => asked };
}

async function listed(client: Client): Promise<number> {
  let count = 0;
  for await (const _ of items(client, "listUsers", { parameters: { account: "acme" } })) count += 1;
  return count;
}

const users = (count: number, page: number): object[] =>
  Array.from({ length: count }, (_, index) => ({ name: `accounts/acme/users/u${page}-${index}` }));

test("a list with ever new page tokens ends, with objects on its pages or without", async () => {
  const { client, asked } = paging((index) => ({
    value: { ...(index % 2 === 0 && { users: users(2, index) }), nextPageToken: `t${index}` },
    size: 200,
  }));
  expect((await rejection(listed(client))).message).toContain("stopped after 2500 pages");
  expect(asked()).toBeLessThan(2_600);
});
test("a list of large pages ends before it fills the memory", async () => {
  const { client, asked } = paging((index) => ({
    value: { users: users(1, index), nextPageToken: `t${index}` },
    size: 6_000_000,
  }));
  expect((await rejection(listed(client))).message).toContain("128 MB");
  expect(asked()).toBeLessThan(25);
});
test("a list of pages with very many objects ends", async () => {
  const { client, asked } = paging((index) => ({
    value: { users: users(20_000, index), nextPageToken: `t${index}` },
    size: 1_000_000,
  }));
  expect((await rejection(listed(client))).message).toContain("250000 objects");
  expect(asked()).toBeLessThan(20);
});
test("a list whose pages come slowly ends by its deadline", async () => {
  let client: ReturnType<typeof testClient>;
  const { agent, requests } = mockService([origin], (_, index) => {
    void client.time.sleep(30_000);
    return { body: { users: users(1, index), nextPageToken: `t${index}` } };
  });
  client = testClient(origin, { dispatcher: agent });
  expect((await rejection(listed(client))).name).toBe("DeadlineError");
  expect(requests.length).toBeLessThan(25);
});
test("codify keeps no more of endless lists than it may", async () => {
  const { client, requests } = against((index) => ({
    body: Object.fromEntries([
      ...managedSpecs.map(({ collection }) => [
        collection,
        [{ name: `accounts/acme/${collection}/x${index}`, filler: "y".repeat(1_000_000) }],
      ]),
      ["nextPageToken", `t${index}`],
    ]),
  }));
  const { unread } = await liveObjects(client, managedSpecs, [{ account: "acme", as: "acme", origin }]);
  expect(unread.some(({ reason }) => reason.includes("48 MB"))).toBe(true);
  expect(requests.length).toBeLessThan(40);
});

test("an answer of many small members is refused before it takes many times its text", () => {
  expect(() => parseJson(`[${"{},".repeat(600_000)}{}]`)).toThrow("more than 500000 members");
});
test("an answer of many small elements is refused too", () => {
  expect(() => parseJson(`[${"[],".repeat(600_000)}[]]`)).toThrow("more than 500000 members");
});
test("commas within a text are no members", () => {
  expect(parseJson(`{"a":"${",".repeat(600_000)}"}`)).toEqual({ a: ",".repeat(600_000) });
});
test("an answer nested a million levels deep is refused", () => {
  expect(() => parseJson("[".repeat(1_000_000))).toThrow("nested deeper");
});
for (const text of [
  '{"__proto__":{"polluted":1}}',
  '{"\\u005f_proto__":{"polluted":1}}',
  '{"a":{"__proto__":{"polluted":1}}}',
]) {
  test(`${text} changes no prototype and is no member`, () => {
    const value = parseJson(text) as { polluted?: unknown; a?: { polluted?: unknown } };
    expect([value.polluted, value.a?.polluted, ({} as { polluted?: unknown }).polluted]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });
}
for (const name of ["constructor", "toString", "__proto__", "hasOwnProperty", "valueOf"]) {
  test(`the gRPC status ${name} is no code`, () => {
    expect(readErrorBody(JSON.stringify({ error: { status: name, message: "m" } })).code).toBeUndefined();
  });
  test(`the gRPC code ${name} is no code`, () => {
    expect(readErrorBody(JSON.stringify({ code: name, message: "m" })).code).toBeUndefined();
  });
}

/** Sends one request to a server that replies as told. */
async function exchange<T>(reply: Reply, judge: (error: Error, seen: number) => T, signal?: AbortSignal): Promise<T> {
  const server = await scriptedServer(reply);
  const dispatcher = createDispatcher({}, { ...defaultLimits, size: 1024 * 1024 });
  try {
    const send = createSend(() => dispatcher, { limits: { ...defaultLimits, size: 1024 * 1024 } });
    const sending = send({ origin: server.url, method: "GET", path: "/", headers: {}, ...(signal && { signal }) });
    return judge(await rejection(sending), server.seen.length);
  } finally {
    await dispatcher.destroy();
    await server.close();
  }
}

const endless: Reply = (response) => {
  response.writeHead(200, { "content-type": "application/json" });
  const more = (): void => {
    while (response.writable && response.write("x".repeat(65_536)));
    if (response.writable) response.once("drain", more);
  };
  more();
};

test("a body without end is given up at its ceiling", () =>
  exchange(endless, (error) => expect(error.message).toContain("answered more than 1 MB")));
test("a compressed bomb is not unpacked", async () => {
  const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024));
  const server = await scriptedServer((response) =>
    response.writeHead(200, { "content-type": "application/json", "content-encoding": "gzip" }).end(bomb),
  );
  const client = testClient(server.url);
  const error = await rejection(client.call("getModel", { parameters: { name: "accounts/acme/models/m" } }));
  expect(error.message.length).toBeLessThan(2_000);
  await client.close();
  await server.close();
});
test("headers without end are refused", () =>
  exchange(
    (response) => response.socket!.write(`HTTP/1.1 200 OK\r\n${`x-${"y".repeat(100)}: z\r\n`.repeat(5_000)}`),
    (error) => expect(error.message).toMatch(/header|connection/i),
  ));
test("a service that never answers is left at ^C", async () => {
  const abort = new AbortController();
  const asked: Reply = (response, request) => {
    hang(response, request);
    abort.abort(new Error("^C"));
  };
  await exchange(asked, (error) => expect(error.message).toBe("^C"), abort.signal);
});
test("a service that stops within its answer is left at ^C", async () => {
  const abort = new AbortController();
  const stalled: Reply = (response) => {
    response.writeHead(200).write("{", () => abort.abort(new Error("^C")));
  };
  await exchange(stalled, (error) => expect(error.message).toBe("^C"), abort.signal);
});
for (const status of [301, 302, 303, 307, 308]) {
  test(`redirect ${status} takes no key anywhere`, async () => {
    const other = await scriptedServer(json(200, {}));
    await exchange(raw(status, "", { location: `${other.url}/steal` }), (error) =>
      expect(error.message).toContain("a redirect to"),
    );
    expect(other.seen).toEqual([]);
    await other.close();
  });
}

/** Texts that took time by the square of their length where a pattern was not bounded. */
const repeated = [
  "a.",
  "a.b:",
  "http://",
  "https://a/",
  "://",
  "a://",
  "a://b:",
  "Bearer ",
  "Basic\t",
  "http://a?b&",
  "-+.",
  "::",
];

longerAtNight(() => {
  for (const piece of repeated) {
    test(`a text that repeats ${JSON.stringify(piece)} costs time by its length only`, () => {
      const text = piece.repeat(Math.ceil((isNightly ? 8_000_000 : 200_000) / piece.length));
      expect(createRedactor(["a-secret-key-1"]).text(text).length).toBeGreaterThan(0);
    });
  }
});
test("an error answer that repeats a.a.a. does not keep a call", async () => {
  const { client } = against(() => ({ status: 400, body: { message: "a.".repeat(500_000) } }));
  const error = await rejection(client.call("getModel", { parameters: { name: "accounts/acme/models/m" } }));
  expect(error.message).toContain("400");
});

const key = keys.acme;
const echoes: readonly (readonly [string, string])[] = [
  ["as it is", key],
  ["in capitals", key.toUpperCase()],
  ["in base64", Buffer.from(key).toString("base64")],
  ["in base64 for URLs", Buffer.from(`>>${key}`).toString("base64url")],
  ["in hexadecimal", Buffer.from(key).toString("hex")],
  ["in capital hexadecimal", Buffer.from(key).toString("hex").toUpperCase()],
  ["percent-encoded", Buffer.from(key).toString("hex").replace(/../g, "%$&")],
  ["in an address", `https://user:${key}@evil.example/x`],
];

testPairs<(text: string) => MockAnswer, string>(
  [
    ["the message of an error", (text) => ({ status: 403, body: { code: 7, message: `you sent ${text}` } })],
    [
      "the text of an error",
      (text) => ({ status: 400, body: `you sent ${text}`, headers: { "content-type": "text/plain" } }),
    ],
    ["a request id", (text) => ({ status: 400, body: {}, headers: { "x-request-id": text } })],
  ],
  echoes,
  (place, form) => `a key that comes back ${form} in ${place} is not shown`,
  async (answer, text) => {
    const { client } = against(() => answer(text));
    const error = await rejection(client.call("getModel", { parameters: { name: "accounts/acme/models/m" } }));
    const shown = `${error.message}\n${JSON.stringify(error)}`;
    expect(shown.toLowerCase()).not.toContain(text.toLowerCase());
    expect(shown.toLowerCase()).not.toContain(key.toLowerCase());
  },
);

for (const name of ["token", "upload_id", "uploadId", "sig", "key", "X-Amz-Signature", "password", "apiKey"]) {
  test(`an address whose query has ${name} is shown without its query`, () => {
    const shown = createRedactor().text(`PUT https://store.example.com/a/b?part=1&${name}=hunter22 failed`);
    expect(shown).toBe("PUT https://store.example.com/a/b?[redacted] failed");
  });
}

const content = Buffer.from("weights");

/** Has the client send a file to where the service says. */
async function sendTo(address: string, service = origin): Promise<Error> {
  const client = testClient(service);
  try {
    return await rejection(
      client.upload({
        name: "a.bin",
        as: "acme",
        size: content.length,
        address: async () => address,
        open: async function* () {
          yield content;
        },
        resumable: false,
        onProgress: () => {},
        deadline: client.time.now() + 3_600_000,
        signal: new AbortController().signal,
      }),
    );
  } finally {
    await client.close();
  }
}

for (const host of ["127.0.0.1", "127.0.0.2", "localhost", "localhost.", "x.localhost", "[::1]"]) {
  test(`a service elsewhere gets no file sent to ${host}`, async () => {
    const neighbour = await scriptedServer(raw(200, ""));
    const error = await sendTo(`http://${host}:${neighbour.port}/x`);
    expect(neighbour.seen).toEqual([]);
    expect(error.message).toContain("no file is sent there");
    await neighbour.close();
  });
}
for (const address of [
  "http://evil.example/x",
  "https://169.254.169.254/latest",
  "https://metadata.google.internal/x",
  "https://[::ffff:127.0.0.1]/x",
  "https://user:password@store.example.com/x",
  "file:///etc/passwd",
  "not an address",
]) {
  test(`no file is sent to ${address}`, async () => {
    expect((await sendTo(address)).message).toMatch(/no file is sent there|not a URL that a file can be uploaded to/);
  });
}

for (const host of ["127.0.0.1", "127.0.0.2", "127.255.0.1", "localhost", "localhost.", "x.localhost", "[::1]"]) {
  test(`a key for http://${host} does not go to the proxy`, async () => {
    const proxy = await scriptedServer(json(200, {}));
    const dispatcher = createDispatcher(
      { HTTP_PROXY: proxy.url, http_proxy: proxy.url },
      { ...defaultLimits, connect: 500 },
    );
    const headers = { authorization: `Bearer ${key}` };
    await createSend(() => dispatcher)({ origin: `http://${host}:9`, method: "GET", path: "/", headers }).catch(
      () => {},
    );
    expect(proxy.seen).toEqual([]);
    await dispatcher.destroy();
    await proxy.close();
  });
}

for (const [recorded, now] of [
  ["https://api.example.com/prod", "https://api.example.com/staging"],
  ["https://api.example.com/prod", "https://api.example.com"],
  ["https://api.example.com", "https://api.example.com/staging"],
  ["http://127.0.0.1:1/prod", "http://127.0.0.1:2/staging"],
  ["https://api.example.com", "https://api.example.com:8443"],
  ["https://api.example.com", "https://api.example.org"],
] as const) {
  test(`what was recorded at ${recorded} is not looked for at ${now}`, () => {
    expect(() => assertSameEndpoint("User ada", { endpoint: recorded }, now, false)).toThrow("was recorded at");
  });
}
for (const [recorded, now] of [
  ["https://api.example.com/prod", "https://api.example.com/prod/"],
  ["http://127.0.0.1:1/prod", "http://localhost:2/prod"],
  ["http://127.0.0.2:1", "http://localhost.:2"],
] as const) {
  test(`${recorded} and ${now} are one service`, () => {
    expect(canonicalBaseUrl(recorded)).toBe(canonicalBaseUrl(now));
  });
}
