import { CheckRequest } from "@pulumi/pulumi/proto/provider_pb";
import { hiddenInput } from "../../provider/core/declaration/own-fields";
import type { ResourceLifecycle } from "../../provider/lifecycle/types";
import { createPluginService } from "../../provider/plugin/service";
import type { ResourceReporter } from "../../provider/pulumi/reporter";
import { secret, shown, unknown } from "../pulumi/support/declared";
import { closeAll, failed, Plugin, urnOf } from "./support/plugin";

let plugin: Plugin;
beforeEach(async () => void (plugin = await Plugin.start()));
afterEach(closeAll);

const chat = { baseModel: "accounts/platform/models/open-8b", deploymentShape: "default", maxReplicaCount: 2 };

test("the handshake takes secrets, and the engine's address", async () => {
  expect(await plugin.handshake()).toMatchObject({ acceptSecrets: true, acceptResources: false, acceptOutputs: false });
  expect(plugin.engines).toEqual(["127.0.0.1:1"]);
});

test("an engine's name becomes the id, once, and is refused by its origin", async () => {
  expect(await plugin.handshake()).toMatchObject({ supportsAutonamingConfiguration: true });
  const { PROPOSE, ENFORCE, DISABLE } = CheckRequest.AutonamingOptions.Mode;
  const named = (name: string, mode: 0 | 1 | 2) =>
    new CheckRequest.AutonamingOptions().setProposedName(name).setMode(mode);
  const first = await plugin.check("Deployment", "chat", chat, {}, named("Dev_chat", PROPOSE));
  expect(first).toMatchObject({ inputs: { deploymentId: "dev-chat" }, failures: [] });
  expect((await plugin.create("Deployment", "chat", first.inputs)).id).toBe("accounts/acme/deployments/dev-chat");
  const second = await plugin.check("Deployment", "chat", chat, first.inputs, named("other", ENFORCE));
  expect(second).toMatchObject({ inputs: { deploymentId: "dev-chat" }, failures: [] });
  expect((await plugin.check("Deployment", "two", chat, {}, named("", DISABLE))).failures).toEqual([
    {
      property: "deploymentId",
      reason: "is missing, and `pulumi:autonaming` is `disabled`: give the id (`deployment_id` in Python)",
    },
  ]);
  expect((await plugin.check("Deployment", "three", chat, {}, named("a/b", ENFORCE))).failures).toEqual([
    {
      property: "deploymentId",
      reason: expect.stringMatching(/; `pulumi:autonaming` gives it \(`deployment_id` in Python\)$/),
    },
  ]);
});

test("a schema is answered in version 0 alone", async () => {
  expect(await plugin.schema(0)).toBe("{}");
  expect((await failed(plugin.schema(7))).message).toMatch(/no schema of version 7.*version 0/);
});

test("a deployment is checked, created, compared, changed, read and deleted", async () => {
  const { id, inputs, outputs } = await plugin.made("Deployment", "chat", chat);
  expect(id).toMatch(/^accounts\/acme\/deployments\/chat-[0-9a-f]{7}$/);
  expect(outputs).toMatchObject({ name: id, state: "READY", maxReplicaCount: 2 });
  expect(Object.keys(outputs).filter((name) => name.startsWith("__"))).toEqual([]);
  const same = await plugin.diff("Deployment", "chat", id, { olds: outputs, oldInputs: inputs, news: inputs });
  expect(same).toMatchObject({ changes: "none", detailed: {} });

  const changed = { ...inputs, maxReplicaCount: 3, annotations: { "custom/team": "chat" } };
  const diff = await plugin.diff("Deployment", "chat", id, { olds: outputs, oldInputs: inputs, news: changed });
  expect(diff).toMatchObject({
    changes: "some",
    replaces: [],
    diffs: expect.arrayContaining(["maxReplicaCount", "annotations"]),
    detailed: { maxReplicaCount: "UPDATE", 'annotations["custom/team"]': "ADD" },
  });
  const updated = await plugin.update("Deployment", "chat", id, outputs, changed);
  expect(updated).toMatchObject({ maxReplicaCount: 3, annotations: { "custom/team": "chat" } });

  const read = await plugin.read("Deployment", "chat", id, { properties: updated, inputs: changed });
  expect(read).toMatchObject({ id, inputs: { maxReplicaCount: 3 }, outputs: { maxReplicaCount: 3 } });
  const destroying = await plugin.another();
  await destroying.delete("Deployment", "chat", id, read.outputs!);
  expect(await destroying.read("Deployment", "chat", id, { properties: updated })).toEqual({
    id: "",
    outputs: undefined,
    inputs: undefined,
  });
});

