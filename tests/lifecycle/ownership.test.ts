import { createLifecycle } from "../../provider/lifecycle/lifecycle";
import { InitFailedError, type Values } from "../../provider/lifecycle/types";
import { specOf } from "../../provider/resources/index";
import { createHarness, failure, type Harness, hiddenOf } from "./harness";

const open8b = "accounts/platform/models/open-8b";
const chat = { baseModel: open8b, deploymentShape: "default" };
const fixed = { ...chat, deploymentId: "chat" };
const ada = { email: "ada@example.com", role: "user" };
const model = { modelId: "weights", kind: "CUSTOM_MODEL", displayName: "Weights" };

let at: Harness;
beforeEach(async () => void (at = await createHarness()));
afterEach(() => at.close());

const names = (collection: string): unknown[] => at.live(collection).map((object) => object["name"]);
const writes = async (): Promise<string[]> => (await at.requests()).filter((request) => !request.startsWith("GET"));

/** Every kind of identity: an automatic id, a chosen one, and a natural key. */
const kinds: [kind: string, collection: string, inputs: Values][] = [
  ["Deployment", "deployments", chat],
  ["Deployment", "deployments", fixed],
  ["Model", "models", model],
  ["User", "users", ada],
  ["Secret", "secrets", { keyName: "STORAGE_KEY", value: "x" }],
];

describe("a refresh in the same command", () => {
  test.each(kinds)(
    "does not keep %s from being deleted once the program has dropped it",
    async (kind, collection, inputs) => {
      const others = names(collection);
      const process = at.process();
      const { outputs } = await at.process().create(kind, "one", inputs);
      await process.refresh(kind, "one", outputs, inputs);
      await process.delete(kind, "one", outputs);
      expect(names(collection)).toEqual(others);
    },
  );

  test("lets a chosen id be replaced", async () => {
    const { outputs } = await at.process().create("Deployment", "chat", fixed);
    const process = at.process();
    await process.refresh("Deployment", "chat", outputs, fixed);
    const inputs = { ...fixed, preemptible: true };
    expect(await process.diff("Deployment", "chat", outputs, inputs)).toMatchObject({ deleteBeforeReplace: true });
    await process.check("Deployment", "chat", inputs);
    await process.delete("Deployment", "chat", outputs);
    const { id } = await process.create("Deployment", "chat", inputs);
    expect(at.live("deployments")).toMatchObject([{ name: id, preemptible: true }]);
  });

  test("only looks: what a program would have to allow is no error of a refresh", async () => {
    const inputs = { zeroDataRetention: { defaultEnforced: false }, adopt: "overwrite", allowLoosening: true };
    const { outputs } = await at.process().create("PolicySettings", "rules", inputs);
    const stricter = { zeroDataRetention: { defaultEnforced: true }, updateTime: "2026-01-02T00:00:00Z" };
    await at.put("accounts/acme/policySettings", { name: "accounts/acme/policySettings", ...stricter });
    const { allowLoosening, ...careful } = inputs;
    await at.process().refresh("PolicySettings", "rules", outputs, careful);
    const fixedOutputs = (await at.process().create("Deployment", "chat", { ...fixed, deletionProtection: true }))
      .outputs;
    await at.change(String(fixedOutputs["name"]), { preemptible: true });
    await at.process().refresh("Deployment", "chat", fixedOutputs, { ...fixed, deletionProtection: true });
  });

  test("does not keep what `replaceOnChanges` replaces", async () => {
    const { outputs } = await at.process().create("Deployment", "chat", fixed);
    const process = at.process();
    const inputs = { ...fixed, displayName: "Chat" };
    expect(await process.diff("Deployment", "chat", outputs, inputs)).toMatchObject({ changes: undefined });
    await process.check("Deployment", "chat", inputs);
    await process.delete("Deployment", "chat", outputs);
    expect(names("deployments")).toEqual([]);
  });
});

