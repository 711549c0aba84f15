import { MockAgent } from "undici";
import { createSend, longestRefusal } from "../../provider/api/http/transport";
import { createRedactor } from "../../provider/core/redact";

const key = "kX9-2f81b0c47d6e";
const origin = "https://service.test";

/** The text of an answer as it comes out of the transport. */
async function answered(status: number, text: string): Promise<string> {
  const agent = new MockAgent();
  agent.disableNetConnect();
  agent.get(origin).intercept({ path: "/v1" }).reply(status, text);
  const send = createSend(() => agent, { redactor: createRedactor([key]) });
  return (await send({ origin, method: "GET", path: "/v1", headers: {} })).text;
}

test("no more of a refusal is masked than anybody reads", async () => {
  const text = await answered(400, `${key} ${"x".repeat(10 * longestRefusal)}`);
  expect(text).toMatch(/^\[redacted\] x+$/);
  expect(text.length).toBeLessThan(longestRefusal + "[redacted]".length);
});

test("an answer that succeeds is whole", async () => {
  const long = `${key} ${"x".repeat(10 * longestRefusal)}`;
  expect(await answered(200, long)).toBe(long);
});
