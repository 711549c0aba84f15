import type { Created, InitFailedError, Values } from "../../provider/lifecycle/types";
import { refusal, rejection } from "../rejection";
import { createHarness, type Harness, type Process } from "./harness";

const supervised = "SupervisedFineTuningJob";
const reinforcement = "RlorTrainerJob";
const open8b = "accounts/platform/models/open-8b";
const job = { baseModel: open8b, dataset: "accounts/acme/datasets/tickets", epochs: 2 };
/** The emulator finds something wrong with such a dataset. */
const broken = { ...job, dataset: "accounts/acme/datasets/fail" };
const trainer = { dataset: "accounts/acme/datasets/preferences", trainingConfig: { baseModel: open8b, epochs: 1 } };

let at: Harness;
beforeEach(async () => void (at = await createHarness()));
afterEach(() => at.close());

const writes = async (): Promise<string[]> => (await at.requests()).filter((request) => !request.startsWith("GET"));

/** A job that is changed outside the program two minutes after its creation was started; it is RUNNING by then. */
async function interfered(
  inputs: Values,
  change: Values,
): Promise<{ process: Process; creating: Promise<Created>; name: string }> {
  const process = at.process();
  const creating = process.create(supervised, "tune", inputs);
  creating.catch(() => undefined);
  await at.clock.sleep(120_000);
  const name = String(at.live("supervisedFineTuningJobs")[0]!["name"]);
  await at.change(name, change);
  return { process, creating, name };
}

