import { rejection } from "../rejection";
import { createHarness, type Harness } from "./harness";

/** A create whose engine was killed before it could record anything, and a program that was edited since. */

let at: Harness;
beforeEach(async () => void (at = await createHarness()));
afterEach(() => at.close());

const served = { baseModel: "accounts/platform/models/open-8b", deploymentShape: "default" };

test.each([
  ["User", "users", { email: "ada@example.com", role: "user" }, { email: "bob@example.com", role: "user" }],
  ["Secret", "secrets", { keyName: "STORAGE_KEY", value: "one" }, { keyName: "TRACKING_KEY", value: "one" }],
  ["Deployment", "deployments", served, { ...served, deploymentId: "chat" }],
  ["Deployment", "deployments", { ...served, deploymentId: "chat" }, { ...served, deploymentId: "search" }],
])(
  "a %s of an interrupted create is found or reported after its identity was edited",
  async (kind, collection, before, after) => {
    const lost = await at.process().create(kind, "it", before);
    const process = at.process();
    const made = await process.create(kind, "it", after).catch((error: Error) => error);
    const told = [...process.messages, made instanceof Error ? made.message : ""].join("\n");
    const orphans = at
      .live(collection)
      .map(({ name }) => String(name))
      .filter((name) => name === lost.id && (made instanceof Error || made.id !== name));
    expect(orphans.filter((name) => !told.includes(name))).toEqual([]);
  },
);

test("an object at a dropped id is taken over if it shows what was sent", async () => {
  const lost = await at.process().create("Deployment", "it", { ...served, deploymentId: "search", maxReplicaCount: 2 });
  const found = await at.process().create("Deployment", "it", { ...served, maxReplicaCount: 3 });
  expect(found.id).toBe(lost.id);
  expect(at.object(lost.id)).toMatchObject({ maxReplicaCount: 3 });
});

test("an object of somebody else at an id that the program dropped is left alone", async () => {
  await at.fault({ match: { operation: "createDeployment" }, fault: { kind: "status", status: 502 }, times: null });
  await rejection(at.process().create("Deployment", "it", { ...served, deploymentId: "search", maxReplicaCount: 2 }));
  await at.clearFaults();
  const theirs = { baseModel: served.baseModel, maxReplicaCount: 9 };
  await at.put("accounts/acme/deployments/search", theirs);
  const process = at.process();
  const { id } = await process.create("Deployment", "it", { ...served, maxReplicaCount: 3 });
  expect(id).toMatch(/\/it-[0-9a-f]{7}$/);
  expect(at.object("accounts/acme/deployments/search")).toMatchObject(theirs);
});

test("nothing is created at an id that the program has since dropped", async () => {
  await at.fault({ match: { operation: "createDeployment" }, fault: { kind: "status", status: 502 }, times: null });
  await rejection(at.process().create("Deployment", "it", { ...served, deploymentId: "search" }));
  await at.clearFaults();
  const { id } = await at.process().create("Deployment", "it", served);
  expect(id).toMatch(/\/it-[0-9a-f]{7}$/);
});

test("an object that an interrupted takeover changed is taken over after any edit", async () => {
  const email = "ada@example.com";
  const lost = await at.process().create("User", "it", { email, role: "user" });
  await at.process().create("User", "it", { email, role: "admin" });
  expect((await at.process().create("User", "it", { email, role: "contributor" })).id).toBe(lost.id);
});

