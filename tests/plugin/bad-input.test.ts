import { closeAll, failed, Plugin, urnOf } from "./support/plugin";

let plugin: Plugin;
afterEach(closeAll);

test("a call before Configure says which call is missing", async () => {
  plugin = await Plugin.start({ configured: false });
  const { message, code } = await failed(plugin.create("User", "ada", { email: "ada@example.com", role: "user" }));
  expect(message).toMatch(/before it was configured.*`Configure`/);
  expect(code).toBe(9);
  expect((await failed(plugin.invoke("listUsers", {}))).message).toMatch(/before it was configured/);
});

test.each([
  [
    "of another kind",
    "accounts/acme/users/ada",
    /is not the name of a Deployment.*accounts\/\{account\}\/deployments\/\{deploymentId\}/,
  ],
  ["of another account", "accounts/other/deployments/chat", /no API key for account `other`/],
])("an id %s cannot be imported", async (_, id, message) => {
  plugin = await Plugin.start();
  expect((await failed(plugin.read("Deployment", "chat", id))).message).toMatch(message);
});

test("a half-written state is not acted upon", async () => {
  plugin = await Plugin.start();
  const id = "accounts/acme/users/ada";
  const news = { email: "ada@example.com", role: "user", accountId: "acme" };
  const attempts = [
    plugin.diff("User", "ada", id, { olds: {}, oldInputs: {}, news }),
    plugin.update("User", "ada", id, { email: "ada@example.com" }, news),
    plugin.delete("User", "ada", id, {}),
  ];
  for (const attempt of attempts)
    expect((await failed(attempt)).message).toMatch(
      /the state of User accounts\/acme\/users\/ada is incomplete.*`refresh`/,
    );
});

test("a refresh repairs a half-written state", async () => {
  plugin = await Plugin.start();
  const { id, inputs } = await plugin.made("User", "ada", { email: "ada@example.com", role: "user" });
  const { outputs } = await plugin.read("User", "ada", id, { properties: {}, inputs });
  expect(await plugin.diff("User", "ada", id, { olds: outputs!, oldInputs: inputs, news: inputs })).toMatchObject({
    changes: "none",
  });
});

test("a type that this release does not know is named", async () => {
  plugin = await Plugin.start();
  expect((await failed(plugin.create("Spaceship", "one", {}))).message).toMatch(
    /`modelplatform:index:Spaceship` is not a resource type/,
  );
  expect(urnOf("Spaceship", "one")).toContain("Spaceship");
});

test.each([
  ["1.2.3", true],
  ["1.0.0", true],
  ["1.2.4", false],
  ["1.3.0", false],
  ["2.0.0", false],
  ["0.9.0", false],
])("a plugin of version 1.2.3 serves an SDK of version %s: %s", async (version, isServed) => {
  plugin = await Plugin.start({ configured: false });
  const { failures } = await plugin.checkConfig({ version });
  expect(failures).toEqual(
    isServed ? [] : [{ property: "", reason: expect.stringMatching(new RegExp(`${version}.*1\\.2\\.3`)) }],
  );
});

test("a recorded object is not looked up at another address", async () => {
  plugin = await Plugin.start();
  const { id, inputs, outputs } = await plugin.made("User", "ada", { email: "ada@example.com", role: "user" });
  const moved = { ...outputs, endpoint: "https://elsewhere.example.com" };
  const diff = plugin.diff("User", "ada", id, { olds: moved, oldInputs: inputs, news: inputs });
  expect((await failed(diff)).message).toMatch(/elsewhere\.example\.com/);
});
