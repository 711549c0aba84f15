import type { Values } from "../../provider/lifecycle/types";
import { refusal, rejection } from "../rejection";
import { createHarness, type Harness, hiddenOf, type Process } from "./harness";

const fixed = {
  baseModel: "accounts/platform/models/open-8b",
  deploymentShape: "default",
  deploymentId: "chat",
};
const ada = { email: "ada@example.com", role: "user" };

let at: Harness;
beforeEach(async () => void (at = await createHarness()));
afterEach(() => at.close());

describe("an object that somebody else recreated under the same id", () => {
  test("is not deleted", async () => {
    const { outputs, id } = await at.process().create("Deployment", "chat", fixed);
    await at.put(id, { ...at.object(id), createTime: "2026-01-02T00:00:00Z" });
    const process = at.process();
    await process.delete("Deployment", "chat", outputs);
    expect(at.names("deployments")).toEqual([id]);
    expect(process.messages).toEqual([expect.stringContaining("2026-01-02")]);
  });
});

describe("an object that replaced one of the same name, which was removed outside", () => {
  test("stays when a refresh reads both records and the old one is deleted", async () => {
    const before = await at.process().create("User", "ada", { ...ada, userId: "ada" });
    await at.vanish(before.id);
    await at.clock.sleep(3_600_000);
    const after = await at.process().create("User", "ada", { ...ada, userId: "ada" });
    const process = at.process();
    const [kept, old] = await Promise.all([after, before].map(({ outputs }) => process.read("User", "ada", outputs)));
    if (old) await at.process().delete("User", "ada", old.outputs);
    expect(kept).toBeDefined();
    expect(at.names("users")).toContain(after.id);
  });
});

describe("an object that somebody else recreated, once a refresh has seen it", () => {
  test("is not deleted either", async () => {
    const { outputs, id } = await at.process().create("Deployment", "chat", fixed);
    await at.put(id, { ...at.object(id), createTime: "2026-01-02T00:00:00Z" });
    const process = at.process();
    const found = await process.refresh("Deployment", "chat", outputs, fixed);
    await process.delete("Deployment", "chat", found!.outputs);
    expect(at.names("deployments")).toEqual([id]);
  });
});

describe("an object that somebody else recreated with other content", () => {
  const ada = { email: "ada@example.com", role: "user" };

  async function recreated(): Promise<Values> {
    const { outputs, id } = await at.process().create("User", "ada", ada);
    await at.put(id, { ...at.object(id), role: "admin", createTime: "2026-01-02T00:00:00Z" });
    return outputs;
  }

  const changed = { ...ada, role: "contributor" };

  test("is not changed by an update that a diff of the recorded one asks for", async () => {
    const outputs = await recreated();
    const error = await refusal("replaced-by-another", at.process().update("User", "ada", outputs, changed));
    expect(error.message).toMatch(/is not the object that the state recorded.*2026-01-02.*acceptDrift/s);
    expect(at.object(String(outputs["name"]))).toMatchObject({ role: "admin" });
  });

  test("is refused in preview already where a refresh has seen it", async () => {
    const outputs = await recreated();
    const found = (await at.process().read("User", "ada", outputs))!;
    const error = await rejection(at.process().diff("User", "ada", found.outputs, ada));
    expect(error.message).toContain("is not the object that the state recorded");
  });

  test("is changed once the program accepts it", async () => {
    const outputs = await recreated();
    const error = await rejection(at.process().update("User", "ada", outputs, changed));
    const acceptDrift = /acceptDrift: "(\w+)"/.exec(error.message)![1]!;
    await at.process().update("User", "ada", outputs, { ...changed, acceptDrift });
    expect(at.object(String(outputs["name"]))).toMatchObject({ role: "contributor" });
  });
});

