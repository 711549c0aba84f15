import { managedSpecs } from "../../provider/resources/index";
import { liveWorld } from "../e2e/live-world";
import { secret, unknown } from "../pulumi/support/declared";
import { closeAll, failed, Plugin } from "./support/plugin";

let plugin: Plugin;
beforeEach(async () => {
  plugin = await Plugin.start();
  await plugin.seed(liveWorld("acme"));
});
afterEach(closeAll);

const live = (collection: string): string[] =>
  Object.keys(liveWorld("acme")).filter((name) => name.startsWith(`accounts/acme/${collection}`));

test.each(managedSpecs.map(({ kind, collection }) => [kind, collection]))(
  "%s objects are listed by ids that an import takes",
  async (kind, collection) => {
    const found = (await plugin.list(kind)) as { id: string; name: string }[];
    expect(found.map(({ id }) => id).sort()).toEqual(live(collection!).sort());
    expect(found.every(({ id, name }) => id.endsWith(`/${name}`))).toBe(true);
    expect((await plugin.read(kind, "it", found[0]!.id)).inputs).toBeDefined();
  },
);

test("a filter, a limit and an account are obeyed", async () => {
  expect(await plugin.list("User", { filter: 'role="contributor"' })).toEqual([
    { id: "accounts/acme/users/ada", name: "ada" },
  ]);
  expect(await plugin.list("User", {}, 1)).toHaveLength(1);
  expect((await failed(plugin.list("User", { accountId: "other" }))).message).toMatch(/no API key for account `other`/);
});

test("what is deleted is not listed", async () => {
  const { id, outputs } = await plugin.made("Deployment", "gone", { baseModel: "accounts/platform/models/open-8b" });
  await (await plugin.another()).delete("Deployment", "gone", id, outputs);
  expect(JSON.stringify(await plugin.list("Deployment"))).not.toContain("gone");
});

test("a list by an unknown filter has an unknown result", async () => {
  expect(await plugin.list("User", { filter: unknown })).toEqual(["unknown"]);
});

test("a wrong question says what is wrong, and no secret in it", async () => {
  expect((await failed(plugin.list("User", { colour: "red" }))).message).toMatch(/User.*colour/);
  expect((await failed(plugin.list("PolicySettings", { filter: "x" }))).message).toMatch(/filter/);
  expect((await failed(plugin.list("Spaceship"))).message).toMatch(/not a resource type/);
  const { message } = await failed(plugin.list("User", { filter: secret('canary-4f1c9a" AND') }));
  expect(message).not.toContain("canary-4f1c9a");
  plugin = await Plugin.start({ configured: false });
  expect((await failed(plugin.list("User"))).message).toMatch(/before it was configured/);
});
