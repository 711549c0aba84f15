import type { Values } from "../../provider/lifecycle/types";
import { refusal, rejection } from "../rejection";
import { createHarness, type Harness } from "./harness";

/**
 * A replacement that is cut off leaves two records of one object in the state, where its create took over the very
 * object that it was to replace. An engine asks to delete for each of them, in any order.
 */

const ada = { email: "ada@example.com", role: "user", adopt: "overwrite" };
const chat = { baseModel: "accounts/platform/models/open-8b", deploymentShape: "default", deploymentId: "chat" };

let at: Harness;
beforeEach(async () => void (at = await createHarness()));
afterEach(() => at.close());

interface TwoRecords {
  kind: string;
  collection: string;
  older: { name: string; outputs: Values };
  newer: { name: string; outputs: Values };
}

/** A forced replacement of what a state holds, which the program allows to exist. */
async function forced(): Promise<TwoRecords> {
  const first = await at.process().create("User", "ada", ada);
  await at.process().diff("User", "ada", first.outputs, ada);
  const second = await at.process().create("User", "ada", ada);
  return {
    kind: "User",
    collection: "users",
    older: { name: "ada", outputs: first.outputs },
    newer: { name: "ada", outputs: second.outputs },
  };
}

/** A forced replacement of what a create recorded without a registration. */
async function forcedUnregistered(): Promise<TwoRecords> {
  const first = await at.process().create("Deployment", "chat", chat);
  const second = await at.process().create("Deployment", "chat", chat);
  return {
    kind: "Deployment",
    collection: "deployments",
    older: { name: "chat", outputs: first.outputs },
    newer: { name: "chat", outputs: second.outputs },
  };
}

/** Another declaration without an alias, which the program allows to take over what the former one began. */
async function renamed(): Promise<TwoRecords> {
  const first = await at.process().create("User", "before", ada);
  const second = await at.process().create("User", "after", ada);
  await at.process().diff("User", "after", second.outputs, ada);
  return {
    kind: "User",
    collection: "users",
    older: { name: "before", outputs: first.outputs },
    newer: { name: "after", outputs: second.outputs },
  };
}

/** A forced replacement on a machine that knows nothing of the first record. */
async function withoutJournal(): Promise<TwoRecords> {
  const first = await at.elsewhere().create("User", "ada", ada);
  const second = await at.process().create("User", "ada", ada);
  return {
    kind: "User",
    collection: "users",
    older: { name: "ada", outputs: first.outputs },
    newer: { name: "ada", outputs: second.outputs },
  };
}

const ways = [
  ["a forced replacement", forced],
  ["a forced replacement of what was only begun", forcedUnregistered],
  ["a rename without an alias", renamed],
  ["a forced replacement without a journal", withoutJournal],
] as const;

const inputsOf = (kind: string): Values => (kind === "User" ? ada : chat);

describe.each(ways)("an object that %s has taken over", (_, make) => {
  test.each([
    ["the program", false],
    ["the program, after a refresh of both,", true],
  ])("stays where %s continues with the newer record", async (__, isRefreshed) => {
    const { kind, collection, older, newer } = await make();
    const run = at.process();
    if (isRefreshed) for (const each of [newer, older]) await run.read(kind, each.name, each.outputs);
    await run.diff(kind, newer.name, newer.outputs, inputsOf(kind));
    await run.delete(kind, older.name, older.outputs);
    expect(at.names(collection)).toEqual([older.outputs["name"]]);
    expect(run.messages.join()).toContain("is not deleted");
  });

  test("stays where the diff of the newer record fails, and the run goes on", async () => {
    const { kind, collection, older, newer } = await make();
    const run = at.process();
    const other = { ...newer.outputs, endpoint: "https://elsewhere.test" };
    await rejection(run.diff(kind, newer.name, other, inputsOf(kind)));
    await run.delete(kind, older.name, older.outputs);
    expect(at.names(collection)).toEqual([older.outputs["name"]]);
  });

  test("is deleted with the older record where no program continues with the newer", async () => {
    const { kind, collection, older } = await make();
    await at.process().delete(kind, older.name, older.outputs);
    expect(at.names(collection)).toEqual([]);
  });
});