test("one value accepts all objects that the service restored, each once", async () => {
  const names = ["ada", "bob", "eve"];
  const inputs = (name: string) => ({ email: `${name}@example.com`, role: "user" });
  const changed = (name: string) => ({ ...inputs(name), role: "contributor" });
  const outputs: Record<string, Values> = {};
  const tokens: string[] = [];
  for (const name of names) {
    const made = await at.process().create("User", name, inputs(name));
    await at.put(made.id, { ...at.object(made.id), createTime: "2026-01-02T00:00:00Z" });
    const error = await rejection(at.process().update("User", name, made.outputs, changed(name)));
    tokens.push(/acceptDrift: "(\w+)"/.exec(error.message)![1]!);
    outputs[name] = made.outputs;
  }
  const [ada, bob, eve] = tokens;
  const acceptDrift = `${ada}, ${bob} ${eve}`;
  for (const name of names) {
    const updated = await at.process().update("User", name, outputs[name]!, { ...changed(name), acceptDrift });
    expect(at.object(String(updated["name"]))).toMatchObject({ role: "contributor" });
    // A longer value, in which the tokens of later drift are new, does not accept the earlier drift again.
    const restored = { ...updated, accepted: outputs[name]!["accepted"] };
    const longer = { ...changed(name), acceptDrift: `${acceptDrift} 0123456789ab`, displayName: "later" };
    expect((await rejection(at.process().update("User", name, restored, longer))).message).toContain("acceptDrift");
  }
});

test("an object that an interrupted run recreated is its own, and is updated", async () => {
  const ada = { email: "ada@example.com", role: "user" };
  const first = await at.process().create("User", "ada", ada);
  await at.process().delete("User", "ada", first.outputs);
  await at.clock.sleep(5000);
  const lost = await at.process().create("User", "ada", ada);
  await at.process().update("User", "ada", first.outputs, { ...ada, role: "contributor" });
  expect(at.object(lost.id)).toMatchObject({ role: "contributor" });
});

test("what an interrupted create made under a recorded name outlives that record", async () => {
  const { outputs, id } = await at.process().create("User", "ada", ada);
  await at.elsewhere().delete("User", "ada", outputs);
  await at.clock.sleep(5000);
  await at.process().create("User", "ada", ada);
  const process = at.process();
  await process.delete("User", "ada", outputs);
  expect(at.names("users")).toEqual([id]);
  expect(process.messages.join()).toContain("is not the object that the state recorded");
  expect((await at.process().create("User", "ada", ada)).outputs).not.toHaveProperty("adopted");
});

test.each([
  ["an automatic id", "Deployment", { ...fixed, deploymentId: undefined, deletionMode: "hard" }],
  ["a chosen id", "Deployment", fixed],
  ["a natural key", "User", ada],
])("so is one where a state holds what the first of two interrupted creates made: %s", async (_, kind, inputs) => {
  const { outputs, id } = await at.process().create(kind, "it", inputs);
  await at.elsewhere().delete(kind, "it", outputs);
  await at.clock.sleep(5000);
  expect((await at.process().create(kind, "it", inputs)).id).toBe(id);
  const read = await at.process().read(kind, "it", outputs);
  await at.process().delete(kind, "it", read!.outputs);
  expect(at.object(id)).toBeUndefined();
});

test("a create that was sent twice is over once a state holds what either request made", async () => {
  await at.fault({ match: { operation: "createUser" }, fault: { kind: "resetAfterCommit" }, times: 1 });
  const { outputs } = await at.process().create("User", "it", ada);
  const process = at.process();
  await process.diff("User", "it", outputs, ada);
  await at.put(String(outputs["name"]), { ...outputs, createTime: new Date(at.clock.now() + 5000).toISOString() });
  expect((await rejection(at.process().create("User", "it", ada))).message).toContain(
    "already exists, and nothing shows that this declaration created it",
  );
});