describe("a later create that the service refuses keeps the note of the earlier one", () => {
  test.each([400, 403, 429])("a Deployment at its automatic id, after a %d", async (status) => {
    const lost = await at.process().create("Deployment", "it", served);
    await at.fault({ match: { operation: "createDeployment" }, fault: { kind: "status", status }, times: null });
    await rejection(at.process().create("Deployment", "it", { ...served, maxReplicaCount: 2 }));
    await at.clearFaults();
    const found = await at.process().create("Deployment", "it", { ...served, maxReplicaCount: 3 });
    expect(found.id).toBe(lost.id);
    expect(at.object(lost.id)).toMatchObject({ maxReplicaCount: 3 });
  });

  test.each([
    ["User", { email: "ada@example.com", role: "user" }, { email: "bob@example.com", role: "user" }, "createUser"],
    ["Secret", { keyName: "STORAGE_KEY", value: "one" }, { keyName: "TRACKING_KEY", value: "one" }, "createSecret"],
    ["Deployment", { ...served, deploymentId: "chat" }, { ...served, deploymentId: "search" }, "createDeployment"],
  ])("a %s whose identity was edited meanwhile, and edited back", async (kind, before, after, operation) => {
    const lost = await at.process().create(kind, "it", before);
    await at.fault({ match: { operation }, fault: { kind: "status", status: 400 } });
    await rejection(at.process().create(kind, "it", after));
    const found = await at.process().create(kind, "it", before);
    expect(found.id).toBe(lost.id);
    expect(found.outputs).not.toHaveProperty("adopted");
  });

  test("the settings of an account", async () => {
    const settings = { residency: "US", allowLoosening: true, onDelete: "restorePrevious" };
    await at.process().create("PolicySettings", "it", settings);
    await at.fault({ match: { operation: "updatePolicySettings" }, fault: { kind: "status", status: 400 } });
    await rejection(at.process().create("PolicySettings", "it", { ...settings, residency: "EUROPE" }));
    const process = at.process();
    await process.create("PolicySettings", "it", { ...settings, residency: "EUROPE" });
    expect(process.messages).toContainEqual(expect.stringContaining("interrupted run"));
  });
});

test("the record of an object that is gone keeps the note of its replacement open", async () => {
  const user = { email: "ada@example.com", role: "user" };
  const first = await at.process().create("User", "it", user);
  // The delete is obeyed, and its answer is lost.
  await at.process().delete("User", "it", first.outputs);
  await at.clock.sleep(5000);
  const lost = await at.process().create("User", "it", user);
  await at.process().diff("User", "it", first.outputs, user);
  const process = at.process();
  const found = await process.create("User", "it", user);
  expect(found.id).toBe(lost.id);
  expect(process.messages).toContainEqual(expect.stringContaining("was left by an interrupted run"));
});

test.each([
  [
    "User",
    { email: "ada@example.com", role: "user" },
    { email: "bob@example.com", role: "user" },
    ["accounts/acme/users/bob", { email: "bob@example.com", role: "admin" }],
  ],
  [
    "Deployment",
    { ...served, deploymentId: "chat" },
    { ...served, deploymentId: "search" },
    ["accounts/acme/deployments/search", { baseModel: served.baseModel, maxReplicaCount: 9 }],
  ],
] as const)("a create that meets another %s keeps the note of the earlier one", async (kind, before, after, theirs) => {
  const lost = await at.process().create(kind, "it", before);
  await at.put(theirs[0], theirs[1]);
  await rejection(at.process().create(kind, "it", after));
  const found = await at.process().create(kind, "it", before);
  expect(found.id).toBe(lost.id);
  expect(found.outputs).not.toHaveProperty("adopted");
});

describe("an object that was begun before its declaration created another one", () => {
  const subjects = [
    ["User", { email: "ada@example.com", role: "user" }, { email: "bob@example.com", role: "user" }],
    ["Secret", { keyName: "STORAGE_KEY", value: "one" }, { keyName: "TRACKING_KEY", value: "one" }],
    ["Deployment", { ...served, deploymentId: "chat" }, { ...served, deploymentId: "search" }],
    ["Deployment", served, { ...served, deploymentId: "search" }],
  ] as const;

  test.each(subjects)("is taken over where a %s comes back to it", async (kind, before, after) => {
    const lost = await at.process().create(kind, "it", before);
    const other = await at.process().create(kind, "it", after);
    const found = await at.process().create(kind, "it", before);
    expect(found.id).toBe(lost.id);
    expect(other.id).not.toBe(lost.id);
    expect(found.outputs).not.toHaveProperty("adopted");
  });

  test("is still known once a state holds the other one", async () => {
    const [, before, after] = subjects[2];
    const lost = await at.process().create("Deployment", "it", before);
    const { outputs } = await at.process().create("Deployment", "it", after);
    const process = at.process();
    await process.diff("Deployment", "it", outputs, after);
    expect(process.messages.join()).toContain(`${lost.id} was created for this declaration by an interrupted run`);
  });
});