test("a change that replaces says so by its property path", async () => {
  const { id, inputs, outputs } = await plugin.made("Deployment", "chat", { ...chat, deploymentId: "chat" });
  const news = { ...inputs, preemptible: true };
  expect(await plugin.diff("Deployment", "chat", id, { olds: outputs, oldInputs: inputs, news })).toMatchObject({
    changes: "some",
    replaces: ["preemptible"],
    stables: [],
    deleteBeforeReplace: true,
    detailed: { preemptible: expect.stringMatching(/_REPLACE$/) },
  });
});

test("a preview of a create shows what is given, and what is computed as unknown", async () => {
  const { inputs } = await plugin.check("Deployment", "chat", chat);
  const { id, outputs } = await plugin.create("Deployment", "chat", inputs, { preview: true });
  expect(id).toBe("");
  expect(outputs).toMatchObject({
    maxReplicaCount: 2,
    accountId: "acme",
    name: unknown,
    state: unknown,
    deploymentId: unknown,
  });
  expect(plugin.emulator.world.get("accounts/acme/deployments/chat")).toBeUndefined();
});

test("a preview of an update shows what stays and what is given; the rest is unknown", async () => {
  const { id, inputs, outputs } = await plugin.made("Deployment", "chat", chat);
  const changed = await plugin.update(
    "Deployment",
    "chat",
    id,
    outputs,
    { ...inputs, maxReplicaCount: 3 },
    { preview: true },
  );
  expect(changed).toMatchObject({
    name: id,
    accountId: "acme",
    maxReplicaCount: 3,
    state: unknown,
    baseModel: chat.baseModel,
  });
  const same = await plugin.update("Deployment", "chat", id, outputs, inputs, { preview: true });
  expect(same).toMatchObject({ name: id, state: "READY" });
});

test("a value not yet known passes check, and is a difference", async () => {
  const { id, inputs, outputs } = await plugin.made("Deployment", "chat", chat);
  const { inputs: news, failures } = await plugin.check(
    "Deployment",
    "chat",
    { ...chat, displayName: unknown },
    inputs,
  );
  expect(failures).toEqual([]);
  expect(news["displayName"]).toBe(unknown);
  expect(await plugin.diff("Deployment", "chat", id, { olds: outputs, oldInputs: inputs, news })).toMatchObject({
    changes: "some",
    detailed: { displayName: "ADD" },
  });
});

const canary = "canary-4f1c9a";

test("what came in as secret is in no answer as anything else, wherever it stands", async () => {
  const news = {
    ...chat,
    displayName: secret(canary),
    annotations: { "custom/a": secret(`${canary}-a`), "custom/b": "b" },
  };
  const { inputs } = await plugin.check("Deployment", "chat", news);
  expect(shown(inputs)).not.toContain(canary);
  expect(inputs).toMatchObject({ accountId: "acme", annotations: { "custom/b": "b" } });
  const preview = await plugin.create("Deployment", "chat", inputs, { preview: true });
  const { id, outputs } = await plugin.create("Deployment", "chat", inputs);
  const updated = await plugin.update("Deployment", "chat", id, outputs, { ...inputs, maxReplicaCount: 3 });
  const read = await plugin.read("Deployment", "chat", id, { properties: updated, inputs });
  for (const answer of [preview, outputs, updated, read]) expect(shown(answer)).not.toContain(canary);
  expect(outputs["displayName"]).toEqual(secret(canary));
  expect(plugin.emulator.world.get(id)?.fields["displayName"]).toBe(canary);
});

test("a secret that is wrong is named by its property alone", async () => {
  const { failures } = await plugin.check("Deployment", "chat", { ...chat, maxReplicaCount: secret(canary) });
  expect(failures).toEqual([{ property: "", reason: expect.stringMatching(/^maxReplicaCount: /) }]);
  expect(JSON.stringify(failures)).not.toContain(canary);
});

test("the value of a Secret, and its digest, go back marked", async () => {
  const { inputs, outputs } = await plugin.made("Secret", "s3", { keyName: "S3_KEY", value: canary });
  expect(inputs["value"]).toEqual(secret(canary));
  expect(outputs).toMatchObject({ value: secret(canary), digests: secret(expect.anything()) });
});