describe("an object that the program keeps", () => {
  test("is not deleted for an older entry of the same declaration", async () => {
    const { outputs } = await at.process().create("Deployment", "chat", chat);
    const process = at.process();
    await process.diff("Deployment", "chat", outputs, chat);
    await process.delete("Deployment", "chat", outputs);
    expect(names("deployments")).toEqual([outputs["name"]]);
    expect(process.messages).toEqual([expect.stringContaining("is the current object of this declaration")]);
  });

  test("is replaced by the second forced replacement, where the first one took it over", async () => {
    const { outputs } = await at.process().create("Deployment", "chat", chat);
    const first = at.process();
    expect((await first.create("Deployment", "chat", chat)).outputs["name"]).toBe(outputs["name"]);
    await first.delete("Deployment", "chat", outputs);
    expect(first.messages.at(-1)).toMatch(/is not deleted\. .*replace it, run `up --replace` again/);
    const second = at.process();
    expect((await second.create("Deployment", "chat", chat)).outputs["name"]).not.toBe(outputs["name"]);
    await second.delete("Deployment", "chat", outputs);
    expect(names("deployments")).toHaveLength(1);
  });

  test.each(kinds.slice(1))(
    "is not deleted for the name that %s had before, in a later run",
    async (kind, collection, inputs) => {
      const { outputs } = await at.process().create(kind, "before", inputs);
      await at.process().diff(kind, "before", outputs, inputs);
      const after = await at.process().create(kind, "after", { ...inputs, adopt: "overwrite" });
      const later = at.process();
      await later.diff(kind, "after", after.outputs, { ...inputs, adopt: "overwrite" });
      await later.delete(kind, "before", outputs);
      expect(names(collection)).toContain(outputs["name"]);
      expect(later.messages).toContainEqual(expect.stringContaining("::after"));
    },
  );

  test("is not deleted before the declaration that claims it has it", async () => {
    const { outputs } = await at.process().create("Deployment", "before", fixed);
    const process = at.process();
    await process.check("Deployment", "after", { ...fixed, adopt: "overwrite" });
    const error = await failure(process.delete("Deployment", "before", outputs));
    expect(error.message).toContain("::after");
    expect(error.message).toContain("aliases");
    expect(names("deployments")).toEqual([outputs["name"]]);
  });

  test("settings are not cleared for the name that their declaration had before", async () => {
    const inputs = { zeroDataRetention: { defaultEnforced: true }, onDelete: "clear", allowLoosening: true };
    const { outputs } = await at.process().create("PolicySettings", "before", inputs);
    const process = at.process();
    await process.create("PolicySettings", "after", inputs);
    await process.delete("PolicySettings", "before", outputs);
    expect(at.object("accounts/acme/policySettings")).toMatchObject({ zeroDataRetention: { defaultEnforced: true } });
  });

  test("goes with the declaration that it moved to, and is spared for the other where nobody is checked", async () => {
    const { outputs } = await at.process().create("Deployment", "before", fixed);
    await at.process().diff("Deployment", "before", outputs, fixed);
    const after = await at.process().create("Deployment", "after", { ...fixed, adopt: "overwrite" });
    await at.process().delete("Deployment", "before", outputs);
    expect(names("deployments")).toEqual([outputs["name"]]);
    await at.process().delete("Deployment", "after", after.outputs);
    expect(names("deployments")).toEqual([]);
  });

  test("is not unloaded when its host is deleted", async () => {
    await at.close();
    at = await createHarness({ deploymentInUse: "refuse" });
    const host = await at.process().create("Deployment", "chat", { ...chat, disableAutoDeploy: true });
    const loaded = { model: open8b, deployment: host.id };
    const guest = await at.process().create("DeployedModel", "loaded", loaded);
    const process = at.process();
    await process.diff("DeployedModel", "loaded", guest.outputs, loaded);
    const error = await failure(process.delete("Deployment", "chat", host.outputs));
    expect(error.message).toContain(host.id);
    expect(names("deployedModels")).toEqual([guest.id]);
    expect(names("deployments")).toEqual([host.id]);
  });

  test("is taken over by no second resource of the program", async () => {
    const process = at.process();
    const { outputs } = await process.create("Deployment", "chat", chat);
    const id = String(outputs["name"]).split("/").at(-1);
    const error = await failure(
      process.create("Deployment", "twin", { ...chat, deploymentId: id, adopt: "overwrite" }),
    );
    expect(error.message).toContain("::chat of the same program");
  });
});

