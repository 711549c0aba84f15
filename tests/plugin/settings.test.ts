import { secret, unknown } from "../pulumi/support/declared";
import { closeAll, failed, Plugin } from "./support/plugin";

let plugin: Plugin;
afterEach(closeAll);

const explicit = "urn:pulumi:dev::demo::pulumi:providers:modelplatform::eu";
const byDefault = "urn:pulumi:dev::demo::pulumi:providers:modelplatform::default_1_2_3";

test("a provider's settings are checked together, and its key goes back marked", async () => {
  plugin = await Plugin.start({ configured: false });
  const { inputs, failures } = await plugin.checkConfig({ apiKey: "key", baseUrl: "ftp://nowhere" });
  expect(inputs).toEqual({ apiKey: secret("key"), baseUrl: "ftp://nowhere" });
  expect(failures).toEqual([{ property: "", reason: expect.stringContaining("baseUrl") }]);
});

test("settings not yet known are judged when they are", async () => {
  plugin = await Plugin.start({ configured: false });
  expect((await plugin.checkConfig({ apiKey: unknown, baseUrl: "ftp://nowhere" })).failures).toEqual([]);
});

test("no change of a provider replaces it, whatever was there before", async () => {
  plugin = await Plugin.start({ configured: false });
  const before = { "demo:other": "x", "modelplatform:accountId": "acme" };
  expect(await plugin.diffConfig(before, { accountId: "beta", baseUrl: "https://new.example.com" })).toMatchObject({
    changes: "some",
    replaces: [],
    deleteBeforeReplace: false,
  });
  expect(await plugin.diffConfig({ apiKey: secret("a") }, { apiKey: "a", version: "1.0.0" })).toMatchObject({
    changes: "none",
  });
});

test("a key that only the state holds goes with the next `up`, which says so", async () => {
  plugin = await Plugin.start({ configured: false });
  expect(await plugin.diffConfig({ apiKey: secret("a"), accountId: "acme" }, { accountId: "acme" })).toMatchObject({
    changes: "some",
    replaces: [],
  });
  const said = plugin.logged.map(({ text }) => text);
  expect(said).toEqual([
    expect.stringMatching(/the state holds `apiKey` \(`api_key` in Python\) of this provider.*`up` removes it there/),
  ]);
  await plugin.diffConfig({ apiKey: secret("a") }, { apiKey: secret("b") });
  expect(plugin.logged).toHaveLength(1);
});

test.each([
  ["as a text, as an SDK hands dictionaries on", (accounts: object) => JSON.stringify(accounts)],
  ["as a value", (accounts: object) => accounts],
])("keys of accounts may be spelt in snake case: %s", async (_, given) => {
  plugin = await Plugin.start({ configured: false });
  const accounts = given({ acme: { api_key: "acme-key" } });
  const settings = { accountId: "acme", baseUrl: plugin.config["baseUrl"], accounts: secret(accounts) };
  expect((await plugin.checkConfig(settings)).failures).toEqual([]);
  await plugin.configure(settings, explicit);
  expect((await plugin.made("User", "ada", user)).id).toMatch(/^accounts\/acme\/users\//);
});

const user = { email: "ada@example.com", role: "user" };

test("an explicit provider's settings come first; the stack's config fills in the rest", async () => {
  plugin = await Plugin.start({
    configured: false,
    env: { PULUMI_CONFIG: JSON.stringify({ accountId: "other", apiKey: "acme-key" }) },
  });
  await plugin.configure({ accountId: "acme", baseUrl: plugin.config["baseUrl"] }, explicit);
  expect((await plugin.made("User", "ada", user)).id).toMatch(/^accounts\/acme\/users\//);
});

test("the default provider's settings are the stack's config", async () => {
  plugin = await Plugin.start({ configured: false });
  await plugin.configure({ ...plugin.config, apiKey: secret("acme-key"), version: "1.2.3" }, byDefault);
  expect((await plugin.made("User", "ada", user)).id).toMatch(/^accounts\/acme\/users\//);
});

test("a missing setting is an error of each operation that needs it, with the places", async () => {
  plugin = await Plugin.start({ configured: false });
  await plugin.configure({ accountId: "acme" }, byDefault);
  for (const attempt of [plugin.create("User", "ada", user), plugin.create("User", "ada", user)])
    expect((await failed(attempt)).message).toMatch(
      /no API key for account `acme`.*modelplatform:apiKey.*MODELPLATFORM_API_KEY/,
    );
});
