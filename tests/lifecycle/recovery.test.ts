import { canonicalBaseUrl } from "../../provider/lifecycle/memory/identity";
import type { Values } from "../../provider/lifecycle/types";
import { specOf } from "../../provider/resources/index";
import { refusal, rejection } from "../rejection";
import { createHarness, type Harness, keptJournal } from "./harness";

/**
 * What is live, what is recorded and what is said after a run that was cut off, where somebody else was at work, where
 * the machine is another one, and where the program has changed.
 */

let at: Harness;
beforeEach(async () => void (at = await createHarness()));
afterEach(() => at.close());

const open8b = "accounts/platform/models/open-8b";
const served = { baseModel: open8b, deploymentShape: "default" };
const fixed = { ...served, deploymentId: "chat" };
const ada = { email: "ada@example.com", role: "user" };
const weights = { modelId: "weights", kind: "CUSTOM_MODEL" };
const job = { supervisedFineTuningJobId: "tune", dataset: "accounts/acme/datasets/d", baseModel: open8b };

/** The create never reaches the service, and the process that sent it dies. */
async function cutOff(kind: string, name: string, inputs: Values): Promise<void> {
  const cut = { path: /./, at: "request" as const, code: "ECONNRESET", skip: 0, times: 1000, hits: 0 };
  at.wire.push({ ...cut, method: "POST" });
  await rejection(at.process().create(kind, name, inputs));
  await at.clearFaults();
}

/** Somebody else makes it now. */
const theirs = async (name: string, object: Values): Promise<void> =>
  at.put(name, { name, state: "READY", createTime: new Date(at.clock.now()).toISOString(), ...object });

describe("an object of somebody else that shows what a lost create sent, and more,", () => {
  const cases: [kind: string, title: string, inputs: Values, name: string, more: Values][] = [
    ["Deployment", "a display name", fixed, "accounts/acme/deployments/chat", { displayName: "Theirs" }],
    ["Deployment", "a number of replicas", fixed, "accounts/acme/deployments/chat", { maxReplicaCount: 5 }],
    ["Deployment", "a label", fixed, "accounts/acme/deployments/chat", { annotations: { "custom/team": "b" } }],
    ["User", "a display name", ada, "accounts/acme/users/x1", { displayName: "Theirs" }],
    ["Model", "a description", weights, "accounts/acme/models/weights", { description: "Theirs" }],
    [
      "SupervisedFineTuningJob",
      "a display name",
      job,
      "accounts/acme/supervisedFineTuningJobs/tune",
      { displayName: "Theirs" },
    ],
  ];

  test.each(cases)("is not taken, and people are asked: a %s with %s", async (kind, _, inputs, name, more) => {
    await cutOff(kind, "it", inputs);
    const { supervisedFineTuningJobId: _j, modelId: _m, deploymentId: _d, deploymentShape: _s, ...fields } = inputs;
    await theirs(name, {
      ...fields,
      ...more,
      ...(kind === "SupervisedFineTuningJob" && { state: "JOB_STATE_RUNNING" }),
    });
    const error = await rejection(at.process().create(kind, "it", inputs));
    expect(error.message).toMatch(/does not show exactly what was sent.*MODELPLATFORM_RECOVER=take/s);
    expect(at.object(name)).toMatchObject(more);
  });

  test("is not taken within the run that lost the answer either", async () => {
    // The look before the create does not see it.
    await at.fault({ match: { operation: "listUsers" }, fault: { kind: "status", status: 403 }, times: 1 });
    await at.fault({ match: { operation: "createUser" }, fault: { kind: "status", status: 503 } });
    await theirs("accounts/acme/users/x1", { ...ada, displayName: "Theirs" });
    const error = await rejection(at.process().create("User", "it", ada));
    expect(error.message).toContain("does not show exactly what was sent");
    expect(at.object("accounts/acme/users/x1")).toMatchObject({ displayName: "Theirs" });
  });

  test("is taken by the word to take it", async () => {
    await cutOff("User", "it", ada);
    await theirs("accounts/acme/users/x1", { ...ada, displayName: "Theirs" });
    expect((await at.process({ recover: "take" }).create("User", "it", ada)).id).toBe("accounts/acme/users/x1");
  });
});