describe("an object that an interrupted create of another declaration of the stack recreated", () => {
  async function recreated(): Promise<{ outputs: Values; lost: Values }> {
    const { outputs } = await at.process().create("User", "ada", ada);
    await at.elsewhere().delete("User", "ada", outputs);
    await at.clock.sleep(5000);
    const { outputs: lost } = await at.process().create("User", "ada-by-her-new-name", ada);
    return { outputs, lost };
  }

  test("is not deleted with its predecessor's record, and is found by its declaration", async () => {
    const { outputs, lost } = await recreated();
    const process = at.process();
    await process.delete("User", "ada", outputs);
    expect(process.messages.join()).toContain("is not the object that the state recorded");
    expect((await at.process().create("User", "ada-by-her-new-name", ada)).outputs["createTime"]).toBe(
      lost["createTime"],
    );
  });

  test("is not kept by a declaration that lost its own, nor after a refresh saw it", async () => {
    const { outputs } = await recreated();
    const read = await at.process().read("User", "ada", outputs);
    for (const recorded of [read!.outputs, outputs])
      expect(
        (await rejection(at.process().update("User", "ada", recorded, { ...ada, role: "admin" }))).message,
      ).toMatch(/is gone, and \S+::ada-by-her-new-name has created the object that has its name now/);
    expect(at.live("users")).toMatchObject([{ role: "user" }]);
  });

  test("is kept where that other one is the declaration under its former name", async () => {
    const { outputs } = await at.process().create("User", "ada", ada);
    await at.elsewhere().delete("User", "ada", outputs);
    await at.clock.sleep(5000);
    const process = at.process();
    await process.diff("User", "by-her-former-name", outputs, { ...ada, role: "admin" });
    await process.create("User", "by-her-former-name", ada);
    const read = await at.process().read("User", "ada", outputs);
    await at.process().update("User", "ada", read!.outputs, { ...ada, role: "admin" });
    expect(at.live("users")).toMatchObject([{ role: "admin" }]);
  });

  test("leaves no note that would claim an object of somebody else", async () => {
    const { outputs, lost } = await recreated();
    await at.process().delete("User", "ada", outputs);
    await at.put(String(lost["name"]), { ...lost, createTime: "2026-01-02T00:00:00Z" });
    const error = await rejection(at.process().create("User", "ada-by-her-new-name", ada));
    expect(error.message).toContain("already exists");
  });
});

describe("a recorded object that is gone, where another declaration of the stack created one under its name", () => {
  async function replacedByAnother(): Promise<Values> {
    const { outputs } = await at.process().create("User", "first", ada);
    await at.elsewhere().delete("User", "first", outputs);
    await at.clock.sleep(5000);
    const other = await at.process().create("User", "second", ada);
    await at.process().diff("User", "second", other.outputs, ada);
    return outputs;
  }

  test("is not updated, and the error says how to recreate it", async () => {
    const outputs = await replacedByAnother();
    const error = await refusal(
      "replaced-by-own",
      at.process().update("User", "first", outputs, { ...ada, role: "admin" }),
    );
    expect(error.message).toMatch(
      /is gone, and \S+::second has created the object that has its name now.*up --refresh/s,
    );
  });

  test("is gone for a refresh", async () => {
    const outputs = await replacedByAnother();
    expect(await at.process().read("User", "first", outputs)).toBeUndefined();
  });
});

test("an interrupted forced replacement is recognised beside one of the same second", async () => {
  const bob = { ...ada, email: "bob@example.com" };
  const created = await at.process().create("User", "bob", bob);
  const createTime = new Date(at.clock.now()).toISOString();
  const accepted = { ...(created.outputs["accepted"] as Values), createTime };
  const outputs = { ...created.outputs, createTime, accepted };
  await at.process().diff("User", "bob", outputs, bob);
  const renamed = (): Process => {
    const process = at.process();
    process.aliases.set("ada", ["bob"]);
    return process;
  };
  await renamed().create("User", "ada", ada);
  await renamed().diff("User", "ada", outputs, ada);
  const process = renamed();
  await process.create("User", "ada", ada);
  expect(process.messages).toContainEqual(expect.stringContaining("was left by an interrupted run"));
});

test("what an interrupted create made is recognised beside an older recorded object", async () => {
  const { outputs } = await at.process().create("User", "first", ada);
  await at.process().diff("User", "first", outputs, ada);
  await at.elsewhere().delete("User", "first", outputs);
  await at.clock.sleep(5000);
  const moved = { ...ada, email: "grace@example.com" };
  await at.process().create("User", "second", ada);
  const process = at.process();
  await process.diff("User", "first", outputs, moved);
  expect((await rejection(process.create("User", "second", ada))).message).toMatch(
    /belongs to \S+::first of the same program/,
  );
  expect((await rejection(process.update("User", "first", outputs, moved))).message).toMatch(
    /is gone, and \S+::second/,
  );
  const next = at.process();
  const read = await next.refresh("User", "first", outputs, ada);
  const answer = await next.diff("User", "first", read!.outputs, moved);
  expect(answer).toMatchObject({ replaces: ["email"], deleteBeforeReplace: false });
  await next.check("User", "first", moved);
  await next.create("User", "first", moved);
  expect((await next.create("User", "second", ada)).id).toBe(outputs["name"]);
  await next.delete("User", "first", read!.outputs);
  expect(at.live("users")).toMatchObject([{ email: ada.email }, { email: moved.email }]);
});