describe("an object made again by somebody else under the same id", () => {
  test("is not deleted", async () => {
    const { outputs, id } = await at.process().create("Deployment", "chat", fixed);
    await at.put(id, { ...at.object(id), createTime: "2026-01-02T00:00:00Z" });
    const process = at.process();
    await process.delete("Deployment", "chat", outputs);
    expect(names("deployments")).toEqual([id]);
    expect(process.messages).toEqual([expect.stringContaining("2026-01-02")]);
  });
});

describe("an object made again by somebody else, once a refresh has seen it", () => {
  test("is not deleted either", async () => {
    const { outputs, id } = await at.process().create("Deployment", "chat", fixed);
    await at.put(id, { ...at.object(id), createTime: "2026-01-02T00:00:00Z" });
    const process = at.process();
    const found = await process.refresh("Deployment", "chat", outputs, fixed);
    await process.delete("Deployment", "chat", found!.outputs);
    expect(names("deployments")).toEqual([id]);
  });
});

describe("an object made again by somebody else with another content", () => {
  const ada = { email: "ada@example.com", role: "user" };

  async function remade(): Promise<Values> {
    const { outputs, id } = await at.process().create("User", "ada", ada);
    await at.put(id, { ...at.object(id), role: "admin", createTime: "2026-01-02T00:00:00Z" });
    return outputs;
  }

  const changed = { ...ada, role: "contributor" };

  test("is not changed by an update that a diff of the recorded one asks for", async () => {
    const outputs = await remade();
    const error = await failure(at.process().update("User", "ada", outputs, changed));
    expect(error.message).toMatch(/is not the object that the state recorded.*2026-01-02.*acceptDrift/s);
    expect(at.object(String(outputs["name"]))).toMatchObject({ role: "admin" });
  });

  test("is refused in preview already where a refresh has seen it", async () => {
    const outputs = await remade();
    const found = (await at.process().read("User", "ada", outputs))!;
    const error = await failure(at.process().diff("User", "ada", found.outputs, ada));
    expect(error.message).toContain("is not the object that the state recorded");
  });

  test("is changed once the program accepts it", async () => {
    const outputs = await remade();
    const error = await failure(at.process().update("User", "ada", outputs, changed));
    const acceptDrift = /acceptDrift: "(\w+)"/.exec(error.message)![1]!;
    await at.process().update("User", "ada", outputs, { ...changed, acceptDrift });
    expect(at.object(String(outputs["name"]))).toMatchObject({ role: "contributor" });
  });
});

test("an object that an interrupted run of the declaration has made again is its own, and is updated", async () => {
  const ada = { email: "ada@example.com", role: "user" };
  const first = await at.process().create("User", "ada", ada);
  await at.process().delete("User", "ada", first.outputs);
  await at.clock.sleep(5000);
  const lost = await at.process().create("User", "ada", ada);
  await at.process().update("User", "ada", first.outputs, { ...ada, role: "contributor" });
  expect(at.object(lost.id)).toMatchObject({ role: "contributor" });
});

describe("an object that an interrupted create of another declaration of the stack has made again", () => {
  async function remade(): Promise<{ outputs: Values; lost: Values }> {
    const { outputs } = await at.process().create("User", "ada", ada);
    await at.elsewhere().delete("User", "ada", outputs);
    await at.clock.sleep(5000);
    const { outputs: lost } = await at.process().create("User", "ada-by-her-new-name", ada);
    return { outputs, lost };
  }

  test("is deleted with the record of the one before it", async () => {
    const { outputs } = await remade();
    await at.process().delete("User", "ada", outputs);
    expect(names("users")).toEqual([]);
  });

  test("leaves no note behind that would claim what somebody else makes later", async () => {
    const { outputs, lost } = await remade();
    await at.process().delete("User", "ada", outputs);
    await at.put(String(lost["name"]), { ...lost, createTime: "2026-01-02T00:00:00Z" });
    const error = await failure(at.process().create("User", "ada-by-her-new-name", ada));
    expect(error.message).toContain("already exists");
  });
});

