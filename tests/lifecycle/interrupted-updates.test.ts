import { InitFailedError, type Values } from "../../provider/lifecycle/types";
import { rejection } from "../rejection";
import { engineState, urnIn } from "./engine-state";
import { createHarness, type Harness, keptJournal, type Process } from "./harness";

/** An update that was carried out and never recorded, and a program that is reverted before the next run. */

const chat = { baseModel: "accounts/platform/models/open-8b", deploymentShape: "default", maxReplicaCount: 1 };
const scaled = { ...chat, maxReplicaCount: 8 };
const token = { keyName: "TOKEN", value: "one" };
const rotated = { ...token, value: "two" };

let at: Harness;
beforeEach(async () => void (at = await createHarness()));
afterEach(() => at.close());

const patches = async (): Promise<string[]> => (await at.requests()).filter((each) => each.startsWith("PATCH"));

/** An update whose process ends while the answer to its request is under way. */
const cutOff = (kind: string, outputs: Values, inputs: Values): Promise<void> =>
  cutOffIn(kind, (process) => process.update(kind, "it", outputs, inputs));

/** The same of any call that sends an update. */
async function cutOffIn(kind: string, call: (process: Process) => Promise<unknown>): Promise<void> {
  await at.fault({ match: { operation: `update${kind}` }, fault: { kind: "resetAfterCommit" }, times: null });
  const process = at.process();
  const called = rejection(call(process));
  await at.clock.sleep(500);
  process.abort.abort();
  await called;
  await at.clearFaults();
  await at.requests();
}

describe.each([
  ["Secret", token, rotated],
  ["Deployment", chat, scaled],
])("an update of a %s that was cut off, and whose program is reverted", (kind, before, after) => {
  test("is planned and reverted by the next run, once", async () => {
    const { outputs } = await at.process().create(kind, "it", before);
    await cutOff(kind, outputs, after);
    const process = at.process();
    const answer = await process.diff(kind, "it", outputs, before);
    expect(answer).toMatchObject({ changes: true, replaces: [] });
    const updated = await process.update(kind, "it", outputs, before);
    expect(await patches()).toHaveLength(1);
    expect(await at.process().diff(kind, "it", updated, before)).toMatchObject({ changes: false });
    await at.process().diff(kind, "it", outputs, before);
    expect(await patches()).toEqual([]);
  });

  test("is a change in each process until it is made", async () => {
    const { outputs } = await at.process().create(kind, "it", before);
    await cutOff(kind, outputs, after);
    for (let run = 0; run < 2; run++)
      expect(await at.process().diff(kind, "it", outputs, before)).toMatchObject({ changes: true });
  });
});

const europe = { residency: "EUROPE" };

describe("settings that an interrupted run has changed", () => {
  const name = "accounts/acme/policySettings";
  const inUsa = { residency: "US", allowLoosening: true };

  test("by an update are put back by the next run", async () => {
    const { outputs } = await at.process().create("PolicySettings", "it", europe);
    await cutOff("PolicySettings", outputs, inUsa);
    expect(at.object(name)).toMatchObject({ residency: "US" });
    const process = at.process();
    const reverted = { ...europe, allowLoosening: true };
    expect(await process.diff("PolicySettings", "it", outputs, reverted)).toMatchObject({ changes: true });
    const updated = await process.update("PolicySettings", "it", outputs, reverted);
    expect(at.object(name)).toMatchObject(europe);
    expect(await at.process().diff("PolicySettings", "it", updated, reverted)).toMatchObject({ changes: false });
  });

  test("by a removal are put back by a program that still declares them", async () => {
    const declared = { ...europe, allowLoosening: true, onDelete: "clear" };
    const { outputs } = await at.process().create("PolicySettings", "it", declared);
    await cutOffIn("PolicySettings", (process) => process.delete("PolicySettings", "it", outputs));
    expect(at.object(name)).not.toHaveProperty("residency");
    const process = at.process();
    expect(await process.diff("PolicySettings", "it", outputs, declared)).toMatchObject({ changes: true });
    const updated = await process.update("PolicySettings", "it", outputs, declared);
    expect(at.object(name)).toMatchObject(europe);
    expect(await at.process().diff("PolicySettings", "it", updated, declared)).toMatchObject({ changes: false });
  });

  test("by a removal that the service refuses, they are as the state says", async () => {
    const declared = { ...europe, allowLoosening: true, onDelete: "clear" };
    const { outputs } = await at.process().create("PolicySettings", "it", declared);
    await at.fault({ match: { operation: "updatePolicySettings" }, fault: { kind: "status", status: 403 } });
    await rejection(at.process().delete("PolicySettings", "it", outputs));
    expect(await at.process().diff("PolicySettings", "it", outputs, declared)).toMatchObject({ changes: false });
  });
});

test("an update that never arrived sends nothing after a look, and is over", async () => {
  const { outputs } = await at.process().create("Deployment", "it", chat);
  await cutOff("Deployment", outputs, scaled);
  await at.change(String(outputs["name"]), { maxReplicaCount: 1 });
  await at.requests();
  const updated = await at.process().update("Deployment", "it", outputs, chat);
  expect(await patches()).toEqual([]);
  expect(await at.process().diff("Deployment", "it", updated, chat)).toMatchObject({ changes: false });
});

test("a rotation whose answer is lost is recorded as unknown, and written again", async () => {
  const { outputs } = await at.process().create("Secret", "it", token);
  await at.fault({
    match: { operation: "updateSecret" },
    fault: { kind: "commitThenStatus", status: 500 },
    times: null,
  });
  const error = await rejection<InitFailedError>(at.process().update("Secret", "it", outputs, rotated));
  expect(error).toBeInstanceOf(InitFailedError);
  expect(error.outputs["digests"]).toEqual({});
  await at.clearFaults();
  const elsewhere = at.elsewhere();
  expect(await elsewhere.diff("Secret", "it", error.outputs, token)).toMatchObject({ changes: true });
});

