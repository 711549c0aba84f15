import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Values } from "../../values";
import { DeclaredResource } from "./declaration";
import { onEachHost } from "./hosts";
import { type HostedHarness, live, openService, withoutWrites } from "./service";
import type { ContractSubject } from "./subject";
import { subjects } from "./subjects/index";

/**
 * A state that another release has recorded means the same to this one. A release
 * adds its own file to `states` and changes none.
 */

/** What a release recorded of a kind, and the object as it was on the service. */
interface Recorded {
  state: { id: string; inputs: Values; outputs: Values };
  object: Values & { name: string };
  hidden?: Values;
}

const folder = join(__dirname, "states");

/** A release has recorded only kinds that it had, and no later one may drop any of them. */
function subjectOf(kind: string): ContractSubject {
  const subject = subjects.find((each) => each.kind === kind);
  if (!subject) throw new Error(`a release has recorded a ${kind}, and no subject has that kind any longer`);
  return subject;
}

const files = readdirSync(folder).filter((file) => file.endsWith(".json"));

const cases = files.flatMap((file) => {
  const recorded = JSON.parse(readFileSync(join(folder, file), "utf8")) as Record<string, Recorded>;
  const release = file.replace(".json", "");
  return Object.entries(recorded).map(([kind, each]) => [kind, release, subjectOf(kind), each] as const);
});

let at: HostedHarness;
afterEach(() => at.close());

onEachHost(1, 0, cases, (cases, host) =>
  test.each(cases)(
    "a %s that release %s recorded is read without a change, and can be deleted",
    async (kind, _release, subject, { state, object, hidden }) => {
      at = await openService({}, subject, host);
      await at.put(object.name, { ...object, ...hidden });
      const it = new DeclaredResource(at, kind);
      it.restore(state);
      const program = { ...subject.inputs, ...subject.removable };
      await at.requests();
      expect(await it.preview(program)).toBe("same");
      expect(await at.requests()).toEqual([]);
      await withoutWrites(at, async () => {
        await it.refresh();
        expect(await it.up(program)).toBe("same");
      });
      await it.destroy();
      expect(live(at, subject)).toEqual([]);
    },
  ),
);
