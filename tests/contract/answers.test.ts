import { createEmulator, type Emulator } from "../../emulator/index";
import { type TestClient, testClient } from "../api/support/test-client";
import { conventionalOperations } from "./reference/conventional-operations";
import { neverAnswered } from "./reference/evidence";
import { listedOperations } from "./reference/operations";
import { below, beyond, message } from "./reference/samples";
import { reference } from "./reference/tables";
import type { Body, FieldFact, Kind } from "./reference/types";

/** Kinds of object; the progress of a job is a message of the jobs. */
const kinds = (Object.keys(reference) as Kind[]).filter((kind) => kind !== "JobProgress");

/** The operation that reads one object of the kind. */
const reading = (kind: Kind): string =>
  [...listedOperations, ...conventionalOperations].find(
    ({ method, response }) =>
      method === "GET" && typeof response === "object" && "kind" in response && response.kind === kind,
  )!.name;

const segment = "one";
const nameOf = (kind: Kind): string =>
  (reference[kind].name ?? "responses/{response_id}").replace("{account_id}", "demo").replaceAll(/\{\w+\}/g, segment);

let emulator: Emulator;
let client: TestClient;

beforeEach(async () => {
  emulator = createEmulator({ clock: "manual", accounts: { demo: "acme-key-1", [segment]: "other" } });
  client = testClient((await emulator.listen({ port: 0 })).url, {}, { MODELPLATFORM_ACCOUNT_ID: "demo" });
});
afterEach(async () => {
  await client.close();
  await emulator.close();
});

const parametersOf = (kind: Kind): Record<string, string> => {
  const { path } = [...listedOperations, ...conventionalOperations].find(({ name }) => name === reading(kind))!;
  const camel = (name: string) => name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
  return Object.fromEntries(
    [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) =>
      name === "account_id" ? ["account", "demo"] : [camel(name!), segment],
    ),
  );
};

/** What the provider makes of the object as the emulator answers it. */
async function read(kind: Kind, { name: _, ...fields }: Body): Promise<Body> {
  await emulator.fetch(
    new Request(`http://emulator.test/_emulator/objects/${nameOf(kind)}?account=demo`, {
      method: "PUT",
      body: JSON.stringify(fields),
      headers: { "content-type": "application/json" },
    }),
  );
  const { value } = await client.call(reading(kind), { parameters: parametersOf(kind) });
  return value as Body;
}

/** What the provider finds strange; a value beyond the documented ones is. */
const warnings = (): string[] => client.log.filter(({ text }) => !text.includes(beyond)).map(({ text }) => text);

const isAnswered = (kind: Kind, { path, inputOnly }: FieldFact): boolean =>
  inputOnly !== true && !neverAnswered.has(`${kind} ${path}`);

/** Paths of the facts at which a message has a value. */
function pathsIn(facts: readonly FieldFact[], value: unknown, place = ""): string[] {
  return below(facts, place).flatMap(({ path }) => {
    const step = path.slice(place.length).replace(/^\./, "");
    const inner =
      step === "[]" || step === "{}" ? Object.values((value ?? {}) as object)[0] : (value as Body | undefined)?.[step];
    return inner === undefined || inner === null ? [] : [path, ...pathsIn(facts, inner, path)];
  });
}

test.each(kinds)("every documented field of %s is answered, and the provider knows it and its type", async (kind) => {
  const { fields } = reference[kind];
  const answer = await read(kind, message(fields));
  const wanted = fields.filter((fact) => isAnswered(kind, fact)).map(({ path }) => path);
  expect(pathsIn(fields, answer).sort()).toEqual(wanted.sort());
  expect(warnings()).toEqual([]);
});

const states = kinds.flatMap((kind) => (reference[kind].states ?? []).map((state) => [kind, state] as const));

test.each(states)("a %s in state %s is read as it is", async (kind, state) => {
  // An unset state is answered only by a service that spells out what is unset (A094).
  if (state.endsWith("_UNSPECIFIED")) emulator.world.changeSettings({ emitUnset: true });
  const { fields } = reference[kind];
  const name = fields.find(({ path, enum: values }) => (path === "state" || path === "status") && values)!.path;
  expect((await read(kind, { ...message(fields), [name]: state }))[name]).toBe(state);
  expect(warnings()).toEqual([]);
});
