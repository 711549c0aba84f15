import type { Created, Values } from "../../../provider/lifecycle/types";
import { createHarness, type Harness, type Process, processOn } from "../harness";
import { up } from "./told";

/** What people do to their stacks, and what they expect of the next command; written before the code that is judged. */

const served = { baseModel: "accounts/platform/models/open-8b", deploymentShape: "default" };
const smaller = { ...served, baseModel: "accounts/platform/models/open-1b" };
const fixed = { ...served, deploymentId: "chat", deletionMode: "hard" };
const taking = { recover: "take" };

let at: Harness;
beforeEach(async () => void (at = await createHarness()));
afterEach(() => at.close());

const live = (): unknown[] => at.names("deployments").sort();

/** An `up` that ends, so that the state holds the deployment. */
async function held(process: Process, inputs: Values = served): Promise<Created> {
  const made = await process.create("Deployment", "it", inputs);
  await process.diff("Deployment", "it", made.outputs, inputs);
  return made;
}

/** An `up` that puts another deployment in the place of the recorded one. */
async function replaced(process: Process, { outputs }: Created, inputs: Values): Promise<Created> {
  await process.diff("Deployment", "it", outputs, inputs);
  const made = await process.create("Deployment", "it", inputs);
  await process.delete("Deployment", "it", outputs);
  return made;
}

/** `up --refresh` where the state has no more than another resource. */
async function refreshed(config: Record<string, string> = {}): Promise<Process> {
  const { outputs } = await at.process().create("User", "other", { email: "other@example.com", role: "user" });
  const process = at.process(config);
  await process.read("User", "other", outputs);
  return process;
}

describe("somebody restores a backup of the state", () => {
  async function restored(): Promise<{ first: Created; second: Created }> {
    const first = await held(at.process());
    const second = await replaced(at.process(), first, smaller);
    await at.process().diff("Deployment", "it", second.outputs, smaller);
    return { first, second };
  }

  test("and up --refresh asks about the newer deployment before it makes another", async () => {
    const { first, second } = await restored();
    const process = at.process();
    await process.refresh("Deployment", "it", first.outputs, smaller);
    const { created, said } = await up(process, "Deployment", "it", smaller);
    expect(created).toBeUndefined();
    expect(said).toContain(second.id);
    expect(live()).toEqual([second.id]);
  });

  test("and takes the newer deployment back, which a destroy then deletes", async () => {
    const { first, second } = await restored();
    const process = at.process(taking);
    await process.refresh("Deployment", "it", first.outputs, smaller);
    const { created } = await up(process, "Deployment", "it", smaller);
    expect(created?.id).toBe(second.id);
    await at.process().delete("Deployment", "it", created!.outputs);
    expect(live()).toEqual([]);
  });
});

describe("somebody renames a stack", () => {
  test("and destroys it from a new laptop, which knows nothing of either name", async () => {
    const { outputs } = await held(at.process({}, {}, "dev"));
    await at.elsewhere({}, "dev").delete("Deployment", "it", outputs);
    expect(live()).toEqual([]);
  });

  test("and changes a resource in the run after, in place", async () => {
    const { id, outputs } = await held(at.process({}, {}, "dev"));
    const after = at.process({}, {}, "prod");
    const inputs = { ...served, maxReplicaCount: 3 };
    await after.diff("Deployment", "it", outputs, inputs);
    await after.update("Deployment", "it", outputs, inputs);
    expect(live()).toEqual([id]);
    expect(at.object(id)).toMatchObject({ maxReplicaCount: 3 });
  });
});

