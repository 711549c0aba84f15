import { createHarness, type Harness } from "../harness";

/** A service whose reads come from a replica that is behind its writes. */

let at: Harness;
beforeEach(async () => void (at = await createHarness()));
afterEach(() => at.close());

const served = { baseModel: "accounts/platform/models/open-8b", deploymentShape: "default" };
const minutes = 60_000;
const collections: [kind: string, collection: string, inputs: Record<string, unknown>][] = [
  ["Deployment", "deployments", served],
  ["User", "users", { email: "ada@example.com", role: "user" }],
  ["Secret", "secrets", { keyName: "STORAGE_KEY", value: "one" }],
];

describe("what a stale read lacks", () => {
  test.each(collections)("stays recorded: a %s that was created 3 seconds ago", async (kind, collection, inputs) => {
    const { outputs } = await at.process().create(kind, "it", inputs);
    await at.clock.sleep(3000);
    at.replica.lag = at.clock.now() - Date.parse(String(outputs["createTime"])) + 5000;
    const read = await at.process().read(kind, "it", outputs);
    expect(read?.outputs["name"]).toBe(outputs["name"]);
    expect(at.live(collection)).toHaveLength(1);
  });

  test("stays recorded, and is named, where the replica is older than the stack", async () => {
    const process = at.process();
    const made = await Promise.all(["a", "b", "c"].map((name) => process.create("Deployment", name, served)));
    await at.clock.sleep(2 * minutes);
    at.replica.lag = 8 * minutes;
    const later = at.process();
    for (const { outputs } of made) {
      const read = await later.read("Deployment", String(outputs["name"]), outputs);
      expect(read?.outputs).toEqual(outputs);
      expect(later.messages).toContainEqual(
        expect.stringMatching(
          `warning: Deployment ${String(outputs["name"])} is not visible: .* It stays in the state`,
        ),
      );
    }
  });

  test("is deleted by a destroy that cannot see it", async () => {
    const { outputs } = await at.process().create("Deployment", "it", served);
    at.replica.lag = 5 * minutes;
    await at.process().delete("Deployment", "it", outputs);
    expect(at.live("deployments")).toEqual([]);
  });
});

describe("what is gone", () => {
  test("leaves the state at once where it is older than any replica's data", async () => {
    const { outputs } = await at.process().create("Deployment", "it", served);
    await at.clock.sleep(60 * minutes);
    at.emulator.world.remove(String(outputs["name"]));
    const before = at.clock.now();
    expect(await at.process().read("Deployment", "it", outputs)).toBeUndefined();
    expect(at.clock.now() - before).toBeLessThan(1000);
  });

  test("leaves the state where the service shows something younger", async () => {
    const { outputs } = await at.process().create("Deployment", "it", served);
    await at.clock.sleep(minutes);
    await at.process().create("Deployment", "other", served);
    at.emulator.world.remove(String(outputs["name"]));
    expect(await at.process().read("Deployment", "it", outputs)).toBeUndefined();
  });

  test("stays in the state for ten minutes where nothing proves it, and leaves it then", async () => {
    const { outputs } = await at.process().create("Deployment", "it", served);
    at.emulator.world.remove(String(outputs["name"]));
    const process = at.process();
    expect((await process.read("Deployment", "it", outputs))?.outputs).toEqual(outputs);
    expect(process.messages.join()).toMatch(/it may be gone/);
    await at.clock.sleep(10 * minutes);
    expect(await at.process().read("Deployment", "it", outputs)).toBeUndefined();
  });
});

describe("a change whose reads are stale", () => {
  test.each([3000, 20_000])("has been made, by a service whose reads are %d ms behind", async (lag) => {
    const { outputs } = await at.process().create("Deployment", "it", { ...served, maxReplicaCount: 2 });
    await at.clock.sleep(minutes);
    at.replica.lag = lag;
    const updated = await at.process().update("Deployment", "it", outputs, { ...served, maxReplicaCount: 4 });
    expect(updated["maxReplicaCount"]).toBe(4);
    expect(at.object(String(outputs["name"]))).toMatchObject({ maxReplicaCount: 4 });
  });
});