describe("an object taken over from somebody else, where another declaration of the stack has had one", () => {
  /** Somebody else's, at the name that the first declaration has made one at. */
  async function theirs(isSettled: boolean): Promise<void> {
    const { outputs, id } = await at.process().create("User", "first", ada);
    if (isSettled) await at.process().diff("User", "first", outputs, ada);
    await at.put(id, { ...at.object(id), role: "inference-user", createTime: "2026-01-02T00:00:00Z" });
  }

  test.each([
    ["a state holds", true],
    ["is not recorded", false],
  ])("is retained: what %s is another one", async (_, isSettled) => {
    await theirs(isSettled);
    const { outputs } = await at.process().create("User", "second", { ...ada, adopt: "overwrite" });
    expect(outputs["adopted"]).toBe(true);
  });

  test("is not called this stack's own", async () => {
    await theirs(true);
    const error = await failure(at.process().create("User", "second", ada));
    expect(error.message).not.toContain("This stack made it");
  });
});

describe("an object that was taken over under a name which has changed since", () => {
  /** A resource that gets another name without an alias, then a third one with an alias. */
  async function renamedTwice(recorded: "updated" | "same"): Promise<{ name: string; outputs: Values }> {
    const fresh = await at.process().create("Deployment", "first", fixed);
    const inputs = { ...fixed, adopt: "overwrite" };
    const second = await at.process().create("Deployment", "second", inputs);
    await at.process().delete("Deployment", "first", fresh.outputs);
    const run = at.process();
    await run.check("Deployment", "third", inputs, second.outputs);
    await run.diff("Deployment", "third", second.outputs, inputs);
    if (recorded === "same") return { name: "second", outputs: second.outputs };
    const outputs = await run.update("Deployment", "third", second.outputs, { ...inputs, maxReplicaCount: 3 });
    return { name: "third", outputs };
  }

  test.each(["updated", "same"] as const)("goes with the declaration, whose state is %s", async (recorded) => {
    const { name, outputs } = await renamedTwice(recorded);
    await at.process().delete("Deployment", name, outputs);
    expect(names("deployments")).toEqual([]);
  });

  test("goes where it is replaced in the run that renames the resource", async () => {
    await at.process().create("Deployment", "first", fixed);
    const { outputs } = await at.process().create("Deployment", "second", { ...fixed, adopt: "overwrite" });
    const run = at.process();
    await run.check("Deployment", "third", chat, outputs);
    await run.diff("Deployment", "third", outputs, chat);
    await run.check("Deployment", "third", chat);
    const { id } = await run.create("Deployment", "third", chat);
    await run.delete("Deployment", "second", outputs);
    expect(names("deployments")).toEqual([id]);
  });

  test.each([
    ["third", "third"],
    ["third", "second"],
    ["first", "first"],
    ["first", "second"],
  ])("and whose state names no URN: as %s, deleted as %s", async (renamed, deleted) => {
    const fresh = await at.process().create("Deployment", "first", fixed);
    const inputs = { ...fixed, adopt: "overwrite" };
    const { outputs } = await at.process().create("Deployment", "second", inputs);
    await at.process().delete("Deployment", "first", fresh.outputs);
    await at.process().diff("Deployment", renamed, outputs, inputs);
    await at.process().diff("Deployment", renamed, outputs, inputs);
    await at.process().delete("Deployment", deleted, outputs);
    expect(names("deployments")).toEqual([]);
  });

  test("goes with the declaration that made it first, taken over from there or back, and is not adopted", async () => {
    const inputs = { ...fixed, adopt: "overwrite" };
    await at.process().create("Deployment", "first", fixed);
    const { outputs } = await at.process().create("Deployment", "second", inputs);
    await at.process().diff("Deployment", "first", outputs, inputs);
    await at.clock.sleep(1000);
    const { outputs: last } = await at.process().create("Deployment", "last", inputs);
    expect(last).not.toHaveProperty("adopted");
    await at.process().delete("Deployment", "first", outputs);
    expect(names("deployments")).toHaveLength(1);
    await at.process().delete("Deployment", "last", last);
    expect(names("deployments")).toEqual([]);
  });

  test("is another stack's where that one took it over, whatever this one does with its own entry", async () => {
    const { outputs } = await at.elsewhere().create("Deployment", "chat", fixed);
    const theirs = at.process({}, {}, "theirs");
    await theirs.create("Deployment", "chat", { ...fixed, adopt: "overwrite" });
    await at.process().diff("Deployment", "chat", outputs, fixed);
    await at.process().delete("Deployment", "chat", outputs);
    expect(names("deployments")).toHaveLength(1);
  });
});