test("a failed object is recorded with the protocol's detail, and an update repairs it", async () => {
  const { inputs } = await plugin.check("Deployment", "wrong", {
    baseModel: chat.baseModel,
    acceleratorType: "VENDOR1_L4_24GB",
    acceleratorCount: 1,
    precision: "NF4",
  });
  expect(await failed(plugin.create("Deployment", "wrong", inputs))).toMatchObject({
    message: expect.stringContaining("FAILED"),
    failure: "failed",
    recorded: {
      id: expect.stringMatching(/^accounts\/acme\/deployments\/wrong-/),
      properties: { state: "FAILED" },
      reasons: [expect.stringContaining("FAILED")],
    },
  });
});

test("what is refused carries the code of its error beside its words", async () => {
  const { inputs } = await plugin.made("Deployment", "chat", { ...chat, deploymentId: "chat" });
  expect(await failed(plugin.create("Deployment", "other", inputs))).toMatchObject({ failure: "held-by-another" });
});

test("a deployment that is recorded as failed, and is well, is not replaced", async () => {
  const { id, inputs, outputs } = await plugin.made("Deployment", "chat", chat);
  const olds = { ...outputs, state: "FAILED" };
  const compare = () => plugin.diff("Deployment", "chat", id, { olds, oldInputs: inputs, news: inputs });
  expect(await compare()).toMatchObject({ changes: "some", replaces: [] });
  expect(await plugin.update("Deployment", "chat", id, olds, inputs)).toMatchObject({ name: id, state: "READY" });
  plugin.emulator.world.remove(id);
  expect(await compare()).toMatchObject({ changes: "some", replaces: ["state"] });
});

/** The service over a life cycle that does what the test says. */
async function over(lifecycle: Partial<ResourceLifecycle>, heard: Partial<ResourceReporter> = {}) {
  const service = createPluginService({
    open: async () => ({
      client: undefined!,
      lifecycleOf: () => lifecycle as ResourceLifecycle,
      redact: (text) => text,
    }),
    reporterFor: () => ({ status: () => {}, info: () => {}, warn: () => {}, during: (work) => work(), ...heard }),
    interruption: {
      signal: new AbortController().signal,
      during: (work) => work(),
      abort: () => {},
      interrupt: () => {},
    },
    debug: false,
    version: "1.2.3",
    env: {},
  });
  await service.configure({});
  return service;
}

test("the engine's timeout reaches the life cycle, and none is none", async () => {
  const timeouts: (number | undefined)[] = [];
  const service = await over({
    create: async ({ timeout }) => {
      timeouts.push(timeout);
      return { id: "accounts/acme/users/ada", outputs: {} };
    },
  });
  for (const timeout of [90, 0])
    await service.create({ urn: urnOf("User", "ada"), timeout, properties: {}, preview: false });
  expect(timeouts).toEqual([90, undefined]);
});

test("the life cycle hears whether a language hands over earlier names", async () => {
  const heard: unknown[] = [];
  const service = await over({
    check: async () => ({ inputs: {}, failures: [], warnings: [] }),
    create: async ({ hidden: { aliases, aliasesUnknown } }) => {
      heard.push({ aliases, aliasesUnknown });
      return { id: "accounts/acme/users/ada", outputs: {} };
    },
  });
  const urn = urnOf("User", "ada");
  for (const news of [{}, { [hiddenInput]: {} }]) {
    await service.check({ urn, olds: {}, news });
    await service.create({ urn, timeout: 0, properties: {}, preview: false });
  }
  expect(heard).toEqual([{ aliasesUnknown: true }, { aliases: [] }]);
});

