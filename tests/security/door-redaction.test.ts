import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { SeenRequest } from "../api/support/scripted-server";
import { temporaryFolder } from "../cli/terminal";
import { exported } from "../drift/support/stacks";
import { testPairs } from "./pairs";
import { answers, ending, expectSpoken, listening, operator, type ScriptedAnswer } from "./scene";

/**
 * The attacker is the service, which has the key anyway, and others who read what the operator keeps: a log, a trace, a
 * report. The service sends the key back where it is cut, spelt or filed in a way that hides it from a mask.
 */
const key = "Zq7-vault-4h/K+9x=wM2pT6rB8n";

/** No eight characters of the key in a row, in any case, and none of its usual spellings. */
function expectHidden(text: string): void {
  const seen = text.toLowerCase();
  const bytes = Buffer.from(key);
  const spelt = [key, JSON.stringify(key).slice(1, -1), encodeURIComponent(key)].map((each) => each.toLowerCase());
  const pieces = spelt.flatMap((each) => Array.from({ length: each.length - 8 }, (_, at) => each.slice(at, at + 9)));
  expect(pieces.filter((piece) => seen.includes(piece))).toEqual([]);
  const coded = [bytes.toString("base64"), bytes.toString("base64url"), bytes.toString("hex")];
  expect(coded.filter((each) => seen.includes(each.slice(0, 16).toLowerCase()))).toEqual([]);
}

/** All that a command leaves: what it printed, and its trace. */
async function left(
  line: string,
  answer: ScriptedAnswer | ((request: SeenRequest) => ScriptedAnswer),
  set = key,
): Promise<string> {
  const cwd = temporaryFolder();
  const { url } = await listening(answers({ "GET /v1/": answer, "POST /v1/": answer, "PATCH /v1/": answer }));
  writeFileSync(join(cwd, "prod.json"), JSON.stringify(exported([])));
  const env = operator(url, { MODELPLATFORM_API_KEY: set });
  const { said } = await ending(`${line} --trace trace.har`, { cwd, env });
  expectSpoken(said);
  return said + readFileSync(join(cwd, "trace.har"), "utf8");
}

const call = "call getUser --account acme --user-id ada";
const refusing = (message: string, more: Partial<ScriptedAnswer> = {}): ScriptedAnswer => ({
  status: 400,
  body: { code: 3, message },
  ...more,
});
const plain = { headers: { "content-type": "text/plain" } };

/** Every place of the key around each length at which a text may be cut. */
for (const length of [80, 100, 120, 160, 200, 250, 256, 300, 400, 500, 512, 800, 1000, 1024, 2000, 2048, 4096]) {
  test(`a text cut after ${length} characters shows no part of a key across the cut`, async () => {
    const shown: string[] = [];
    for (const into of [3, 9, 14, 20, key.length - 1])
      shown.push(await left(call, refusing("x ".repeat(length).slice(0, length - into) + key)));
    shown.forEach(expectHidden);
  });
}

const places: readonly (readonly [string, (text: string) => ScriptedAnswer])[] = [
  ["the message", (text) => refusing(`you sent ${text}`)],
  ["a text without JSON", (text) => ({ status: 400, body: `you sent ${text}`, ...plain })],
  ["JSON that is cut short", (text) => ({ status: 400, body: `{"message": "you sent ${text}` })],
  [
    "a page",
    (text) => ({ status: 502, body: `<html><title>${text}</title>`, headers: { "content-type": "text/html" } }),
  ],
  [
    "the reason of a detail",
    (text) => ({ status: 400, body: { code: 3, message: "no", details: [{ reason: text }] } }),
  ],
  [
    "a rejected field",
    (text) => ({ status: 400, body: { code: 3, message: "no", details: [{ fieldViolations: [{ field: text }] }] } }),
  ],
  ["the name of a member", (text) => ({ body: { name: "accounts/acme/users/ada", [text]: text } })],
  ["the name of an object", (text) => ({ body: { name: `accounts/acme/users/${text}` } })],
  ["a value", (text) => ({ body: { name: "accounts/acme/users/ada", displayName: text } })],
];

const forms: readonly (readonly [string, string])[] = [
  ["as it is", key],
  ["in small letters", key.toLowerCase()],
  ["as a header", `authorization: bearer ${key}`],
  ["in base64 behind a user name", Buffer.from(`user:${key}`).toString("base64")],
  ["percent-encoded in a query", `https://a.example/?q=${encodeURIComponent(key)}`],
];

testPairs(
  places,
  forms,
  (place, form) => `a key that comes back ${form} in ${place} is neither printed nor traced`,
  async (answer, text) => expectHidden(await left(call, answer(text))),
);

for (const name of [
  "content-type",
  "x-request-id",
  "server",
  "location",
  "set-cookie",
  "retry-after",
  "www-authenticate",
  "link",
  "etag",
  "x-error",
]) {
  test(`a key that comes back in the header ${name} is neither printed nor traced`, async () => {
    for (const value of [key, `text/plain; boundary=${key}`])
      expectHidden(await left(call, { status: 400, body: "{}", headers: { [name]: value } }));
  });
}

for (const line of [
  "codify",
  "drift --stack-file prod.json --unmanaged --account acme",
  "probe",
  "doctor",
  "codify accounts/acme/users/ada",
]) {
  const command = line.split(" ").slice(0, 2).join(" ");
  for (const [how, answer] of [
    ["cut", refusing("x".repeat(1000 - 12) + key)],
    ["whole", { status: 403, body: { code: 7, message: `the key ${key} may not` } }],
  ]) {
    test(`\`${command}\` shows no key that comes back ${String(how)} in a refusal`, async () =>
      expectHidden(await left(line, answer as ScriptedAnswer)));
  }
}

test("a key that comes back as a page token is not traced", async () => {
  let page = 0;
  const told = await left("call listUsers", () => {
    page += 1;
    return { body: { users: [], ...(page < 3 && { nextPageToken: `${key}${page}` }) } };
  });
  expectHidden(told);
});
test("credentials of a proxy are not shown when it cannot be reached", async () => {
  const env = operator("https://api.nowhere.invalid", {
    ...{ MODELPLATFORM_API_KEY: "k-1234567890", HTTPS_PROXY: `http://user:${encodeURIComponent(key)}@127.0.0.1:9` },
  });
  const { said } = await ending(call, { cwd: temporaryFolder(), env });
  expect(said).toMatch(/error:/);
  expectHidden(said);
});
for (const name of ["MODELPLATFORM_ACCOUNTS", "MODELPLATFORM_DIALECT"] as const) {
  test(`a broken ${name} is not quoted with the key that stands in it`, async () => {
    const env = operator("https://api.example.com", { [name]: `{"acme": {"apiKey": "${key}"` });
    const { code, said } = await ending(call, { cwd: temporaryFolder(), env });
    expect(code).not.toBe(0);
    expectHidden(said);
  });
}
test("a key in a base URL is not shown in the refusal of that URL", async () => {
  const env = operator(`https://user:${encodeURIComponent(key)}@api.example.com`);
  const { code, said } = await ending(call, { cwd: temporaryFolder(), env });
  expect(code).not.toBe(0);
  expectHidden(said);
});
test("a key with a line break in it is refused without being shown", async () => {
  const env = operator("https://api.example.com", { MODELPLATFORM_API_KEY: `${key}\nx` });
  const { code, said } = await ending(call, { cwd: temporaryFolder(), env });
  expect(code).not.toBe(0);
  expectHidden(said);
});
