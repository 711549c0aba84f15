import { hiddenInput } from "../../provider/core/declaration/own-fields";
import { InitFailedError, type Values } from "../../provider/lifecycle/types";
import { refusal, rejection } from "../rejection";
import { engineState, urnIn } from "./engine-state";
import { createHarness, type Harness, hiddenOf } from "./harness";

const chat = { baseModel: "accounts/platform/models/open-8b", deploymentShape: "default" };
const fixed = { ...chat, deploymentId: "chat" };
const ada = { email: "ada@example.com", role: "user" };

let at: Harness;
beforeEach(async () => void (at = await createHarness()));
afterEach(() => at.close());

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
    const error = await rejection(at.process().create("User", "second", ada));
    expect(error.message).not.toContain("This stack made it");
  });
});

describe("an object that was taken over under a name which has changed since", () => {
  /** A resource that gets another name without an alias, then a third one with an alias. */
  async function renamedTwice(recorded: "updated" | "same"): Promise<{ name: string; outputs: Values }> {
    const fresh = await at.process().create("Deployment", "first", fixed);
    const inputs = { ...fixed, adopt: "overwrite" };
    const taking = at.process();
    const second = await taking.create("Deployment", "second", inputs);
    await taking.delete("Deployment", "first", fresh.outputs);
    const run = at.process();
    await run.check("Deployment", "third", inputs, second.outputs);
    await run.diff("Deployment", "third", second.outputs, inputs);
    if (recorded === "same") return { name: "second", outputs: second.outputs };
    const outputs = await run.update("Deployment", "third", second.outputs, { ...inputs, maxReplicaCount: 3 });
    return { name: "third", outputs };
  }

  test.each(["updated", "same"] as const)("is deleted with the declaration, whose state is %s", async (recorded) => {
    const { name, outputs } = await renamedTwice(recorded);
    await at.process().delete("Deployment", name, outputs);
    expect(at.names("deployments")).toEqual([]);
  });

  test("is deleted with the declaration that was renamed with an alias", async () => {
    const inputs = { ...fixed, adopt: "overwrite" };
    await at.process().create("Deployment", "first", fixed);
    const { outputs } = await at.process().create("Deployment", "second", inputs);
    const run = at.process();
    run.aliases.set("third", ["second"]);
    await run.check("Deployment", "third", inputs, outputs);
    const last = await run.update("Deployment", "third", outputs, { ...inputs, maxReplicaCount: 3 });
    await run.diff("Deployment", "third", last, { ...inputs, maxReplicaCount: 3 });
    await at.process().delete("Deployment", "third", last);
    expect(at.names("deployments")).toEqual([]);
  });

  test("is deleted by the replacement that also renames the resource", async () => {
    await at.process().create("Deployment", "first", fixed);
    const { outputs } = await at.process().create("Deployment", "second", { ...fixed, adopt: "overwrite" });
    const run = at.process();
    await run.check("Deployment", "third", chat, outputs);
    await run.diff("Deployment", "third", outputs, chat);
    await run.check("Deployment", "third", chat);
    const { id } = await run.create("Deployment", "third", chat);
    await run.delete("Deployment", "second", outputs);
    expect(at.names("deployments")).toEqual([id]);
  });

  test.each([
    ["third", "third"],
    ["third", "second"],
    ["first", "first"],
    ["first", "second"],
  ])("and whose state names no URN: as %s, deleted as %s", async (renamed, deleted) => {
    const fresh = await at.process().create("Deployment", "first", fixed);
    const inputs = { ...fixed, adopt: "overwrite" };
    const taking = at.process();
    const { outputs } = await taking.create("Deployment", "second", inputs);
    await taking.delete("Deployment", "first", fresh.outputs);
    expect(at.names("deployments")).toHaveLength(1);
    await at.process().diff("Deployment", renamed, outputs, inputs);
    await at.process().diff("Deployment", renamed, outputs, inputs);
    await at.process().delete("Deployment", deleted, outputs);
    expect(at.names("deployments")).toEqual([]);
  });

  test("is replaced by the declaration that took it over under an earlier name", async () => {
    const fresh = await at.process().create("Deployment", "first", fixed);
    await at.process().create("Deployment", "second", { ...fixed, adopt: "overwrite" });
    const run = at.process();
    run.aliases.set("third", ["second", "first"]);
    const inputs = { ...fixed, baseModel: "accounts/platform/models/open-1b" };
    await run.diff("Deployment", "third", fresh.outputs, inputs);
    await run.check("Deployment", "third", inputs);
    await run.delete("Deployment", "third", fresh.outputs);
    await run.create("Deployment", "third", inputs);
    expect(at.live("deployments")).toMatchObject([{ baseModel: inputs.baseModel }]);
  });

  test("stays with the declaration that a state holds it for, and is not adopted", async () => {
    const inputs = { ...fixed, adopt: "overwrite" };
    await at.process().create("Deployment", "first", fixed);
    const { outputs } = await at.process().create("Deployment", "second", inputs);
    expect(outputs).not.toHaveProperty("adopted");
    await at.process().diff("Deployment", "second", outputs, inputs);
    const error = await rejection(at.process().create("Deployment", "last", inputs));
    expect(error.message).toMatch(/this stack created it as \S+::second\..*`aliases: \[\{ name: "second" \}\]`/s);
    await at.process().delete("Deployment", "second", outputs);
    expect(at.names("deployments")).toEqual([]);
  });

  test("is deleted by the stack whose state has it, though another one has taken it over", async () => {
    const { outputs } = await at.elsewhere().create("Deployment", "chat", fixed);
    const theirs = at.process({}, {}, "theirs");
    await theirs.create("Deployment", "chat", { ...fixed, adopt: "overwrite" });
    await at.process().diff("Deployment", "chat", outputs, fixed);
    await at.process().delete("Deployment", "chat", outputs);
    expect(at.names("deployments")).toEqual([]);
  });
});

