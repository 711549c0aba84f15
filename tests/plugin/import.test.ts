import { managedSpecs } from "../../provider/resources/index";
import { liveWorld } from "../e2e/live-world";
import { shown } from "../pulumi/support/declared";
import type { Values } from "../values";
import { closeAll, Plugin } from "./support/plugin";

let plugin: Plugin;
beforeEach(async () => {
  plugin = await Plugin.start();
  await plugin.seed(liveWorld("acme"));
});
afterEach(closeAll);

/** Every object of the live world but failed ones, which a program replaces. */
const importable = Object.entries(liveWorld("acme") as Record<string, Values>)
  .filter(([, { state }]) => state !== "FAILED")
  .map(([id]) => [managedSpecs.find(({ collection }) => collection === id.split("/")[2])!.kind, id] as const);

test.each(importable)(
  "a %s is imported as a person would write it, and then changes nothing (%s)",
  async (kind, id) => {
    const { id: found, inputs: read, outputs } = await plugin.read(kind, "it", id);
    expect(found).toBe(id);
    for (const noise of ["state", "updateTime", "name", "accountId", "endpoint", "managedFields"])
      expect(Object.keys(read!)).not.toContain(noise);
    const { inputs, failures } = await plugin.check(kind, "it", read!, read!);
    expect(failures).toEqual([]);
    expect(await plugin.diff(kind, "it", id, { olds: outputs!, oldInputs: read!, news: inputs })).toMatchObject({
      changes: "none",
      detailed: {},
    });
    const preview = await plugin.update(kind, "it", id, outputs!, inputs, { preview: true });
    expect(preview["name"]).toBe(id);
  },
);

test("what a refresh reads of an imported object changes nothing", async () => {
  const id = "accounts/acme/deployments/chat";
  const { inputs, outputs } = await plugin.read("Deployment", "chat", id);
  const read = await plugin.read("Deployment", "chat", id, { properties: outputs!, inputs: inputs! });
  const olds = { olds: read.outputs!, oldInputs: read.inputs! };
  expect(await plugin.diff("Deployment", "chat", id, { ...olds, news: inputs! })).toMatchObject({ changes: "none" });
});

test("a Secret's value cannot be imported: the import says so, and what replaces it", async () => {
  const { inputs, outputs } = await plugin.read("Secret", "key", "accounts/acme/secrets/storage-key");
  expect(inputs).toEqual({ secretId: "storage-key", keyName: "STORAGE_KEY", valueFrom: { env: "STORAGE_KEY" } });
  expect(JSON.stringify(outputs)).not.toContain("live-value");
  const said = plugin.logged.map(({ text }) => text).join("\n");
  expect(said).toMatch(/never gives `value` back/);
  expect(said).toMatch(/`valueFrom` \(`value_from` in Python\) stands in.*STORAGE_KEY/);
  expect(said).not.toMatch(/no program can declare it/);
});

test("an answered secret is not written into the program, and stays marked in state", async () => {
  const { inputs, outputs } = await plugin.read("Deployment", "chat", "accounts/acme/deployments/chat");
  expect(Object.keys(inputs!)).not.toContain("directRouteApiKeys");
  expect(shown({ inputs, outputs })).not.toContain("direct-route-key");
  expect(plugin.logged).toContainEqual(
    expect.objectContaining({ text: expect.stringMatching(/`directRouteApiKeys` .* is a secret/) }),
  );
});

test("an object of another account is imported with its account", async () => {
  plugin = await Plugin.start({ configured: false });
  await plugin.seed(liveWorld("acme"));
  const accounts = JSON.stringify({ acme: { apiKey: "acme-key" } });
  await plugin.configure({ accountId: "beta", accounts, baseUrl: plugin.config["baseUrl"] });
  const { inputs } = await plugin.read("User", "ada", "accounts/acme/users/ada");
  expect(inputs).toMatchObject({ accountId: "acme", userId: "ada" });
});

test.each([
  ["User", "an object of which there is none", "accounts/acme/users/nobody"],
  ["PolicySettings", "settings that were never saved", "accounts/acme/policySettings"],
])("a %s answers no id for %s", async (kind, _, id) => {
  const fresh = await Plugin.start();
  expect(await fresh.read(kind, "it", id)).toEqual({ id: "", outputs: undefined, inputs: undefined });
});

test("a look at an object, as `.get` takes it, makes no remarks", async () => {
  const { outputs } = await plugin.read("Secret", "key", "accounts/acme/secrets/storage-key", {
    properties: {},
    inputs: {},
  });
  expect(outputs).toMatchObject({ name: "accounts/acme/secrets/storage-key", keyName: "STORAGE_KEY" });
  expect(plugin.logged).toEqual([]);
});
