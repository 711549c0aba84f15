import { createHarness, type Harness } from "./harness";

/** A service that changes an object's `createTime` after its creation: it is no mark of identity there. */

const served = { baseModel: "accounts/platform/models/open-8b", deploymentShape: "default", displayName: "one" };
const warned = /warning: The service changes the `createTime` of a Deployment/;

let at: Harness;
let moves = 0;
beforeEach(async () => void (at = await createHarness()));
afterEach(() => at.close());

const time = (step: number): string => new Date(Date.parse("2026-01-01T00:00:00Z") + step * 60_000).toISOString();

describe("with each read", () => {
  beforeEach(() => {
    at.replica.form = (object) => ({ ...object, createTime: time((moves += 1)) });
  });

  test("a destroy deletes the object, and says so once", async () => {
    const { id, outputs } = await at.process().create("Deployment", "it", served);
    const process = at.process();
    await process.delete("Deployment", "it", outputs);
    expect(at.object(id)?.["state"] ?? "DELETED").toMatch(/DELET/);
    expect(process.messages.filter((message) => warned.test(message))).toHaveLength(1);
  });

  test("an update changes the object", async () => {
    const { id, outputs } = await at.process().create("Deployment", "it", served);
    await at.process().update("Deployment", "it", outputs, { ...served, displayName: "two" });
    expect(at.object(id)).toMatchObject({ displayName: "two" });
  });
});

describe("with each update", () => {
  beforeEach(() => {
    at.replica.form = (object) => ({ ...object, createTime: object["updateTime"] });
  });

  test("it is no mark once an own update has shown that", async () => {
    const { id, outputs } = await at.process().create("Deployment", "it", served);
    await at.clock.sleep(120_000);
    const process = at.process();
    const updated = await process.update("Deployment", "it", outputs, { ...served, displayName: "two" });
    expect(process.messages.join()).toMatch(warned);
    await at.clock.sleep(120_000);
    await at.change(id, { displayName: "by hand", updateTime: new Date(at.clock.now()).toISOString() });
    await at.process().delete("Deployment", "it", updated);
    expect(at.object(id)?.["state"] ?? "DELETED").toMatch(/DELET/);
  });
});

test("a time that stands still identifies an object that was created again", async () => {
  const { id, outputs } = await at.process().create("Deployment", "it", served);
  await at.put(id, { ...outputs, name: id, state: "READY", createTime: time(90) });
  const process = at.process();
  await process.delete("Deployment", "it", outputs);
  expect(process.messages.join()).toContain("is not the object that the state recorded");
  expect(at.names("deployments")).toEqual([id]);
});
