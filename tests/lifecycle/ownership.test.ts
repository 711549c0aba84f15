import { createLifecycle } from "../../provider/lifecycle/lifecycle";
import type { Values } from "../../provider/lifecycle/types";
import { specOf } from "../../provider/resources/index";
import { refusal, rejection } from "../rejection";
import { createHarness, type Harness, hiddenOf } from "./harness";

const open8b = "accounts/platform/models/open-8b";
const chat = { baseModel: open8b, deploymentShape: "default" };
const fixed = { ...chat, deploymentId: "chat" };
const ada = { email: "ada@example.com", role: "user" };
const model = { modelId: "weights", kind: "CUSTOM_MODEL", displayName: "Weights" };

let at: Harness;
beforeEach(async () => void (at = await createHarness()));
afterEach(() => at.close());

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
    "does not keep %s from deletion once the program has dropped it",
    async (kind, collection, inputs) => {
      const others = at.names(collection);
      const process = at.process();
      const { outputs } = await at.process().create(kind, "one", inputs);
      await process.refresh(kind, "one", outputs, inputs);
      await process.delete(kind, "one", outputs);
      expect(at.names(collection)).toEqual(others);
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

  test("only reads: what a program would have to allow is no error of a refresh", async () => {
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
    expect(at.names("deployments")).toEqual([]);
  });
});

