// A process of one-limit.ts: says that it is ready, waits for a word, sends, and says how much was refused.
const { createClient } = require("../../dist/provider/api/client");
const { resolveSettings } = require("../../dist/provider/api/settings/config");
const { createCatalogue } = require("../../dist/provider/api/operations");
const { allSpecs } = require("../../dist/provider/resources/index");

const { URL: baseUrl, KEY: apiKey, OBJECTS, SENDER } = process.env;
const given = { accountId: "acme", apiKey, baseUrl };
const settings = resolveSettings({ config: { get: (name) => given[name.replace("modelplatform:", "")] }, env: {} });
const client = createClient({ settings, catalogue: createCatalogue(allSpecs), env: {} });

async function createAndRead(index) {
  const id = `user-${SENDER}-${index}`;
  await client.call("createUser", {
    query: { userId: id },
    body: { email: `${id}@example.com`, role: "user" },
  });
  await client.call("getUser", { parameters: { userId: id } });
}

process.once("message", async () => {
  await Promise.all(Array.from({ length: Number(OBJECTS) }, (_, index) => createAndRead(index)));
  process.send(client.ledger.tallies().reduce((sum, { refused }) => sum + refused, 0));
  await client.close();
  process.disconnect();
});
process.send("ready");