test.each([
  ["Deployment", fixed],
  ["Model", weights],
  ["User", { ...ada, userId: "ada" }],
  ["SupervisedFineTuningJob", job],
  ["RlorTrainerJob", { ...specOf("RlorTrainerJob")!.example, rlorTrainerJobId: "rl" }],
])("an object at a chosen id is found after a lost answer, without a question: a %s", async (kind, inputs) => {
  await at.fault({ match: { operation: `create${kind}` }, fault: { kind: "resetAfterCommit" }, times: 1 });
  at.wire.push({ method: "GET", path: /./, at: "request", code: "ECONNRESET", skip: 1, times: 1000, hits: 0 });
  at.wire.push({ method: "POST", path: /./, at: "request", code: "ECONNRESET", skip: 1, times: 1000, hits: 0 });
  await rejection(at.process({ preflight: "false" }).create(kind, "it", inputs));
  await at.clearFaults();
  const process = at.process();
  const { id } = await process.create(kind, "it", inputs);
  expect(process.messages).toContainEqual(`warning: ${kind} ${id} was left by an interrupted run and is taken over.`);
});

test("what the service fills in by itself does not keep an own object from being found", async () => {
  const { id } = await at.process().create("Deployment", "it", fixed);
  await at.change(id, { acceleratorCount: 2, activeModelVersion: "v2", maxReplicaCount: 1, annotations: { own: "x" } });
  const elsewhere = at.process({}, {});
  expect((await elsewhere.create("Deployment", "it", fixed)).id).toBe(id);
});

test("an object found by its content alone is not deleted for the recorded one", async () => {
  const { outputs, id } = await at.process().create("User", "it", ada);
  await at.elsewhere().delete("User", "it", outputs);
  await at.clock.sleep(5000);
  await cutOff("User", "it", ada);
  await theirs(id, ada);
  const process = at.process();
  await process.delete("User", "it", outputs);
  expect(at.names("users")).toEqual([id]);
  expect(process.messages.join()).toContain("is not the object that the state recorded");
});

describe("a live object at the automatic id of a declaration whose journal is lost", () => {
  const on = { ownershipMarker: "true" };
  const month = 30 * 24 * 60 * 60 * 1000;

  test.each([60_000, month])("is its own where it carries its marks, at any age: %d ms", async (age) => {
    const { id } = await at.process(on).create("Deployment", "it", served);
    await at.clock.sleep(age);
    const process = at.elsewhere(on);
    expect((await process.create("Deployment", "it", served)).id).toBe(id);
    expect(process.messages.join()).toContain(`${id} was left by an interrupted run and is taken over`);
    expect(at.names("deployments")).toEqual([id]);
  });

  test.each([60_000, month])("is named and asked about where it carries none, at any age: %d ms", async (age) => {
    const { id } = await at.process().create("Deployment", "it", served);
    await at.clock.sleep(age);
    const error = await rejection(at.elsewhere().create("Deployment", "it", served));
    expect(error.message).toContain(id);
    expect(error.message).toContain("MODELPLATFORM_RECOVER=take");
    expect(at.names("deployments")).toEqual([id]);
    expect((await at.elsewhere({ recover: "take" }).create("Deployment", "it", served)).id).toBe(id);
  });

  test("is replaced like any other where the state holds it", async () => {
    const { id, outputs } = await at.process(on).create("Deployment", "it", served);
    const process = at.elsewhere(on);
    await process.diff("Deployment", "it", outputs, { ...served, preemptible: true });
    expect((await process.create("Deployment", "it", { ...served, preemptible: true })).id).not.toBe(id);
  });

  test("is left alone where the marks are another stack's", async () => {
    const { id } = await at.process(on).create("Deployment", "it", served);
    await at.change(id, {
      annotations: { "custom/pulumi-stack": "organization/shop/other", "custom/pulumi-urn": "x" },
    });
    expect((await at.elsewhere(on).create("Deployment", "it", served)).id).not.toBe(id);
    expect(at.object(id)).toBeDefined();
  });
});