describe("what a wait ends with", () => {
  test.each([
    [supervised, { waitFor: "submitted" }, "JOB_STATE_CREATING"],
    [supervised, { waitFor: "running" }, "JOB_STATE_RUNNING"],
    [supervised, { waitFor: "terminal" }, "JOB_STATE_COMPLETED"],
    [reinforcement, {}, "JOB_STATE_COMPLETED"],
    [reinforcement, { keepAlive: true }, "JOB_STATE_RUNNING"],
    [reinforcement, { serviceMode: true }, "JOB_STATE_RUNNING"],
    [reinforcement, { keepAlive: true, waitFor: "submitted" }, "JOB_STATE_CREATING"],
  ])("of a %s with %j is %s", async (kind, more, state) => {
    const { outputs } = await at.process().create(kind, "tune", { ...(kind === supervised ? job : trainer), ...more });
    expect(outputs).toMatchObject({ state });
  });

  test("is success as well where training has stopped early (A071)", async () => {
    const { outputs } = await at.process().create(supervised, "tune", {
      ...job,
      dataset: "accounts/acme/datasets/plateau",
      earlyStop: true,
      outputModel: "support",
    });
    expect(outputs).toMatchObject({
      state: "JOB_STATE_EARLY_STOPPED",
      outputModelName: "accounts/acme/models/support",
    });
    expect(at.object("accounts/acme/models/support")).toMatchObject({ state: "READY" });
  });

  test("is no success while a job is paused, which is reported once during the wait", async () => {
    const { process, creating, name } = await interfered(job, { state: "JOB_STATE_PAUSED" });
    await at.clock.sleep(300_000);
    await at.change(name, { state: "JOB_STATE_COMPLETED" });
    expect((await creating).outputs).toMatchObject({ state: "JOB_STATE_COMPLETED" });
    expect(process.messages.filter((text) => text.startsWith("warning"))).toEqual([
      expect.stringContaining("JOB_STATE_PAUSED"),
    ]);
  });

  test("is a failure that says how to run the job again, also after a resumed wait", async () => {
    const first = at.process();
    const creating = rejection<InitFailedError>(first.create(supervised, "tune", job));
    await at.clock.sleep(5_000);
    first.abort.abort();
    const { id, outputs } = await creating;
    const updating = rejection(at.process().update(supervised, "tune", outputs, job));
    await at.clock.sleep(60_000);
    await at.change(id, { state: "JOB_STATE_CANCELLED" });
    const error = await updating;
    expect(error.message).toContain("JOB_STATE_CANCELLED");
    expect(error.message).toContain('`onFailure: "rerun"`');
    expect(error.message).not.toContain("keep waiting");
  });

  test("is a failure that says what the job has cost", async () => {
    const cost = { estimatedCost: { currencyCode: "USD", units: "12", nanos: 500000000 } };
    const failure = { state: "JOB_STATE_FAILED", status: { code: "INTERNAL", message: "no memory" } };
    const { creating } = await interfered(job, { ...cost, ...failure });
    const error = (await rejection(creating)) as InitFailedError;
    expect(error.reasons[0]).toContain("JOB_STATE_FAILED (INTERNAL: no memory), at a cost of 12.5 USD");
  });

  test("is a warning in check where a rerun would need the id of the run before", async () => {
    const { judge } = at.process();
    const once = { ...job, supervisedFineTuningJobId: "tune" };
    const warnings = async (inputs: Values): Promise<unknown> => (await judge(supervised, "tune", inputs)).warnings;
    expect(await warnings(once)).toEqual([]);
    expect(await warnings({ ...once, onFailure: "rerun" })).toEqual([
      expect.stringMatching(/supervisedFineTuningJobId.*it can be used for one run/),
    ]);
  });

  test("is advice to give another id where that of a job that is gone is spent", async () => {
    const once = { ...job, supervisedFineTuningJobId: "tune", waitFor: "submitted" };
    const { outputs, id } = await at.process().create(supervised, "tune", once);
    await at.vanish(id);
    const error = await refusal(
      "gone",
      at.process().update(supervised, "tune", outputs, { ...once, onFailure: "rerun" }),
    );
    expect(error.message).toContain("give another `supervisedFineTuningJobId`: this one can never be reused");
  });

  test("is the timeout where a job stays paused, and the next run resumes the wait", async () => {
    const { creating, name } = await interfered({ ...job, timeouts: { create: "1h" } }, { state: "JOB_STATE_PAUSED" });
    const error = await rejection<InitFailedError>(creating);
    expect(error.message).toContain("still JOB_STATE_PAUSED");
    expect(error.outputs).toMatchObject({ state: "JOB_STATE_PAUSED" });
    expect(
      (await at.process().diff(supervised, "tune", error.outputs, { ...job, timeouts: { create: "1h" } })).replaces,
    ).toEqual([]);
    await at.change(name, { state: "JOB_STATE_COMPLETED" });
    await at.requests();
    expect(
      await at.process().update(supervised, "tune", error.outputs, { ...job, timeouts: { create: "1h" } }),
    ).toMatchObject({ state: "JOB_STATE_COMPLETED" });
    expect(await writes()).toEqual([]);
  });

  test("is neither success nor failure in an unknown state, which is waited for (A090)", async () => {
    const { creating } = await interfered({ ...job, timeouts: { create: "1h" } }, { state: "JOB_STATE_DREAMING" });
    const error = await rejection<InitFailedError>(creating);
    expect(error.message).toContain("still JOB_STATE_DREAMING after");
    expect(error.outputs).toMatchObject({ state: "JOB_STATE_DREAMING" });
  });

  test("is a failure where somebody has deleted the job meanwhile", async () => {
    const { creating } = await interfered(job, { state: "JOB_STATE_DELETED" });
    expect((await rejection<InitFailedError>(creating)).message).toContain("it is JOB_STATE_DELETED");
  });
});

