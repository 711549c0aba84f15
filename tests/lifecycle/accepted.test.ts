import { createLifecycle } from "../../provider/lifecycle/lifecycle";
import type { Values } from "../../provider/lifecycle/types";
import { specOf } from "../../provider/resources/index";
import { rejection } from "../rejection";
import { createHarness, type Harness } from "./harness";
import { callOf, Refreshed } from "./refreshed";

const policy = "accounts/acme/policySettings";
const model = "accounts/acme/models/support";
const rule = (model: string, allowed: boolean): Values => ({
  model,
  permissions: {
    allowServerless: allowed,
    allowDedicatedDeployments: allowed,
    allowTraining: allowed,
    allowServerlessFast: allowed,
  },
});
const opened = { rules: [rule("accounts/platform/models/open-8b", true)] };
const peft = {
  modelId: "support",
  peftDetails: { baseModel: "accounts/platform/models/open-8b", r: 8, targetModules: ["q"] },
};

let at: Harness;
beforeEach(async () => void (at = await createHarness()));
afterEach(() => at.close());

async function openedPolicy(): Promise<Refreshed> {
  const it = new Refreshed(at, "PolicySettings");
  await it.up({ residency: "EUROPE" });
  await at.change(policy, opened);
  return it;
}

const warnings = ({ told }: Refreshed): string[] => told.filter((text) => text.includes("has not been accepted"));