describe("an interrupted create whose program says something else by now that cannot change", () => {
  const edited = { baseModel: "accounts/platform/models/open-1b" };

  test.each([
    ["Deployment", served, "call deleteDeployment --account acme --deployment-id"],
    ["Deployment", fixed, "call deleteDeployment --account acme --deployment-id chat"],
  ])("is refused with the command that removes what it made: %s", async (kind, inputs, command) => {
    const { id } = await at.process().create(kind, "it", inputs);
    const error = await rejection(at.process().create(kind, "it", { ...inputs, ...edited }));
    expect(error.message).toContain(id);
    expect(error.message).toContain(command);
    expect(at.names("deployments")).toEqual([id]);
  });

  test("creates another one if set to `new`, and says how to look at what it leaves", async () => {
    const { id } = await at.process().create("Deployment", "it", served);
    const process = at.process({ recover: "new" });
    const made = await process.create("Deployment", "it", { ...served, ...edited });
    expect(made.id).not.toBe(id);
    expect(process.messages.join()).toContain(`${id} was created for this declaration by an interrupted run`);
    expect(process.messages.join()).toContain("call getDeployment --account acme --deployment-id");
    expect(process.messages.join()).not.toContain("call deleteDeployment");
    expect(at.names("deployments").sort()).toEqual([id, made.id].sort());
  });
});

describe("an interrupted create whose stack has been renamed since", () => {
  const inStack = (stack: string, config: Record<string, string> = {}) => at.process(config, {}, stack);

  test("is refused by the word to take it where the program now chooses another id", async () => {
    const { id } = await inStack("dev").create("Deployment", "it", served);
    const error = await rejection(inStack("prod", { recover: "take" }).create("Deployment", "it", fixed));
    expect(error.message).toContain(`${id} cannot be taken`);
    expect(at.names("deployments")).toEqual([id]);
  });

  test.each([
    ["an automatic id", "Deployment", served, "deployments"],
    ["a chosen id", "Deployment", fixed, "deployments"],
    ["a natural key", "User", ada, "users"],
  ])(
    "is resumed where the stack holds by now what it held by its former name: %s",
    async (_, kind, inputs, collection) => {
      const weighed = await inStack("dev").create("Model", "weights", weights);
      await inStack("dev").diff("Model", "weights", weighed.outputs, weights);
      const { id } = await inStack("dev").create(kind, "it", inputs);
      await inStack("prod").diff("Model", "weights", weighed.outputs, weights);
      const process = inStack("prod");
      expect((await process.create(kind, "it", inputs)).id).toBe(id);
      expect(process.messages.join()).toContain("was left by an interrupted run and is taken over");
      expect(at.names(collection)).toEqual([id]);
    },
  );

  test("is found by its key where its answer was lost", async () => {
    const weighed = await inStack("dev").create("Model", "weights", weights);
    await inStack("dev").diff("Model", "weights", weighed.outputs, weights);
    await at.fault({ match: { operation: "createUser" }, fault: { kind: "resetAfterCommit" } });
    await at.fault({ match: { operation: "listUsers" }, fault: { kind: "reset" }, times: 99 });
    await rejection(inStack("dev").create("User", "it", ada));
    await at.clearFaults();
    await inStack("prod").diff("Model", "weights", weighed.outputs, weights);
    const process = inStack("prod");
    const { id, outputs } = await process.create("User", "it", ada);
    expect(process.messages.join()).toContain("was left by an interrupted run and is taken over");
    expect(outputs).not.toHaveProperty("adopted");
    expect(at.names("users")).toEqual([id]);
  });

  test("is asked about where nothing else tells, and no second object is made", async () => {
    const { id } = await inStack("dev").create("Deployment", "it", served);
    const error = await refusal("begun-by-another-stack", inStack("prod").create("Deployment", "it", served));
    expect(error.message).toMatch(
      new RegExp(`${id}.*dev.*stack rename.*MODELPLATFORM_RECOVER=take.*--stack prod`, "s"),
    );
    expect(at.names("deployments")).toEqual([id]);
    expect((await inStack("prod", { recover: "take" }).create("Deployment", "it", served)).id).toBe(id);
    expect((await inStack("prod").create("Deployment", "it", served)).id).toBe(id);
  });

  test("is another stack's where this one was there before it", async () => {
    const { outputs } = await inStack("prod").create("Model", "weights", weights);
    await inStack("prod").diff("Model", "weights", outputs, weights);
    await at.clock.sleep(1000);
    const { id } = await inStack("dev").create("Deployment", "it", served);
    expect((await inStack("prod").create("Deployment", "it", served)).id).not.toBe(id);
  });
});

