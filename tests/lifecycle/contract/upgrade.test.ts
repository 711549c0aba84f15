import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Harness } from "../harness";
import { Declaration, type Values } from "./declaration";
import { live, openService, withoutWrites } from "./service";
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

const cases = readdirSync(folder).flatMap((file) => {
  const recorded = JSON.parse(readFileSync(join(folder, file), "utf8")) as Record<string, Recorded>;
  return subjects.map(
    (subject) => [subject.kind, file.replace(".json", ""), subject, recorded[subject.kind]!] as const,
  );
});

let at: Harness;
afterEach(() => at.close());

test.each(cases)(
  "a %s that release %s recorded is found as it was, changes nothing, and can be removed",
  async (kind, _release, subject, { state, object, hidden }) => {
    at = await openService({}, subject);
    await at.put(object.name, { ...object, ...hidden });
    const it = new Declaration(at, kind);
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
);