test("an object that was taken over twice at once belongs to the last declaration", async () => {
  const inputs = { ...ada, adopt: "overwrite" };
  await at.process().create("User", "first", ada);
  await at.process().create("User", "second", inputs);
  const { outputs } = await at.process().create("User", "third", inputs);
  await at.process().delete("User", "third", outputs);
  expect(at.names("users")).toEqual([]);
});

const refusedUpdate = { match: { operation: "updateDeployment" }, fault: { kind: "status", status: 400 } };

test("an undeleted object whose update fails is recorded", async () => {
  const soft = { ...fixed, deletionMode: "soft" };
  const { outputs, id } = await at.process().create("Deployment", "chat", soft);
  await at.process().delete("Deployment", "chat", outputs);
  await at.fault(refusedUpdate);
  const again = { ...soft, maxReplicaCount: 3, onSoftDeletedConflict: "undelete" };
  const error = await rejection<InitFailedError>(at.process().create("Deployment", "chat", again));
  expect(error).toBeInstanceOf(InitFailedError);
  expect(error.id).toBe(id);
  expect(at.names("deployments")).toEqual([id]);
});

test("an object that was undeleted, though the answer was lost, is recorded", async () => {
  const soft = { ...fixed, deletionMode: "soft" };
  const { outputs, id } = await at.process().create("Deployment", "chat", soft);
  await at.process().delete("Deployment", "chat", outputs);
  await at.fault({ match: { operation: "undeleteDeployment" }, fault: { kind: "commitThenStatus", status: 504 } });
  const again = { ...soft, onSoftDeletedConflict: "undelete" };
  expect((await at.process().create("Deployment", "chat", again)).id).toBe(id);
});