test("an object that was taken over again in the same moment goes with the last declaration to do so", async () => {
  const inputs = { ...ada, adopt: "overwrite" };
  const first = await at.process().create("User", "first", ada);
  await at.process().diff("User", "first", first.outputs, ada);
  await at.process().create("User", "second", inputs);
  const { outputs } = await at.process().create("User", "third", inputs);
  await at.process().delete("User", "third", outputs);
  expect(names("users")).toEqual([]);
});

const refusedUpdate = { match: { operation: "updateDeployment" }, fault: { kind: "status", status: 400 } };

test("an undeleted object whose update fails is recorded", async () => {
  const soft = { ...fixed, deletionMode: "soft" };
  const { outputs, id } = await at.process().create("Deployment", "chat", soft);
  await at.process().delete("Deployment", "chat", outputs);
  await at.fault(refusedUpdate);
  const again = { ...soft, maxReplicaCount: 3, onSoftDeletedConflict: "undelete" };
  const error = await failure<InitFailedError>(at.process().create("Deployment", "chat", again));
  expect(error).toBeInstanceOf(InitFailedError);
  expect(error.id).toBe(id);
  expect(names("deployments")).toEqual([id]);
});

test("a takeover that fails leaves the object to the declaration that had it", async () => {
  const { outputs } = await at.process().create("Deployment", "before", fixed);
  await at.process().diff("Deployment", "before", outputs, fixed);
  await at.fault(refusedUpdate);
  await failure(at.process().create("Deployment", "after", { ...fixed, maxReplicaCount: 3, adopt: "overwrite" }));
  await at.process().delete("Deployment", "before", outputs);
  expect(names("deployments")).toEqual([]);
});

test("what an interrupted create has begun is not taken from another declaration that has it by now", async () => {
  const { outputs, id } = await at.process().create("Deployment", "begun", chat);
  const imported = { ...chat, deploymentId: id.slice(id.lastIndexOf("/") + 1) };
  const run = at.process();
  await run.check("Deployment", "imported", imported, outputs);
  await run.diff("Deployment", "imported", outputs, imported);
  const made = await run.create("Deployment", "begun", chat);
  expect(made.id).not.toBe(id);
  expect(names("deployments").sort()).toEqual([id, made.id].sort());
});

test("a forced replacement of what was renamed says that only one such object can exist", async () => {
  const { outputs } = await at.process().create("Secret", "before", { keyName: "STORAGE_KEY", value: "x" });
  await at.process().diff("Secret", "before", outputs, { keyName: "STORAGE_KEY", value: "x" });
  const process = at.process();
  process.aliases.set("after", ["before"]);
  const error = await failure(process.create("Secret", "after", { keyName: "STORAGE_KEY", value: "x" }));
  expect(error.message).toMatch(/was already created by this declaration.*deleteBeforeReplace/s);
});

describe("a recorded object that is gone, where another declaration of the stack has made one of its name", () => {
  async function replacedByAnother(): Promise<Values> {
    const { outputs } = await at.process().create("User", "first", ada);
    await at.elsewhere().delete("User", "first", outputs);
    await at.clock.sleep(5000);
    const other = await at.process().create("User", "second", ada);
    await at.process().diff("User", "second", other.outputs, ada);
    return outputs;
  }

  test("is not updated, and the error says how to make it again", async () => {
    const outputs = await replacedByAnother();
    const error = await failure(at.process().update("User", "first", outputs, { ...ada, role: "admin" }));
    expect(error.message).toMatch(/is gone, and \S+::second has made the one that is there now.*up --refresh/s);
  });

  test("is gone for a refresh", async () => {
    const outputs = await replacedByAnother();
    expect(await at.process().read("User", "first", outputs)).toBeUndefined();
  });
});

