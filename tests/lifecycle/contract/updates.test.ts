import type { Settings } from "../../../emulator/index";
import { specOf } from "../../../provider/resources/index";
import type { Values } from "../../values";
import { DeclaredResource } from "./declaration";
import { onEachHost } from "./hosts";
import { places } from "./servers";
import { type HostedHarness, openService, withoutWrites } from "./service";
import type { Change } from "./subject";
import { subjects } from "./subjects/index";

/** Every field that can change is changed on the service, alone, and taken back as its rule says (A031, A033, A035). */

let at: HostedHarness;
afterEach(() => at.close());

const cases = subjects.flatMap((subject) =>
  subject.updates.map((group, index) => [`${subject.kind} ${index}`, subject, group] as const),
);

test.each(subjects.map((subject) => [subject.kind, subject] as const))(
  "each mutable field of %s has a change in the table",
  async (kind, subject) => {
    at = await openService({}, subject);
    const changeable = specOf(kind)!.fields.message.filter(
      ({ markers }) => !markers.immutable && !markers.recordedOnly && markers.deprecated === undefined,
    );
    const changed = subject.updates.flatMap(({ changes }) => Object.keys(changes));
    expect(changed.sort()).toEqual(changeable.map(({ name }) => name).sort());
  },
);

describe.each(places)("on a service that is %s", (_, settings: Partial<Settings>, place) => {
  onEachHost(4, place, cases, (cases, host) =>
    test.each(cases)("each change of %s is applied and nothing else changes", async (_title, subject, group) => {
      at = await openService({ ...settings, ...group.settings }, subject, host);
      const declaration = new DeclaredResource(at, subject.kind, "it", { ...group.config });
      const inputs = group.inputs ?? subject.inputs;
      await declaration.up(inputs);
      for (const [name, change] of Object.entries(group.changes)) {
        await changes(declaration, inputs, name, change);
        if (change.dropped === undefined) await declaration.up(inputs);
        else await drops(declaration, inputs, name, change);
      }
    }),
  );
});

/** The object as its fields say, with what is never answered among them. */
const stored = (id: string): Values => meaning({ ...at.object(id), ...at.emulator.world.get(id)?.hidden }) as Values;

/** Fields whose zero is a value like another (A094). */
const zeroIsValue: readonly string[] = [
  "maxReplicaCount",
  "draftModel",
  "defaultDraftModel",
  "defaultPermissions",
  "permissions",
];

/** An object without what an answer may as well leave out (A094). */
function meaning(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, member]) =>
      zeroIsValue.includes(name) ? [[name, member]] : isUnset(meaning(member)) ? [] : [[name, meaning(member)]],
    ),
  );
}

const isUnset = (value: unknown): boolean =>
  value === null ||
  value === "" ||
  value === 0 ||
  value === false ||
  value === "FULL_SNAPSHOT" ||
  (typeof value === "string" && value.endsWith("_UNSPECIFIED")) ||
  (typeof value === "object" && Object.keys(value).length === 0);

const moving: readonly string[] = ["updateTime", "createTime", "status"];

/** Everything but what a change of the field may move. */
const beside = (object: Values, name: string, { moves = [] }: Change): Values =>
  Object.fromEntries(
    Object.entries(object).filter(([other]) => other !== name && !moves.includes(other) && !moving.includes(other)),
  );

async function changes(declaration: DeclaredResource, inputs: Values, name: string, change: Change): Promise<void> {
  const before = stored(declaration.id);
  expect([name, await declaration.up({ ...inputs, [name]: change.to })]).toEqual([name, "update"]);
  const after = stored(declaration.id);
  expect({ [name]: after[name] }).toEqual(meaning({ [name]: change.holds ?? change.to }));
  expect(beside(after, name, change)).toEqual(beside(before, name, change));
  await withoutWrites(at, async () =>
    expect([name, await declaration.up({ ...inputs, [name]: change.to })]).toEqual([name, "same"]),
  );
}

async function drops(declaration: DeclaredResource, inputs: Values, name: string, change: Change): Promise<void> {
  const { [name]: _, ...rest } = inputs;
  const before = stored(declaration.id);
  await declaration.up(rest);
  const after = stored(declaration.id);
  expect(after[name]).toEqual(left(change, name, before));
  expect(beside(after, name, change)).toEqual(beside(before, name, change));
  await withoutWrites(at, async () => expect([name, await declaration.up(rest)]).toEqual([name, "same"]));
  await declaration.refresh();
  await withoutWrites(at, async () => expect([name, await declaration.up(rest)]).toEqual([name, "same"]));
  await declaration.up(inputs);
}

function left({ dropped }: Change, name: string, before: Values): unknown {
  const value =
    dropped === "kept" ? before[name] : dropped === "cleared" ? undefined : (dropped as { reset: unknown }).reset;
  return (meaning({ [name]: value }) as Values)[name];
}
