import { resolveSettings } from "../../provider/api/settings/config";
import type { Credential, Endpoint } from "../../provider/api/types";
import { RedactedString } from "../../provider/core/redact";
import { mockService } from "./support/mock-service";
import { testClient } from "./support/test-client";

const at = (host: string, from: Endpoint["from"]): Endpoint => ({
  ...{ origin: `https://${host}`, prefix: "", loopback: false },
  ...(from !== undefined && { from }),
});

const key = new RedactedString("a-key-of-acme");
const acme: Credential = { account: "acme", key, from: "environment" };

/** What a client reports that calls each of the accounts twice. */
async function reported(...credentials: readonly Credential[]): Promise<readonly string[]> {
  const origins = credentials.flatMap(({ endpoint }) => endpoint?.origin ?? []);
  const { agent } = mockService(origins, () => ({ body: { users: [] } }));
  const settings = { ...resolveSettings({ env: {} }), credentials };
  const client = testClient(origins[0]!, { settings, dispatcher: agent });
  for (const { account } of [...credentials, ...credentials])
    await client.call("listUsers", { parameters: { account: account! } });
  return client.log.map(({ text }) => text);
}

test.each([
  ["the stack's config", "project"],
  ["the program", "program"],
] as const)("a key of the environment that goes where %s says is reported once per address", async (who, from) => {
  const says = (account: string, host: string): string =>
    `the key of account \`${account}\` comes from the environment and is sent to https://${host}, which ${who} names`;
  expect(
    await reported(
      { ...acme, endpoint: at("one.example", from) },
      { ...acme, account: "beta", endpoint: at("one.example", from) },
      { ...acme, account: "gamma", endpoint: at("two.example", from) },
    ),
  ).toEqual([says("acme", "one.example"), says("beta", "one.example"), says("gamma", "two.example")]);
});

test("nothing is reported where the environment names both, nor of a project's key", async () => {
  expect(await reported({ ...acme, endpoint: at("one.example", "environment") })).toEqual([]);
  expect(await reported({ ...acme, from: "project", endpoint: at("one.example", "project") })).toEqual([]);
});
