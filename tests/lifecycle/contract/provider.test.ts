import type { Field } from "../../../provider/core/fields/fields";
import { unknown } from "../../pulumi/support/declared";
import type { Values } from "../../values";
import { DeclaredResource } from "./declaration";
import { onEachHost } from "./hosts";
import { declarationOf, edited, type HostedHarness, openService } from "./service";
import type { ContractSubject } from "./subject";
import { subjects } from "./subjects/index";

/** What an engine may rely on between check, diff and the steps that follow, for any resource. */

let at: HostedHarness;
afterEach(() => at.close());

const cases = subjects.map((subject) => [subject.kind, subject] as const);

test.each(cases)("checking the checked inputs of a %s again changes nothing", async (kind, subject) => {
  at = await openService({}, subject);
  for (const inputs of programs(subject)) {
    const { inputs: checked, failures } = await at.process().judge(kind, "it", inputs);
    expect([inputs, failures]).toEqual([inputs, []]);
    expect((await at.process().judge(kind, "it", checked, checked)).inputs).toEqual(checked);
    expect((await at.process().judge(kind, "it", inputs, checked)).inputs).toEqual(checked);
    expect(checked).toMatchObject(inputs);
  }
});

/** Every program of the subject's table. */
const programs = ({ inputs, updates, recorded, replacements }: ContractSubject): Values[] => [
  inputs,
  ...updates.flatMap((group) =>
    Object.entries(group.changes).map(([name, { to }]) => ({ ...(group.inputs ?? inputs), [name]: to })),
  ),
  ...Object.entries(recorded ?? {}).map(([name, value]) => ({ ...inputs, [name]: value })),
  ...Object.entries(replacements).map(([name, { to, from, with: rest }]) =>
    defined({ ...(from ?? inputs), ...rest, [name]: to }),
  ),
];

const defined = (values: Values): Values =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));

onEachHost(1, 0, cases, (cases, host) =>
  test.each(cases)("an unknown value of a %s survives check and diff, and nothing is sent", async (kind, subject) => {
    at = await openService({}, subject, host);
    const it = new DeclaredResource(at, kind);
    await it.up(subject.inputs);
    const { message, behaviours, directives, resourceId } = declarationOf(subject).fields;
    await at.requests();
    for (const field of [...message, ...behaviours, ...directives, ...(resourceId ? [resourceId] : [])]) {
      for (const value of [unknown, ...inside(field)]) {
        const inputs = withUnknown(subject, field, value);
        const { inputs: checked, failures } = await at
          .process()
          .judge(kind, "it", inputs, { ...subject.inputs, accountId: "acme" });
        expect([field.name, failures]).toEqual([field.name, []]);
        expect(checked[field.name]).toEqual(value);
        if (!isRefusedInDiff(subject, field))
          expect([field.name, await it.preview(inputs)]).toEqual([field.name, expectedStep(field)]);
      }
    }
    expect(await at.requests()).toEqual([]);
  }),
);

/** The field with its members, elements or values not known. */
function inside(field: Field): unknown[] {
  if (field.type === "array") return [[unknown]];
  if (field.type === "map") return [{ [`${field.markers.keyPrefix ?? ""}key`]: unknown }];
  return field.type === "object" && field.fields!.length > 0
    ? [
        Object.fromEntries(
          field.fields!.filter(({ markers }) => !markers.outputOnly).map(({ name }) => [name, unknown]),
        ),
      ]
    : [];
}

/** Where the field has no place beside others, those give way to it. */
function withUnknown({ inputs }: ContractSubject, { name }: Field, value: unknown): Values {
  const without = (...names: string[]): Values =>
    Object.fromEntries(Object.entries(inputs).filter(([other]) => !names.includes(other)));
  if (name === "valueFrom") return { ...without("value"), [name]: value };
  if (name === "warmStartFrom") return { ...without("baseModel"), [name]: value };
  if (name === "acceptShapelessRisk") return { ...without("deploymentShape"), [name]: value };
  return {
    ...inputs,
    ...(name === "hotLoadDeploymentId" && { keepAlive: unknown }),
    ...(/^(kind|peftDetails|teftDetails)$/.test(name) && { kind: unknown }),
    ...(name === "defaultDraftModel" && { defaultDraftTokenCount: 4 }),
    [name]: value,
  };
}

