import { InitFailedError } from "../../provider/lifecycle/types";
import { refusal, rejection } from "../rejection";
import { createHarness, type Harness } from "./harness";

const chat = { baseModel: "accounts/platform/models/open-8b", deploymentShape: "default" };

let at: Harness;
beforeEach(async () => void (at = await createHarness()));
afterEach(() => at.close());

test("a created deployment is READY, recorded under its full name, and as programmed", async () => {
  const { id, outputs } = await at.process().create("Deployment", "chat", { ...chat, displayName: "Chat" });
  expect(id).toMatch(/^accounts\/acme\/deployments\/chat-[0-9a-f]{7}$/);
  expect(outputs).toMatchObject({
    name: id,
    state: "READY",
    accountId: "acme",
    managedFields: ["baseModel", "deploymentShape", "displayName"],
  });
  expect(outputs["deploymentShape"]).toMatch(/\/versions\//);
});

test("a second diff of an unchanged program finds no change and sends nothing", async () => {
  const { outputs } = await at.process().create("Deployment", "chat", chat);
  await at.requests();
  expect(await at.process().diff("Deployment", "chat", outputs, chat)).toMatchObject({ changes: false });
  expect(await at.requests()).toEqual([]);
});

test("an interrupted create is recorded with its id, and the next update waits for it", async () => {
  const process = at.process();
  const creating = rejection(process.create("Deployment", "chat", chat));
  await at.clock.sleep(5_000);
  process.abort.abort();
  const error = (await creating) as InitFailedError;
  expect(error).toBeInstanceOf(InitFailedError);
  expect(error.outputs).toMatchObject({ state: "CREATING" });
  const outputs = await at.process().update("Deployment", "chat", error.outputs, chat);
  expect(outputs).toMatchObject({ name: error.id, state: "READY" });
  expect(at.live("deployments")).toHaveLength(1);
});

test("a create that crashed and was edited finds its object, and applies the edit", async () => {
  const process = at.process();
  const creating = rejection(process.create("Deployment", "chat", chat));
  await at.clock.sleep(5_000);
  process.abort.abort();
  await creating;
  const next = at.process();
  const { outputs } = await next.create("Deployment", "chat", { ...chat, maxReplicaCount: 3 });
  expect(outputs).toMatchObject({ state: "READY", maxReplicaCount: 3 });
  expect(at.live("deployments")).toHaveLength(1);
  expect(next.messages.filter((text) => text.startsWith("warning"))).toEqual([
    expect.stringContaining("interrupted run"),
  ]);
});

test("a replacement takes the next id while the old one exists, and leaves one object", async () => {
  const first = await at.process().create("Deployment", "chat", chat);
  const process = at.process();
  const inputs = { ...chat, baseModel: "accounts/platform/models/open-8b", preemptible: true };
  expect(await process.diff("Deployment", "chat", first.outputs, inputs)).toMatchObject({
    changes: true,
    replaces: ["preemptible"],
    deleteBeforeReplace: false,
  });
  const second = await process.create("Deployment", "chat", inputs);
  expect(second.id).not.toBe(first.id);
  await process.delete("Deployment", "chat", first.outputs);
  expect(at.live("deployments").map((object) => object["name"])).toEqual([second.id]);
});

test("a forced replacement creates another object once a state holds the first", async () => {
  const first = await at.process().create("Deployment", "chat", chat);
  await at.process().diff("Deployment", "chat", first.outputs, chat);
  const process = at.process();
  const second = await process.create("Deployment", "chat", chat);
  await process.delete("Deployment", "chat", first.outputs);
  expect(second.id).not.toBe(first.id);
  expect(at.live("deployments").map((object) => object["name"])).toEqual([second.id]);
});

test("forced replacements keep replacing, also after one took over its own object", async () => {
  let current = await at.process().create("Deployment", "chat", chat);
  for (let round = 0; round < 4; round++) {
    const process = at.process();
    const next = await process.create("Deployment", "chat", chat);
    await process.delete("Deployment", "chat", current.outputs);
    current = next;
    expect(at.live("deployments").map((object) => object["name"])).toEqual([current.id]);
    await at.process().diff("Deployment", "chat", current.outputs, chat);
  }
});

test("an object that an interrupted replacement orphaned is reported until it is gone", async () => {
  const first = await at.process().create("Deployment", "chat", chat);
  const process = at.process();
  await process.diff("Deployment", "chat", first.outputs, { ...chat, preemptible: true });
  const creating = rejection(process.create("Deployment", "chat", { ...chat, preemptible: true }));
  await at.clock.sleep(5_000);
  process.abort.abort();
  await creating;
  const left = at
    .live("deployments")
    .map((object) => String(object["name"]))
    .find((name) => name !== first.id)!;
  const reverted = at.process();
  await reverted.diff("Deployment", "chat", first.outputs, chat);
  await reverted.read("Deployment", "chat", first.outputs);
  expect(reverted.messages).toEqual([expect.stringContaining(left), expect.stringContaining(left)]);
  const { createTime } = at.object(left)!;
  await at.process().delete("Deployment", "another", { ...first.outputs, name: left, createTime, accepted: {} });
  await at.process().read("Deployment", "chat", first.outputs);
  const clean = at.process();
  await clean.diff("Deployment", "chat", first.outputs, chat);
  expect(clean.messages).toEqual([]);
});

test("a forced replacement of an object with a natural key says how to replace it", async () => {
  const one: [string, Record<string, unknown>][] = [
    ["Deployment", { ...chat, deploymentId: "fixed" }],
    ["User", { email: "ada@example.com", role: "user" }],
    ["Secret", { keyName: "STORAGE_KEY", value: "x" }],
  ];
  for (const [kind, inputs] of one) {
    const { outputs } = await at.process().create(kind, "one", inputs);
    await at.process().diff(kind, "one", outputs, inputs);
    for (let round = 0; round < 2; round++)
      expect((await refusal("already-created", at.process().create(kind, "one", inputs))).message).toContain(
        "deleteBeforeReplace",
      );
  }
});

test("a soft-deleted chosen id is an error, brought back, or removed for good", async () => {
  const inputs = { ...chat, deploymentId: "chat" };
  const remove = async () =>
    at
      .process()
      .delete(
        "Deployment",
        "chat",
        (
          await at
            .process()
            .create("Deployment", "chat", { ...inputs, deletionMode: "soft", onSoftDeletedConflict: "hardDelete" })
        ).outputs,
      );
  await remove();
  expect((await rejection(at.process().create("Deployment", "chat", inputs))).message).toContain(
    "onSoftDeletedConflict",
  );
  const back = await at.process().create("Deployment", "chat", { ...inputs, onSoftDeletedConflict: "undelete" });
  expect(back.outputs).toMatchObject({ state: "READY" });
  await at.process().delete("Deployment", "chat", { ...back.outputs, deletionMode: "soft" });
  const anew = await at.process().create("Deployment", "chat", { ...inputs, onSoftDeletedConflict: "hardDelete" });
  expect(anew.outputs).toMatchObject({ state: "READY" });
});

test("a deployment that is late is recorded or deleted, as the program says", async () => {
  const slow = { ...chat, timeouts: { create: "10s" } };
  const kept = (await rejection(at.process().create("Deployment", "kept", slow))) as InitFailedError;
  expect(kept.message).toMatch(/still CREATING after 1\d s/);
  expect(at.live("deployments").map((object) => object["name"])).toEqual([kept.id]);
  const gone = await rejection(at.process().create("Deployment", "gone", { ...slow, onTimeout: "delete" }));
  expect(gone).not.toBeInstanceOf(InitFailedError);
  expect(gone.message).toContain("was deleted");
  expect(at.live("deployments").map((object) => object["name"])).toEqual([kept.id]);
});

test("what a deployment waits for stands on its row and in the error of a timeout", async () => {
  const waiting = at.process();
  const late = rejection(waiting.create("Deployment", "late", { ...chat, timeouts: { create: "10s" } }));
  await at.clock.sleep(3000);
  const name = String(at.live("deployments").at(-1)!["name"]);
  await at.change(name, { status: { code: "RESOURCE_EXHAUSTED", message: "no capacity in EUROPE" } });
  expect((await late).message).toMatch(/still CREATING \(RESOURCE_EXHAUSTED: no capacity in EUROPE\) after 1\d s/);
  expect(waiting.messages).toContainEqual(expect.stringMatching(/^status: CREATING, .*no capacity in EUROPE/));
});

test("a chosen id is deleted for good, so that a successor can have it", async () => {
  const { outputs } = await at.process().create("Deployment", "chat", { ...chat, deploymentId: "chat" });
  await at.process().delete("Deployment", "chat", outputs);
  expect(at.object("accounts/acme/deployments/chat")).toBeUndefined();
});

test("a user is found by e-mail address, and not taken over without `adopt`", async () => {
  await at.process().create("User", "ada", { email: "ada@example.com", role: "user" });
  const error = await rejection(at.elsewhere().create("User", "ada", { email: "Ada@Example.com", role: "user" }));
  expect(error.message).toContain("adopt");
  const adopted = await at
    .elsewhere()
    .create("User", "ada", { email: "ada@example.com", role: "admin", adopt: "overwrite" });
  expect(adopted.outputs).toMatchObject({ adopted: true, role: "admin" });
  expect(at.live("users")).toHaveLength(1);
});

test("a secret that is taken over keeps its value until the program's value changes", async () => {
  const original = await at.elsewhere().create("Secret", "key", { keyName: "KEY", value: "live" });
  await at.requests();
  const inputs = { keyName: "KEY", adopt: "ifEqual", valueOnAdopt: "keep" };
  const adopted = await at.process().create("Secret", "other", { ...inputs, value: "supposed" });
  expect(adopted).toMatchObject({ id: original.id, outputs: { adopted: true } });
  expect((await at.requests()).filter((request) => !request.startsWith("GET "))).toEqual([]);
  expect(await at.process().diff("Secret", "other", adopted.outputs, { ...inputs, value: "supposed" })).toMatchObject({
    changes: false,
  });
  await at.process().update("Secret", "other", adopted.outputs, { ...inputs, value: "new" });
  expect((await at.requests()).filter((request) => !request.startsWith("GET "))).toEqual([`PATCH /v1/${original.id}`]);
});

test("a preview says what will be adopted, which engines call a creation", async () => {
  const inputs = { email: "ada@example.com", role: "user" };
  const said = async (more: object, olds: Record<string, unknown> = {}): Promise<string[]> => {
    const process = at.process();
    await process.judge("User", "ada", { ...inputs, ...more }, olds);
    return process.messages;
  };
  expect(await said({ adopt: "ifEqual" })).toEqual([expect.stringContaining("adopted if it already exists, as it is")]);
  expect(await said({ adopt: "overwrite" })).toEqual([expect.stringContaining("updated to match")]);
  expect([
    ...(await said({})),
    ...(await said({ adopt: "never" })),
    ...(await said({ adopt: "ifEqual" }, inputs)),
  ]).toEqual([]);
});

test("a preview warns that nothing is adopted at an automatic id", async () => {
  const said = async (more: object): Promise<string[]> => {
    const process = at.process();
    await process.judge("Deployment", "chat", { ...chat, adopt: "overwrite", ...more });
    return process.messages.filter((message) => message.includes("adopt"));
  };
  expect(await said({})).toEqual([expect.stringContaining("`adopt` has no effect without `deploymentId`")]);
  expect(await said({ deploymentId: "chat" })).toEqual([expect.stringContaining("adopted if it already exists")]);
});

describe("a secret whose key implies an id that another secret has", () => {
  const first = { keyName: "TRACKING_KEY", value: "one" };
  let former: string;

  beforeEach(async () => {
    const { id, outputs } = await at.process().create("Secret", "first", first);
    await at.process().update("Secret", "first", outputs, { ...first, keyName: "STORAGE_KEY" });
    former = id;
  });

  test("is created at an automatic id", async () => {
    const { id } = await at.process().create("Secret", "second", first);
    expect(id).toMatch(/\/secrets\/second-[0-9a-f]{7}$/);
    expect(at.object(id)).toMatchObject({ keyName: "TRACKING_KEY" });
    expect(at.object(former)).toMatchObject({ keyName: "STORAGE_KEY" });
  });

  test("is found there again after a crash", async () => {
    const lost = await at.process().create("Secret", "second", first);
    const process = at.process();
    const found = await process.create("Secret", "second", first);
    expect(found.id).toBe(lost.id);
    expect(process.messages).not.toContainEqual(expect.stringContaining("Delete it if you do not need it"));
  });

  test("is refused where the program gives that very id", async () => {
    const error = await refusal(
      "created-as-another",
      at.process().create("Secret", "second", { ...first, secretId: "tracking-key" }),
    );
    expect(error.message).toContain("accounts/acme/secrets/tracking-key already exists");
  });

  test("does not make `adopt` take that one over", async () => {
    const { id } = await at.process().create("Secret", "second", { ...first, adopt: "overwrite" });
    expect(id).not.toBe(former);
    expect(at.object(former)).toMatchObject({ keyName: "STORAGE_KEY" });
  });
});

test("a user is never replaced, also not for a field that the program calls immutable", async () => {
  const ada = { email: "ada@example.com", role: "user", immutable: ["displayName"] };
  const { outputs } = await at.process().create("User", "ada", ada);
  const renamed = { ...ada, displayName: "Ada" };
  const { message } = await refusal("never-replaced", at.process().diff("User", "ada", outputs, renamed));
  expect(message).toContain("Set the field back, or declare a new resource");
});
