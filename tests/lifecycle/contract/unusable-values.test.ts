import type { Field } from "../../../provider/core/fields/fields";
import { rejection } from "../../rejection";
import { DeclaredResource } from "./declaration";
import { onEachHost } from "./hosts";
import { declarationOf, type HostedHarness, inputsOf, live, openService } from "./service";
import type { ContractSubject } from "./subject";
import { subjects } from "./subjects/index";

/**
 * A service answers values that are none of their type. In a field that the program does not manage they are remarks;
 * in one that it manages nothing can be decided, but that the object may go.
 */

let at: HostedHarness;
afterEach(() => at.close());

const cases = subjects.map((subject) => [subject.kind, subject] as const);

/** Values that no field of the type can have. */
const unusable: Readonly<Record<Field["type"], readonly unknown[]>> = {
  any: [],
  array: ["none", { of: 1 }],
  object: ["none", [1]],
  map: ["none", 3],
  integer: ["NaN", "many", [1], { of: 1 }],
  number: ["many", [1], { of: 1 }],
  boolean: ["maybe", 7, []],
  string: [{ of: 1 }, [1]],
};

const fieldsOf = (subject: ContractSubject): readonly Field[] =>
  declarationOf(subject).fields.message.filter(({ markers }) => !markers.inputOnly && !markers.deprecated);

const isSet = (subject: ContractSubject, { name }: Field): boolean => inputsOf(subject)[name] !== undefined;

async function declared(subject: ContractSubject, host: HostedHarness["host"]): Promise<DeclaredResource> {
  at = await openService({}, subject, host);
  const it = new DeclaredResource(at, subject.kind);
  await it.up(inputsOf(subject));
  return it;
}

onEachHost(1, 0, cases, (cases, host) =>
  test.each(cases)("a %s with an unusable value that nobody declares is one like others", async (_, subject) => {
    const it = await declared(subject, host);
    const fields = fieldsOf(subject).filter((field) => !isSet(subject, field));
    for (const { name, type } of fields)
      for (const value of unusable[type]) {
        const before = at.object(it.id)![name];
        await at.change(it.id, { [name]: value });
        expect([name, value, await it.refresh()]).toEqual([name, value, "there"]);
        expect([name, value, await it.preview(inputsOf(subject))]).toEqual([name, value, "same"]);
        await at.change(it.id, { [name]: before ?? null });
      }
  }),
);

/** The removal of settings sends back what others have set, and whether the service takes that is its own affair. */
const deletable = cases.filter(([, subject]) => declarationOf(subject).singleton !== true);

onEachHost(1, 0, deletable, (cases, host) =>
  test.each(cases)("a %s with an unusable value in a declared field is not judged, and goes", async (_, subject) => {
    const it = await declared(subject, host);
    const fields = fieldsOf(subject).filter((field) => isSet(subject, field));
    const { name, type } = fields.find(({ type }) => type !== "string") ?? fields[0]!;
    await at.change(it.id, { [name]: unusable[type][0] });
    expect((await rejection(it.refresh())).message).toContain(name);
    await it.destroy();
    expect(live(at, subject)).toEqual([]);
  }),
);
