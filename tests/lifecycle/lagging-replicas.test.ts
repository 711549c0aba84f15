import { refusal, rejection } from "../rejection";
import type { Values } from "../values";
import { createHarness, type Harness } from "./harness";

/** Deletes and refreshes against a replica that is minutes behind: they end, and what is unknown stays. */

let at: Harness;
beforeEach(async () => void (at = await createHarness()));
afterEach(() => at.close());

const baseModel = "accounts/platform/models/open-8b";
const kinds = [
  ["Deployment", "deployments", { baseModel, deploymentShape: "default" }],
  ["User", "users", { email: "ada@example.com", role: "user" }],
  ["Secret", "secrets", { keyName: "STORAGE_KEY", value: "hunter2" }],
  ["SupervisedFineTuningJob", "supervisedFineTuningJobs", { dataset: "accounts/acme/datasets/support", baseModel }],
] as const;

const minute = 60_000;
/** Older than any lag that is believed. */
const old = 11 * minute;

/** Milliseconds that something takes. */
async function taken(work: () => Promise<unknown>): Promise<number> {
  const begun = at.clock.now();
  await work();
  return at.clock.now() - begun;
}

test.each(kinds)(
  "the delete of a %s ends after two minutes, and the next one finds it gone",
  async (kind, all, inputs) => {
    const before = at.names(all);
    const made = await at.process().create(kind, "it", inputs);
    await at.clock.sleep(old);
    at.replica.lag = 7 * minute;
    let error: Error | undefined;
    const time = await taken(
      async () => (error = await refusal("deletion-not-seen", at.process().delete(kind, "it", made.outputs))),
    );
    expect(time).toBeLessThan(2.5 * minute);
    expect(error!.message).toContain(made.id);
    expect(error!.message).toMatch(/was accepted, and reads still show it as it was before/);
    expect(at.names(all)).toEqual(before);
    await at.clock.sleep(8 * minute);
    await at.process().delete(kind, "it", made.outputs);
  },
);

describe("a secret, which does not tell when it was made,", () => {
  const [kind, all, inputs] = kinds[2];

  test.each([1000, 5 * minute])("stays in the state while it may be invisible: %i ms", async (age) => {
    const { id, outputs } = await at.process().create(kind, "it", inputs);
    await at.clock.sleep(age);
    at.replica.lag = 7 * minute;
    const process = at.process();
    expect(await process.read(kind, "it", outputs)).toBeDefined();
    expect(process.messages).toContainEqual(expect.stringContaining("is not visible"));
    await at.process().delete(kind, "it", outputs);
    expect(at.names(all)).not.toContain(id);
  });

  test("is gone where it is older than any replica is behind", async () => {
    const { id, outputs } = await at.process().create(kind, "it", inputs);
    await at.vanish(id);
    expect(await at.process().read(kind, "it", outputs)).toBeUndefined();
  });
});

/** A process sends the delete and dies before it hears of it; the service carries it out. */
async function cutOffDelete(kind: string, name: string, outputs: Values): Promise<void> {
  const lost = { at: "answer", code: "UND_ERR_SOCKET", skip: 0, times: Number.POSITIVE_INFINITY, hits: 0 } as const;
  at.wire.push({ ...lost, method: "DELETE", path: /./ });
  const killed = at.process();
  const deleting = rejection(killed.delete(kind, name, outputs));
  await at.clock.sleep(100);
  killed.abort.abort(new Error("killed"));
  await deleting;
  await at.clearFaults();
}