test("other languages read both spellings, and a command that needs no package", async () => {
  const said: string[] = [];
  const text =
    'Set `onSoftDeletedConflict: "hardDelete"` or `deletionProtection: false`, see `autoscalingPolicy.loadTargets`, `annotations.displayName` and `role`. ' +
    "Not `deletionProtection`: `ifEqual`, `modelplatform:accountId`, `npx pulumi-modelplatform call getUser --user a`";
  const check = async () => ({
    inputs: {},
    failures: [
      { property: "maxReplicaCount", reason: "must be at most 3" },
      { property: "role", reason: "is required" },
    ],
    warnings: [text],
  });
  const service = await over({ check }, { warn: (warning) => void said.push(warning) });
  const urn = urnOf("User", "ada");
  const { failures } = await service.check({ urn, olds: {}, news: {} });
  expect(failures.map(({ reason }) => reason)).toEqual([
    "must be at most 3 (`max_replica_count` in Python)",
    "is required",
  ]);
  expect(said).toEqual([
    'Set `onSoftDeletedConflict: "hardDelete"` (`on_soft_deleted_conflict="hardDelete"` in Python) or ' +
      "`deletionProtection: false` (`deletion_protection=False` in Python), see `autoscalingPolicy.loadTargets` " +
      "(`autoscaling_policy.load_targets` in Python), `annotations.displayName` and `role`. Not `deletionProtection` (`deletion_protection` in " +
      "Python): `ifEqual`, `modelplatform:accountId`, `npx pulumi-modelplatform@1.2.3 call getUser --user a`",
  ]);
  const own = await service.check({ urn, olds: {}, news: { [hiddenInput]: {} } });
  expect([own.failures[0]?.reason, said[1]]).toEqual(["must be at most 3", text]);
});

test("an id of another kind reaches no life cycle", async () => {
  let calls = 0;
  const service = await over({ delete: async () => (calls++, "deleted" as const) });
  const name = "accounts/acme/deployments/chat";
  const properties = { name, accountId: "acme", endpoint: "https://api.example.com" };
  const deleting = service.delete({ urn: urnOf("User", "ada"), id: name, properties, timeout: 0 });
  await expect(deleting).rejects.toMatchObject({
    code: "not-a-name",
    message: expect.stringContaining("is not the name of a User"),
  });
  expect(calls).toBe(0);
});

test("Cancel ends what waits, whose object is recorded, and lets nothing new begin", async () => {
  const { inputs } = await plugin.check("Deployment", "slow", chat);
  await plugin.halt();
  const creating = failed(plugin.create("Deployment", "slow", inputs));
  while (plugin.logged.length === 0) await new Promise(setImmediate);
  await plugin.cancel();
  expect((await creating).recorded).toMatchObject({ id: expect.stringContaining("/deployments/slow-") });
  expect((await failed(plugin.create("Deployment", "other", inputs))).message).toMatch(/interrupted before it began/);
});

test("what is said of a resource goes to the engine under its own URN", async () => {
  await plugin.check("Deployment", "old", { ...chat, expireTime: "2030-01-01T00:00:00Z" });
  expect(plugin.logged).toContainEqual({
    severity: "warning",
    urn: urnOf("Deployment", "old"),
    text: expect.stringContaining("`expireTime` (`expire_time` in Python) is deprecated"),
  });
});

test("a preview warns once of a config's key that wins over the environment's", async () => {
  const keys = (apiKey: string) => ({ env: { MODELPLATFORM_ACCOUNTS: JSON.stringify({ acme: { apiKey } }) } });
  const preview = async (under: Plugin): Promise<string[]> => {
    for (const name of ["ada", "grace"]) {
      const { inputs } = await under.check("User", name, { email: `${name}@example.com`, role: "user" });
      await under.create("User", name, inputs, { preview: true });
    }
    return under.logged.filter(({ severity }) => severity === "warning").map(({ text }) => text);
  };
  const warning =
    "the key of account `acme` comes from the config `modelplatform:apiKey`, which wins over another one in the environment variable `MODELPLATFORM_ACCOUNTS`; leave it out of the stack's config where the environment's is meant";
  expect(await preview(await Plugin.start(keys("read-key")))).toEqual([warning]);
  expect(await preview(await Plugin.start(keys("acme-key")))).toEqual([]);
});

test("a function answers what the service says", async () => {
  const { id } = await plugin.made("User", "ada", { email: "ada@example.com", role: "user" });
  expect(await plugin.invoke("listUsers", {})).toMatchObject({ users: [{ name: id }] });
  expect((await failed(plugin.invoke("listNothing", {}))).message).toMatch(
    /`modelplatform:index:listNothing` is not a function/,
  );
});

test("a function is unknown in a preview if it gives credentials or lacks an argument", async () => {
  const upload = { modelId: "m", filenameToSize: { "a.bin": "1" } };
  expect(await plugin.invoke("getModelUploadEndpoint", upload, { preview: true })).toMatchObject({
    filenameToSignedUrls: unknown,
  });
  expect(await plugin.invoke("getModel", { modelId: unknown }, { preview: true })).toMatchObject({ name: unknown });
});