test("what an interrupted create remade is recognised until a state presents it", async () => {
  const { outputs } = await at.process().create("Deployment", "chat", fixed);
  await at.process().diff("Deployment", "chat", outputs, fixed);
  await at.elsewhere().delete("Deployment", "chat", outputs);
  await at.clock.sleep(5000);
  await at.process().create("Deployment", "chat", fixed);
  const read = await at.process().refresh("Deployment", "chat", outputs, fixed);
  const process = at.process();
  await process.create("Deployment", "chat", fixed);
  expect(process.messages).toContainEqual(expect.stringContaining("was left by an interrupted run"));
  await at.process().diff("Deployment", "chat", read!.outputs, fixed);
  expect((await rejection(at.process().create("Deployment", "chat", fixed))).message).toContain(
    "was already created by this declaration",
  );
});

describe("a secret is not created under the id of one that is gone, for they could not be told apart", () => {
  const inputs = { keyName: "STORAGE_KEY", value: "one" };

  async function gone(): Promise<{ outputs: Values; id: string }> {
    const created = await at.process().create("Secret", "first", inputs);
    await at.elsewhere().delete("Secret", "first", created.outputs);
    return created;
  }

  test("where its declaration gets another key in the same run", async () => {
    const { outputs, id } = await gone();
    const process = at.elsewhere();
    const edited = { ...inputs, keyName: "TRACKING_KEY" };
    await process.diff("Secret", "first", outputs, edited);
    expect((await process.create("Secret", "second", inputs)).id).not.toBe(id);
    expect((await rejection(process.update("Secret", "first", outputs, edited))).message).toContain("it is gone");
  });

  test("where a note tells of it", async () => {
    const { id } = await gone();
    expect((await at.process().create("Secret", "second", inputs)).id).not.toBe(id);
  });

  test("unless it is the declaration's own", async () => {
    const { id } = await gone();
    expect((await at.process().create("Secret", "first", inputs)).id).toBe(id);
  });
});

describe("two resources whose states name one secret, since a killed destroy left one of them in the state,", () => {
  const inputs = { keyName: "STORAGE_KEY", value: "one" };

  async function stateOfTwo(): Promise<{ id: string; first: Values; second: Values }> {
    const { outputs: first, id } = await at.process().create("Secret", "first", inputs);
    await at.process().refresh("Secret", "first", first, inputs);
    await at.elsewhere().delete("Secret", "first", first);
    const { outputs: second, id: again } = await at.elsewhere().create("Secret", "second", inputs);
    expect(again).toBe(id);
    return { id, first, second };
  }

  test.each([
    ["first", "second"],
    ["second", "first"],
  ] as const)("have one each after an update: %s keeps it, %s gets its own", async (keeps, moves) => {
    const { id, ...outputs } = await stateOfTwo();
    const wanted = { first: { ...inputs, keyName: "TRACKING_KEY" }, second: inputs };
    const process = at.process();
    for (const name of ["first", "second"] as const) await process.refresh("Secret", name, outputs[name], inputs);
    expect((await process.diff("Secret", keeps, outputs[keeps], wanted[keeps])).replaces).toEqual([]);
    if (keeps === "first") await process.update("Secret", keeps, outputs[keeps], wanted[keeps]);
    const answer = await process.diff("Secret", moves, outputs[moves], wanted[moves]);
    expect(answer).toMatchObject({ changes: true, replaces: ["keyName"], deleteBeforeReplace: false });
    expect(process.messages.join()).toContain(`is the object of ${hiddenOf("Secret", keeps).urn}`);
    await process.check("Secret", moves, wanted[moves]);
    const { id: own } = await process.create("Secret", moves, wanted[moves]);
    await process.delete("Secret", moves, outputs[moves]);
    expect(at.names("secrets").sort()).toEqual([id, own].sort());
    expect(at.object(id)).toMatchObject({ keyName: wanted[keeps].keyName });
    expect(at.object(own)).toMatchObject({ keyName: wanted[moves].keyName });
  });
});
