import { InitFailedError } from "../../provider/lifecycle/types";
import { refusal, rejection } from "../rejection";
import { createHarness, type Harness } from "./harness";

const job = { baseModel: "accounts/platform/models/open-8b", dataset: "accounts/acme/datasets/tickets", epochs: 2 };
const kind = "SupervisedFineTuningJob";

let at: Harness;
beforeEach(async () => void (at = await createHarness()));
afterEach(() => at.close());

test("a job is waited for until it ends, and names its output model", async () => {
  const process = at.process();
  const { outputs, id } = await process.create(kind, "tune", { ...job, outputModel: "support-8b" });
  expect(outputs).toMatchObject({
    name: id,
    state: "JOB_STATE_COMPLETED",
    outputModelName: "accounts/acme/models/support-8b",
    attempts: 1,
  });
  expect(at.object("accounts/acme/models/support-8b")).toMatchObject({ state: "READY", fineTuningJob: id });
  expect(
    process.messages.some((text) =>
      /JOB_STATE_RUNNING, [\d.]+ %, epoch \d+, \d+ tokens, estimated cost 3 USD$/.test(text),
    ),
  ).toBe(true);
});

test("without an output model the job's own id names it", async () => {
  const { outputs, id } = await at.process().create(kind, "tune", job);
  expect(outputs["outputModelName"]).toBe(`accounts/acme/models/${id.split("/").at(-1)!}`);
});

test("an edited job is a new run that keeps the old model until the new one exists", async () => {
  const first = await at.process().create(kind, "tune", job);
  const process = at.process();
  expect(await process.diff(kind, "tune", first.outputs, { ...job, epochs: 3 })).toMatchObject({
    changes: true,
    replaces: ["epochs"],
    deleteBeforeReplace: false,
  });
  const second = await process.create(kind, "tune", { ...job, epochs: 3 });
  await process.delete(kind, "tune", first.outputs);
  expect(at.live("supervisedFineTuningJobs").map((object) => object["name"])).toEqual([second.id]);
  expect(at.live("models")).toHaveLength(2);
});

test("a new display name trains nothing", async () => {
  const { outputs } = await at.process().create(kind, "tune", job);
  expect((await at.process().diff(kind, "tune", outputs, { ...job, displayName: "Tickets" })).replaces).toEqual([]);
});

const chosen = { ...job, supervisedFineTuningJobId: "tune", accountId: "acme" };

test.each([
  ["another setting", { ...chosen, dataset: "accounts/acme/datasets/calls" }, "`dataset`"],
  ["a setting that the program has not given before", { ...chosen, loraRank: 16 }, "`loraRank`"],
  ["another trigger", { ...chosen, triggers: { data: "2" } }, "`triggers`"],
])("a chosen id has no second run: %s (A072)", async (_, inputs, property) => {
  const { outputs } = await at.process().create(kind, "tune", chosen);
  const error = await refusal<InitFailedError>("id-used-up", at.process().diff(kind, "tune", outputs, inputs));
  expect(error.message).toContain(
    `${property} starts a new run, and the id \`tune\` can never be used again. Give a new \`supervisedFineTuningJobId\` or drop it.`,
  );
});

test("drift that the program accepts starts no other run under a chosen id", async () => {
  const { outputs, id } = await at.process().create(kind, "tune", { ...chosen, epochs: 2 });
  await at.change(id, { epochs: 3 });
  const { outputs: read } = (await at.process().refresh(kind, "tune", outputs, { ...chosen, epochs: 2 }))!;
  const recorded = { ...chosen, epochs: 2 };
  const accepted = await at.process().check(kind, "tune", { ...chosen, epochs: 3 }, recorded);
  expect(await at.process().diff(kind, "tune", read, accepted)).toMatchObject({ changes: false });
});

