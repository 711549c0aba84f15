import { InitFailedError, type Values } from "../../provider/lifecycle/types";
import { refusal, rejection } from "../rejection";
import { createHarness, type Harness } from "./harness";

/** A record says that an object has failed or is gone; before that replaces it, the object is read. */

const model = "accounts/platform/models/open-8b";
const chat = { baseModel: model, deploymentShape: "default" };
const job = { baseModel: model, dataset: "accounts/acme/datasets/tickets", onFailure: "rerun" };
const trainer = {
  dataset: "accounts/acme/datasets/preferences",
  trainingConfig: { baseModel: model, epochs: 1 },
  onFailure: "rerun",
};
const failed = { state: "FAILED", status: { code: "INTERNAL", message: "no capacity" } };
const failedJob = { state: "JOB_STATE_FAILED", status: { code: "INTERNAL", message: "no memory" } };
const well = { status: { code: "OK", message: "" } };

let at: Harness;
beforeEach(async () => void (at = await createHarness()));
afterEach(() => at.close());

const info = (messages: readonly string[]): string[] => messages.filter((text) => text.startsWith("info"));

/** An object, and outputs with which a state records that it has failed. */
async function recorded(kind: string, inputs: Values, failure: Values): Promise<{ id: string; outputs: Values }> {
  const { id, outputs } = await at.process().create(kind, "it", inputs);
  await at.change(id, failure);
  const read = await at.process().read(kind, "it", outputs);
  await at.requests();
  return { id, outputs: read!.outputs };
}

describe.each([
  ["Deployment", chat, failed, "READY"],
  ["SupervisedFineTuningJob", job, failedJob, "JOB_STATE_COMPLETED"],
  ["RlorTrainerJob", trainer, failedJob, "JOB_STATE_COMPLETED"],
])("a %s that is recorded as failed", (kind, inputs, failure, ready) => {
  test("and is not any longer is recorded as it is, and not replaced", async () => {
    const { id, outputs } = await recorded(kind, inputs, failure);
    await at.change(id, { state: ready, ...well });
    const process = at.process();
    expect(await process.diff(kind, "it", outputs, inputs)).toMatchObject({ changes: true, replaces: [] });
    expect(await at.requests()).toHaveLength(1);
    expect(info(process.messages)).toEqual([
      expect.stringMatching(`is recorded as ${String(failure["state"])}, and is ${ready} now: it is not replaced`),
    ]);
    const updated = await process.update(kind, "it", outputs, inputs);
    expect(updated).toMatchObject({ name: id, state: ready });
    expect((await at.requests()).filter((request) => !request.startsWith("GET"))).toEqual([]);
    expect(await at.process().diff(kind, "it", updated, inputs)).toMatchObject({ changes: false });
    expect(await at.requests()).toEqual([]);
  });

  test("and still is, is replaced after one look", async () => {
    const { outputs } = await recorded(kind, inputs, failure);
    const process = at.process();
    expect(await process.diff(kind, "it", outputs, inputs)).toMatchObject({ changes: true, replaces: ["state"] });
    expect(await at.requests()).toHaveLength(1);
  });

  test("and is gone, is replaced", async () => {
    const { id, outputs } = await recorded(kind, inputs, failure);
    await at.vanish(id);
    expect(await at.process().diff(kind, "it", outputs, inputs)).toMatchObject({ replaces: ["state"] });
  });

  test.each([403, 503])("and cannot be read (%d), is an error and no replacement", async (status) => {
    const { outputs } = await recorded(kind, inputs, failure);
    for (const verb of ["get", "list"])
      await at.fault({
        match: { operation: `${verb}${kind}${verb === "list" ? "s" : ""}` },
        fault: { kind: "status", status },
        times: null,
      });
    const error = await rejection(at.process().diff(kind, "it", outputs, inputs));
    expect(error.message).toContain(String(status));
  });

  test("costs no look where another change replaces it in any case", async () => {
    const { outputs } = await recorded(kind, inputs, failure);
    const other = "accounts/platform/models/open-70b";
    const edited =
      "baseModel" in inputs
        ? { ...inputs, baseModel: other }
        : { ...inputs, trainingConfig: { baseModel: other, epochs: 1 } };
    const { replaces } = await at.process().diff(kind, "it", outputs, edited);
    expect(replaces).toContain("state");
    expect(await at.requests()).toEqual([]);
  });
});