describe("an echo of the program's own request", () => {
  const theirs = (fields: Values = {}): Values => ({
    name: "accounts/acme/models/weights",
    kind: "CUSTOM_MODEL",
    displayName: "Theirs",
    state: "READY",
    ...fields,
  });

  test("is not what another resource of the program still has, however alike it is", async () => {
    const cleo = { email: "cleo@example.com", role: "admin" };
    const first = await at.process().create("User", "first", cleo);
    // Made within the second in which `second` is asked for, as far as the service's clock can tell.
    await at.change(first.id, { createTime: "2026-01-01T00:01:00Z" });
    const process = at.process();
    // `first` is about to give the address up.
    await process.diff("User", "first", first.outputs, { ...cleo, email: "ada@example.com" });
    await at.fault({ match: { operation: "createUser" }, fault: { kind: "status", status: 408 } });
    await failure(process.create("User", "second", cleo));
  });

  test.each([429, 503])("is not what stood there before the request, whatever came first: %d", async (status) => {
    await at.put(
      "accounts/acme/models/weights",
      theirs({ createTime: "2025-12-31T23:59:50Z", displayName: "Weights" }),
    );
    await at.fault({ match: { operation: "createModel" }, fault: { kind: "status", status } });
    const error = await failure(at.process().create("Model", "weights", model));
    expect(error.message).toContain("already exists");
    expect(at.object("accounts/acme/models/weights")).toMatchObject({ displayName: "Weights" });
    expect(await writes()).not.toContainEqual(expect.stringMatching(/PATCH|DELETE/));
  });

  test("is not another object that was made meanwhile: people are asked", async () => {
    await at.fault({ match: { operation: "createModel" }, fault: { kind: "status", status: 503 } });
    await at.put("accounts/acme/models/weights", theirs({ createTime: "2026-01-01T00:00:01Z" }));
    const error = await failure(at.process().create("Model", "weights", model));
    expect(error.message).toContain("modelplatform:recover");
    expect(at.object("accounts/acme/models/weights")).toMatchObject({ displayName: "Theirs" });
  });

  test("is not a tombstone", async () => {
    const first = await at.process().create("Deployment", "chat", fixed);
    await at.change(first.id, { state: "DELETED", purgeTime: "2026-01-08T00:00:00Z" });
    await at.fault({ match: { operation: "createDeployment" }, fault: { kind: "status", status: 503 } });
    const error = await failure(at.process().create("Deployment", "chat", { ...fixed, displayName: "Again" }));
    expect(error.message).toContain("soft-deleted");
  });

  test("is found again by a later run, even after an edit, by what was sent", async () => {
    await at.fault({ match: { operation: "createModel" }, fault: { kind: "reset" }, times: 100 });
    await failure(at.process().create("Model", "weights", model));
    await at.heal();
    await at.put("accounts/acme/models/weights", theirs({ createTime: new Date(at.clock.now()).toISOString() }));
    expect((await failure(at.process().create("Model", "weights", model))).message).toContain(
      "does not show what was sent",
    );
    await at.change("accounts/acme/models/weights", { displayName: "Weights" });
    const { id } = await at.process().create("Model", "weights", { ...model, displayName: "Edited" });
    expect(at.object(id)).toMatchObject({ displayName: "Edited" });
  });
});

describe("a create whose run was lost before its declaration was renamed", () => {
  test.each(kinds.slice(1, 3))(
    "is an error that names the old declaration, and moves with the word: %s",
    async (kind, collection, inputs) => {
      const { id } = await at.process().create(kind, "before", inputs);
      const error = await failure(at.process().create(kind, "after", inputs));
      expect(error.message).toContain("::before");
      expect(error.message).toContain("aliases");
      const { outputs } = await at.process().create(kind, "after", { ...inputs, adopt: "overwrite" });
      expect(outputs).not.toHaveProperty("adopted");
      await at.process().delete(kind, "after", outputs);
      expect(names(collection)).not.toContain(id);
    },
  );
});

test("a changed secret value is left to the engine to name, which applies `replaceOnChanges`; another source of it is not", async () => {
  const secret = { keyName: "STORAGE_KEY", value: "one" };
  const edited = { ...secret, value: "two" };
  const { outputs, id } = await at.process().create("Secret", "key", secret);
  const process = at.process();
  const call = {
    hidden: hiddenOf("Secret", "key"),
    reporter: { status: () => {}, info: () => {}, warn: () => {} },
    signal: new AbortController().signal,
  };
  const lifecycle = createLifecycle(specOf("Secret")!, process.world);
  const olds = await process.check("Secret", "key", secret, { accountId: "acme" });
  const { inputs } = await lifecycle.check(call, olds, edited);
  expect(await lifecycle.diff(call, id, outputs, inputs)).toMatchObject({ changes: undefined });
  await lifecycle.check(call, inputs, edited);
  expect(await lifecycle.diff(call, id, outputs, inputs)).toMatchObject({ changes: true });
});