describe.each(kinds.slice(0, 3))("a young %s that no read shows", (kind, _, inputs) => {
  const declared = inputs as Values;

  test("is gone at a second look where a run has sent its delete, under whatever name", async () => {
    const { id, outputs } = await at.process().create(kind, "it", declared);
    await cutOffDelete(kind, "it", outputs);
    at.emulator.world.remove(id);
    const renamed = at.process();
    const looks = await taken(async () => expect(await renamed.read(kind, "other", outputs)).toBeUndefined());
    expect(looks).toBeLessThan(40_000);
  });

  describe("whose delete broke off, while reads still show it,", () => {
    const whileShown = async (): Promise<Values> => {
      const { outputs } = await at.process().create(kind, "it", declared);
      await at.clock.sleep(minute);
      await cutOffDelete(kind, "it", outputs);
      at.replica.lag = 10_000;
      return outputs;
    };

    test("is gone to a refresh, which looks until replicas have caught up", async () => {
      const outputs = await whileShown();
      expect(await at.process().read(kind, "it", outputs)).toBeUndefined();
    });

    test("is not as declared to an `up`, which finds it gone", async () => {
      const outputs = await whileShown();
      expect(await at.process().diff(kind, "it", outputs, declared)).toMatchObject({ changes: true, replaces: [] });
      await refusal("gone", at.process().update(kind, "it", outputs, declared));
    });
  });

  test("lives on after a delete that was never carried out, and the doubt ends", async () => {
    const { outputs } = await at.process().create(kind, "it", declared);
    await at.clock.sleep(minute);
    const lost = { at: "request", code: "UND_ERR_SOCKET", skip: 0, times: Number.POSITIVE_INFINITY, hits: 0 } as const;
    at.wire.push({ ...lost, method: "DELETE", path: /./ });
    const killed = at.process();
    const deleting = rejection(killed.delete(kind, "it", outputs));
    await at.clock.sleep(100);
    killed.abort.abort(new Error("killed"));
    await deleting;
    await at.clearFaults();
    expect(await at.process().read(kind, "it", outputs)).toBeDefined();
    expect(await at.process().diff(kind, "it", outputs, declared)).toMatchObject({ changes: false });
  });

  test("is not as declared: an `up` of the same run looks again, and fails", async () => {
    const { outputs } = await at.process().create(kind, "it", declared);
    await at.clock.sleep(minute);
    at.replica.lag = 7 * minute;
    const process = at.process();
    await process.read(kind, "it", outputs);
    expect(await process.diff(kind, "it", outputs, declared)).toMatchObject({ changes: true, replaces: [] });
    expect(await rejection(process.update(kind, "it", outputs, declared))).toMatchObject({
      code: "not-visible",
      about: { object: outputs["name"] },
    });
  });

  test("is as declared once it shows, and nothing is written", async () => {
    const { outputs } = await at.process().create(kind, "it", declared);
    await at.clock.sleep(minute);
    at.replica.lag = 7 * minute;
    const process = at.process();
    await process.read(kind, "it", outputs);
    at.replica.lag = 0;
    await at.requests();
    await process.update(kind, "it", outputs, declared);
    expect((await at.requests()).filter((request) => !request.startsWith("GET"))).toEqual([]);
  });
});

test("a succeeded job needs no look after a delete that broke off", async () => {
  const [kind, , inputs] = kinds[3];
  const { outputs } = await at.process().create(kind, "it", inputs);
  await cutOffDelete(kind, "it", outputs);
  expect(await at.process().diff(kind, "it", outputs, inputs)).toMatchObject({ changes: false });
});

test("a delete that the service refuses proves nothing", async () => {
  const [kind, , inputs] = kinds[2];
  const { id, outputs } = await at.process().create(kind, "it", inputs);
  await at.fault({ match: { operation: "deleteSecret" }, fault: { kind: "status", status: 400 }, times: 9 });
  await rejection(at.process().delete(kind, "it", outputs));
  await at.clearFaults();
  at.replica.lag = 7 * minute;
  expect(await at.process().read(kind, "it", outputs)).toBeDefined();
  expect(at.object(id)).toBeDefined();
});

test("a process that has seen a longer lag waits three times as long", async () => {
  const { outputs } = await at.process().create("Deployment", "it", kinds[0][2]);
  await at.clock.sleep(old);
  const process = at.process();
  process.world.lag.note(1.5 * minute);
  at.replica.lag = 4 * minute;
  expect(await taken(() => process.delete("Deployment", "it", outputs))).toBeGreaterThan(3.5 * minute);
  expect(at.names("deployments")).toEqual([]);
});

test("who gives the delete a time, has it waited for", async () => {
  const { outputs } = await at.process().create("Deployment", "it", { ...kinds[0][2], timeouts: { delete: "15m" } });
  await at.clock.sleep(old);
  at.replica.lag = 7 * minute;
  await at.process().delete("Deployment", "it", outputs);
  expect(at.names("deployments")).toEqual([]);
});

test("a job that the replica shows at work, and that has ended, is deleted", async () => {
  const made = await at.process().create(kinds[3][0], "it", kinds[3][2]);
  at.replica.lag = 1.5 * minute;
  await at.process().delete(kinds[3][0], "it", made.outputs);
  expect(at.names("supervisedFineTuningJobs")).not.toContain(made.id);
});

test("a refresh ends as soon where the object's time is after the service's clock", async () => {
  const { outputs } = await at.process().create("Deployment", "it", kinds[0][2]);
  const ahead = { ...outputs, createTime: new Date(at.clock.now() + 300 * minute).toISOString() };
  at.replica.lag = 7 * minute;
  const process = at.process();
  expect(await taken(() => process.read("Deployment", "it", ahead))).toBeLessThan(2 * minute);
  expect(process.messages).toContainEqual(expect.stringContaining("is not visible"));
});

test.each(kinds)("the refresh of a %s takes less than two minutes", async (kind, _, inputs) => {
  const { outputs } = await at.process().create(kind, "it", inputs);
  at.replica.lag = 7 * minute;
  expect(await taken(() => at.process().refresh(kind, "it", outputs, inputs))).toBeLessThan(2 * minute);
});