describe.each(ways.slice(0, 3))("an object of its own that %s has taken over", (_, make) => {
  test.each([
    ["older", "newer"],
    ["newer", "older"],
  ] as const)("is gone after both records are deleted, the %s one first", async (...order) => {
    const { kind, collection, ...records } = await make();
    const process = at.process();
    for (const each of order) await process.delete(kind, records[each].name, records[each].outputs);
    expect(at.names(collection)).toEqual([]);
  });

  test("outlives the older record in the run that updates it, and not the newer one", async () => {
    const { kind, collection, older, newer } = await make();
    const run = at.process();
    const inputs = { ...inputsOf(kind), displayName: "Changed" };
    const updated = await run.update(kind, newer.name, newer.outputs, inputs);
    await run.delete(kind, older.name, older.outputs);
    expect(at.names(collection)).toHaveLength(1);
    await at.process().delete(kind, newer.name, updated);
    expect(at.names(collection)).toEqual([]);
  });
});

test("an object whose newer record was lost is deleted with the older one", async () => {
  const { older } = await forced();
  await at.process().diff("User", "ada", older.outputs, ada);
  await at.process().delete("User", "ada", older.outputs);
  expect(at.names("users")).toEqual([]);
});

test("an object whose newer record was lost is deleted where it is replaced after all", async () => {
  const { deploymentId: _, ...automatic } = chat;
  const { outputs } = await at.process().create("Deployment", "chat", automatic);
  await at.process().create("Deployment", "chat", automatic);
  const run = at.process();
  const read = await run.read("Deployment", "chat", outputs);
  const { id } = await run.create("Deployment", "chat", automatic);
  await run.delete("Deployment", "chat", read!.outputs);
  expect(at.names("deployments")).toEqual([id]);
});

test("a secret that is created again after a takeover is deleted with its record", async () => {
  const key = { keyName: "STORAGE_KEY", value: "one", adopt: "overwrite" };
  await at.process().create("Secret", "key", key);
  const { id } = await at.process().create("Secret", "key", key);
  await at.vanish(id);
  const { outputs } = await at.process().create("Secret", "key", key);
  await at.process().delete("Secret", "key", outputs);
  expect(at.names("secrets")).toEqual([]);
});

test("what the state has for two resources is named by both, and changed for neither", async () => {
  const { deploymentId: _, ...served } = chat;
  const { id, outputs } = await at.process().create("Deployment", "first", served);
  const run = at.process();
  const changed = { ...served, displayName: "Changed" };
  await run.diff("Deployment", "first", outputs, changed);
  const { message } = await refusal("recorded-twice", run.diff("Deployment", "second", outputs, changed));
  expect(message).toMatch(
    new RegExp(`${id} is in the state twice, as \\S+::second and as \\S+::first, and is changed`),
  );
  for (const name of ["first", "second"]) expect(message).toMatch(new RegExp(`state delete \\S*::${name}`));
});

test("what a create has taken is an error of the resource that is registered later", async () => {
  const { deploymentId: _, ...served } = chat;
  const { id, outputs } = await at.process().create("Deployment", "first", served);
  await at.process().diff("Deployment", "first", outputs, served);
  const run = at.process({ recover: "take" });
  const taken = await run.create("Deployment", "second", { ...served, deploymentId: id.split("/").at(-1) });
  expect(taken.id).toBe(id);
  const { message } = await rejection(run.diff("Deployment", "first", outputs, served));
  expect(message).toMatch(new RegExp(`${id} is in the state twice, as \\S+::first and as \\S+::second`));
});

test("what a create has taken outlives the record of a resource that was dropped", async () => {
  const { deploymentId: _, ...served } = chat;
  const { id, outputs } = await at.process().create("Deployment", "first", served);
  await at.process().diff("Deployment", "first", outputs, served);
  const run = at.process({ recover: "take" });
  const inputs = { ...served, deploymentId: id.split("/").at(-1) };
  const taken = await run.create("Deployment", "second", inputs);
  await run.delete("Deployment", "first", outputs);
  expect(at.names("deployments")).toEqual([id]);
  expect((await at.process().diff("Deployment", "second", taken.outputs, inputs)).changes).toBe(false);
});
