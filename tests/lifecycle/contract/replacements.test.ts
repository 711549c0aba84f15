import type { Values } from "../../values";
import { DeclaredResource } from "./declaration";
import { onEachHost } from "./hosts";
import { declarationOf, type HostedHarness, live, openService } from "./service";
import type { ContractSubject, Replacement } from "./subject";
import { subjects } from "./subjects/index";

/**
 * Every field that cannot change leads to another object that has the new
 * value, and the old one goes (A041, A070, A080).
 */

let at: HostedHarness;
afterEach(() => at.close());

const cases = subjects.map((subject) => [subject.kind, subject] as const);

const neverReplaced = (subject: ContractSubject): boolean => declarationOf(subject).identity.neverReplaced === true;

test.each(cases)("each field of %s that forces a replacement has a change in the table", async (_, subject) => {
  at = await openService({}, subject);
  const { message, behaviours, resourceId } = declarationOf(subject).fields;
  const fixed = [...message, ...behaviours]
    .filter(({ markers }) => markers.immutable || markers.restarts)
    .map(({ name }) => name);
  const places = neverReplaced(subject) ? [] : ["accountId", ...(resourceId ? [resourceId.name] : [])];
  expect(Object.keys(subject.replacements).sort()).toEqual([...fixed, ...places].sort());
});

const replacements = subjects.flatMap((subject) =>
  Object.entries(subject.replacements).map(
    ([field, replacement]) => [subject.kind, field, subject, replacement] as const,
  ),
);

describe.each([
  [true, 0],
  [false, 1],
])("where deletes are soft: %s", (softDelete, place) => {
  onEachHost(4, place, replacements, (replacements, host) =>
    test.each(replacements)("a %s is replaced for a change of `%s`", async (kind, field, subject, replacement) => {
      at = await openService({ softDelete, emitUnset: softDelete }, subject, host);
      const it = new DeclaredResource(at, kind);
      const { before, after } = programs(subject, field, replacement);
      await it.up(before);
      expect([await it.preview(after), await it.up(after)]).toEqual(["replace", "replace"]);
      expect(live(at, subject).map(({ name }) => name)).toEqual([it.id]);
      expect(it.outputs).toMatchObject({ [field]: replacement.holds ?? replacement.to });
      if (declarationOf(subject).fields.message.some(({ name }) => name === field))
        expect(at.object(it.id)).toMatchObject({ [field]: replacement.holds ?? replacement.to });
      expect(await it.up(after)).toBe("same");
      await it.refresh();
      expect(await it.up(after)).toBe("same");
      await it.destroy();
      expect(live(at, subject).map(({ name }) => name)).toEqual([]);
    }),
  );
});

function programs(
  { inputs, chosen, removable }: ContractSubject,
  field: string,
  { from, to, with: rest }: Replacement,
): { before: Values; after: Values } {
  const { [field]: id } = chosen;
  const before = { ...(from ?? inputs), ...removable, ...(id !== undefined && { [field]: id }) };
  return { before: defined(before), after: defined({ ...before, ...rest, [field]: to }) };
}

const defined = (values: Values): Values =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));

onEachHost(
  1,
  0,
  cases.filter(([, subject]) => neverReplaced(subject)),
  (cases, host) =>
    test.each(cases)("a %s is never replaced automatically, and the preview says so", async (kind, subject) => {
      at = await openService({}, subject, host);
      const it = new DeclaredResource(at, kind);
      await it.up({ ...subject.inputs, ...subject.chosen });
      const { resourceId } = declarationOf(subject).fields;
      for (const field of ["accountId", resourceId!.name])
        await expect(it.preview({ ...subject.inputs, ...subject.chosen, [field]: "another" })).rejects.toThrow(
          "Declare a new resource",
        );
      expect(live(at, subject).map(({ name }) => name)).toEqual([it.id]);
    }),
);

const recreated = cases.filter(
  ([, subject]) =>
    !neverReplaced(subject) &&
    declarationOf(subject).identity.naturalKey === undefined &&
    !declarationOf(subject).singleton,
);

onEachHost(1, 1, recreated, (cases, host) =>
  test.each(cases)("a %s that is replaced by force several times is one object in the end", async (kind, subject) => {
    at = await openService({}, subject, host);
    const it = new DeclaredResource(at, kind);
    await it.up(subject.inputs);
    await it.up(subject.inputs);
    for (const _ of [1, 2, 3]) {
      const { id } = it;
      await it.remake(subject.inputs);
      expect(live(at, subject).map(({ name }) => name)).toEqual([it.id]);
      expect(it.id).not.toBe(id);
      expect(await it.up(subject.inputs)).toBe("same");
    }
  }),
);
