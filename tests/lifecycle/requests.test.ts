import type { Created, Values } from "../../provider/lifecycle/types";
import { isNightly, longerAtNight, nightly } from "../nightly";
import { createHarness, type Harness, type Process } from "./harness";

let at: Harness;
beforeEach(async () => void (at = await createHarness()));
afterEach(() => at.close());

interface Subject {
  kind: string;
  inputs(index: number): Values;
  edited(index: number): Values;
  /** How long the service takes, in seconds. */
  takes: { create: number; update: number; delete: number };
}

const deployment = { baseModel: "accounts/platform/models/open-8b", deploymentShape: "default" };

const subjects: readonly Subject[] = [
  {
    kind: "Deployment",
    inputs: () => deployment,
    edited: () => ({ ...deployment, maxReplicaCount: 3 }),
    takes: { create: 240, update: 60, delete: 20 },
  },
  {
    kind: "Secret",
    inputs: (index) => ({ keyName: `KEY_${index}`, value: "one" }),
    edited: (index) => ({ keyName: `KEY_${index}`, value: "two" }),
    takes: { create: 0, update: 0, delete: 0 },
  },
];

const each = <T>(count: number, work: (index: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => work(index)));

const createAll = (process: Process, { kind, inputs }: Subject, count: number): Promise<Created[]> =>
  each(count, (index) => process.create(kind, `r${index}`, inputs(index)));

/** Requests since the last call: those that change something by method, the others together. */
async function requests(): Promise<{ writes: Record<string, number>; reads: number }> {
  const writes: Record<string, number> = {};
  let reads = 0;
  for (const request of await at.requests()) {
    const method = request.split(" ")[0]!;
    if (method === "GET") reads += 1;
    else writes[method] = (writes[method] ?? 0) + 1;
  }
  return { writes, reads };
}

/**
 * Looks until something has passed that takes so many seconds, as a schedule has them that knows nothing: after 1 s,
 * then less and less often, at least every `longest` seconds (A096).
 */
function polls(seconds: number, longest = 5): number {
  let count = 1;
  for (let time = 1, pause = 1; time < seconds; time += pause) {
    pause = Math.min(pause * 1.5, longest);
    count += 1;
  }
  return count;
}

/** Once per account, a process finds out whether its key is good. */
const admission = 1;
/** Looks more than those, which come early or close to the usual end. */
const early = 10;
/** Looks before and after a change; many share them, ten at least. */
const shared = (count: number): number => (count < 3 ? 3 * count : 0.15 * count);

describe.each(subjects)("$kind", (subject) => {
  const { kind, inputs, edited, takes } = subject;

  const title = "requests for %i: one write per change, shared lists, none without a change";
  test.each([1, 40])(title, expectFew);
  nightly("more share the same lists", () => test.each([100])(title, expectFew));

  /** Each step in a process of its own, as in one run after the other. */
  async function expectFew(count: number): Promise<void> {
    const made = await createAll(at.process(), subject, count);
    const created = await requests();
    expect(created.writes).toEqual({ POST: count });
    expect(created.reads).toBeLessThanOrEqual(admission + polls(takes.create) + early);

    const idle = at.process();
    await each(count, (index) => idle.diff(kind, `r${index}`, made[index]!.outputs, inputs(index)));
    expect(await requests()).toEqual({ writes: {}, reads: 0 });

    const reader = at.process();
    await each(count, (index) => reader.read(kind, `r${index}`, made[index]!.outputs));
    expect(await requests()).toEqual({ writes: {}, reads: 1 });

    const updater = at.process();
    await each(count, (index) => updater.update(kind, `r${index}`, made[index]!.outputs, edited(index)));
    const updated = await requests();
    expect(updated.writes).toEqual({ PATCH: count });
    expect(updated.reads).toBeLessThanOrEqual(admission + shared(count) + polls(takes.update) + early);

    const remover = at.process();
    await each(count, (index) => remover.delete(kind, `r${index}`, made[index]!.outputs));
    const removed = await requests();
    expect(removed.writes).toEqual({ DELETE: count });
    expect(removed.reads).toBeLessThanOrEqual(admission + shared(count) + polls(takes.delete) + early);
  }
});

/** How many wait at once; a nightly run tries more. */
const crowds = (isNightly ? [250, 1000] : [100]).map((crowd) => [crowd.toLocaleString("en"), crowd] as const);
/** List pages that so many objects take. */
const pagesOf = (crowd: number): number => Math.ceil(crowd / 200);

longerAtNight(() => {
  test.each(crowds)(
    "%s deployments that get ready in turn are polled by list, 2.5 s late on average",
    async (_, crowd) => {
      const [subject] = subjects as [Subject];
      const process = at.process();
      /** Seconds between the first and the last. */
      const arriving = crowd / 10;
      const lags = await each(crowd, async (index) => {
        await at.clock.sleep(index * 100);
        const { id } = await process.create("Deployment", `r${index}`, subject.inputs(index));
        const { createTime } = at.object(id) as { createTime: string };
        return (at.clock.now() - Date.parse(createTime)) / 1000 - subject.takes.create;
      });
      expect(Math.min(...lags)).toBeGreaterThanOrEqual(0);
      expect(lags.reduce((sum, lag) => sum + lag, 0) / lags.length).toBeLessThanOrEqual(2.5);
      const { writes, reads } = await requests();
      expect(writes).toEqual({ POST: crowd });
      expect(reads).toBeLessThanOrEqual(admission + pagesOf(crowd) * (arriving + polls(subject.takes.create) + early));
    },
  );

  test.each(crowds)("%s waiting jobs cost the pages of a list, not a request each", async (_, crowd) => {
    const process = at.process();
    const begun = at.clock.now();
    await each(crowd, (index) =>
      process.create("SupervisedFineTuningJob", `r${index}`, {
        baseModel: deployment.baseModel,
        dataset: "accounts/acme/datasets/tickets",
      }),
    );
    const { writes, reads } = await requests();
    expect(writes).toEqual({ POST: crowd });
    expect(reads).toBeLessThanOrEqual(
      admission + pagesOf(crowd) * (polls((at.clock.now() - begun) / 1000, 30) + early),
    );
  });
});

/**
 * Requests for each of 200 objects that need no long wait: what a service's limit lets through in a second is the
 * speed.
 */
test.each([
  [
    "User",
    (index: number) => ({ email: `user-${index}@example.com`, role: "user" }),
    (index: number) => ({ email: `user-${index}@example.com`, role: "contributor" }),
  ],
  [
    "Secret",
    (index: number) => ({ keyName: `KEY_${index}`, value: "one" }),
    (index: number) => ({ keyName: `KEY_${index}`, value: "two" }),
  ],
] as const)("200 objects of kind %s cost little more than a request for each change", async (kind, inputs, edited) => {
  const count = 200;
  const sent = async (): Promise<number> => (await at.requests()).length / count;
  const made = await each(
    count,
    (
      (process) => (index) =>
        process.create(kind, `r${index}`, inputs(index))
    )(at.process()),
  );
  expect(await sent()).toBeLessThanOrEqual(1.15);
  const reader = at.process();
  await each(count, (index) => reader.read(kind, `r${index}`, made[index]!.outputs));
  expect(await sent()).toBeLessThanOrEqual(1 / count);
  const updater = at.process();
  const updated = await each(count, (index) => updater.update(kind, `r${index}`, made[index]!.outputs, edited(index)));
  expect(await sent()).toBeLessThanOrEqual(1.3);
  const remover = at.process();
  await each(count, (index) => remover.delete(kind, `r${index}`, updated[index]!));
  expect(await sent()).toBeLessThanOrEqual(1.2);
});
