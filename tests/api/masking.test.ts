import { longestRefusal, masking } from "../../provider/api/http/masking";
import type { HttpRequest } from "../../provider/api/http/transport";
import { createRedactor } from "../../provider/core/redact";

const key = "kX9-2f81b0c47d6e";
const request = { origin: "https://service.test", method: "GET", path: "/v1", headers: {} } as HttpRequest;

const answered = (status: number, text: string): Promise<{ text: string }> =>
  masking(async () => ({ status, headers: {}, text }), createRedactor([key]))(request);

test("no more of a refusal is masked than anybody reads", async () => {
  const { text } = await answered(400, `${key} ${"x".repeat(10 * longestRefusal)}`);
  expect(text).toMatch(/^\[redacted\] x+$/);
  expect(text.length).toBeLessThan(longestRefusal + "[redacted]".length);
});

test("an answer that succeeds is whole", async () => {
  const long = "x".repeat(10 * longestRefusal);
  expect((await answered(200, long)).text).toBe(long);
});