test("another loopback port is the same place: an emulator's create is found again", async () => {
  const kept = keptJournal();
  const { id } = await at.process({}, { journal: kept }).create("Deployment", "it", fixed);
  const readAtAnotherPort = {
    ...kept,
    read: (_origin: string, account: string, stack: string) =>
      kept.read(canonicalBaseUrl("http://127.0.0.1:1"), account, stack),
  };
  const process = at.process({}, { journal: readAtAnotherPort });
  expect((await process.create("Deployment", "it", fixed)).id).toBe(id);
  expect(process.messages.join()).toContain("was left by an interrupted run");
});

test("what an interrupted run began is not taken over before it settles", async () => {
  at.emulator.world.changeSettings({ speed: 0.001 }, "acme");
  const hurried = { ...served, timeouts: { create: "1m" } };
  await rejection(at.process().create("Deployment", "it", hurried));
  const { message } = await refusal("in-transition", at.process().create("Deployment", "it", hurried));
  expect(message).toMatch(/is in transition: .* Run the same command again/);
});

describe("two resources that exchange what identifies them", () => {
  const search = { ...served, deploymentId: "search" };

  test("are refused with both objects by name, and the ways out", async () => {
    const one = await at.process().create("Deployment", "one", fixed);
    const two = await at.process().create("Deployment", "two", search);
    const process = at.process();
    await process.diff("Deployment", "one", one.outputs, search);
    await process.diff("Deployment", "two", two.outputs, fixed);
    await process.check("Deployment", "one", search);
    await process.check("Deployment", "two", fixed);
    const error = await refusal("declared-by-another", process.delete("Deployment", "one", one.outputs));
    expect(error.message).toContain(one.id);
    expect(error.message).toContain(two.id);
    expect(error.message).toMatch(/`aliases` to keep both objects, or leave one of the two out for one `up`/);
    expect(at.names("deployments").sort()).toEqual([one.id, two.id].sort());
  });

  test("keep their objects where each has the other's name as an alias", async () => {
    const one = await at.process().create("Deployment", "one", fixed);
    const two = await at.process().create("Deployment", "two", search);
    const process = at.process();
    process.aliases.set("one", ["two"]).set("two", ["one"]);
    expect(await process.diff("Deployment", "one", two.outputs, search)).toMatchObject({ replaces: [] });
    expect(await process.diff("Deployment", "two", one.outputs, fixed)).toMatchObject({ replaces: [] });
  });

  test("by e-mail addresses are refused with both, and the way out", async () => {
    const bob = { email: "bob@example.com", role: "user" };
    const one = await at.process().create("User", "one", ada);
    const two = await at.process().create("User", "two", bob);
    const process = at.process();
    await process.diff("User", "one", one.outputs, bob);
    await process.diff("User", "two", two.outputs, ada);
    const error = await rejection(process.update("User", "one", one.outputs, bob));
    expect(error.message).toContain(one.id);
    expect(error.message).toContain(two.id);
    expect(error.message).toMatch(/::two.*to swap the two, give one of them a third value first/);
  });
});

test("a secret whose answer was lost is its own while a former one has its key", async () => {
  const key = { keyName: "TRACKING_KEY", value: "one" };
  const { outputs, id } = await at.process().create("Secret", "former", { ...key, secretId: "tracking-key" });
  await at.vanish(id);
  const cut = { path: /secrets/, code: "ECONNRESET", skip: 0, times: 1000, hits: 0 };
  at.wire.push({ ...cut, method: "POST", at: "answer" as const }, { ...cut, method: "GET", at: "request" as const });
  await rejection(at.process().create("Secret", "it", key));
  await at.clearFaults();
  const process = at.process();
  await process.read("Secret", "former", outputs);
  const made = await process.create("Secret", "it", key);
  expect(at.names("secrets")).toEqual([made.id]);
});