describe("somebody hands a stack over", () => {
  test("to another team, whose machine changes and destroys it as its own", async () => {
    const { outputs } = await held(at.process());
    const second = await replaced(at.elsewhere(), { id: String(outputs["name"]), outputs }, smaller);
    expect(live()).toEqual([second.id]);
    await at.elsewhere().delete("Deployment", "it", second.outputs);
    expect(live()).toEqual([]);
  });

  test("by an export into another backend and stack, whose destroy deletes it", async () => {
    const { outputs } = await held(at.process({}, {}, "dev"));
    const theirs = at.elsewhere({}, "handed-over");
    await theirs.diff("Deployment", "it", outputs, served);
    await processOn(theirs.world, "dev").delete("Deployment", "it", outputs);
    // The declaration goes on, so that its object stays until it is removed.
    expect(live()).toEqual([outputs["name"]]);
    await at.elsewhere({}, "dev").delete("Deployment", "it", outputs);
    expect(live()).toEqual([]);
  });
});

describe("two laptops take turns", () => {
  test("and the first is not asked about what the second has replaced", async () => {
    const first = await held(at.process());
    const second = await replaced(at.elsewhere(), first, smaller);
    const back = at.process();
    await back.refresh("Deployment", "it", second.outputs, smaller);
    await back.delete("Deployment", "it", second.outputs);
    const { created, said } = await up(at.process(), "Deployment", "it", served);
    expect(created).toBeDefined();
    expect(said).not.toContain("was this resource before");
    expect(live()).toEqual([created?.id]);
  });

  test("at once from an empty state: the second is refused, and has nothing to delete", async () => {
    const { id } = await held(at.process(), fixed);
    const { created, said } = await up(at.elsewhere(), "Deployment", "it", { ...fixed, maxReplicaCount: 2 });
    expect(created).toBeUndefined();
    expect(said).toContain(id);
    expect(at.object(id)).not.toMatchObject({ maxReplicaCount: 2 });
  });
});

test("a laptop is lost, and another one destroys what the shared state holds", async () => {
  const { outputs } = await held(at.process(), fixed);
  await at.elsewhere().delete("Deployment", "it", outputs);
  expect(live()).toEqual([]);
});

test("a pipeline dies after its create, and a laptop asks before it makes another", async () => {
  const begun = await at.elsewhere().create("Deployment", "it", served);
  await at.clock.sleep(60_000);
  const asked = await up(at.process(), "Deployment", "it", served);
  expect(asked.created).toBeUndefined();
  expect(asked.said).toContain(begun.id);
  const { created } = await up(at.process(taking), "Deployment", "it", served);
  expect(created?.id).toBe(begun.id);
  expect(await at.elsewhere().diff("Deployment", "it", created!.outputs, served)).toMatchObject({ changes: false });
});

test("a key is rotated between a killed run and the next, which finds what was begun", async () => {
  const begun = await at.process().create("Deployment", "it", served);
  const { created } = await up(at.process({ apiKey: "superuser-key" }), "Deployment", "it", served);
  expect(created?.id).toBe(begun.id);
  expect(live()).toEqual([begun.id]);
});

test("a colleague makes the deployment again by hand, which a destroy leaves", async () => {
  const { id, outputs } = await held(at.process(), fixed);
  await at.vanish(id);
  const theirs = await at.elsewhere({}, "colleague").create("Deployment", "theirs", { ...fixed, maxReplicaCount: 7 });
  const read = await at.process().refresh("Deployment", "it", outputs, fixed);
  const process = at.process();
  await process.delete("Deployment", "it", read?.outputs ?? outputs);
  expect(at.object(id)).toEqual(at.object(theirs.id));
  expect(at.object(id)).toMatchObject({ maxReplicaCount: 7 });
  expect(process.messages.join()).toContain(id);
});

test("an entry is deleted from the state by mistake, taken back, and destroyed", async () => {
  const { id } = await held(at.process());
  const asked = await up(await refreshed(), "Deployment", "it", served);
  expect(asked.created).toBeUndefined();
  expect(asked.said).toContain(id);
  const { created } = await up(at.process(taking), "Deployment", "it", served);
  expect(created?.id).toBe(id);
  await at.process().delete("Deployment", "it", created!.outputs);
  expect(live()).toEqual([]);
});