test("a deleted object that cannot become what the program declares is not undeleted", async () => {
  const soft = { ...fixed, deletionMode: "soft" };
  const { outputs } = await at.process().create("Deployment", "chat", soft);
  await at.process().delete("Deployment", "chat", outputs);
  const other = { ...soft, preemptible: true, onSoftDeletedConflict: "undelete" };
  const { message } = await refusal("cannot-become", at.process().create("Deployment", "chat", other));
  expect(message).toContain("which cannot change");
  expect(at.names("deployments")).toEqual([]);
});

test("a takeover that fails leaves the object to the declaration that had it", async () => {
  const { outputs } = await at.process().create("Deployment", "before", fixed);
  await at.process().diff("Deployment", "before", outputs, fixed);
  await at.fault(refusedUpdate);
  await rejection(at.process().create("Deployment", "after", { ...fixed, maxReplicaCount: 3, adopt: "overwrite" }));
  await at.process().delete("Deployment", "before", outputs);
  expect(at.names("deployments")).toEqual([]);
});

test.each(["ifEqual", "overwrite"])(
  "an object of its own that a forced replacement meets again is not adopted: %s",
  async (adopt) => {
    const inputs = { ...ada, adopt };
    const first = await at.process().create("User", "it", inputs);
    await at.process().diff("User", "it", first.outputs, inputs);
    const { outputs } = await at.process().create("User", "it", inputs);
    expect(outputs).not.toHaveProperty("adopted");
    await at.process().delete("User", "it", outputs);
    expect(at.names("users")).toEqual([]);
  },
);

test("an adopted object stays adopted, though it shows what a lost create sent", async () => {
  await at.fault({ match: { operation: "createUser" }, fault: { kind: "status", status: 504 }, times: null });
  await rejection(at.process().create("User", "lost", ada));
  await at.clearFaults();
  const theirs = await at.elsewhere().create("User", "theirs", { ...ada, role: "inference-user" });
  const inputs = { ...ada, adopt: "overwrite" };
  expect((await at.process().create("User", "it", inputs)).outputs["adopted"]).toBe(true);
  const { outputs } = await at.process().create("User", "it", inputs);
  await at.process().delete("User", "it", outputs);
  expect(at.names("users")).toEqual([theirs.id]);
});

test("two resources that take over the same object at once do not both get it", async () => {
  const { id } = await at.process().create("Deployment", "begun", { ...chat, deploymentId: "search" });
  const run = at.process();
  const named = { ...chat, deploymentId: "search", maxReplicaCount: 2, adopt: "overwrite" };
  const both = await Promise.allSettled([
    run.create("Deployment", "begun", { ...chat, maxReplicaCount: 3 }),
    run.create("Deployment", "named", named),
  ]);
  const got = both.flatMap((each) => (each.status === "fulfilled" ? [each.value.id] : []));
  expect(got.filter((each) => each === id)).toHaveLength(1);
});

test("a secret without a creation time is not adopted from its declaration", async () => {
  const key = { keyName: "STORAGE_KEY", value: "one" };
  await at.process().create("Secret", "first", key);
  const { outputs } = await at.process().create("Secret", "second", { ...key, adopt: "overwrite" });
  expect(outputs).not.toHaveProperty("adopted");
});

test("a lost takeover that is now an alias is deleted under its recorded URN", async () => {
  const { outputs } = await at.process().create("Deployment", "before", fixed);
  const inputs = { ...fixed, adopt: "overwrite" };
  await at.process().create("Deployment", "after", inputs);
  const run = at.process();
  run.aliases.set("after", ["before"]);
  const recorded = { ...outputs, [hiddenInput]: hiddenOf("Deployment", "before") };
  await run.diff("Deployment", "after", recorded, inputs);
  await at.process().delete("Deployment", "before", recorded);
  expect(at.names("deployments")).toEqual([]);
});

test("the object of an interrupted create is not taken from its present declaration", async () => {
  const { outputs, id } = await at.process().create("Deployment", "begun", chat);
  const imported = { ...chat, deploymentId: id.slice(id.lastIndexOf("/") + 1) };
  const run = at.process();
  await run.check("Deployment", "imported", imported, outputs);
  await run.diff("Deployment", "imported", outputs, imported);
  const made = await run.create("Deployment", "begun", chat);
  expect(made.id).not.toBe(id);
  expect(at.names("deployments").sort()).toEqual([id, made.id].sort());
});