describe("an object that the program keeps", () => {
  test("is not deleted for an older entry of the same declaration", async () => {
    const { outputs } = await at.process().create("Deployment", "chat", chat);
    const process = at.process();
    await process.diff("Deployment", "chat", outputs, chat);
    await process.delete("Deployment", "chat", outputs);
    expect(at.names("deployments")).toEqual([outputs["name"]]);
    expect(process.messages).toEqual([expect.stringContaining("is the current object of this declaration")]);
  });

  test("is replaced by the second forced replacement, where the first one took it over", async () => {
    const { outputs } = await at.process().create("Deployment", "chat", chat);
    const first = at.process();
    const taken = await first.create("Deployment", "chat", chat);
    expect(taken.id).toBe(outputs["name"]);
    await first.delete("Deployment", "chat", outputs);
    expect(first.messages.at(-1)).toMatch(/is not deleted\. .*replace it, run `pulumi up --replace urn:/);
    const second = at.process();
    expect((await second.create("Deployment", "chat", chat)).id).not.toBe(taken.id);
    await second.delete("Deployment", "chat", taken.outputs);
    expect(at.names("deployments")).toHaveLength(1);
  });

  test.each(kinds.slice(1))(
    "is not deleted for the name that %s had before, in a later run",
    async (kind, collection, inputs) => {
      const { outputs } = await at.process().create(kind, "before", inputs);
      await at.process().diff(kind, "before", outputs, inputs);
      const adopting = { ...inputs, adopt: "overwrite" };
      expect((await rejection(at.process().create(kind, "after", adopting))).message).toMatch(
        /::before\..*`aliases: \[\{ name: "before" \}\]`/s,
      );
      const after = await at.process({ recover: "take" }).create(kind, "after", adopting);
      const later = at.process();
      await later.diff(kind, "after", after.outputs, { ...inputs, adopt: "overwrite" });
      await later.delete(kind, "before", outputs);
      expect(at.names(collection)).toContain(outputs["name"]);
      expect(later.messages).toContainEqual(expect.stringContaining("::after"));
    },
  );

  test("is not deleted before the declaration that claims it holds it", async () => {
    const { outputs } = await at.process().create("Deployment", "before", fixed);
    const process = at.process();
    await process.check("Deployment", "after", { ...fixed, adopt: "overwrite" });
    const error = await rejection(process.delete("Deployment", "before", outputs));
    expect(error.message).toContain("::after");
    expect(error.message).toContain("aliases");
    expect(at.names("deployments")).toEqual([outputs["name"]]);
  });

  test("settings are not cleared for the name that their declaration had before", async () => {
    const inputs = { zeroDataRetention: { defaultEnforced: true }, onDelete: "clear", allowLoosening: true };
    const { outputs } = await at.process().create("PolicySettings", "before", inputs);
    const process = at.process();
    await process.create("PolicySettings", "after", inputs);
    await process.delete("PolicySettings", "before", outputs);
    expect(at.object("accounts/acme/policySettings")).toMatchObject({ zeroDataRetention: { defaultEnforced: true } });
  });

  test("is not adopted by another declaration of the stack, and is deleted with its own", async () => {
    const { outputs } = await at.process().create("Deployment", "before", fixed);
    await at.process().diff("Deployment", "before", outputs, fixed);
    const error = await rejection(at.process().create("Deployment", "after", { ...fixed, adopt: "overwrite" }));
    expect(error.message).toMatch(/this stack created it as \S+::before\..*`aliases: \[\{ name: "before" \}\]`/s);
    await at.process().delete("Deployment", "before", outputs);
    expect(at.names("deployments")).toEqual([]);
  });

  test("is not unloaded when its host is deleted", async () => {
    await at.close();
    at = await createHarness({ deploymentInUse: "refuse" });
    const host = await at.process().create("Deployment", "chat", { ...chat, disableAutoDeploy: true });
    const loaded = { model: open8b, deployment: host.id };
    const guest = await at.process().create("DeployedModel", "loaded", loaded);
    const process = at.process();
    await process.diff("DeployedModel", "loaded", guest.outputs, loaded);
    const error = await rejection(process.delete("Deployment", "chat", host.outputs));
    expect(error.message).toContain(host.id);
    expect(at.names("deployedModels")).toEqual([guest.id]);
    expect(at.names("deployments")).toEqual([host.id]);
  });

  test("is not taken over by a second resource of the program", async () => {
    const process = at.process();
    const { outputs } = await process.create("Deployment", "chat", chat);
    const id = String(outputs["name"]).split("/").at(-1);
    const error = await rejection(
      process.create("Deployment", "twin", { ...chat, deploymentId: id, adopt: "overwrite" }),
    );
    expect(error.message).toContain("::chat of the same program");
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

  test("is not an object that another resource of the program still has, however similar", async () => {
    const cleo = { email: "cleo@example.com", role: "admin" };
    const first = await at.process().create("User", "first", cleo);
    // Made within the second in which `second` is asked for, as far as the service's clock can tell.
    await at.change(first.id, { createTime: "2026-01-01T00:01:00Z" });
    const process = at.process();
    // `first` is about to give the address up.
    await process.diff("User", "first", first.outputs, { ...cleo, email: "ada@example.com" });
    await at.fault({ match: { operation: "createUser" }, fault: { kind: "status", status: 408 } });
    await rejection(process.create("User", "second", cleo));
  });

  test.each([429, 503])("is not an object that is older than the request, whatever came first: %d", async (status) => {
    await at.put(
      "accounts/acme/models/weights",
      theirs({ createTime: "2025-12-31T23:59:50Z", displayName: "Weights" }),
    );
    await at.fault({ match: { operation: "createModel" }, fault: { kind: "status", status } });
    const error = await rejection(at.process().create("Model", "weights", model));
    expect(error.message).toContain("already exists");
    expect(at.object("accounts/acme/models/weights")).toMatchObject({ displayName: "Weights" });
    expect(await writes()).not.toContainEqual(expect.stringMatching(/PATCH|DELETE/));
  });

  test("is not another object that was created meanwhile, which raises a question", async () => {
    // The look before the create does not see it either.
    const fault = { kind: "status", status: 403 };
    await at.fault({ match: { operation: "listModels" }, fault, times: 2 });
    await at.fault({ match: { operation: "getModel" }, fault, times: 1 });
    await at.fault({ match: { operation: "createModel" }, fault: { kind: "status", status: 503 } });
    await at.put("accounts/acme/models/weights", theirs({ createTime: "2026-01-01T00:00:01Z" }));
    const error = await rejection(at.process().create("Model", "weights", model));
    expect(error.message).toContain("MODELPLATFORM_RECOVER=take");
    expect(at.object("accounts/acme/models/weights")).toMatchObject({ displayName: "Theirs" });
  });

  test("is not a tombstone", async () => {
    const first = await at.process().create("Deployment", "chat", fixed);
    await at.change(first.id, { state: "DELETED", purgeTime: "2026-01-08T00:00:00Z" });
    await at.fault({ match: { operation: "createDeployment" }, fault: { kind: "status", status: 503 } });
    const error = await rejection(at.process().create("Deployment", "chat", { ...fixed, displayName: "Again" }));
    expect(error.message).toContain("soft-deleted");
  });

  test("is found again by a later run, even after an edit, by what was sent", async () => {
    await at.fault({ match: { operation: "createModel" }, fault: { kind: "reset" }, times: 100 });
    await rejection(at.process().create("Model", "weights", model));
    await at.clearFaults();
    await at.put("accounts/acme/models/weights", theirs({ createTime: new Date(at.clock.now()).toISOString() }));
    expect((await rejection(at.process().create("Model", "weights", model))).message).toContain(
      "does not show exactly what was sent",
    );
    await at.change("accounts/acme/models/weights", { displayName: "Weights" });
    const { id } = await at.process().create("Model", "weights", { ...model, displayName: "Edited" });
    expect(at.object(id)).toMatchObject({ displayName: "Edited" });
  });
});

describe("a create whose run was lost before its declaration was renamed", () => {
  test.each(kinds.slice(1, 3))(
    "is an error that names the old declaration, and moves with the option: %s",
    async (kind, collection, inputs) => {
      const { id } = await at.process().create(kind, "before", inputs);
      const error = await rejection(at.process().create(kind, "after", inputs));
      expect(error.message).toContain("::before");
      expect(error.message).toContain("aliases");
      const { outputs } = await at.process().create(kind, "after", { ...inputs, adopt: "overwrite" });
      expect(outputs).not.toHaveProperty("adopted");
      await at.process().delete(kind, "after", outputs);
      expect(at.names(collection)).not.toContain(id);
    },
  );
});

test("a changed secret value is the engine's to report; another source of it is not", async () => {
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
    expect(at.names("deployments")).toEqual([id]);
    expect(at.object(id)).toMatchObject({ preemptible: true });
  });

  test.each(["before", "after"])(
    "is replaced under its id %s the engine sees its old URN, which no output names",
    async (when) => {
      const { outputs } = await at.process().create("Deployment", "before", fixed);
      const process = at.process();
      if (when === "after") await process.refresh("Deployment", "before", outputs, fixed);
      expect(await process.diff("Deployment", "after", outputs, search)).toMatchObject({ deleteBeforeReplace: true });
      await process.check("Deployment", "after", search);
      await process.delete("Deployment", "before", outputs);
      const { id } = await process.create("Deployment", "after", search);
      expect(at.names("deployments")).toEqual([id]);
    },
  );

  test("and whose old name is in use is replaced as itself, where no output names a URN", async () => {
    const one = await at.process().create("Deployment", "one", fixed);
    const two = await at.process().create("Deployment", "two", { ...fixed, deploymentId: "second" });
    const process = at.process();
    const changed = { ...fixed, deploymentId: "second", preemptible: true };
    await process.diff("Deployment", "two", one.outputs, fixed);
    await process.diff("Deployment", "one", two.outputs, changed);
    await process.check("Deployment", "one", changed);
    await process.delete("Deployment", "two", two.outputs);
    const { id } = await process.create("Deployment", "one", changed);
    expect(at.names("deployments").sort()).toEqual([one.id, id].sort());
    expect(at.object(id)).toMatchObject({ preemptible: true });
  });

  test("is also replaced by force, which no diff precedes", async () => {
    const { outputs } = await at.process().create("Deployment", "before", fixed);
    const process = at.process();
    process.aliases.set("after", ["before"]);
    await process.check("Deployment", "after", fixed);
    await process.delete("Deployment", "before", recordedAs("before", outputs));
    const { id } = await process.create("Deployment", "after", fixed);
    expect(at.names("deployments")).toEqual([id]);
  });

  test("is replaced under another id like one that kept its name", async () => {
    const { outputs } = await at.process().create("Deployment", "before", chat);
    const process = at.process();
    process.aliases.set("after", ["before"]);
    const inputs = { ...chat, preemptible: true, drainTime: "1m" };
    await process.diff("Deployment", "after", recordedAs("before", outputs), inputs);
    const { id } = await process.create("Deployment", "after", inputs);
    await process.delete("Deployment", "before", recordedAs("before", outputs));
    expect(at.names("deployments")).toEqual([id]);
    expect(process.messages.join()).toContain("keeps running for 1m");
  });

  test("twice, and kept where it is replaced under its id, is known as its own", async () => {
    const { outputs } = await at.process().create("Deployment", "before", fixed);
    await at.process().diff("Deployment", "before", outputs, fixed);
    const process = at.process();
    process.aliases.set("after", ["between"]);
    const inputs = { ...fixed, preemptible: true };
    await process.diff("Deployment", "after", recordedAs("before", outputs), inputs);
    expect((await rejection(process.create("Deployment", "after", inputs))).message).toContain(
      "was already created by this declaration",
    );
  });

  test("leaves its old name to another resource, whose object is deleted as that one's", async () => {
    const { outputs } = await at.process().create("Deployment", "before", fixed);
    const process = at.process();
    process.aliases.set("after", ["before"]);
    await process.check("Deployment", "after", { ...chat, deploymentId: "other" });
    await process.check("Deployment", "before", fixed, fixed);
    const error = await rejection(process.delete("Deployment", "third", outputs));
    expect(error.message).toContain("the program declares the same object as");
    expect(error.message).toContain('If it was renamed, give before `aliases: [{ name: "third" }]`');
    await process.delete("Deployment", "before", recordedAs("before", outputs));
    expect(at.names("deployments")).toEqual([]);
  });

  test.each(kinds)(
    "finds what an interrupted create has begun under the old name: %s",
    async (kind, collection, inputs) => {
      const lost = await at.process({ ownershipMarker: "true" }).create(kind, "before", inputs);
      const before = at.names(collection);
      const process = at.process({ ownershipMarker: "true" });
      process.aliases.set("after", ["before"]);
      const { id, outputs } = await process.create(kind, "after", inputs);
      expect(id).toBe(lost.id);
      expect(at.names(collection)).toEqual(before);
      const next = at.process();
      await next.read(kind, "after", outputs);
      await next.delete(kind, "after", outputs);
      const last = at.process();
      await last.create(kind, "after", inputs);
      expect(last.messages.join()).not.toContain("interrupted");
    },
  );
});

describe("a deployed model", () => {
  test("that somebody put onto the host by hand is not taken for the service's own", async () => {
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
    const error = await rejection(at.process().create("DeployedModel", "addon", { model: addon, deployment: host.id }));
    expect(error.message).toContain("already exists, and nothing shows that this declaration created it");
  });
});

describe("a replacement whose old object goes first", () => {
  test("is refused in check and before the delete if the new object would be refused", async () => {
    const { outputs, id } = await at.process().create("Deployment", "chat", fixed);
    const process = at.process({ validateOnly: "honored" });
    const typo = { ...fixed, baseModel: "accounts/platform/models/opne-8b" };
    expect(await process.diff("Deployment", "chat", outputs, typo)).toMatchObject({ deleteBeforeReplace: true });
    const { failures } = await process.judge("Deployment", "chat", typo);
    expect(failures).toEqual([{ property: "", reason: expect.stringContaining("the object stays as it is") }]);
    const error = await rejection(process.delete("Deployment", "chat", outputs));
    expect(error.message).toContain("is not deleted, because its replacement would be refused");
    expect(at.object(id)).toMatchObject({ state: "READY" });
  });

  test("costs one extra request beside preflight's, and none where nothing is replaced", async () => {
    const { outputs } = await at.process().create("Deployment", "chat", fixed);
    const process = at.process({ validateOnly: "honored" });
    await at.requests();
    await process.diff("Deployment", "chat", outputs, fixed);
    expect(await at.requests()).toEqual([]);
    const inputs = { ...fixed, preemptible: true };
    await process.diff("Deployment", "chat", outputs, inputs);
    await process.check("Deployment", "chat", inputs);
    expect(await at.requests()).toEqual([
      "POST /v1/accounts/acme/deployments",
      "GET /v1/accounts/acme/policySettings",
      "GET /v1/accounts/platform/models/open-8b",
      "GET /v1/accounts/-/deploymentShapes/-/versions",
    ]);
    await process.delete("Deployment", "chat", outputs);
    expect((await writes()).filter((request) => request.startsWith("POST"))).toEqual([]);
  });

  test("is refused for an adopted object, which deletion would retain", async () => {
    await at.process().create("Deployment", "theirs", fixed);
    const adopting = { ...fixed, adopt: "ifEqual" };
    const { outputs } = await at.elsewhere().create("Deployment", "ours", adopting);
    expect(outputs).toMatchObject({ adopted: true });
    const error = await refusal(
      "adopted-never-replaced",
      at.elsewhere().diff("Deployment", "ours", outputs, { ...adopting, preemptible: true }),
    );
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
    const error = await refusal("replacement-refused", process.delete("SupervisedFineTuningJob", "tune", outputs));
    expect(error.message).toContain("never be reused");
    expect(at.object(id)).toBeDefined();
  });

  test("is refused where the deleted object would keep the id", async () => {
    const inputs = { ...fixed, deletionMode: "soft" };
    const { outputs, id } = await at.process().create("Deployment", "chat", inputs);
    const process = at.process();
    await process.check("Deployment", "chat", inputs);
    const error = await rejection(process.delete("Deployment", "chat", outputs));
    expect(error.message).toContain("onSoftDeletedConflict");
    expect(at.object(id)).toMatchObject({ state: "READY" });
  });
});
