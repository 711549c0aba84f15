import type { Values } from "../../values";
import { DeclaredResource } from "./declaration";
import { onEachHost } from "./hosts";
import { declarationOf, type HostedHarness, inputsOf, live, openService, withoutWrites } from "./service";
import type { ContractSubject } from "./subject";
import { subjects } from "./subjects/index";

/**
 * What `deletionProtection` keeps, for any resource: a protected object goes only
 * after an `up` of its own has switched that off.
 */

let at: HostedHarness;
afterEach(() => at.close());

const cases = subjects.map((subject) => [subject.kind, subject] as const);
const onAndOff = { on: { deletionProtection: true }, off: { deletionProtection: false } };
const refusal = /is protected by `deletionProtection`/;
const names = (subject: ContractSubject): unknown[] => live(at, subject).map(({ name }) => name);

onEachHost(2, 0, cases, (cases, host) =>
  test.each(cases)("a protected %s is not deleted, and the error says what to do", async (kind, subject) => {
    at = await openService({}, subject, host);
    const it = new DeclaredResource(at, kind);
    await it.up({ ...inputsOf(subject), ...onAndOff.on });
    await withoutWrites(at, () => expect(it.destroy()).rejects.toThrow(refusal));
    await expect(it.destroy()).rejects.toThrow(
      /declare it with `deletionProtection: false`( \(.* in Python\))?, run `pulumi up --target '\*\*:/,
    );
    expect(names(subject)).toEqual([it.id]);
  }),
);

const ways = [
  ["set to false", onAndOff.off],
  ["no longer set", {}],
] as const;

onEachHost(
  2,
  1,
  cases.flatMap(([kind, subject]) => ways.map(([way, off]) => [kind, way, subject, off] as const)),
  (cases, host) =>
    test.each(cases)(
      "protection of a %s that is %s is recorded by an update that sends nothing",
      async (kind, _, subject, off) => {
        at = await openService({}, subject, host);
        const it = new DeclaredResource(at, kind);
        const program = inputsOf(subject);
        await it.up({ ...program, ...onAndOff.on });
        expect(await it.up({ ...program, ...onAndOff.on })).toBe("same");
        await withoutWrites(at, async () =>
          expect([await it.preview({ ...program, ...off }), await it.up({ ...program, ...off })]).toEqual([
            "update",
            "update",
          ]),
        );
        expect(await it.up({ ...program, ...off })).toBe("same");
        await it.destroy();
        expect(live(at, subject)).toEqual([]);
      },
    ),
);

onEachHost(2, 2, cases, (cases, host) =>
  test.each(cases)("the setting protects a %s where the program does not say", async (kind, subject) => {
    at = await openService({}, subject, host);
    const it = new DeclaredResource(at, kind, "it", { deletionProtection: "true" });
    const program = inputsOf(subject);
    await it.up(program);
    expect(it.state!.inputs["deletionProtection"]).toBe(true);
    await it.refresh();
    expect(await it.up(program)).toBe("same");
    await expect(it.destroy()).rejects.toThrow(refusal);
    expect(await it.up({ ...program, ...onAndOff.off })).toBe("update");
    await it.destroy();
    expect(live(at, subject)).toEqual([]);
  }),
);

const replacements = subjects.flatMap((subject) =>
  Object.entries(subject.replacements).map(
    ([field, replacement]) => [subject.kind, field, subject, replacement] as const,
  ),
);

onEachHost(4, 0, replacements, (replacements, host) =>
  test.each(replacements)(
    "a protected %s is not replaced for `%s`, not even by the `up` that unprotects it",
    async (kind, field, subject, { from, to, with: rest }) => {
      at = await openService({}, subject, host);
      const it = new DeclaredResource(at, kind);
      const id = subject.chosen[field];
      const before = { ...(from ?? subject.inputs), ...subject.removable, ...(id !== undefined && { [field]: id }) };
      const after = { ...before, ...rest, [field]: to };
      await it.up({ ...before, ...onAndOff.on });
      const kept = it.id;
      await withoutWrites(at, async () => {
        for (const change of [onAndOff.on, onAndOff.off, {}]) {
          await expect(it.preview({ ...after, ...change })).rejects.toThrow(refusal);
          await expect(it.up({ ...after, ...change })).rejects.toThrow(
            /run `up` with `deletionProtection: false`( \(.* in Python\))? alone before the change/,
          );
        }
      });
      expect(names(subject)).toEqual([kept]);
      await it.up({ ...before, ...onAndOff.off });
      expect(await it.up({ ...after, ...onAndOff.off })).toBe("replace");
      expect(names(subject)).toEqual([it.id]);
    },
  ),
);

const recreated = cases.filter(([, subject]) => {
  const { identity, singleton } = declarationOf(subject);
  return !identity.neverReplaced && identity.naturalKey === undefined && !singleton;
});

onEachHost(2, 3, recreated, (cases, host) =>
  test.each(cases)(
    "a protected %s stays after a forced replacement until an unprotected successor",
    async (kind, subject) => {
      at = await openService({}, subject, host);
      const it = new DeclaredResource(at, kind);
      await it.up({ ...subject.inputs, ...onAndOff.on });
      const old = it.id;
      await expect(it.remake({ ...subject.inputs, ...onAndOff.off })).rejects.toThrow(refusal);
      expect(names(subject)).toEqual(expect.arrayContaining([old, it.id]));
      expect(it.id).not.toBe(old);
      await it.up({ ...subject.inputs, ...onAndOff.off });
      expect(names(subject)).toEqual([it.id]);
    },
  ),
);

onEachHost(2, 4, recreated, (cases, host) =>
  test.each(cases)(
    "a protected %s stays after a forced replacement by a protected successor",
    async (kind, subject) => {
      at = await openService({}, subject, host);
      const it = new DeclaredResource(at, kind);
      const program: Values = { ...subject.inputs, ...onAndOff.on };
      await it.up(program);
      await expect(it.remake(program)).rejects.toThrow(refusal);
      await expect(it.up(program)).rejects.toThrow(refusal);
      await expect(it.up({ ...program, ...onAndOff.off })).rejects.toThrow(refusal);
      expect(live(at, subject)).toHaveLength(2);
      await it.up({ ...program, ...onAndOff.off });
      expect(names(subject)).toEqual([it.id]);
    },
  ),
);

const vanishing = cases.filter(([, subject]) => !declarationOf(subject).singleton);

onEachHost(2, 5, vanishing, (cases, host) =>
  test.each(cases)("a protected %s that is already gone can leave the state", async (kind, subject) => {
    at = await openService({}, subject, host);
    const it = new DeclaredResource(at, kind);
    await it.up({ ...inputsOf(subject), ...onAndOff.on });
    at.emulator.world.remove(it.id);
    await it.destroy();
    expect(it.state).toBeUndefined();
  }),
);

onEachHost(2, 6, vanishing, (cases, host) =>
  test.each(cases)("a protected %s that was adopted is released, because nothing is deleted", async (kind, subject) => {
    at = await openService({}, subject, host);
    await new DeclaredResource({ ...at, process: () => at.elsewhere() }, kind, "others").up({
      ...subject.inputs,
      ...subject.chosen,
    });
    const it = new DeclaredResource(at, kind);
    await it.up({ ...inputsOf(subject), ...onAndOff.on, adopt: "ifEqual" });
    await withoutWrites(at, () => it.destroy());
    expect(live(at, subject)).toHaveLength(1);
  }),
);

test("settings that are retained on removal need no protection", async () => {
  const subject = subjects.find(({ kind }) => kind === "PolicySettings")!;
  at = await openService({}, subject);
  const it = new DeclaredResource(at, subject.kind);
  await it.up({ ...subject.inputs, ...onAndOff.on });
  await withoutWrites(at, () => it.destroy());
  expect(live(at, subject)).toHaveLength(1);
});
