import type { Values } from "../../values";
import { DeclaredResource } from "./declaration";
import { onEachHost } from "./hosts";
import { places } from "./servers";
import {
  declarationOf,
  edited,
  type HostedHarness,
  inputsOf,
  live,
  openService,
  withoutWrites,
  writes,
} from "./service";
import type { ContractSubject } from "./subject";
import { subjects } from "./subjects/index";

/** What someone who runs programs over and over may rely on, for any resource and whatever the service is like. */

let at: HostedHarness;
afterEach(() => at.close());

const all = subjects.map((subject) => [subject.kind, subject] as const);

const isForGood = (subject: ContractSubject): boolean => declarationOf(subject).deletion === "forever";
const writesSecrets = (subject: ContractSubject): boolean =>
  declarationOf(subject).fields.message.some(({ markers }) => markers.inputOnly);

describe.each(places)("on a service that is %s", (_, settings, place) =>
  onEachHost(8, place, all, (cases, host) => {
    test.each(cases)("a %s is created, read back unchanged, and deleted", async (kind, subject) => {
      at = await openService(settings, subject, host);
      const it = new DeclaredResource(at, kind);
      const program = { ...subject.inputs, ...subject.removable };
      expect(await it.up(program)).toBe("create");
      expect(it.outputs).toMatchObject({ name: it.id, accountId: "acme" });
      await at.requests();
      expect([await it.preview(program), await it.up(program)]).toEqual(["same", "same"]);
      expect(await at.requests()).toEqual([]);
      await it.refresh();
      await withoutWrites(at, async () => expect(await it.up(program)).toBe("same"));
      await it.destroy();
      expect(live(at, subject)).toEqual([]);
    });

    test.each(cases)(
      "a %s that was deleted outside is noticed by a refresh and recreated once",
      async (kind, subject) => {
        at = await openService(settings, subject, host);
        const it = new DeclaredResource(at, kind);
        await it.up(subject.inputs);
        await at.vanish(it.id);
        expect(await it.refresh()).toBe(isForGood(subject) ? "there" : "gone");
        expect(await it.up(subject.inputs)).toBe(isForGood(subject) ? "same" : "create");
        expect(live(at, subject)).toHaveLength(isForGood(subject) ? 0 : 1);
        expect(await it.up(subject.inputs)).toBe("same");
      },
    );

    test.each(cases)("an outside change of a %s is found by a refresh and reverted", async (kind, subject) => {
      at = await openService(settings, subject, host);
      if (subject.drift === undefined) return expect(declarationOf(subject).operations["update"]).toBeUndefined();
      const it = new DeclaredResource(at, kind);
      await it.up(subject.inputs);
      const before = at.object(it.id)!;
      await at.change(it.id, subject.drift);
      expect(await it.up(subject.inputs)).toBe("same");
      await it.refresh();
      expect(it.outputs).toMatchObject(subject.drift);
      expect([await it.preview(subject.inputs), await it.up(subject.inputs)]).toEqual(["update", "update"]);
      const unmoved = { updateTime: undefined, status: undefined };
      expect({ ...at.object(it.id), ...unmoved }).toMatchObject({ ...before, ...unmoved });
      await it.refresh();
      expect(await it.up(subject.inputs)).toBe("same");
    });

    test.each(cases)("a %s of others is adopted only as the program says, and is retained", async (kind, subject) => {
      at = await openService(settings, subject, host);
      const program = inputsOf(subject);
      const others = new DeclaredResource({ ...at, process: () => at.elsewhere() }, kind, "others");
      await others.up({ ...subject.inputs, ...subject.chosen });
      const it = new DeclaredResource(at, kind);
      await expect(
        it.up({ ...program, ...(declarationOf(subject).singleton ? subject.conflict : { adopt: "never" }) }),
      ).rejects.toThrow("exists");
      const unlike = edited(subject);
      if (unlike)
        await expect(it.up({ ...unlike, adopt: "ifEqual" })).rejects.toThrow(/exists and differs from the program in/);
      expect(it.state).toBeUndefined();
      await at.requests();
      expect(await it.up({ ...program, adopt: "ifEqual" })).toBe("create");
      expect((await writes(at)).length).toBe(writesSecrets(subject) ? 1 : 0);
      expect(it.outputs).toMatchObject({ name: others.id, adopted: true });
      if (unlike) expect(await it.up({ ...unlike, adopt: "overwrite" })).toBe("update");
      expect(await it.up({ ...(unlike ?? program), adopt: unlike ? "overwrite" : "ifEqual" })).toBe("same");
      const { adopted } = it.outputs;
      expect(adopted).toBe(true);
      if (!declarationOf(subject).singleton) await withoutWrites(at, () => it.destroy());
      expect(at.object(others.id)).toBeDefined();
    });

    test.each(cases)(
      "a %s of others is changed to what is declared where the program says so",
      async (kind, subject) => {
        at = await openService(settings, subject, host);
        const unlike = edited(subject);
        if (unlike === undefined) return expect(declarationOf(subject).operations["update"]).toBeUndefined();
        const others = new DeclaredResource(at, kind, "others");
        await others.up({ ...subject.inputs, ...subject.chosen });
        const it = new DeclaredResource(at, kind);
        expect(await it.up({ ...unlike, adopt: "overwrite" })).toBe("create");
        expect(it.id).toBe(others.id);
        await it.refresh();
        expect(await it.up({ ...unlike, adopt: "overwrite" })).toBe("same");
      },
    );

    test.each(cases)(
      "a %s that is imported by name matches the program, and an up changes nothing",
      async (kind, subject) => {
        at = await openService(settings, subject, host);
        const declared = { ...subject.inputs, ...subject.chosen };
        const maker = new DeclaredResource(at, kind, "maker");
        await maker.up(declared);
        const it = new DeclaredResource(at, kind);
        await it.import(maker.id);
        const program = host.importsPrograms ? it.state!.inputs : declared;
        const compared = (outputs: Values): Values =>
          host.importsPrograms ? serviceFields(subject, outputs) : withoutRecords(outputs, it.outputs);
        expect(compared(it.outputs)).toEqual(compared(maker.outputs));
        const before = at.object(it.id);
        await at.requests();
        // A value that is never answered cannot be known to be the program's, so it is written.
        await it.up(program);
        expect((await writes(at)).length).toBe(writesSecrets(subject) && !host.importsPrograms ? 1 : 0);
        expect({ ...at.object(it.id), updateTime: undefined }).toEqual({ ...before, updateTime: undefined });
        expect(await it.up(program)).toBe("same");
      },
    );
  }),
);

const records: readonly string[] = [
  "managedFields",
  "resolutions",
  "digests",
  "previous",
  "attempts",
  "endpoint",
  "accountId",
];

/** Of the outputs, the fields that the service answers. */
function serviceFields(subject: ContractSubject, values: Values): Values {
  const { message, outputs } = declarationOf(subject).fields;
  const answered = [...message, ...outputs].filter(({ markers }) => !markers.inputOnly);
  return Object.fromEntries(answered.map(({ name }) => [name, values[name]]));
}

/** The outputs that the service answers, as far as `like` has them. */
const withoutRecords = (outputs: Values, like: Values = outputs): Values =>
  Object.fromEntries(Object.entries(outputs).filter(([name]) => !records.includes(name) && Object.hasOwn(like, name)));