describe("an object that another declaration adopted in the second of a create whose answer was lost", () => {
  const lost = { match: { operation: "createUser" }, fault: { kind: "status", status: 504 }, times: null };
  const refused = "already exists, and nothing shows that this declaration created it";

  /** Adopts an object of somebody else, then loses the answer of another declaration's create of the same. */
  async function adoptThenLose(): Promise<Values> {
    const { id } = await at.elsewhere().create("User", "theirs", ada);
    await at.put(id, { ...at.object(id), createTime: new Date(at.clock.now()).toISOString() });
    const { outputs } = await at.process().create("User", "adopter", { ...ada, adopt: "overwrite" });
    await at.fault(lost);
    expect((await rejection(at.process().create("User", "later", ada))).message).toContain(refused);
    await at.clearFaults();
    return outputs;
  }

  test("is not taken for its result", async () => {
    await adoptThenLose();
    expect((await rejection(at.process().create("User", "later", ada))).message).toContain(refused);
  });

  test("is not taken for its result once the one that adopted it is gone either", async () => {
    await at.process().delete("User", "adopter", await adoptThenLose());
    expect((await rejection(at.process().create("User", "later", ada))).message).toContain(refused);
  });
});

test("a forced replacement of a renamed resource says that only one can exist", async () => {
  const { outputs } = await at.process().create("Secret", "before", { keyName: "STORAGE_KEY", value: "x" });
  await at.process().diff("Secret", "before", outputs, { keyName: "STORAGE_KEY", value: "x" });
  const process = at.process();
  process.aliases.set("after", ["before"]);
  const error = await rejection(process.create("Secret", "after", { keyName: "STORAGE_KEY", value: "x" }));
  expect(error.message).toMatch(/was already created by this declaration.*deleteBeforeReplace/s);
});

test("another declaration's object raises no question after a lost answer", async () => {
  await at.process().create("User", "before", ada);
  await at.fault({ match: { operation: "createUser" }, fault: { kind: "status", status: 504 } });
  const again = () => rejection(at.process().create("User", "after", { ...ada, role: "inference-user" }));
  for (const _ of ["lost", "refused"])
    expect((await again()).message).toMatch(
      /this stack created it as \S+::before\. If it was renamed, give it `aliases: \[\{ name: "before" \}\]`/,
    );
});

describe("an object that another resource of the state still has", () => {
  /** A state holds it for the first resource, and the second one is declared at its id. */
  async function shared() {
    const made = await at.process().create("Deployment", "first", fixed);
    await at.process().diff("Deployment", "first", made.outputs, fixed);
    return made;
  }
  const urn = urnIn("Deployment", "first");
  const refusal = (id: string) => `${id} already exists: this stack created it as ${urn}`;

  test("is not taken, whatever the journal says, where the engine tells its state", async () => {
    const made = await shared();
    const process = at.process({ recover: "take" }, { state: engineState([made], urn) });
    const error = await rejection(process.create("Deployment", "second", fixed));
    expect(error.message).toContain(refusal(made.id));
  });

  test("is not taken where this run has shown its record, which is being replaced", async () => {
    const made = await shared();
    const process = at.process({ recover: "take" });
    await process.read("Deployment", "first", made.outputs);
    const changed = { ...fixed, deploymentId: "other" };
    await process.diff("Deployment", "first", made.outputs, changed);
    await process.check("Deployment", "first", changed);
    const error = await rejection(process.create("Deployment", "second", fixed));
    expect(error.message).toContain(refusal(made.id));
  });

  test("is taken by the word for it once the state has it no longer", async () => {
    const made = await shared();
    const process = at.process({ recover: "take" }, { state: engineState() });
    expect((await process.create("Deployment", "second", fixed)).id).toBe(made.id);
  });
});
