import type { Values } from "../../values";
import { DeclaredResource } from "./declaration";
import { onEachHost } from "./hosts";
import { declarationOf, edited, type HostedHarness, inputsOf, live, openService } from "./service";
import { subjects } from "./subjects/index";

/** Reads that a service does not have: what is left of them has to do for a whole life (A093). */

let at: HostedHarness;
afterEach(() => at.close());

const isConventional = (kind: string, verb: string): boolean =>
  declarationOf(subjects.find((subject) => subject.kind === kind)!).operations[verb]?.provenance === "conventional";

const cases = subjects
  .filter(({ kind }) => !declarationOf({ kind } as (typeof subjects)[number]).singleton)
  .flatMap((subject) =>
    [["list"], ["get"], ["get", "list"]]
      .filter((verbs) => verbs.every((verb) => isConventional(subject.kind, verb)))
      // Nobody sees when a change is over of what moves by itself, so that the service refuses the next one.
      .filter((verbs) => verbs.length === 1 || declarationOf(subject).lifecycle === undefined)
      .map((verbs) => [subject.kind, verbs.join(" and "), subject, verbs] as const),
  );

const nameOfOperation = (kind: string, verb: string): string => (verb === "list" ? `list${kind}s` : `${verb}${kind}`);

onEachHost(3, 0, cases, (cases, host) =>
  test.each(cases)("a %s lives where the service has no %s", async (kind, _, subject, verbs) => {
    at = await openService({}, subject, host);
    const off = Object.fromEntries(verbs.map((verb) => [nameOfOperation(kind, verb), "off"]));
    const it = new DeclaredResource(at, kind, "it", { operations: JSON.stringify(off) });
    const inputs: Values = inputsOf(subject);
    await it.up(inputs);
    expect(live(at, subject)).toHaveLength(1);
    expect([await it.up(inputs), await it.refresh(), await it.up(inputs)]).toEqual(["same", "there", "same"]);
    const program = edited(subject);
    if (program) expect(await it.up(program)).toBe("update");
    await it.destroy();
    expect(live(at, subject)).toEqual([]);
  }),
);

onEachHost(
  3,
  1,
  cases.filter(([, , , verbs]) => verbs.length === 1),
  (cases, host) =>
    test.each(cases)("a %s that somebody has deleted is gone where there is no %s", async (kind, _, subject, verbs) => {
      at = await openService({}, subject, host);
      const off = Object.fromEntries(verbs.map((verb) => [nameOfOperation(kind, verb), "off"]));
      const it = new DeclaredResource(at, kind, "it", { operations: JSON.stringify(off) });
      await it.up(inputsOf(subject));
      await at.vanish(it.id);
      const outlives = declarationOf(subject).deletion === "forever";
      expect(await it.refresh()).toBe(outlives ? "there" : "gone");
    }),
);
