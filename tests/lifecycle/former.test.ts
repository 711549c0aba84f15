import type { Values } from "../../provider/lifecycle/types";
import { refusal, rejection } from "../rejection";
import { createHarness, type Harness, type Process, processOn } from "./harness";

/**
 * The object that a declaration had last, which is live, and which the state at hand does not show: the state is older
 * than it, or has lost it, or the engine is about to replace it.
 */

const served = { baseModel: "accounts/platform/models/open-8b", deploymentShape: "default" };
const fixed = { ...served, deploymentId: "chat" };
const ada = { email: "ada@example.com", role: "user" };

let at: Harness;
beforeEach(async () => void (at = await createHarness()));
afterEach(() => at.close());

interface Made {
  id: string;
  outputs: Values;
}

/** A state holds it. */
async function held(kind: string, inputs: Values): Promise<Made> {
  const made = await at.process().create(kind, "it", inputs);
  await at.process().diff(kind, "it", made.outputs, inputs);
  return made;
}

/** A command that has read a state with another resource and no record of this one. */
async function refreshed(config: Record<string, string> = {}): Promise<Process> {
  const other = await at.process().create("User", "other", { ...ada, email: "other@example.com" });
  const process = at.process(config);
  await process.read("User", "other", other.outputs);
  return process;
}

const kinds = [
  ["an automatic id", "Deployment", "deployments", served],
  ["a chosen id", "Deployment", "deployments", fixed],
  ["a natural key", "User", "users", ada],
] as const;

describe.each(kinds)("an object at %s that the state has lost", (title, kind, collection, inputs) => {
  const live = (): unknown[] => at.names(collection).filter((name) => !String(name).includes("other"));

  test("is asked about after a refresh, and nothing is created", async () => {
    const { id } = await held(kind, inputs);
    const error = await rejection((await refreshed()).create(kind, "it", inputs));
    expect(error.message).toMatch(new RegExp(`${id}, created at .*was this resource before`));
    expect(error.message).toContain("`MODELPLATFORM_RECOVER=take pulumi up --stack");
    expect(error.message).toContain("RECOVER=new pulumi up --stack");
    expect(error.message.includes("choose another id, and run")).toBe(title !== "an automatic id");
    expect(live()).toEqual([id]);
  });

  test.each([true, false])(
    "is taken back by the word to take it, and not adopted (refreshed: %s)",
    async (isRefreshed) => {
      const { id } = await held(kind, inputs);
      const process = isRefreshed ? await refreshed({ recover: "take" }) : at.process({ recover: "take" });
      const { outputs } = await process.create(kind, "it", inputs);
      expect(outputs).toMatchObject({ name: id });
      expect(outputs).not.toHaveProperty("adopted");
      expect(live()).toEqual([id]);
    },
  );
});

describe("a secret whose key was changed in place, and that the state has lost", () => {
  const token = { keyName: "TOKEN", value: "one" };

  async function changed(): Promise<Made> {
    const { outputs } = await held("Secret", token);
    const renamed = { ...token, keyName: "OTHER" };
    return { id: String(outputs["name"]), outputs: await at.process().update("Secret", "it", outputs, renamed) };
  }

  test("is asked about after a refresh, although its key is not the program's", async () => {
    const { id } = await changed();
    const error = await rejection((await refreshed()).create("Secret", "it", token));
    expect(error.message).toMatch(new RegExp(`${id}, created at .*was this resource before.*RECOVER=new `));
    expect(at.names("secrets")).toEqual([id]);
  });

  test("is named where nothing was read, and another one is created beside it", async () => {
    const { id } = await changed();
    const process = at.process();
    expect((await process.create("Secret", "it", token)).id).not.toBe(id);
    expect(process.messages.join()).toContain(`${id} was this resource before`);
  });

  test("is taken back by the word to take it, with the program's key", async () => {
    const { id } = await changed();
    expect((await at.process({ recover: "take" }).create("Secret", "it", token)).id).toBe(id);
    expect(at.object(id)).toMatchObject({ keyName: "TOKEN" });
  });

  test("cannot be taken back where another one has the program's key by now", async () => {
    const { id } = await changed();
    const theirs = await at.process().create("Secret", "another", { ...token, value: "two" });
    const error = await refusal("cannot-take", (await refreshed({ recover: "take" })).create("Secret", "it", token));
    expect(error.message).toMatch(new RegExp(`${id} cannot be taken, because it cannot become.*recover new `));
    expect(at.names("secrets").sort()).toEqual([id, theirs.id].sort());
  });
});

describe("an object at an automatic id that the state has lost", () => {
  test("is named where nothing was read: the run may be about to replace it", async () => {
    const { id } = await held("Deployment", served);
    const process = at.process();
    expect((await process.create("Deployment", "it", served)).id).not.toBe(id);
    expect(process.messages.join()).toMatch(new RegExp(`${id} was this resource before.*up --refresh`));
  });

  test("is named and left by the word for a new one, and not asked about again", async () => {
    const { id } = await held("Deployment", served);
    const process = await refreshed({ recover: "new" });
    const made = await process.create("Deployment", "it", served);
    expect(made.id).not.toBe(id);
    expect(process.messages.join()).toContain(`${id} was this resource before`);
    await at.process().diff("Deployment", "it", made.outputs, served);
    await at.process().delete("Deployment", "it", made.outputs);
    const again = at.process();
    await again.read("User", "other", (await at.process().create("User", "x", ada)).outputs);
    await again.create("Deployment", "it", served);
    expect(again.messages.join()).not.toContain(id);
  });

  test("is not asked about where the program chooses its id: it cannot become that one", async () => {
    const { id } = await held("Deployment", served);
    const process = at.process({ recover: "take" });
    expect((await process.create("Deployment", "it", fixed)).id).not.toBe(id);
    expect(process.messages.join()).toContain(`${id} was this resource before`);
  });

  test("is left where another resource continues with it by its alias", async () => {
    const { id, outputs } = await held("Deployment", served);
    const process = await refreshed({ recover: "take" });
    process.aliases.set("renamed", ["it"]);
    await process.diff("Deployment", "renamed", outputs, served);
    expect((await process.create("Deployment", "it", served)).id).not.toBe(id);
  });
});

