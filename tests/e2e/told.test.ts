import type { Values } from "../values";
import { builtIn } from "./engines";
import { openModel } from "./everything";
import type { Site } from "./site";
import { openSite } from "./sites";

const ada = (more: Values = {}) => ({ kind: "User", userId: "ada", email: "ada@example.com", role: "user", ...more });
const chat = { kind: "Deployment", deploymentId: "chat", baseModel: openModel, deploymentShape: "default" };

let site: Site;
beforeEach(async () => void (site = await openSite(builtIn)));
afterEach(() => site.close());

const text = (output: string): string => output.replace(/\s+/g, " ");
const count = (output: string, part: string): number => text(output).split(part).length - 1;

test.each([
  ["key", { MODELPLATFORM_API_KEY: "" }, "no API key for account `demo`"],
  ["address", { MODELPLATFORM_BASE_URL: "" }, "no base URL is given"],
])("a preview of new resources fails without the %s, says so once, and sends nothing", async (_, env, what) => {
  site.declare({ resources: { ada: ada(), chat } });
  await site.requests();
  const { code, output } = await site.run("preview", { env });
  expect([code, count(output, what)]).toEqual([1, 1]);
  expect(await site.requests()).toEqual([]);
});

test("`up --refresh` says that it has set a change back", async () => {
  await site.up({ resources: { ada: ada() } });
  await site.tamper("accounts/demo/users/ada", { role: "admin" });
  const { output } = await site.expect(0, "up --refresh");
  expect(text(output)).toContain('`role` was reverted from "admin" to "user"');
  expect(text(output)).not.toContain("has not been accepted");
  expect(site.only("users/")).toMatchObject({ role: "user" });
  expect(text((await site.expect(0, "up --refresh")).output)).not.toContain("revert");
});

test("an accepted change is not set back; one that `up` cannot set back still warns", async () => {
  await site.up({ resources: { chat } });
  await site.tamper("accounts/demo/deployments/chat", { directRouteType: "INTERNET" });
  const { output } = await site.expect(0, "up --refresh");
  expect(text(output)).toContain('and the change has not been accepted: `directRouteType` was unset and is "INTERNET"');
  expect(text(output)).not.toContain("was reverted");
});

test("a protected object says what protects it", async () => {
  const env = { MODELPLATFORM_DELETION_PROTECTION: "true" };
  site.declare({ resources: { ada: ada() } });
  await site.expect(0, "up", { env });
  const setting = "protected by `deletionProtection` (the stack's setting, for whatever does not say otherwise)";
  expect(text((await site.expect(1, "destroy", { env })).output)).toContain(setting);
  expect(text((await site.expect(1, "destroy")).output)).not.toContain(setting);
});

test("the plugin names `acceptDrift` as Python spells it, too", async () => {
  const from = "pulumi-modelplatform/plugin";
  await site.up({ resources: { ada: ada() }, from });
  await site.tamper("accounts/demo/users/ada", { role: "admin" });
  const { output } = await site.run("refresh");
  expect(text(output)).toMatch(/set `acceptDrift: "(\w+)"` \(`accept_drift="\1"` in Python\) in the program/);
});

test.each(["ifEqual", "overwrite"])("`up` says that it has adopted what existed (%s)", async (adopt) => {
  await site.seed({
    "accounts/demo/users/ada": { email: "ada@example.com", role: "user", displayName: "Ada", state: "READY" },
    "accounts/demo/policySettings": { residency: "EUROPE" },
  });
  const policy = { kind: "PolicySettings", residency: "EUROPE", adopt };
  const { output } = await site.up({
    resources: { ada: ada({ displayName: adopt === "overwrite" ? "Ada L." : "Ada", adopt }), policy },
  });
  const how =
    adopt === "overwrite"
      ? "existed and was adopted; it is now what the program says"
      : "existed and was adopted as it was";
  expect(text(output)).toContain(`User accounts/demo/users/ada ${how}`);
  expect(text(output)).toContain(`PolicySettings accounts/demo/policySettings ${how}`);
  expect(site.only("users/")).toMatchObject({ displayName: adopt === "overwrite" ? "Ada L." : "Ada" });
});
