import { execFileSync } from "node:child_process";
import { createHmac } from "node:crypto";
import { deliver, delivery, parseWebhook, UndeliveredError } from "../../../drift/notify/webhook";
import { instantTime } from "../../api/support/instant-time";
import {
  hang,
  json,
  type Reply,
  raw,
  reset,
  type ScriptedServer,
  scriptedServer,
} from "../../api/support/scripted-server";
import { isExecutable, placesOf } from "../../executables";

const refuse = (reason: string): never => {
  throw new Error(reason);
};

let server: ScriptedServer | undefined;
afterEach(() => server?.close());

const message = { id: "4f1d2c3b5a697881", contentType: "application/cloudevents+json", body: '{"a":"ü"}' };
const secret = "not-for-print";
const start = Date.UTC(2026, 2, 1);

/** Delivers to a server that replies so; a try that takes longer than its limit never ends, unless `expires`. */
async function delivered(replies: readonly Reply[], { expires = false, signal = new AbortController().signal } = {}) {
  server = await scriptedServer(...replies);
  const webhook = parseWebhook(`${server.url}/hooks/t0ken?sig=s1g`, refuse);
  const time = instantTime(start, () => 0.5, expires ? 50_000 : delivery.tryMs);
  const outcome = await deliver(webhook, message, secret, { env: {}, time, signal }).catch((error: Error) => error);
  return { outcome, seen: server.seen, pauses: time.pauses };
}

test("a message arrives once, with its id, the time, and a signature over all three", async () => {
  const { outcome, seen } = await delivered([json(200, {})]);
  expect(outcome).toBeUndefined();
  expect(seen).toMatchObject([
    {
      method: "POST",
      url: "/hooks/t0ken?sig=s1g",
      body: message.body,
      headers: {
        "content-type": "application/cloudevents+json",
        "webhook-id": message.id,
        "webhook-timestamp": String(start / 1000),
        "webhook-signature": `v1,${createHmac("sha256", secret)
          .update(`${message.id}.${start / 1000}.${message.body}`)
          .digest("base64")}`,
      },
    },
  ]);
});

const openssl = placesOf(["openssl"], process.env).find(isExecutable);
const withOpenssl = openssl === undefined ? test.skip : test;
const reason = openssl === undefined ? " (skipped: no openssl on the PATH)" : "";

withOpenssl(`openssl finds the same signature, by the line of the guide${reason}`, async () => {
  const { seen } = await delivered([json(200, {})]);
  const { headers, body } = seen[0]!;
  const line = `printf '%s.%s.%s' "$id" "$timestamp" "$body" | openssl dgst -sha256 -hmac "$secret" -binary | base64`;
  const env = { id: headers["webhook-id"], timestamp: headers["webhook-timestamp"], body, secret };
  const found = execFileSync("sh", ["-c", line], { env: { PATH: process.env["PATH"], ...env } as NodeJS.ProcessEnv });
  expect(`v1,${String(found).trim()}`).toBe(headers["webhook-signature"]);
});

test("a Standard Webhooks secret is the key after its prefix; none means no signature", async () => {
  server = await scriptedServer(json(200, {}));
  const webhook = parseWebhook(server.url, refuse);
  const around = { env: {}, time: instantTime(start, () => 0.5, delivery.tryMs), signal: new AbortController().signal };
  await deliver(webhook, message, `whsec_${Buffer.from("key").toString("base64")}`, around);
  await deliver(webhook, message, undefined, around);
  const signed = createHmac("sha256", "key")
    .update(`${message.id}.${start / 1000}.${message.body}`)
    .digest("base64");
  expect(server.seen.map(({ headers }) => headers["webhook-signature"])).toEqual([`v1,${signed}`, undefined]);
});