describe("a job that has failed", () => {
  test("is run again by successive runs as often as the program allows, and then held", async () => {
    const inputs = { ...broken, onFailure: "rerun", maxAttempts: 3 };
    let last = await rejection<InitFailedError>(at.process().create(supervised, "tune", inputs));
    const attempts = [last.outputs["attempts"]];
    for (;;) {
      const process = at.process();
      const { replaces } = await process.diff(supervised, "tune", last.outputs, inputs);
      if (replaces.length === 0) break;
      expect(replaces).toEqual(["state"]);
      last = await rejection<InitFailedError>(process.create(supervised, "tune", inputs));
      attempts.push(last.outputs["attempts"]);
    }
    expect(attempts).toEqual([1, 2, 3]);
    await at.requests();
    expect(
      (await rejection<InitFailedError>(at.process().update(supervised, "tune", last.outputs, inputs))).message,
    ).toContain("row 1 has no messages");
    expect(await writes()).toEqual([]);
    expect((await at.process().diff(supervised, "tune", last.outputs, { ...inputs, maxAttempts: 4 })).replaces).toEqual(
      ["state"],
    );
  });

  test("counts from the start once its inputs change", async () => {
    const first = await rejection<InitFailedError>(at.process().create(supervised, "tune", broken));
    const process = at.process();
    expect((await process.diff(supervised, "tune", first.outputs, job)).replaces).toEqual(
      expect.arrayContaining(["dataset"]),
    );
    const { outputs } = await process.create(supervised, "tune", job);
    await process.delete(supervised, "tune", first.outputs);
    expect(outputs).toMatchObject({ state: "JOB_STATE_COMPLETED", attempts: 1 });
    expect(at.live("supervisedFineTuningJobs").map(({ name }) => name)).toEqual([outputs["name"]]);
  });

  test("leaves the previous run and its model alone", async () => {
    const first = await at.process().create(supervised, "tune", { ...job, outputModel: "support" });
    const process = at.process();
    await process.diff(supervised, "tune", first.outputs, { ...broken, outputModel: "support" });
    await rejection<InitFailedError>(process.create(supervised, "tune", { ...broken, outputModel: "support" }));
    expect(
      (await refusal<InitFailedError>("successor-unready", process.delete(supervised, "tune", first.outputs))).message,
    ).toContain("is not deleted: its successor");
    expect(at.object(first.id)).toMatchObject({ state: "JOB_STATE_COMPLETED" });
    expect(at.object("accounts/acme/models/support")).toMatchObject({ state: "READY", fineTuningJob: first.id });
  });
});

describe("a preview of a job that failed and is held", () => {
  test.each([
    ["as it is", broken],
    ["after its last attempt", { ...broken, onFailure: "rerun", maxAttempts: 1 }],
  ])("says %s what `up` says", async (_, inputs) => {
    const { outputs } = await rejection<InitFailedError>(at.process().create(supervised, "tune", inputs));
    const process = at.process();
    expect(await process.diff(supervised, "tune", outputs, inputs)).toMatchObject({ changes: true, replaces: [] });
    const [reason] = (await rejection<InitFailedError>(at.process().update(supervised, "tune", outputs, inputs)))
      .reasons;
    expect(reason).toContain("JOB_STATE_FAILED");
    expect(process.messages).toEqual([`warning: ${reason}`]);
  });

  test("of which the attempts are used up names the option that allows more", async () => {
    const inputs = { ...broken, onFailure: "rerun", maxAttempts: 1 };
    const { outputs } = await rejection<InitFailedError>(at.process().create(supervised, "tune", inputs));
    const error = await rejection(at.process().update(supervised, "tune", outputs, inputs));
    expect(error.message).toContain("raise `maxAttempts`, which is 1");
  });

  test("says nothing of a failure where a change starts another run", async () => {
    const { outputs } = await rejection<InitFailedError>(at.process().create(supervised, "tune", broken));
    const process = at.process();
    await process.diff(supervised, "tune", outputs, job);
    expect(process.messages.filter((text) => text.startsWith("warning"))).toEqual([]);
  });
});

describe("a preview of another run", () => {
  const said = async (kind: string, outputs: Values, inputs: Values): Promise<string[]> => {
    const process = at.process();
    await process.diff(kind, "tune", outputs, inputs);
    return process.messages;
  };

  test("says so, and what the last one was estimated to cost", async () => {
    const { outputs } = await at.process().create(supervised, "tune", job);
    expect(await said(supervised, outputs, { ...job, epochs: 3 })).toEqual([
      "info: `epochs` starts a new run; the last one was estimated to cost 3 USD.",
    ]);
    expect(await said(supervised, outputs, { ...job, displayName: "Tickets" })).toEqual([]);
  });

  test.each([
    [supervised, { ...job, outputModel: "support" }, { ...job, epochs: 3, outputModel: "support" }, "outputModel"],
    [
      supervised,
      { ...job, outputModel: "support" },
      { ...job, epochs: 3, outputModel: "accounts/acme/models/support" },
      "outputModel",
    ],
    [
      reinforcement,
      { ...trainer, trainingConfig: { baseModel: open8b, outputModel: "support" } },
      { ...trainer, trainingConfig: { baseModel: open8b, outputModel: "support", epochs: 2 } },
      "trainingConfig.outputModel",
    ],
  ])("of a %s warns where it would overwrite the same model (A070)", async (kind, inputs, edited, field) => {
    const { outputs } = await at.process().create(kind, "tune", inputs);
    expect((await said(kind, outputs, edited)).filter((text) => text.startsWith("warning"))).toEqual([
      expect.stringMatching(new RegExp(`creates accounts/acme/models/support again.*.${field}. is unchanged`)),
    ]);
  });

  test("does not warn where the last run has made nothing, or the model has another name", async () => {
    const { outputs } = await at.process().create(supervised, "tune", { ...job, outputModel: "support" });
    expect(await said(supervised, outputs, { ...job, epochs: 3, outputModel: "support-2" })).toEqual([
      expect.stringContaining("starts a new run"),
    ]);
    const failed = await rejection<InitFailedError>(
      at.process().create(supervised, "other", { ...broken, outputModel: "other" }),
    );
    expect(
      (await said(supervised, failed.outputs, { ...job, outputModel: "other" })).filter((text) =>
        text.startsWith("warning"),
      ),
    ).toEqual([]);
  });
});