describe("a resource that was renamed with an alias", () => {
  const search = { ...fixed, preemptible: true };
  const recordedAs = (name: string, values: Values): Values => ({
    ...values,
    __modelplatform: hiddenOf("Deployment", name),
  });

  test("is replaced under its id in the same run: the engine deletes it by its old URN", async () => {
    const { outputs } = await at.process().create("Deployment", "before", fixed);
    const process = at.process();
    const recorded = recordedAs("before", outputs);
    expect(await process.diff("Deployment", "after", recorded, search)).toMatchObject({ deleteBeforeReplace: true });
    await process.check("Deployment", "after", search);
    await process.delete("Deployment", "before", recorded);
    const { id } = await process.create("Deployment", "after", search);
    expect(names("deployments")).toEqual([id]);
    expect(at.object(id)).toMatchObject({ preemptible: true });
  });

  test.each(["before", "after"])(
    "is replaced under its id %s the engine looks at it under its old URN, where its outputs name none",
    async (when) => {
      const { outputs } = await at.process().create("Deployment", "before", fixed);
      const process = at.process();
      if (when === "after") await process.refresh("Deployment", "before", outputs, fixed);
      expect(await process.diff("Deployment", "after", outputs, search)).toMatchObject({ deleteBeforeReplace: true });
      await process.check("Deployment", "after", search);
      await process.delete("Deployment", "before", outputs);
      const { id } = await process.create("Deployment", "after", search);
      expect(names("deployments")).toEqual([id]);
    },
  );

  test("and whose old name another resource has, is replaced as itself, where its outputs name no URN", async () => {
    const one = await at.process().create("Deployment", "one", fixed);
    const two = await at.process().create("Deployment", "two", { ...fixed, deploymentId: "second" });
    const process = at.process();
    const changed = { ...fixed, deploymentId: "second", preemptible: true };
    await process.diff("Deployment", "two", one.outputs, fixed);
    await process.diff("Deployment", "one", two.outputs, changed);
    await process.check("Deployment", "one", changed);
    await process.delete("Deployment", "two", two.outputs);
    const { id } = await process.create("Deployment", "one", changed);
    expect(names("deployments").sort()).toEqual([one.id, id].sort());
    expect(at.object(id)).toMatchObject({ preemptible: true });
  });

  test("is replaced by force, too, which no diff comes before", async () => {
    const { outputs } = await at.process().create("Deployment", "before", fixed);
    const process = at.process();
    process.aliases.set("after", ["before"]);
    await process.check("Deployment", "after", fixed);
    await process.delete("Deployment", "before", recordedAs("before", outputs));
    const { id } = await process.create("Deployment", "after", fixed);
    expect(names("deployments")).toEqual([id]);
  });

  test("gives way to what takes its place under another id, as one of the same name does", async () => {
    const { outputs } = await at.process().create("Deployment", "before", chat);
    const process = at.process();
    process.aliases.set("after", ["before"]);
    const inputs = { ...chat, preemptible: true, drainTime: "1m" };
    await process.diff("Deployment", "after", recordedAs("before", outputs), inputs);
    const { id } = await process.create("Deployment", "after", inputs);
    await process.delete("Deployment", "before", recordedAs("before", outputs));
    expect(names("deployments")).toEqual([id]);
    expect(process.messages.join()).toContain("keeps running for 1m");
  });

  test("leaves its old name to another resource, whose object is deleted as its own", async () => {
    const { outputs } = await at.process().create("Deployment", "before", fixed);
    const process = at.process();
    process.aliases.set("after", ["before"]);
    await process.check("Deployment", "after", { ...chat, deploymentId: "other" });
    await process.check("Deployment", "before", fixed, fixed);
    const error = await failure(process.delete("Deployment", "third", outputs));
    expect(error.message).toContain("the program declares the same object as");
    await process.delete("Deployment", "before", recordedAs("before", outputs));
    expect(names("deployments")).toEqual([]);
  });

  test.each(kinds)(
    "finds what an interrupted create has begun under the old name: %s",
    async (kind, collection, inputs) => {
      const lost = await at.process({ ownershipMarker: "true" }).create(kind, "before", inputs);
      const before = names(collection);
      const process = at.process({ ownershipMarker: "true" });
      process.aliases.set("after", ["before"]);
      const { id, outputs } = await process.create(kind, "after", inputs);
      expect(id).toBe(lost.id);
      expect(names(collection)).toEqual(before);
      const next = at.process();
      await next.read(kind, "after", outputs);
      await next.delete(kind, "after", outputs);
      expect(await next.world.intents.naming(String(outputs["endpoint"]), "acme", id)).toEqual([]);
    },
  );
});

