import { liveObjects, select } from "../../drift/codify/live-objects";
import { managedSpecs } from "../../provider/resources/index";
import type { Values } from "../values";
import { deployment } from "./support/deployment";
import { byName, createScene, type DriftScene } from "./support/scene";
import type { RecordedResource } from "./support/stacks";

/** Objects with a value of another type than declared, of which the rest of their list knows nothing. */

const nameOf = (id: string): string => `accounts/acme/deployments/${id}`;
const inputs = { baseModel: "accounts/platform/models/open-8b", maxReplicaCount: 2 };
const recorded = (id: string): RecordedResource => ({ kind: "Deployment", inputs, live: deployment(nameOf(id)) });

/** Two recorded objects, and one that nobody has recorded, as the service answers them. */
function sceneOf(fields: { one?: Values; two?: Values; other?: Values }): DriftScene {
  const scene = createScene();
  for (const id of ["one", "two", "other"] as const) scene.put(nameOf(id), deployment(nameOf(id), fields[id]));
  return scene;
}

const judged = async (scene: DriftScene): Promise<Record<string, string>> => {
  const report = await scene.scan([recorded("one"), recorded("two")], { all: true, unmanaged: true });
  return Object.fromEntries(Object.entries(byName(report)).map(([name, { verdict }]) => [name.slice(26), verdict]));
};

test("a value in a field that no stack manages keeps no object from being judged", async () => {
  const scene = sceneOf({
    one: { minReplicaCount: "many" },
    two: { maxReplicaCount: 3 },
    other: { maxReplicaCount: "few" },
  });
  expect(await judged(scene)).toEqual({ one: "in-sync", two: "changed", other: "unmanaged" });
});

test("a value in a field that a stack manages is an error of that object alone", async () => {
  const scene = sceneOf({ one: { maxReplicaCount: "many" }, two: { maxReplicaCount: 3 } });
  expect(await judged(scene)).toEqual({ one: "error", two: "changed", other: "unmanaged" });
  const report = await scene.scan([recorded("one"), recorded("two")]);
  expect(report.exitCode).toBe(3);
  expect(byName(report)[nameOf("one")]?.reason).toMatch(/"many" at `maxReplicaCount`/);
});

test("a state that cannot be used is an error of its object", async () => {
  expect(await judged(sceneOf({ one: { state: 7 } }))).toMatchObject({ one: "error", two: "in-sync" });
});

test.each(["many", 7, true, [], {}, [null]])("no object's value ends a scan (%j)", async (value) => {
  const names = ["deploymentShape", "maxReplicaCount", "annotations", "autoscalingPolicy", "status", "acceleratorType"];
  const strange = Object.fromEntries(names.map((name) => [name, value]));
  const found = await judged(sceneOf({ one: strange, other: strange }));
  expect(found).toMatchObject({ two: "in-sync", other: "unmanaged" });
});

test("an object with such a value is left out of a program, alone", async () => {
  const { client } = sceneOf({ one: { maxReplicaCount: "many" } });
  const specs = managedSpecs.filter(({ kind }) => kind === "Deployment");
  const { objects, unread } = await liveObjects(client, specs, [{ account: "acme", as: "acme", origin: "" }]);
  const { chosen, leftOut } = select(objects, { specs });
  expect(unread).toEqual([]);
  expect(chosen.map(({ name }) => name).sort()).toEqual([nameOf("other"), nameOf("two")]);
  expect(leftOut).toMatchObject([
    { name: nameOf("one"), reason: expect.stringContaining('"many" at `maxReplicaCount`') },
  ]);
});