test.each<[string, readonly Reply[], number, string]>([
  ["500", [raw(500, "no")], 4, "answered 500 (after 4 attempts)"],
  ["400", [raw(400, "no")], 1, "answered 400"],
  [
    "a redirect",
    [raw(302, "", { location: "https://elsewhere.example/t0ken" })],
    1,
    "answered 302, a redirect to https://elsewhere.example",
  ],
  [
    "a connection that breaks",
    [reset],
    4,
    "lost the connection to 127.0.0.1:%d before the answer was complete (UND_ERR_SOCKET) (after 4 attempts)",
  ],
])("%s ends in one error, after as many tries as help", async (_, replies, tries, expected) => {
  const { outcome, seen } = await delivered(replies);
  expect(outcome).toBeInstanceOf(UndeliveredError);
  expect((outcome as Error).message).toBe(expected.replace("%d", String(server!.port)));
  expect(seen).toHaveLength(tries);
});

test("a receiver that hangs is given up after the time of every try", async () => {
  const { outcome, pauses } = await delivered([hang], { expires: true });
  expect((outcome as Error).message).toBe("did not answer within 10 s (after 4 attempts)");
  expect(pauses.filter((pause) => pause === delivery.tryMs)).toHaveLength(4);
});

test("nobody at the address ends in one error", async () => {
  server = await scriptedServer(hang);
  const webhook = parseWebhook(`${server.url}/t0ken`, refuse);
  await server.close();
  const time = instantTime(start, () => 0.5, delivery.tryMs);
  const sent = deliver(webhook, message, secret, { env: {}, time, signal: new AbortController().signal });
  await expect(sent).rejects.toThrow(`got no connection to 127.0.0.1:${server.port} (ECONNREFUSED) (after 4 attempts)`);
});

test("what passes is sent again with its id and a new time, after the pause asked for", async () => {
  const { outcome, seen, pauses } = await delivered([raw(429, "", { "retry-after": "7" }), raw(503, ""), raw(204, "")]);
  expect(outcome).toBeUndefined();
  expect(pauses).toEqual([7000, 500]);
  expect(seen.map(({ headers }) => headers["webhook-id"])).toEqual([message.id, message.id, message.id]);
  expect(seen.map(({ headers }) => Number(headers["webhook-timestamp"]) - start / 1000)).toEqual([0, 7, 7]);
  expect(new Set(seen.map(({ headers }) => headers["webhook-signature"])).size).toBe(2);
});

test("a receiver that asks for more time than there is gets no second try", async () => {
  const { outcome, seen } = await delivered([raw(429, "", { "retry-after": "3600" })]);
  expect([(outcome as Error).message, seen.length]).toEqual(["answered 429", 1]);
});

test("an interrupt ends it at once", async () => {
  const abort = new AbortController();
  const { outcome } = await delivered([() => abort.abort(new Error("^C"))], { signal: abort.signal });
  expect((outcome as Error).message).toBe("^C");
});

test("no error shows the path or the query of the address", async () => {
  for (const replies of [[raw(500, "t0ken s1g")], [reset], [raw(307, "", { location: "/t0ken?sig=s1g" })]]) {
    const { outcome } = await delivered(replies);
    expect(String((outcome as Error).stack)).not.toMatch(/t0ken|s1g|not-for-print/);
    await server!.close();
  }
});

test.each([
  ["http://hooks.example.com/x", "uses http"],
  ["ftp://hooks.example.com/x", "has the scheme `ftp`"],
  ["https://user:t0ken@hooks.example.com/x", "holds a user name or password"],
  ["https://169.254.169.254/x", "points to a link-local, metadata or otherwise reserved address"],
  ["https://metadata.google.internal/x", "points to a machine's metadata service"],
  ["hooks.example.com", "is not a URL"],
  ["https://hooks.example.com/x#y", "has a fragment"],
  ["https://hooks.example.com/a b", "holds spaces, backslashes or control characters"],
])("%s is no address of a webhook", (address, expected) => {
  expect(() => parseWebhook(address, refuse)).toThrow(expected);
});

test("an address with a query is one, and shows nothing of its path", () => {
  const { displayUrl, url } = parseWebhook("https://prod.example.com:8443/x/t0ken?sp=%2Frun&sig=s1g", refuse);
  expect([displayUrl, url.search]).toEqual(["https://prod.example.com:8443/…", "?sp=%2Frun&sig=s1g"]);
});
