import { fiveKinds } from "../five-kinds";
import { isNightly, longerAtNight, seedOf } from "../nightly";
import { struckAnswers } from "../struck-answers";
import { createHarness, type Harness, type Process } from "./harness";

/**
 * Objects of five kinds, made at once, at a service that answers a tenth of all requests badly: each is created once,
 * or is named, and the next run makes what is left.
 */

const seeds = isNightly ? Array.from({ length: 7 }, (_, index) => seedOf(20261126) + index) : [20261126];
const each = isNightly ? 40 : 12;

const kinds = fiveKinds("acme");

const declared = Object.entries(kinds).flatMap(([kind, { inputs }]) =>
  Array.from({ length: each }, (_, index) => ({ kind, name: `${kind}-${index}`, inputs: inputs(index) })),
);

let at: Harness;
beforeEach(async () => void (at = await createHarness()));
afterEach(() => at.close());

const live = (): string[] =>
  Object.values(kinds)
    .flatMap(({ collection }) => at.names(collection).map(String))
    .sort();

interface Ended {
  /** Names of objects by the names of their declarations. */
  made: Map<string, string>;
  errors: Map<string, string>;
}

async function up(process: Process, wanted: typeof declared): Promise<Ended> {
  const ended: Ended = { made: new Map(), errors: new Map() };
  await Promise.all(
    wanted.map(async ({ kind, name, inputs }) => {
      try {
        ended.made.set(name, (await process.create(kind, name, inputs)).id);
      } catch (error) {
        ended.errors.set(name, String((error as Error).message));
      }
    }),
  );
  return ended;
}

longerAtNight(() => {
  test.each(seeds)("with seed %i all is created once, or named and made by the next run", async (seed) => {
    const before = new Set(live());
    const ours = (): string[] => live().filter((name) => !before.has(name));
    for (const order of struckAnswers(seed, { share: 0.1, requests: 40 * declared.length })) await at.fault(order);
    const first = await up(at.process(), declared);
    expect(await at.faultHits()).toBeGreaterThan(declared.length / 10);
    // What no declaration has, is one that an error is about.
    const begun = ours().filter((name) => ![...first.made.values()].includes(name));
    expect(begun.length).toBeLessThanOrEqual(first.errors.size);
    // What has a natural key is looked for by it, and made before its time is over.
    expect([...first.errors].filter(([name]) => /^(User|Secret)/.test(name))).toEqual([]);
    await at.clearFaults();
    const left = declared.filter(({ name }) => first.errors.has(name));
    const second = await up(at.process(), left);
    expect([...second.errors]).toEqual([]);
    expect(ours()).toEqual([...first.made.values(), ...second.made.values()].sort());
    expect(ours()).toHaveLength(declared.length);
  });
});