test("an object of an interrupted replacement under the recorded name is deleted", async () => {
  const user = { email: "ada@example.com", role: "user" };
  const first = await at.process().create("User", "it", user);
  await at.process().delete("User", "it", first.outputs);
  await at.clock.sleep(5000);
  const lost = await at.process().create("User", "it", user);
  const seen = (await at.process().refresh("User", "it", first.outputs, user))!;
  await at.process().delete("User", "it", seen.outputs);
  expect(at.object(lost.id)).toBeUndefined();
});

test.each([
  ["Deployment", served],
  ["SupervisedFineTuningJob", { baseModel: served.baseModel, dataset: "accounts/acme/datasets/tickets" }],
])("the object of the first of two interrupted creates of a %s is taken over", async (kind, inputs) => {
  const lost = await at.process().create(kind, "it", inputs);
  await at.clock.sleep(60_000);
  const cut = { path: /./, at: "request" as const, code: "ECONNRESET", skip: 0, times: 1000, hits: 0 };
  at.wire.push({ ...cut, method: "POST" }, { ...cut, method: "GET", skip: 1 });
  await rejection(at.process().create(kind, "it", inputs));
  await at.clearFaults();
  const found = await at.process().create(kind, "it", inputs);
  expect(found.id).toBe(lost.id);
});

test("a recorded object as old as an interrupted replacement is not its result", async () => {
  const bob = { email: "bob@example.com", role: "user" };
  const { id, outputs } = await at.process().create("User", "it", { email: "ada@example.com", role: "user" });
  await at.put(id, { ...at.object(id), createTime: new Date(at.clock.now()).toISOString() });
  const recorded = (await at.elsewhere().read("User", "it", outputs))!.outputs;
  await at.process().read("User", "it", recorded);
  const lost = await at.process().create("User", "it", bob);
  await at.process().read("User", "it", recorded);
  expect((await at.process().create("User", "it", bob)).id).toBe(lost.id);
});

test("an object in place of the recorded one is the result of an interrupted create", async () => {
  const { id, outputs } = await at.process().create("User", "it", { email: "ada@example.com", role: "user" });
  await at.process().read("User", "it", outputs);
  await at.elsewhere().delete("User", "it", outputs);
  await at.clock.sleep(5000);
  await at.process().create("User", "it", { email: "ada@example.com", role: "user" });
  await at.change(id, { role: "inference-user" });
  const run = at.process();
  await run.refresh("User", "it", outputs, { email: "ada@example.com", role: "user" });
  const next = at.process();
  expect((await next.create("User", "it", { email: "ada@example.com", role: "user" })).id).toBe(id);
  expect(next.messages).toContainEqual(expect.stringContaining("was left by an interrupted run"));
});

test("an interrupted `up --replace` does not ask who owns a recorded object", async () => {
  const { id, outputs } = await at.process().create("Deployment", "it", served);
  await at.process().diff("Deployment", "it", outputs, served);
  const run = at.process();
  at.wire.push({ method: "POST", path: /deployments/, at: "request", code: "ECONNRESET", skip: 0, times: 99, hits: 0 });
  const lost = run.create("Deployment", "it", served).catch((error: Error) => error);
  await at.clock.sleep(1000);
  run.abort.abort();
  await lost;
  await at.clearFaults();
  expect((await at.process().create("Deployment", "it", served)).id).not.toBe(id);
});