test("an update that is refused leaves nothing unknown", async () => {
  const { outputs } = await at.process().create("Deployment", "it", chat);
  await at.fault({ match: { operation: "updateDeployment" }, fault: { kind: "status", status: 400 }, times: null });
  await rejection(at.process().update("Deployment", "it", outputs, scaled));
  await at.clearFaults();
  expect(await at.process().diff("Deployment", "it", outputs, chat)).toMatchObject({ changes: false });
});

test("a read of a cut-off update ends the journal's note, and not the wait", async () => {
  const { id, outputs } = await at.process().create("Deployment", "it", chat);
  at.emulator.world.changeSettings({ speed: 1e-6 }, "acme");
  await cutOff("Deployment", outputs, scaled);
  const state = engineState([{ id, outputs }]);
  const read = await at.process({}, { state }).read("Deployment", "it", outputs);
  expect(read!.outputs).toMatchObject({ state: "UPDATING", maxReplicaCount: 8 });
  const again = await at.process({}, { state }).read("Deployment", "it", read!.outputs);
  expect(await at.process().diff("Deployment", "it", again!.outputs, scaled)).toMatchObject({ changes: true });
  await at.change(id, { state: "READY" });
  const settled = await at.process({}, { state }).read("Deployment", "it", again!.outputs);
  expect(await at.process().diff("Deployment", "it", settled!.outputs, scaled)).toMatchObject({ changes: false });
});

test("without the journal, the engine's mark makes a read forget secret digests", async () => {
  const { id, outputs } = await at.process().create("Secret", "it", token);
  const state = engineState([{ id, outputs }]);
  state.updating.add(urnIn("Secret"));
  const process = at.elsewhere({}, undefined, { state });
  const read = await process.read("Secret", "it", outputs);
  expect(read!.outputs["digests"]).toEqual({});
  expect(await process.diff("Secret", "it", read!.outputs, token)).toMatchObject({ changes: true });
});

describe("a read of what was recorded before the stack was renamed", () => {
  const before = "before";

  test("finds the engine's mark under the stack's present name", async () => {
    const { id, outputs } = await at.process({}, {}, before).create("Secret", "it", token);
    const state = engineState([{ id, outputs }]);
    state.updating.add(urnIn("Secret"));
    const read = await at.elsewhere({}, before, { state }).read("Secret", "it", outputs);
    expect(read!.outputs["digests"]).toEqual({});
  });

  test("tells the engine that it has not seen the object", async () => {
    const { id, outputs } = await at.process({}, {}, before).create("Secret", "it", token);
    const state = engineState([{ id, outputs }]);
    state.updating.add(urnIn("Secret"));
    at.replica.lag = 420_000;
    await at.process({}, { state }, before).read("Secret", "it", outputs);
    expect(state.unseen).toEqual([urnIn("Secret")]);
  });
});

describe("a role that an interrupted update of this stack may have raised", () => {
  const ada = { email: "ada@example.com", role: "user" };
  const warnings = (messages: readonly string[]) => messages.filter((text) => text.startsWith("warning"));

  test("is reported by a refresh as what it is known to be", async () => {
    const { outputs } = await at.process().create("User", "it", ada);
    await cutOff("User", outputs, { ...ada, role: "admin" });
    const process = at.process();
    const inputs = await process.check("User", "it", ada, outputs);
    await process.refresh("User", "it", outputs, inputs);
    expect(warnings(process.messages)).toEqual([
      expect.stringMatching(
        /an earlier run of this stack was interrupted while it updated this object, which differs from what was accepted.*`role`/,
      ),
    ]);
    expect(process.messages.join()).not.toContain("outside");
  });

  test("is reported by the engine's mark as well, without the journal", async () => {
    const { id, outputs } = await at.process().create("User", "it", ada);
    await cutOff("User", outputs, { ...ada, role: "admin" });
    const state = engineState([{ id, outputs }]);
    state.updating.add(urnIn("User"));
    const process = at.elsewhere({}, undefined, { state });
    await process.refresh("User", "it", outputs, await process.check("User", "it", ada, outputs));
    expect(process.messages.join()).toContain("was interrupted while it updated this object");
    expect(process.messages.join()).not.toContain("outside");
  });

  test("is a change from outside where no update of this stack is open", async () => {
    const { outputs } = await at.process().create("User", "it", ada);
    await at.change(String(outputs["name"]), { role: "admin" });
    const process = at.process();
    await process.refresh("User", "it", outputs, await process.check("User", "it", ada, outputs));
    expect(warnings(process.messages)).toEqual([expect.stringContaining("was changed outside the program")]);
  });
});

describe("a journal that cannot be written", () => {
  const broken = () => ({ ...keptJournal(), append: () => Promise.reject(new Error("the disk is full")) });

  test("does not stop an update, which says so", async () => {
    const { outputs } = await at.process().create("Deployment", "it", chat);
    const process = at.process({}, { journal: broken() });
    await process.update("Deployment", "it", outputs, scaled);
    expect(at.object(String(outputs["name"]))).toMatchObject({ maxReplicaCount: 8 });
    expect(process.messages.join()).toContain("warning: the disk is full");
  });

  test("stops a create before it is sent", async () => {
    await rejection(at.process({}, { journal: broken() }).create("Deployment", "it", chat));
    expect(at.names("deployments")).toEqual([]);
  });
});
