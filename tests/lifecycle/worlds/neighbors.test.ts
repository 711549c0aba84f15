import type { InitFailedError, Values } from "../../../provider/lifecycle/types";
import { rejection } from "../../rejection";
import { createHarness, type Harness } from "../harness";
import { up } from "./told";

/** Resources that get into each other's way: a successor and what it replaces, two that swap, two stacks. */

let at: Harness;
beforeEach(async () => void (at = await createHarness()));
afterEach(() => at.close());

const minutes = 60_000;
const served = { baseModel: "accounts/platform/models/open-8b", deploymentShape: "default" };

describe("a successor that no read shows", () => {
  const next = { ...served, baseModel: "accounts/platform/models/open-70b", timeouts: { create: "5m" } };

  for (const lag of [1, 4])
    test(`for ${lag} minutes is recorded, not called deleted, and replaces the old one`, async () => {
      const old = await at.process().create("Deployment", "chat", served);
      await at.clock.sleep(15 * minutes);
      at.replica.lag = lag * minutes;
      const process = at.process();
      await process.diff("Deployment", "chat", old.outputs, next);
      const made = await process.create("Deployment", "chat", next).catch((error: InitFailedError) => error);
      const text = "message" in made ? made.message : "";
      expect(text).not.toContain("it was deleted");
      expect(at.names("deployments").sort()).toEqual([old.id, made.id].sort());
      at.replica.lag = 0;
      await at.clock.sleep(10 * minutes);
      const later = at.process();
      await later.update("Deployment", "chat", made.outputs, next);
      await later.delete("Deployment", "chat", old.outputs);
      expect(at.names("deployments")).toEqual([made.id]);
    });
});

describe("two resources that swap", () => {
  const swaps: readonly [what: string, kind: string, first: Values, second: Values][] = [
    ["emails", "User", { email: "ada@example.com", role: "user" }, { email: "bob@example.com", role: "user" }],
    ["key names", "Secret", { keyName: "ONE", value: "1" }, { keyName: "TWO", value: "2" }],
  ];

  for (const [what, kind, first, second] of swaps) {
    test(`their ${what} are swapped by way of a third value, as the error says`, async () => {
      const third = { ...first, ...("email" in first ? { email: "third@example.com" } : { keyName: "THREE" }) };
      let one = (await at.process().create(kind, "one", first)).outputs;
      let two = (await at.process().create(kind, "two", second)).outputs;
      one = await at.process().update(kind, "one", one, third);
      const early = await rejection(at.process().update(kind, "one", one, second));
      expect(early.message).toContain("::two");
      two = await at.process().update(kind, "two", two, first);
      one = await at.process().update(kind, "one", one, second);
      const key = "email" in first ? "email" : "keyName";
      expect([one[key], two[key]]).toEqual([second[key], first[key]]);
    });

    test(`their ${what} lose no object, and are told who stands in the way and what to do`, async () => {
      const one = await at.process().create(kind, "one", first);
      const two = await at.process().create(kind, "two", second);
      const collection = one.id.split("/")[2]!;
      const before = at.names(collection);
      const process = at.process();
      const told: string[] = [];
      for (const [name, made, wanted] of [
        ["one", one, second],
        ["two", two, first],
      ] as const)
        await process
          .diff(kind, name, made.outputs, wanted)
          .then(({ replaces }) => (replaces.length > 0 ? undefined : process.update(kind, name, made.outputs, wanted)))
          .catch((error: Error) => told.push(error.message));
      expect(at.names(collection)).toEqual(before);
      expect(told.join("\n")).toMatch(/::(one|two)/);
      expect(told.join("\n")).toMatch(/a third value/);
    });
  }
});

describe("two stacks on one machine", () => {
  const languages = [
    ["Node.js", {}],
    ["Python", { aliasesUnknown: true }],
  ] as const;
  for (const [language, machine] of languages)
    test(`of programs in ${language} have an object of one name each, and delete their own`, async () => {
      const made = [];
      for (const stack of ["dev", "prod"]) {
        const { created } = await up(at.process({}, machine, stack), "Deployment", "chat", served);
        made.push(created!);
        // A program in Node.js writes down that its engine has recorded a resource.
        if (language === "Node.js")
          await at.process({}, {}, stack).diff("Deployment", "chat", created!.outputs, served);
      }
      expect(new Set(made.map(({ id }) => id)).size).toBe(2);
      await at.process({}, machine, "dev").delete("Deployment", "chat", made[0]!.outputs);
      expect(at.names("deployments")).toEqual([made[1]!.id]);
    });

  test("do not take what the other has begun", async () => {
    const inputs = { ...served, deploymentId: "chat" };
    const lost = await at.process({}, {}, "dev").create("Deployment", "chat", inputs);
    const { created, said } = await up(at.process({}, {}, "prod"), "Deployment", "chat", inputs);
    expect(created).toBeUndefined();
    expect(said).toContain(lost.id);
    const again = await up(at.process({}, {}, "dev"), "Deployment", "chat", inputs);
    expect(again.created?.id).toBe(lost.id);
  });
});

describe("a state restored from a backup", () => {
  test("whose object has been replaced is told the new one's name, and can take it", async () => {
    const next = { ...served, baseModel: "accounts/platform/models/open-70b" };
    const old = await at.process().create("Deployment", "chat", served);
    await at.process().diff("Deployment", "chat", old.outputs, served);
    const process = at.process();
    await process.diff("Deployment", "chat", old.outputs, next);
    const fresh = await process.create("Deployment", "chat", next);
    await process.delete("Deployment", "chat", old.outputs);
    await at.process().diff("Deployment", "chat", fresh.outputs, next);
    await at.clock.sleep(24 * 60 * minutes);
    // The state of yesterday: the old object, which is gone.
    const restored = at.process();
    expect(await restored.read("Deployment", "chat", old.outputs)).toBeUndefined();
    const { created } = await up(at.process({ recover: "take" }), "Deployment", "chat", next);
    expect(created?.id).toBe(fresh.id);
    expect(at.names("deployments")).toEqual([fresh.id]);
    const { said } = await up(at.process(), "Deployment", "chat", next);
    expect(said).toContain(fresh.id);
  });

  test("from before a change: the next up changes it again, and nothing else", async () => {
    const wanted = { ...served, maxReplicaCount: 4 };
    const { id, outputs } = await at.process().create("Deployment", "chat", served);
    await at.process().update("Deployment", "chat", outputs, wanted);
    await at.clock.sleep(24 * 60 * minutes);
    const updated = await at.process().update("Deployment", "chat", outputs, wanted);
    expect(updated).toMatchObject({ name: id, maxReplicaCount: 4 });
    expect(at.names("deployments")).toEqual([id]);
  });
});

test("a create that the service carries out after a timeout is found by the next `up`", async () => {
  const inputs = { ...served, deploymentId: "chat", timeouts: { create: "10s" } };
  const error = await rejection<InitFailedError>(at.process().create("Deployment", "chat", inputs));
  await at.clock.sleep(10 * minutes);
  const updated = await at.process().update("Deployment", "chat", error.outputs, inputs);
  expect(updated).toMatchObject({ name: "accounts/acme/deployments/chat", state: "READY" });
});