describe("what was held last under each name of a declaration", () => {
  /** Two resources of a stack whose state is lost, the first of which is now an alias of the second. */
  async function merged(config: Record<string, string> = {}) {
    const hold = async (name: string) => {
      const made = await at.process().create("Deployment", name, served);
      await at.process().diff("Deployment", name, made.outputs, served);
      return made;
    };
    const [first, second] = [await hold("first"), await hold("second")];
    const process = await refreshed(config);
    process.aliases.set("second", ["first"]);
    return { first, second, process };
  }

  test("is named by a create, each object of them", async () => {
    const { first, second, process } = await merged();
    expect((await rejection(process.create("Deployment", "second", served))).message).toContain(second.id);
    expect(process.messages.join()).toMatch(
      new RegExp(`${first.id} is live, was \\S+::first before, and no state has it`),
    );
  });

  test("is named by a diff of the one that the state has", async () => {
    const { first, second, process } = await merged();
    await process.diff("Deployment", "second", second.outputs, served);
    expect(process.messages.join()).toContain(first.id);
    expect(process.messages.join()).not.toContain(`${second.id} is live`);
  });

  test("is not named where the program declares the other one again", async () => {
    const { first, second, process } = await merged();
    await process.diff("Deployment", "first", first.outputs, served);
    await process.diff("Deployment", "second", second.outputs, served);
    expect(process.messages.join()).not.toContain("no state has it");
  });
});

describe("a state that is older than its object", () => {
  /** A first object, which another one has replaced since. */
  async function replaced(): Promise<{ first: Made; second: Made }> {
    const first = await held("Deployment", served);
    const run = at.process();
    const other = { ...served, baseModel: "accounts/platform/models/open-1b" };
    await run.diff("Deployment", "it", first.outputs, other);
    await run.check("Deployment", "it", other);
    const second = await run.create("Deployment", "it", other);
    await run.delete("Deployment", "it", first.outputs);
    await at.process().diff("Deployment", "it", second.outputs, other);
    return { first, second };
  }

  test("is asked about once a refresh has found its own record gone", async () => {
    const { first, second } = await replaced();
    const process = at.process();
    expect(await process.refresh("Deployment", "it", first.outputs, served)).toBeUndefined();
    expect((await rejection(process.create("Deployment", "it", served))).message).toContain(second.id);
    expect(at.names("deployments")).toEqual([second.id]);
  });

  test("has its object named by the delete that finds its own gone", async () => {
    const { first, second } = await replaced();
    const process = at.process();
    await process.delete("Deployment", "it", first.outputs);
    expect(process.messages.join()).toMatch(new RegExp(`warning: .*${second.id} was this resource later and is live`));
    expect(at.names("deployments")).toEqual([second.id]);
  });

  test("has nothing named by the delete that follows a replacement", async () => {
    const { second } = await replaced();
    const process = at.process();
    await process.delete("Deployment", "it", second.outputs);
    expect(process.messages.join()).not.toContain("was this resource later");
  });

  test("has its object named by a diff, where the recorded one is live as well", async () => {
    const { first, second } = await replaced();
    await at.put(first.id, { ...first.outputs, name: first.id, state: "READY" });
    const process = at.process();
    await process.diff("Deployment", "it", first.outputs, served);
    expect(process.messages.join()).toMatch(new RegExp(`${second.id} was this resource later than ${first.id}`));
  });
});

describe("what an engine is about to replace", () => {
  test("is not asked about where a refresh has shown it", async () => {
    const { id, outputs } = await held("Deployment", served);
    const process = at.process();
    await process.refresh("Deployment", "it", outputs, served);
    expect((await process.create("Deployment", "it", served)).id).not.toBe(id);
    expect(process.messages.join()).not.toContain("was this resource before");
  });

  test("is not asked about where its record has the stack's former name", async () => {
    const { id, outputs } = await at.process({}, {}, "before").create("Deployment", "it", served);
    await at.process({}, {}, "after").diff("Deployment", "it", outputs, served);
    const process = at.process({}, {}, "after");
    await processOn(process.world, "before").read("Deployment", "it", outputs);
    expect((await process.create("Deployment", "it", served)).id).not.toBe(id);
  });

  test("leaves what an interrupted replacement made to be found by its marks alone", async () => {
    const on = { ownershipMarker: "true" };
    const { outputs } = await at.process(on).create("Deployment", "it", served);
    const other = { ...served, preemptible: true };
    const run = at.process(on);
    await run.diff("Deployment", "it", outputs, other);
    await at.clock.sleep(5000);
    const lost = await run.create("Deployment", "it", other);
    const process = at.elsewhere(on);
    await process.diff("Deployment", "it", outputs, other);
    expect((await process.create("Deployment", "it", other)).id).toBe(lost.id);
  });
});
