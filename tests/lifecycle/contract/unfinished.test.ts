import { rejection } from "../../rejection";
import type { Values } from "../../values";
import { DeclaredResource, type EngineStep } from "./declaration";
import { onEachHost } from "./hosts";
import { declarationOf, type HostedHarness, inputsOf, live, openService } from "./service";
import type { ContractSubject } from "./subject";
import { subjects } from "./subjects/index";

/**
 * A run gives up waiting, or is interrupted. Until somebody sees the object as the program wants it, each `up` waits
 * for it again, also once a refresh has made the engine forget that the last one failed. What others set in motion is
 * nothing that this stack waits for.
 */

let at: HostedHarness;
afterEach(() => at.close());

const lifecycleOf = (subject: ContractSubject) => declarationOf(subject).lifecycle!;

const waiting = subjects.filter((subject) => (lifecycleOf(subject)?.moving ?? []).length > 0);
const cases = (some: readonly ContractSubject[]) => some.map((subject) => [subject.kind, subject] as const);

/** What the program declares, with seconds for each wait. */
const hasty = (subject: ContractSubject): Values => ({
  ...inputsOf(subject),
  timeouts: { create: "5s", update: "5s" },
});

/** A program of the subject at a service where nothing ever gets ready. */
async function atStandstill(subject: ContractSubject, host?: HostedHarness["host"]): Promise<DeclaredResource> {
  at = await openService({}, subject, host);
  standStill();
  return new DeclaredResource(at, subject.kind);
}

function standStill(): void {
  for (const account of ["acme", "beta"]) at.emulator.world.changeSettings({ speed: 1e-6 }, account);
}

/** What the next command would do, and what one would do after a refresh. */
async function outlook(it: DeclaredResource, program: Values): Promise<EngineStep[]> {
  const before = await it.preview(program);
  await it.refresh();
  return [before, await it.preview(program)];
}

const settle = (it: DeclaredResource, subject: ContractSubject): Promise<void> =>
  at.change(it.id, { state: lifecycleOf(subject).ready[0] });

onEachHost(1, 0, cases(waiting), (cases, host) =>
  test.each(cases)("a %s that was not waited for to the end is no unchanged one", async (_, subject) => {
    const it = await atStandstill(subject, host);
    await expect(it.up(hasty(subject))).rejects.toThrow("did not reach the desired state");
    expect(await outlook(it, hasty(subject))).toEqual(["update", "update"]);
    await expect(it.up(hasty(subject))).rejects.toThrow("did not reach the desired state");
    const { moving, resting } = lifecycleOf(subject);
    for (const state of [...moving, ...resting]) {
      await at.change(it.id, { state });
      expect(await outlook(it, hasty(subject))).toEqual(["update", "update"]);
    }
    await settle(it, subject);
    expect([await it.up(hasty(subject)), await it.up(hasty(subject))]).toEqual(["update", "same"]);
    expect(await outlook(it, hasty(subject))).toEqual(["same", "same"]);
    expect(live(at, subject)).toHaveLength(1);
  }),
);

onEachHost(1, 0, cases(waiting), (cases, host) =>
  test.each(cases)("a refresh that sees a %s ready ends the wait for it", async (_, subject) => {
    const it = await atStandstill(subject, host);
    await rejection(it.up(hasty(subject)));
    await settle(it, subject);
    expect(await outlook(it, hasty(subject))).toEqual(["update", "same"]);
    await at.change(it.id, { state: lifecycleOf(subject).moving.at(-1)! });
    expect(await outlook(it, hasty(subject))).toEqual(["same", "same"]);
  }),
);

onEachHost(1, 0, cases(waiting), (cases, host) =>
  test.each(cases)("a %s that others have set in motion is an unchanged one", async (_, subject) => {
    at = await openService({}, subject, host);
    const it = new DeclaredResource(at, subject.kind);
    await it.up(inputsOf(subject));
    for (const state of lifecycleOf(subject).moving) {
      await at.change(it.id, { state });
      expect(await outlook(it, inputsOf(subject))).toEqual(["same", "same"]);
    }
  }),
);