/**
 * An id that is not known yet may be the same: there is nothing to refuse before it is known, and no telling either.
 */
const isRefusedInDiff = (subject: ContractSubject, field: Field): boolean =>
  declarationOf(subject).identity.neverReplaced === true && field.markers.immutable === true;

const expectedStep = ({ markers }: Field): unknown =>
  markers.deprecated !== undefined || markers.volatile
    ? expect.stringMatching(/^(same|update)$/)
    : markers.immutable || markers.restarts
      ? "replace"
      : "update";

const sung = (text: string, secret: string): boolean =>
  [secret, encodeURIComponent(secret), Buffer.from(secret).toString("base64").replace(/=+$/, "")].some((form) =>
    text.includes(form),
  );

const withSecrets = subjects.flatMap((subject) =>
  subject.secret ? [[subject.kind, subject, subject.secret] as const] : [],
);

test("the contract table of a kind has a secret where its declaration has one", async () => {
  at = await openService({}, subjects[0]!);
  const holds = (field: Field): boolean => field.markers.secret === true || (field.fields ?? []).some(holds);
  const declared = subjects.filter((subject) =>
    declarationOf(subject).fields.message.some((field) => holds(field) && !field.markers.volatile),
  );
  expect(withSecrets.map(([kind]) => kind)).toEqual(declared.map(({ kind }) => kind));
});

onEachHost(1, 1, withSecrets, (cases, host) =>
  test.each(cases)("the secret of a %s is nowhere in clear, whatever happens", async (kind, subject, secret) => {
    at = await openService({}, subject, host);
    const [first, second] = ["canary one/+%?=", "canary two/+%?="];
    const it = new DeclaredResource(at, kind);
    await it.up(secret(first));
    expect(JSON.stringify(it.state!.inputs)).toContain(first);
    for (const text of [it.kept, it.told.join("\n")]) expect(sung(text, first)).toBe(false);
    await it.refresh();
    expect(await it.up(secret(first))).toBe("same");
    expect(sung(it.kept, first)).toBe(false);
    const { collection, operations } = declarationOf(subject);
    const operation = operations["update"]
      ? `update${kind}`
      : `list${collection[0]!.toUpperCase()}${collection.slice(1)}`;
    await at.fault({
      match: { operation },
      fault: {
        kind: "status",
        status: 400,
        body: { code: 3, message: `${second} and acme-key and ${encodeURIComponent(second)} are not to my liking` },
      },
    });
    const error = await it.up(secret(second)).then(
      () => undefined,
      (reason: Error) => reason,
    );
    if (operations["update"]) expect(error?.message).toContain("are not to my liking");
    await at.clearFaults();
    for (const text of [it.kept, it.told.join("\n"), String(error?.stack)])
      expect([first, second, "acme-key"].filter((each) => sung(text, each))).toEqual([]);
    await it.up(secret(second));
    await it.destroy();
    expect([first, second].filter((each) => sung(it.told.join("\n"), each))).toEqual([]);
    const journal = await (
      await at.emulator.fetch(new Request("http://127.0.0.1/_emulator/requests", { headers: { host: "127.0.0.1" } }))
    ).text();
    expect([first, second, "acme-key"].filter((each) => sung(journal, each))).toEqual([]);
  }),
);

onEachHost(1, 2, cases, (cases, host) =>
  test.each(cases)("the preview of an edited %s shows what the run then does", async (kind, subject) => {
    at = await openService({}, subject, host);
    const program = edited(subject);
    if (program === undefined) return expect(declarationOf(subject).operations["update"]).toBeUndefined();
    const it = new DeclaredResource(at, kind);
    await it.up({ ...subject.inputs, ...subject.chosen, ...subject.removable });
    await at.requests();
    expect(await it.preview(program)).toBe("update");
    expect(await at.requests()).toEqual([]);
    expect(await it.up(program)).toBe("update");
  }),
);
