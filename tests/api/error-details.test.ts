import type { ModelPlatformError } from "../../provider/core/errors";
import { rejection } from "../rejection";
import { mockService } from "./support/mock-service";
import { keys, testClient } from "./support/test-client";

/** What a person reads of an error: the lines of its message. */

const origin = "https://api.example.com";
const type = (name: string): string => `type.googleapis.com/google.rpc.${name}`;

/** The service's answers, one after the other; the last one for good. */
async function failed(...answers: readonly { status: number; body: object; headers?: Record<string, string> }[]) {
  let sent = 0;
  const { agent } = mockService([origin], () => answers[Math.min(sent++, answers.length - 1)]!);
  const call = { query: { deploymentId: "chat" }, body: { baseModel: "m" } };
  const error = (await rejection(
    testClient(origin, { dispatcher: agent }).call("createDeployment", call),
  )) as ModelPlatformError;
  return { error, sent, lines: error.message.split("\n") };
}

const refused = (details: readonly unknown[], more: object = {}) =>
  failed({ status: 400, body: { code: 3, message: "bad request", details, ...more } });

test("each violation of a field is a line, and the advice stands below", async () => {
  const { lines } = await refused([
    {
      "@type": type("BadRequest"),
      fieldViolations: [
        { field: "max_replica_count", description: "must be at most 8" },
        { field: "placement", localizedMessage: { locale: "en", message: "Choose a region." }, description: "x" },
      ],
    },
  ]);
  expect(lines.slice(1)).toEqual([
    "  - `max_replica_count`: must be at most 8",
    "  - `placement`: Choose a region.",
    "Correct what the message above names.",
  ]);
});

test.each<[string, object, string]>([
  [
    "a quota and its limit",
    {
      "@type": type("QuotaFailure"),
      violations: [{ subject: "accounts/acme", description: "No GPU left.", quotaId: "gpus", quotaValue: "8" }],
    },
    "quota gpus: No GPU left.: the limit is 8",
  ],
  [
    "a precondition",
    {
      "@type": type("PreconditionFailure"),
      violations: [{ type: "TOS", subject: "acme", description: "Terms are not accepted." }],
    },
    "TOS: acme: Terms are not accepted.",
  ],
  [
    "a reason, with what it is about",
    { "@type": type("ErrorInfo"), reason: "MODEL_GATED", domain: "api", metadata: { model: "open-8b" } },
    "reason MODEL_GATED: model open-8b",
  ],
  [
    "a page that helps",
    { "@type": type("Help"), links: [{ description: "Quotas", url: "https://docs.example.com/quotas" }] },
    "Quotas: https://docs.example.com/quotas",
  ],
  ["a message in the reader's language", { "@type": type("LocalizedMessage"), message: "Zu groß." }, "Zu groß."],
  [
    "an object",
    {
      "@type": type("ResourceInfo"),
      resourceType: "Model",
      resourceName: "accounts/a/models/m",
      description: "It is gated.",
    },
    "Model accounts/a/models/m: It is gated.",
  ],
])("%s is a line", async (_, detail, line) => {
  expect((await refused([detail])).lines[1]).toBe(`  - ${line}`);
});

test.each<[string, unknown]>([
  ["no list", { "@type": type("BadRequest"), fieldViolations: "none" }],
  ["no description", { "@type": type("BadRequest"), fieldViolations: [{ field: "x" }, 3, null] }],
  ["another language of the same message", { "@type": type("LocalizedMessage"), message: "bad request" }],
  [
    "a link that a browser had better not open",
    { "@type": type("Help"), links: [{ description: "x", url: "javascript:alert(1)" }] },
  ],
  ["a link without encryption", { "@type": type("Help"), links: [{ description: "x", url: "http://example.com" }] }],
  [
    "a link with a line break",
    { "@type": type("Help"), links: [{ description: "x", url: "https://example.com/\n::error::x" }] },
  ],
  ["an unknown detail", { "@type": type("DebugInfo"), stackEntries: ["secret stack"] }],
])("%s is no line", async (_, detail) => {
  expect((await refused([detail])).lines).toHaveLength(1);
});

test("what the message says already is not said twice", async () => {
  const detail = {
    "@type": type("BadRequest"),
    fieldViolations: [{ field: "epochs", description: "must be positive" }],
  };
  const { lines } = await refused([detail], { message: "epochs must be positive" });
  expect(lines).toHaveLength(1);
});

test("hundreds of violations, long texts and control characters stay a screen", async () => {
  const fieldViolations = [
    { field: "a\u001b[31m\u202e", description: `one\n::error::two\u0000${"x".repeat(2000)}` },
    ...Array.from({ length: 199 }, (_, index) => ({ field: `f${index}`, description: "wrong" })),
  ];
  const { lines, error } = await refused([{ "@type": type("BadRequest"), fieldViolations }]);
  expect(lines).toHaveLength(1 + 10 + 1 + 1);
  expect(lines[11]).toBe("  - and 190 more");
  expect(error.message.length).toBeLessThan(2000);
  expect(error.message).not.toMatch(/[\u0000\u001b\u202e]|^::error/m);
});

test("a body that is too large to be read says nothing, and is no screen either", async () => {
  const { lines } = await refused([{ "@type": type("LocalizedMessage"), message: "x".repeat(1_000_000) }]);
  expect(lines).toEqual([expect.stringContaining("answered 400. The service does not say why")]);
});

test("the key stays hidden in what the details quote", async () => {
  const { error } = await refused([{ "@type": type("LocalizedMessage"), message: `key ${keys.acme} is bad` }]);
  expect(error.message).not.toContain(keys.acme);
});

test.each<[number, string, RegExp]>([
  [403, "ACCOUNT_SUSPENDED", /^The account .*is suspended, for every key: ask its owner/m],
  [403, "BILLING_DISABLED", /^Billing blocks the account .*for every key/m],
  [403, "SERVICE_DISABLED", /^The API is off for the account /m],
  [400, "CONSUMER_SUSPENDED", /is suspended/],
])("a %i with the reason %s is advised by its reason", async (status, reason, advice) => {
  const { error } = await failed({
    status,
    body: { message: "no", details: [{ "@type": type("ErrorInfo"), reason }] },
  });
  expect(error.message).toMatch(advice);
  expect(error.message).not.toContain("whose role allows it");
});

test.each([
  ["a 403 with a time to come back", { status: 403, body: { message: "slow down" }, headers: { "retry-after": "1" } }],
  ["a 400 with code 8", { status: 400, body: { code: 8, message: "slow down" } }],
])("%s is a rate limit, and waited out", async (_, answer) => {
  const { error, sent } = await failed(answer, answer, { status: 400, body: { code: 3, message: "bad request" } });
  expect(sent).toBe(3);
  expect(error.message).toContain("bad request");
});