test("a failed job that somebody resumed is waited for, and no other run starts", async () => {
  const { id, outputs } = await recorded("SupervisedFineTuningJob", job, failedJob);
  await at.change(id, { state: "JOB_STATE_RUNNING", ...well });
  const process = at.process();
  expect(await process.diff("SupervisedFineTuningJob", "it", outputs, job)).toMatchObject({ replaces: [] });
  const updating = process.update("SupervisedFineTuningJob", "it", outputs, job);
  await at.clock.sleep(60_000);
  await at.change(id, { state: "JOB_STATE_COMPLETED" });
  expect(await updating).toMatchObject({ name: id, state: "JOB_STATE_COMPLETED" });
  expect(at.live("supervisedFineTuningJobs")).toHaveLength(1);
});

test("a deployment that fails again after that look stays recorded", async () => {
  const { id, outputs } = await recorded("Deployment", chat, failed);
  await at.change(id, { state: "READY", ...well });
  const process = at.process();
  await process.diff("Deployment", "it", outputs, chat);
  await at.change(id, failed);
  expect(await rejection(process.update("Deployment", "it", outputs, chat))).toBeInstanceOf(InitFailedError);
  expect(at.live("deployments")).toHaveLength(1);
});

describe("a job whose record was purged, as the state says, and that is to be run again", () => {
  const kind = "SupervisedFineTuningJob";
  const again = { ...job, recreateIfPurged: true };

  test("is not run again where its record is there", async () => {
    const { id, outputs } = await at.process().create(kind, "it", job);
    await at.requests();
    const retired = { ...outputs, retired: true };
    const process = at.process();
    expect(await process.diff(kind, "it", retired, again)).toMatchObject({ changes: true, replaces: [] });
    expect(await at.requests()).toHaveLength(1);
    expect(info(process.messages)).toEqual([expect.stringContaining("it is not replaced")]);
    const updated = await process.update(kind, "it", retired, again);
    expect(updated).toMatchObject({ name: id, state: "JOB_STATE_COMPLETED" });
    expect(updated["retired"]).toBeUndefined();
    expect(await at.process().diff(kind, "it", updated, again)).toMatchObject({ changes: false });
  });

  test("is run again where it is not, and held without a look where nobody asks", async () => {
    const { id, outputs } = await at.process().create(kind, "it", job);
    await at.vanish(id);
    await at.requests();
    const retired = { ...outputs, retired: true };
    expect(await at.process().diff(kind, "it", retired, job)).toMatchObject({ changes: false });
    expect(await at.requests()).toEqual([]);
    expect(await at.process().diff(kind, "it", retired, again)).toMatchObject({ replaces: ["retired"] });
  });
});

describe("a protected deployment that is recorded as failed", () => {
  const kind = "Deployment";
  const kept = { ...chat, deletionProtection: true };
  const other = { ...kept, baseModel: "accounts/platform/models/open-70b" };
  const mended = async (): Promise<{ id: string; outputs: Values }> => {
    const record = await recorded(kind, kept, failed);
    await at.change(record.id, { state: "READY", ...well });
    return record;
  };

  test("and is well, is not deleted", async () => {
    const { id, outputs } = await mended();
    expect((await refusal("protected", at.process().delete(kind, "it", outputs))).message).toContain(
      "deletionProtection",
    );
    expect(at.object(id)).toMatchObject({ state: "READY" });
  });

  test("and is well, is not replaced by an edit either", async () => {
    const { outputs } = await mended();
    const error = await rejection(at.process().diff(kind, "it", outputs, other));
    expect(error.message).toMatch(/protected by `deletionProtection`, and changing `baseModel` would replace it/);
  });

  test("and still is, may be replaced and deleted", async () => {
    const { id, outputs } = await recorded(kind, kept, failed);
    const { replaces } = await at.process().diff(kind, "it", outputs, other);
    expect(replaces).toContain("baseModel");
    await at.process().delete(kind, "it", outputs);
    expect(at.object(id)).toMatchObject({ state: "DELETED" });
  });

  test("and cannot be read, is not deleted", async () => {
    const { id, outputs } = await recorded(kind, kept, failed);
    await at.fault({ match: { operation: "getDeployment" }, fault: { kind: "status", status: 401 }, times: null });
    expect((await rejection(at.process().delete(kind, "it", outputs))).message).toContain("401");
    expect(at.object(id)).toMatchObject({ state: "FAILED" });
  });
});