describe("a deployed model", () => {
  test("that somebody put onto the host by hand is not taken for what the service puts there", async () => {
    const host = await at.process().create("Deployment", "chat", { ...chat, disableAutoDeploy: true });
    const theirs = "accounts/acme/deployedModels/theirs";
    const addon = "accounts/acme/models/addon";
    await at.put(theirs, {
      name: theirs,
      model: addon,
      deployment: host.id,
      state: "DEPLOYED",
      createTime: new Date(at.clock.now()).toISOString(),
    });
    const error = await failure(at.process().create("DeployedModel", "addon", { model: addon, deployment: host.id }));
    expect(error.message).toContain("already exists");
  });
});

describe("a replacement whose old object goes first", () => {
  test("is refused in check and before the delete where the service would refuse the new object", async () => {
    const { outputs, id } = await at.process().create("Deployment", "chat", fixed);
    const process = at.process();
    const typo = { ...fixed, baseModel: "accounts/platform/models/opne-8b" };
    expect(await process.diff("Deployment", "chat", outputs, typo)).toMatchObject({ deleteBeforeReplace: true });
    const { failures } = await process.judge("Deployment", "chat", typo);
    expect(failures).toEqual([{ property: "", reason: expect.stringContaining("the object stays as it is") }]);
    const error = await failure(process.delete("Deployment", "chat", outputs));
    expect(error.message).toContain("is not deleted, because its replacement would be refused");
    expect(at.object(id)).toMatchObject({ state: "READY" });
  });

  test("costs one request more, and none where nothing is replaced", async () => {
    const { outputs } = await at.process().create("Deployment", "chat", fixed);
    const process = at.process();
    await at.requests();
    await process.diff("Deployment", "chat", outputs, fixed);
    expect(await at.requests()).toEqual([]);
    const inputs = { ...fixed, preemptible: true };
    await process.diff("Deployment", "chat", outputs, inputs);
    await process.check("Deployment", "chat", inputs);
    expect(await at.requests()).toEqual(["POST /v1/accounts/acme/deployments"]);
    await process.delete("Deployment", "chat", outputs);
    expect((await writes()).filter((request) => request.startsWith("POST"))).toEqual([]);
  });

  test("is refused for an adopted object, which deletion would retain", async () => {
    await at.process().create("Deployment", "theirs", fixed);
    const adopting = { ...fixed, adopt: "ifEqual" };
    const { outputs } = await at.elsewhere().create("Deployment", "ours", adopting);
    expect(outputs).toMatchObject({ adopted: true });
    const error = await failure(at.elsewhere().diff("Deployment", "ours", outputs, { ...adopting, preemptible: true }));
    expect(error.message).toContain("adopted");
  });

  test("is refused for a job, whose id can never be reused", async () => {
    const job = {
      supervisedFineTuningJobId: "tune",
      dataset: "accounts/acme/datasets/d",
      baseModel: open8b,
      outputModel: "tuned",
    };
    const { outputs, id } = await at.process().create("SupervisedFineTuningJob", "tune", job);
    const process = at.process();
    await process.check("SupervisedFineTuningJob", "tune", job);
    const error = await failure(process.delete("SupervisedFineTuningJob", "tune", outputs));
    expect(error.message).toContain("never be reused");
    expect(at.object(id)).toBeDefined();
  });

  test("is refused where the deleted object would keep the id", async () => {
    const inputs = { ...fixed, deletionMode: "soft" };
    const { outputs, id } = await at.process().create("Deployment", "chat", inputs);
    const process = at.process();
    await process.check("Deployment", "chat", inputs);
    const error = await failure(process.delete("Deployment", "chat", outputs));
    expect(error.message).toContain("onSoftDeletedConflict");
    expect(at.object(id)).toMatchObject({ state: "READY" });
  });
});