test("refresh keeps reporting a watched field that no program sets", async () => {
  const it = await openedPolicy();
  expect(await it.refresh({ previewOnly: true })).toBe(true);
  for (let night = 0; night < 3; night++) expect(await it.refresh()).toBe(true);
  expect(warnings(it)[0]).toMatch(/`rules\["accounts\/platform\/models\/open-8b"\]` was unset and is \{"model"/);
});

test("an `up` leaves a field that no program sets as it is, and reports the drift", async () => {
  const it = await openedPolicy();
  await it.refresh();
  expect(await it.up({ residency: "EUROPE" })).toBe(false);
  expect(warnings(it)).toHaveLength(1);
  expect(at.object(policy)).toMatchObject(opened);
});

test("an update of another field accepts nothing", async () => {
  const it = await openedPolicy();
  expect(await it.up({ residency: "EUROPE", cmekRequired: false, onDelete: "clear" })).toBe(true);
  expect(at.object(policy)).toMatchObject(opened);
  expect(await it.refresh()).toBe(true);
});

test("a program that sets the field to the desired value ends the report", async () => {
  const it = await openedPolicy();
  await it.refresh();
  expect(await it.up({ residency: "EUROPE", rules: [] })).toBe(true);
  expect(at.object(policy)).toMatchObject({ rules: [] });
  expect(await it.refresh()).toBe(false);
  expect(warnings(it)).toEqual([]);
});

test("a program that sets the field to what is live accepts that", async () => {
  const it = await openedPolicy();
  await it.refresh();
  expect(await it.up({ residency: "EUROPE", ...opened })).toBe(true);
  expect(await it.refresh()).toBe(false);
  expect(await it.up({ residency: "EUROPE", ...opened })).toBe(false);
});

test("the token that a refresh names accepts what that refresh showed", async () => {
  const it = await openedPolicy();
  await it.refresh({ previewOnly: true });
  const program = { residency: "EUROPE", acceptDrift: it.word };
  expect(await it.up(program)).toBe(true);
  expect(warnings(it)).toEqual([]);
  expect(await it.refresh()).toBe(false);
  expect(await it.up(program)).toBe(false);
  expect(at.object(policy)).toMatchObject(opened);
});

test("a token accepts no later change, and works once", async () => {
  const it = await openedPolicy();
  await it.refresh();
  const program = { residency: "EUROPE", acceptDrift: it.word };
  await at.change(policy, { rules: [rule("accounts/platform/models/open-70b", true)] });
  await it.up(program);
  expect(await it.refresh()).toBe(true);
  expect(it.word).not.toBe(program.acceptDrift);
  await at.change(policy, opened);
  expect(await it.up(program)).toBe(false);
  expect(await it.refresh()).toBe(true);
});

test("a change that is reverted by hand is no longer reported", async () => {
  const it = await openedPolicy();
  await it.refresh();
  await at.change(policy, { rules: null });
  expect(await it.refresh()).toBe(false);
  expect(await it.refresh({ previewOnly: true })).toBe(false);
});

test("refresh keeps reporting a watched field of the program until `up` reverts it", async () => {
  const it = new Refreshed(at, "PolicySettings");
  await it.up({ residency: "EUROPE" });
  await at.change(policy, { residency: "GLOBAL" });
  expect(await it.refresh()).toBe(true);
  expect(await it.refresh()).toBe(true);
  expect(await it.up({ residency: "EUROPE" })).toBe(true);
  expect(at.object(policy)).toMatchObject({ residency: "EUROPE" });
  expect(await it.refresh()).toBe(false);
});

test("a refresh of settings that somebody tightened writes nothing that opens them", async () => {
  const it = new Refreshed(at, "PolicySettings");
  await it.up({ residency: "GLOBAL" });
  await at.change(policy, { residency: "US" });
  expect(await it.refresh()).toBe(true);
  await expect(it.up({ residency: "GLOBAL" })).rejects.toThrow("would loosen");
});

test("a program that adopts the live value of a field accepts it and sends nothing", async () => {
  const it = new Refreshed(at, "PolicySettings");
  await it.up({ residency: "EUROPE" });
  await at.change(policy, { residency: "US" });
  await it.refresh();
  expect(await it.up({ residency: "US" })).toBe(true);
  expect(await it.refresh()).toBe(false);
  expect(await it.up({ residency: "US" })).toBe(false);
});

test("side effects of an update are accepted with it", async () => {
  const it = new Refreshed(at, "User");
  const ada = { email: "ada@example.com", role: "user" };
  await it.up(ada);
  const name = String(it.outputs["name"]);
  expect(await it.up({ ...ada, role: "contributor" })).toBe(true);
  expect(await it.refresh()).toBe(false);
  await at.change(name, { permissionPreset: "everything" });
  expect(await it.refresh()).toBe(true);
});

test("a model that someone made public is reported until it is private again", async () => {
  const it = new Refreshed(at, "Model");
  await it.up(peft);
  await at.change(model, { public: true });
  expect(await it.refresh()).toBe(true);
  expect(await it.up({ ...peft, displayName: "Support" })).toBe(true);
  expect(await it.refresh()).toBe(true);
  expect(await it.up({ ...peft, displayName: "Support", public: false })).toBe(true);
  expect(at.object(model)).not.toMatchObject({ public: true });
  expect(await it.refresh()).toBe(false);
});

test("an object recreated by hand counts as another one until the program accepts it", async () => {
  const it = new Refreshed(at, "Model");
  await it.up(peft);
  await at.change(model, { createTime: "2026-01-03T00:00:00Z" });
  expect(await it.refresh()).toBe(true);
  expect(await it.refresh()).toBe(true);
  expect(it.told.join()).toMatch(/`createTime` was "2026-01-01T[^"]*" and is "2026-01-03T00:00:00Z"\.\nIf it is yours/);
  const { word } = it;
  const error = await rejection(it.up({ ...peft, displayName: "Support" }));
  expect(error.message).toContain("is not the object that the state recorded");
  expect(await it.up({ ...peft, displayName: "Support", acceptDrift: word })).toBe(true);
  expect(await it.refresh()).toBe(false);
});

test("one time in two spellings is no change", async () => {
  const it = new Refreshed(at, "Model");
  await it.up(peft);
  const made = new Date(String(at.object(model)!["createTime"]));
  await at.change(model, { createTime: made.toISOString().replace("Z", "000Z") });
  expect(await it.refresh()).toBe(false);
});

test("a state without the record has accepted what it recorded, and no later change", async () => {
  const it = new Refreshed(at, "PolicySettings");
  await it.up({ residency: "EUROPE" });
  const { accepted, ...former } = it.outputs;
  expect(accepted).toBeDefined();
  it.restore(former, { residency: "EUROPE", accountId: "acme" });
  expect(await it.up({ residency: "EUROPE" })).toBe(false);
  expect(await it.refresh({ previewOnly: true })).toBe(false);
  await at.change(policy, opened);
  expect(await it.refresh()).toBe(true);
  expect(await it.refresh()).toBe(true);
});

test("what is imported is accepted as it is", async () => {
  await at.put(policy, { residency: "EUROPE", ...opened, updateTime: "2026-01-01T00:00:00Z" });
  const it = new Refreshed(at, "PolicySettings");
  const { inputs, outputs } = (await at.process().read("PolicySettings", "it", { name: policy }))!;
  it.restore(outputs, inputs);
  expect(await it.refresh()).toBe(false);
  await at.change(policy, { rules: null });
  expect(await it.refresh()).toBe(true);
});

test("no watched field is a secret, because accepted values are kept in clear", () => {
  for (const kind of [
    "Deployment",
    "User",
    "Secret",
    "PolicySettings",
    "SupervisedFineTuningJob",
    "RlorTrainerJob",
    "DeployedModel",
    "Model",
  ])
    expect(specOf(kind)!.fields.message.filter(({ markers }) => markers.watched && markers.secret)).toEqual([]);
});

test("a role that the program ignores is neither set back nor accepted", async () => {
  const it = new Refreshed(at, "User");
  it.ignoreChanges = ["role"];
  const ada = { email: "ada@example.com", role: "user" };
  await it.up(ada);
  await at.change("accounts/acme/users/ada", { role: "admin" });
  await it.refresh();
  expect(it.told.join("\n")).not.toContain("`up` sets");
  expect(it.outputs).toMatchObject({ role: "admin", accepted: { role: "user" } });
  for (let night = 0; night < 3; night++) expect([await it.refresh(), await it.up(ada)]).toEqual([false, false]);
  expect(await it.up({ ...ada, displayName: "Ada" })).toBe(true);
  expect(at.object("accounts/acme/users/ada")).toMatchObject({ role: "admin", displayName: "Ada" });
  expect(it.outputs).toMatchObject({ accepted: { role: "user" } });
  it.ignoreChanges = [];
  expect(await it.up({ ...ada, displayName: "Ada" })).toBe(true);
  expect(at.object("accounts/acme/users/ada")).toMatchObject({ role: "user" });
});

test("each resource that was changed says how that is reverted and accepted", async () => {
  const run = at.process();
  const lifecycle = createLifecycle(specOf("User")!, run.world);
  for (const userId of ["ada", "bob"]) {
    const it = new Refreshed(at, "User", userId);
    await it.up({ userId, email: `${userId}@example.com`, role: "contributor" });
    await at.change(it.state!.id, { role: "admin" });
    const { outputs } = (await run.read("User", userId, it.outputs))!;
    await lifecycle.diff(callOf("User", userId, run.messages, []), it.state!.id, outputs, it.state!.inputs);
  }
  const said = run.messages.filter((text) => text.includes("was changed outside"));
  expect(said).toHaveLength(2);
  // Engines print them in orders of their own, and the Pulumi CLI the first line with each event.
  for (const text of said)
    expect(text).toMatch(
      /\.\n`.*` makes `role` what the program says; .* set `acceptDrift: "\w+"` in the program first\.$/,
    );
});