describe("triggers", () => {
  const triggered = (triggers?: Values): Values => ({ ...job, ...(triggers && { triggers }) });

  test.each([
    ["another value", true, { data: "2" }],
    ["one more", true, { data: "1", prompt: "1" }],
    ["one less", false, {}],
    ["none", false, undefined],
    ["the same", false, { data: "1" }],
  ])("with %s start a new run: %s", async (_, again, triggers) => {
    const first = await at.process().create(supervised, "tune", triggered({ data: "1" }));
    const process = at.process();
    const { replaces } = await process.diff(supervised, "tune", first.outputs, triggered(triggers));
    expect(replaces).toEqual(again ? ["triggers"] : []);
    const { outputs } = again
      ? await process.create(supervised, "tune", triggered(triggers))
      : { outputs: await process.update(supervised, "tune", first.outputs, triggered(triggers)) };
    expect(outputs["name"] === first.id).toBe(!again);
    expect(await at.process().diff(supervised, "tune", outputs, triggered(triggers))).toMatchObject({ changes: false });
  });
});

describe("a job that has succeeded and whose record is gone", () => {
  test.each(["JOB_STATE_ARCHIVED", "JOB_STATE_DELETED"])(
    "by being %s is retired, and is not run again (A075)",
    async (state) => {
      const { outputs, id } = await at.process().create(supervised, "tune", job);
      await at.change(id, { state });
      const read = await at.process().read(supervised, "tune", outputs);
      expect(read?.outputs).toMatchObject({
        retired: true,
        state: "JOB_STATE_COMPLETED",
        outputModelName: outputs["outputModelName"],
      });
      expect(await at.process().diff(supervised, "tune", read!.outputs, job)).toMatchObject({ changes: false });
      await at.requests();
      await at.process().update(supervised, "tune", read!.outputs, { ...job, displayName: "Tickets" });
      await at.process().delete(supervised, "tune", read!.outputs);
      expect(await writes()).toEqual([]);
    },
  );
});

test.each([supervised, reinforcement])("deleting a %s never deletes its model (A073)", async (kind) => {
  const { outputs } = await at
    .process()
    .create(
      kind,
      "tune",
      kind === supervised
        ? { ...job, outputModel: "made" }
        : { ...trainer, trainingConfig: { ...trainer.trainingConfig, outputModel: "made" } },
    );
  await at.requests();
  await at.process().delete(kind, "tune", outputs);
  expect(await writes()).toEqual([`DELETE /v1/${String(outputs["name"])}`]);
  expect(at.object("accounts/acme/models/made")).toMatchObject({ state: "READY" });
});

test("deleting an idle trainer cancels it first (A073)", async () => {
  const { outputs, id } = await at.process().create(reinforcement, "tune", { ...trainer, keepAlive: true });
  await at.clock.sleep(3_600_000);
  expect(at.object(id)).toMatchObject({ state: "JOB_STATE_IDLE" });
  await at.requests();
  await at.process().delete(reinforcement, "tune", outputs);
  expect(await writes()).toEqual([`POST /v1/${id}:cancel`, `DELETE /v1/${id}`]);
});
