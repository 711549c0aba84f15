import { refusal, rejection } from "../rejection";
import { createHarness, type Harness } from "./harness";

/** A create whose answer is about another object than was asked for. */

const served = { baseModel: "accounts/platform/models/open-8b", deploymentShape: "default" };

let at: Harness;
beforeEach(async () => void (at = await createHarness()));
afterEach(() => at.close());

const answering = (body: unknown): Promise<void> =>
  at.fault({ match: { operation: "createDeployment" }, fault: { kind: "status", status: 200, body }, times: 1 });

test("an answer about an older object is not believed, and that is not recorded", async () => {
  const theirs = await at.elsewhere().create("Deployment", "theirs", served);
  await at.clock.sleep(5000);
  await answering(at.object(theirs.id));
  const error = await rejection(at.process().create("Deployment", "mine", served));
  expect(error.message).toMatch(new RegExp(`answered with another object, ${theirs.id}`));
  expect(error).not.toHaveProperty("id");
  const { id } = await at.process().create("Deployment", "mine", served);
  expect(at.names("deployments").sort()).toEqual([theirs.id, id].sort());
});

test("an answer about an object that this stack holds is not believed", async () => {
  const first = await at.process().create("Deployment", "first", served);
  await answering(at.object(first.id));
  const error = await refusal("answered-with-another", at.process().create("Deployment", "second", served));
  expect(error.message).toContain("which this stack holds already");
});

test("an answer about an object created since counts: services give names", async () => {
  const name = "accounts/acme/deployments/given";
  const object = { name, ...served, state: "READY", createTime: new Date(at.clock.now() + 1000).toISOString() };
  await at.put(name, object);
  await answering(object);
  expect((await at.process().create("Deployment", "mine", served)).id).toBe(name);
});

test("an object made long after a create was given up is not its result", async () => {
  const fixed = { ...served, deploymentId: "chat" };
  await at.fault({ match: { operation: "createDeployment" }, fault: { kind: "status", status: 502 }, times: null });
  await rejection(at.process().create("Deployment", "mine", fixed));
  await at.clearFaults();
  await at.clock.sleep(24 * 3_600_000);
  const theirs = await at.elsewhere().create("Deployment", "theirs", fixed);
  const error = await rejection(at.process().create("Deployment", "mine", fixed));
  expect(error.message).toContain("already exists, and nothing shows that this declaration created it");
  expect(at.names("deployments")).toEqual([theirs.id]);
});
