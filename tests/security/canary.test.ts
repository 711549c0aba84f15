import { readFileSync } from "node:fs";
import { join } from "node:path";
import { inspect } from "node:util";
import { mockService } from "../api/support/mock-service";
import { testClient } from "../api/support/test-client";
import { temporaryFolder } from "../state/temporary-folder";

/** A service that sends the key back, at every place of an answer, in every spelling, cut at every length. */

const origin = "https://api.example.com";
const key = "cK7/vault+4h=Zq_9x!wM2pT6rB8n";
const bytes = Buffer.from(key);

const spellings: readonly (readonly [string, string])[] = [
  ["as it is", key],
  ["in capitals", key.toUpperCase()],
  ["in small letters", key.toLowerCase()],
  ["escaped", key.replace(/[^a-z]/gi, (c) => `\\u00${c.charCodeAt(0).toString(16)}`)],
  ["percent-encoded", encodeURIComponent(key)],
  ["percent-encoded, slashes kept", encodeURIComponent(key).replaceAll("%2F", "/")],
  ["percent-encoded, mixed case", encodeURIComponent(key).replace("%2F", "%2f")],
  ["in hexadecimal", bytes.toString("hex")],
  ...[0, 1, 2].map(
    (at) => [`in base64, ${at} in`, Buffer.from(`${"u:".slice(0, at)}${key}`).toString("base64")] as const,
  ),
  ["in base64 for URLs", bytes.toString("base64url")],
];

type Answer = { status?: number; body?: unknown; headers?: Record<string, string> };
const refused = (body: unknown, headers = {}): Answer => ({ status: 400, body, headers });

const places: readonly (readonly [string, (text: string) => Answer])[] = [
  ["the message", (text) => refused({ code: 3, message: `bad ${text}` })],
  ["a nested message", (text) => refused({ error: { code: 400, status: "INVALID_ARGUMENT", message: text } })],
  ["an error that is a text", (text) => refused({ error: text })],
  ["a detail", (text) => refused({ detail: text })],
  ["plain text", (text) => refused(`bad ${text}`)],
  ["JSON that breaks off", (text) => refused(`{"message": "bad ${text}`)],
  ["a reason", (text) => refused({ code: 3, message: "no", details: [{ reason: text, "@type": text }] })],
  ["a place", (text) => refused({ code: 3, message: "no", details: [{ fieldViolations: [{ field: text }] }] })],
  ["the text of a 404", (text) => ({ status: 404, body: { code: 5, message: `no ${text}` } })],
  ["the text of a 429", (text) => ({ status: 429, body: { code: 8, message: `quota ${text}` } })],
  ["a name", (text) => ({ body: { name: `accounts/acme/users/${encodeURIComponent(text)}` } })],
  ["the name of a member", (text) => ({ body: { name: "accounts/acme/users/ada", [text]: 1 } })],
  ["the value of an enum", (text) => ({ body: { name: "accounts/acme/users/ada", state: text } })],
  ...["content-type", "x-request-id", "retry-after", "date", "server"].map(
    (name) => [`the header ${name}`, (text: string) => refused({ code: 3, message: "no" }, { [name]: text })] as const,
  ),
  ["the type of an answer that succeeds", (text) => ({ body: {}, headers: { "content-type": `text/${text}` } })],
  ["where a redirect leads", (text) => ({ status: 307, headers: { location: `https://${text}.example/${text}` } })],
];

/** All that is left of a call: what it throws, logs and traces. */
async function left(answer: Answer): Promise<string> {
  const { agent } = mockService([origin], () => answer);
  const file = join(temporaryFolder(), "run.har");
  const client = testClient(
    origin,
    { dispatcher: agent, env: { MODELPLATFORM_TRACE: file } },
    { MODELPLATFORM_API_KEY: key },
  );
  const call = client.call("getUser", { parameters: { account: "acme", userId: "ada" } });
  const error = await call.then(
    () => undefined,
    (reason: unknown) => reason as Error,
  );
  const traced = readFileSync(file, "utf8");
  expect(traced).toContain(`"status":${answer.status ?? 200}`);
  const thrown = error && [
    error.message,
    error.stack,
    inspect(error, { depth: 9, showHidden: true }),
    JSON.stringify(error),
  ];
  return [...(thrown ?? []), JSON.stringify(client.log), traced].join("\n");
}

/** Pieces of more than half of a spelling. */
const shown = (text: string, spelling: string): boolean =>
  text.includes(spelling.slice(0, Math.ceil(spelling.length / 2) + 2));

describe.each(places)("a key that comes back in %s", (_, answer) => {
  test.each(spellings)("%s is neither thrown nor logged nor traced", async (_name, spelling) => {
    const text = await left(answer(spelling));
    expect(shown(text, spelling)).toBe(false);
    expect(shown(text, JSON.stringify(spelling).slice(1, -1))).toBe(false);
  });
});

test("a message that is too long shows nothing of a key across the cut", async () => {
  for (let into = 0; into <= key.length; into++) {
    const text = await left(refused({ code: 3, message: `${"x".repeat(1000 - into)}${key} and more` }));
    expect(text).not.toContain(key.slice(0, 4));
  }
});

test("a key that the service cuts itself is masked from 12 letters on", async () => {
  for (let length = 12; length <= key.length; length++)
    expect(await left(refused({ code: 3, message: `the key ${key.slice(0, length)}... is wrong` }))).not.toContain(
      key.slice(0, 8),
    );
});
