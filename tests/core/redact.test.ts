import { inspect } from "node:util";
import fc from "fast-check";
import { createRedactor, RedactedString, redacted } from "../../provider/core/redact";

const secret = "c4nary+Secret/Value=42?&ü";

const spellings: readonly [name: string, spelling: string][] = [
  ["raw", secret],
  ["JSON text", JSON.stringify(secret).slice(1, -1)],
  ["percent-encoded", encodeURIComponent(secret)],
  ["percent-encoded in lower case", encodeURIComponent(secret).replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase())],
  ["percent-encoded byte by byte", Buffer.from(secret).toString("hex").toUpperCase().replace(/../g, "%$&")],
  ["percent-encoded with the slash kept", encodeURIComponent(secret).replaceAll("%2F", "/")],
  ["percent-encoded in mixed case", encodeURIComponent(secret).replace("%2B", "%2b").replace("%C3", "%c3")],
  ["percent-encoded in capitals", encodeURIComponent(secret.toUpperCase())],
  [
    "in JSON with every letter escaped",
    secret.replace(/./gs, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`),
  ],
  ["in JSON with the slash escaped", secret.replace("/", "\\/")],
  ["in hexadecimal of mixed case", Buffer.from(secret).toString("hex").replace("f", "F")],
  ["in letters of mixed case", secret.replace("Secret", "sEcReT")],
  ["base64, percent-encoded", encodeURIComponent(Buffer.from(secret).toString("base64"))],
  ["base64", Buffer.from(secret).toString("base64")],
  ["base64 for URLs", Buffer.from(secret).toString("base64url")],
];

test.each(spellings)("a known secret is masked %s", (_, spelling) => {
  expect(createRedactor([secret]).text(`before ${spelling} after`)).toMatch(/^before \[redacted\](=|%3D)* after$/);
});

test.each([0, 1, 2, 3, 4, 5])("a known secret inside a longer base64 text is masked, %d bytes in", (offset) => {
  const encoded = Buffer.from(`${"x".repeat(offset)}${secret}yyyy`).toString("base64");
  const text = createRedactor([secret]).text(encoded);
  expect(text).toContain(redacted);
  expect(Buffer.from(text.replace(redacted, ""), "base64").toString()).not.toContain("Secret");
});

test("a text shows no 12 letters of a short secret wherever it is cut", () => {
  const redactor = createRedactor([secret]);
  for (let length = 12; length < secret.length; length++) {
    expect(redactor.text(`the key ${secret.slice(0, length)}… is wrong`)).toBe(`the key ${redacted}… is wrong`);
    expect(redactor.text(`the key …${secret.slice(-length)} is wrong`)).toBe(`the key …${redacted} is wrong`);
  }
  expect(redactor.text(secret.slice(0, 11))).toBe(secret.slice(0, 11));
});

test("of a secret of several lines each longer line is masked, and its form in JSON", () => {
  const key = "-----BEGIN-----\nabcdefghijkl\nmnopqrstuvwx\n-----END-----";
  const { text } = createRedactor([key]);
  expect(text("line mnopqrstuvwx here")).toBe(`line ${redacted} here`);
  expect(text(JSON.stringify({ key }))).toBe(`{"key":"${redacted}"}`);
});

test("texts of fewer than four characters are too common to be masked", () => {
  expect(createRedactor(["abc", ""]).text("abc abc")).toBe("abc abc");
});

test("a secret added later is masked from then on", () => {
  const redactor = createRedactor();
  expect(redactor.text(secret)).toBe(secret);
  redactor.add(secret);
  expect(redactor.text(secret)).toBe(redacted);
});

test("a text that recurs is masked as before, however many others there were", () => {
  const { text } = createRedactor([secret]);
  const many = Array.from({ length: 2500 }, (_, index) => `${index} ${secret}`);
  const masked = many.map((_, index) => `${index} ${redacted}`);
  expect(many.map(text)).toEqual(masked);
  expect(many.map(text)).toEqual(masked);
});

test.each([
  ["Authorization: Bearer sk_live_abcdef123", `Authorization: Bearer ${redacted}`],
  ["proxy said Basic dXNlcjpwYXNzd29yZA==", `proxy said Basic ${redacted}`],
  ["bearer authentication is needed", "bearer authentication is needed"],
  ["https://me:pass@proxy.example.com:3128/x", `https://${redacted}@proxy.example.com:3128/x`],
  [
    "PUT https://store.example.com/b/k?X-Sign-Signature=abc&part=1 failed",
    `PUT https://store.example.com/b/k?${redacted} failed`,
  ],
  ["https://store.example.com/b/k?sig=abc", `https://store.example.com/b/k?${redacted}`],
  ["https://store.example.com/b/k?partNumber=1&amp;AccessKeyId=abc", `https://store.example.com/b/k?${redacted}`],
  [
    "https://api.example.com/v1/accounts?pageToken=abc&pageSize=200",
    "https://api.example.com/v1/accounts?pageToken=abc&pageSize=200",
  ],
  ["GET /v1/accounts/acme/users?filter=a%3Db", "GET /v1/accounts/acme/users?filter=a%3Db"],
])("%j is shown as %j", (raw, shown) => {
  expect(createRedactor().text(raw)).toBe(shown);
});

test("in a value, telling names and known secrets are masked and the rest is kept", () => {
  const value = {
    apiKey: "k",
    api_key: { nested: true },
    Authorization: "x",
    directRouteApiKeys: ["a", "b"],
    filenameToSignedUrls: { "a.bin": "https://x.example.com" },
    keyName: "STORAGE_KEY",
    list: [secret, 1, true, null],
    [secret]: 1,
  };
  expect(createRedactor([secret]).value(value)).toEqual({
    apiKey: redacted,
    api_key: redacted,
    Authorization: redacted,
    directRouteApiKeys: redacted,
    filenameToSignedUrls: redacted,
    keyName: "STORAGE_KEY",
    list: [redacted, 1, true, null],
    [redacted]: 1,
  });
});

test("whatever the secret is and wherever it stands, it is not in the redacted text", () => {
  fc.assert(
    fc.property(
      fc
        .string({ minLength: 4, unit: "grapheme" })
        .filter((text) => !redacted.includes(text) && text.trim().length >= 4),
      fc.string(),
      fc.string(),
      (canary, before, after) => {
        const { text } = createRedactor([canary]);
        return [canary, encodeURIComponent(canary), JSON.stringify(canary).slice(1, -1)].every(
          (spelling) => !text(`${before} ${spelling} ${after}`).replaceAll(redacted, "\u0000").includes(spelling),
        );
      },
    ),
  );
});

test("a concealed text shows itself only on request", () => {
  const key = new RedactedString("top-secret");
  expect(
    [String(key), JSON.stringify({ key }), inspect({ key }, { showHidden: true, depth: 9 }), `${key}`].join(),
  ).not.toContain("top-secret");
  expect(Object.keys(key)).toEqual([]);
  expect(key.reveal()).toBe("top-secret");
});