onEachHost(1, 0, cases(waiting), (cases, host) =>
  test.each(cases)("a moving %s that is imported is one that this stack has not waited for", async (_, subject) => {
    const it = await atStandstill(subject, host);
    await rejection(it.up(hasty(subject)));
    const imported = new DeclaredResource(at, subject.kind, "imported");
    await imported.import(it.id);
    await imported.refresh();
    expect([it.outputs, imported.outputs]).toEqual([
      expect.objectContaining({ awaited: true }),
      expect.not.objectContaining({ awaited: true }),
    ]);
  }),
);

onEachHost(1, 0, cases(waiting.filter((subject) => declarationOf(subject).operations["update"])), (cases, host) =>
  test.each(cases)("a moving %s that is adopted and not waited for is no unchanged one", async (_, subject) => {
    const first = await atStandstill(subject, host);
    await rejection(first.up(hasty(subject)));
    const it = new DeclaredResource({ ...at, process: (config) => at.elsewhere(config) }, subject.kind);
    await rejection(it.up({ ...hasty(subject), adopt: "overwrite" }));
    expect(it.state).toBeDefined();
    expect(await outlook(it, { ...hasty(subject), adopt: "overwrite" })).toEqual(["update", "update"]);
  }),
);

const accepting: Readonly<Record<string, string>> = {
  User: "accepted",
  Deployment: "accepted",
  SupervisedFineTuningJob: "submitted",
  RlorTrainerJob: "submitted",
};

onEachHost(1, 0, cases(waiting.filter(({ kind }) => accepting[kind])), (cases, host) =>
  test.each(cases)("a %s that the program does not wait for is unchanged while it moves", async (kind, subject) => {
    const it = await atStandstill(subject, host);
    const accepted = { ...hasty(subject), waitFor: accepting[kind]! };
    await it.up(accepted);
    expect(await outlook(it, accepted)).toEqual(["same", "same"]);
    // The program waits from now on, and later no longer.
    await rejection(it.up(hasty(subject)));
    expect(await outlook(it, hasty(subject))).toEqual(["update", "update"]);
    expect([await it.up(accepted), await it.up(accepted)]).toEqual(["update", "same"]);
    expect(it.outputs).not.toHaveProperty("awaited");
  }),
);

describe("an update of a Deployment", () => {
  const subject = subjects.find(({ kind }) => kind === "Deployment")!;
  const wider = { ...hasty(subject), maxReplicaCount: 4 };

  /** A ready deployment at a service where an update never ends. */
  async function beforeUpdate(host: HostedHarness["host"]): Promise<DeclaredResource> {
    at = await openService({}, subject, host);
    const it = new DeclaredResource(at, subject.kind);
    at.emulator.world.changeSettings({ speed: 1000 }, "acme");
    await it.up(hasty(subject));
    standStill();
    return it;
  }

  const isUpdating = (it: DeclaredResource): boolean => at.object(it.id)!["state"] === "UPDATING";

  async function expectUnfinished(it: DeclaredResource): Promise<void> {
    expect(isUpdating(it)).toBe(true);
    expect(await outlook(it, wider)).toEqual(["update", "update"]);
    await it.refresh();
    expect(await it.preview(wider)).toBe("update");
    await settle(it, subject);
    expect([await it.up(wider), await it.up(wider)]).toEqual(["update", "same"]);
    expect(it.outputs).not.toHaveProperty("awaited");
  }

  onEachHost(1, 0, ["given up", "interrupted"], (ways, host) =>
    test.each(ways)("whose wait was %s is no unchanged one", async (way) => {
      const it = await beforeUpdate(host);
      const updating = rejection(it.up(wider));
      if (way === "interrupted") {
        while (!isUpdating(it)) await new Promise(setImmediate);
        it.interrupt();
      }
      expect((await updating).message).toContain("has not settled after the change");
      await expectUnfinished(it);
    }),
  );
});