test("a chosen id has no second run after a failed one either (A072)", async () => {
  const process = at.process();
  const creating = rejection<InitFailedError>(process.create(kind, "tune", chosen));
  await at.clock.sleep(1000);
  await at.change("accounts/acme/supervisedFineTuningJobs/tune", {
    state: "JOB_STATE_FAILED",
    status: { code: "INVALID_ARGUMENT", message: "row 7 is no JSON" },
  });
  const { outputs } = (await creating) as unknown as { outputs: Record<string, unknown> };
  const rerun = { ...chosen, onFailure: "rerun" };
  expect((await rejection<InitFailedError>(at.process().diff(kind, "tune", outputs, rerun))).message).toContain(
    "can never be used again",
  );
  const { supervisedFineTuningJobId: _, ...automatic } = rerun;
  expect(await at.process().diff(kind, "tune", outputs, automatic)).toMatchObject({
    changes: true,
    replaces: ["state"],
    deleteBeforeReplace: false,
  });
  expect(
    await at.process().diff(kind, "tune", outputs, { ...rerun, supervisedFineTuningJobId: "tune-2" }),
  ).toMatchObject({ changes: true });
});

test("an unknown value may be unchanged: a chosen id is not refused for it", async () => {
  const { outputs } = await at.process().create(kind, "tune", chosen);
  expect(
    await at.process().diff(kind, "tune", outputs, { ...chosen, dataset: "04da6b54-80e4-46f7-96ec-b56ff0331ba9" }),
  ).toMatchObject({ changes: true });
});

test("deleting an active job cancels it first", async () => {
  const process = at.process();
  const creating = rejection<InitFailedError>(process.create(kind, "tune", job));
  await at.clock.sleep(120_000);
  process.abort.abort();
  const { outputs } = await creating;
  await at.requests();
  await at.process().delete(kind, "tune", outputs);
  const requests = await at.requests();
  expect(requests.some((request) => request.endsWith(":cancel"))).toBe(true);
  expect(at.live("supervisedFineTuningJobs")).toEqual([]);
});

test("a failed job is held at no cost until the program asks for another run", async () => {
  const process = at.process();
  const creating = rejection<InitFailedError>(process.create(kind, "tune", job));
  await at.clock.sleep(120_000);
  const [live] = at.live("supervisedFineTuningJobs");
  await at.change(String(live!["name"]), {
    state: "JOB_STATE_FAILED",
    status: { code: "INVALID_ARGUMENT", message: "row 7 is no JSON" },
  });
  const error = await creating;
  expect(error).toBeInstanceOf(InitFailedError);
  expect(error.message).toContain("row 7 is no JSON");
  expect(await at.process().diff(kind, "tune", error.outputs, job)).toMatchObject({ changes: true, replaces: [] });
  await at.requests();
  const again = await rejection<InitFailedError>(at.process().update(kind, "tune", error.outputs, job));
  expect(again).toBeInstanceOf(InitFailedError);
  expect((await at.requests()).filter((request) => !request.startsWith("GET"))).toEqual([]);
  const rerun = { ...job, onFailure: "rerun" };
  const next = at.process();
  expect(await next.diff(kind, "tune", error.outputs, rerun)).toMatchObject({ changes: true, replaces: ["state"] });
  const { outputs } = await next.create(kind, "tune", rerun);
  expect(outputs).toMatchObject({ state: "JOB_STATE_COMPLETED", attempts: 2 });
});

test("a succeeded job whose record is gone is retired, and nothing is run again", async () => {
  const { outputs } = await at.process().create(kind, "tune", job);
  await at.emulator.fetch(
    new Request(`http://127.0.0.1/_emulator/objects/${String(outputs["name"])}`, {
      method: "DELETE",
      headers: { host: "127.0.0.1" },
    }),
  );
  const read = await at.process().read(kind, "tune", outputs);
  expect(read?.outputs).toMatchObject({ retired: true, outputModelName: outputs["outputModelName"] });
  expect(await at.process().diff(kind, "tune", read!.outputs, job)).toMatchObject({ changes: false });
  expect(await at.process().diff(kind, "tune", read!.outputs, { ...job, recreateIfPurged: true })).toMatchObject({
    changes: true,
    replaces: ["retired"],
  });
});
