import { longestLagMs } from "../../../provider/lifecycle/read";
import { DeclaredResource } from "./declaration";
import { onEachHost } from "./hosts";
import { places } from "./servers";
import { declarationOf, edited, type HostedHarness, inputsOf, listed, live, openService } from "./service";
import type { ContractSubject } from "./subject";
import { subjects } from "./subjects/index";

/** What create, read, update, delete and list of any resource do one after the other, whatever the service is like. */

let at: HostedHarness;
afterEach(() => at.close());

const all = subjects.map((subject) => [subject.kind, subject] as const);

/** Of jobs that succeeded the outcome stays, and an id is used once (A072, A075). */
const isForGood = (subject: ContractSubject): boolean => declarationOf(subject).deletion === "forever";

const isSingleton = (subject: ContractSubject): boolean => declarationOf(subject).singleton === true;

describe.each(places)("on a service that is %s", (_, settings, place) =>
  onEachHost(4, place, all, (cases, host) => {
    test.each(cases)(
      "a %s that was created shows in reads and lists, and cannot be created again",
      async (kind, subject) => {
        at = await openService(settings, subject, host);
        const it = new DeclaredResource(at, kind);
        await it.up(inputsOf(subject));
        const made = it.outputs;
        expect(await it.refresh()).toBe("there");
        expect(it.outputs).toEqual(made);
        expect((await listed(at, subject)) ?? [it.id]).toContain(it.id);
        const before = at.object(it.id);
        const second = new DeclaredResource(at, kind, "second");
        for (const attempt of [1, 2])
          await expect([
            attempt,
            await second.up({ ...inputsOf(subject), ...subject.conflict }).catch((error: Error) => error.message),
          ]).toEqual([attempt, expect.stringContaining("exists")]);
        expect([second.state, at.object(it.id)]).toEqual([undefined, before]);
        expect(live(at, subject).map(({ name }) => name)).toEqual([it.id]);
      },
    );

    test.each(cases)("a change of a %s shows in reads and lists", async (kind, subject) => {
      at = await openService(settings, subject, host);
      const it = new DeclaredResource(at, kind);
      await it.up(inputsOf(subject));
      const program = edited(subject);
      if (program === undefined) return expect(declarationOf(subject).operations["update"]).toBeUndefined();
      await it.up(program);
      const changed = it.outputs;
      expect(await it.refresh()).toBe("there");
      expect(it.outputs).toEqual(changed);
      expect(await it.up(program)).toBe("same");
      expect((await listed(at, subject)) ?? [it.id]).toContain(it.id);
    });

    test.each(cases)(
      "a deleted %s is gone for reads, lists and updates, and can be recreated",
      async (kind, subject) => {
        at = await openService(settings, subject, host);
        const it = new DeclaredResource(at, kind);
        await it.up(inputsOf(subject));
        const { id } = it;
        const recorded = it.state!;
        await it.destroy();
        expect(live(at, subject)).toEqual([]);
        expect((await listed(at, subject)) ?? []).not.toContain(id);
        it.restore(recorded);
        await it.destroy();
        await at.clock.sleep(longestLagMs + 1000);
        it.restore(recorded);
        const program = edited(subject);
        if (program && !isSingleton(subject)) await expect(it.up(program)).rejects.toThrow("is gone");
        expect(live(at, subject)).toEqual([]);
        expect(await it.refresh()).toBe(isForGood(subject) || isSingleton(subject) ? "there" : "gone");
        const again = new DeclaredResource(at, kind);
        if (isForGood(subject)) await expect(again.up(inputsOf(subject))).rejects.toThrow("never be reused");
        else expect(await again.up(inputsOf(subject))).toBe("create");
        const isNewEachTime = declarationOf(subject).identity.decidedBy === "service";
        expect(live(at, subject).map(({ name }) => name)).toEqual(
          isForGood(subject) ? [] : [isNewEachTime ? again.id : id],
        );
      },
    );

    test.each(cases)("an update of a %s that does not exist creates none", async (kind, subject) => {
      at = await openService(settings, subject, host);
      const it = new DeclaredResource(at, kind);
      await it.up(inputsOf(subject));
      await at.vanish(it.id);
      const program = edited(subject);
      if (program === undefined || isSingleton(subject)) return;
      await expect(it.up(program)).rejects.toThrow("is gone");
      expect(live(at, subject)).toEqual([]);
    });
  }),
);
