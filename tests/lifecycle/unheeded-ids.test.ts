import { createHarness, type Harness } from "./harness";

/** A service that gives objects names of its own: a create that is repeated there makes another object. */

let at: Harness;
beforeEach(async () => void (at = await createHarness({ ignoreId: true })));
afterEach(() => at.close());

const served = { baseModel: "accounts/platform/models/open-8b", deploymentShape: "default" };
const trained = { dataset: "accounts/acme/datasets/support", baseModel: "accounts/platform/models/open-8b" };

const lost = { kind: "resetAfterCommit" };
const overloaded = { kind: "status", status: 503 };
const strike = (fault: unknown, times = 1, skip = 0) =>
  at.fault({ match: { operation: "createDeployment" }, fault, times, skip });

const sent = async (): Promise<number> => (await at.requests()).filter((each) => each.startsWith("POST")).length;

test.each([
  ["an automatic", {}],
  ["a chosen", { deploymentId: "two" }],
])("what a create with %s id has made is looked for before it is repeated", async (_, id) => {
  const process = at.process();
  const first = await process.create("Deployment", "one", served);
  await strike(lost);
  const second = await process.create("Deployment", "two", { ...served, ...id });
  expect(at.names("deployments").sort()).toEqual([first.id, second.id].sort());
});

test("a job, which costs by the hour, is not started twice", async () => {
  const process = at.process();
  const first = await process.create("SupervisedFineTuningJob", "one", trained);
  await at.fault({ match: { operation: "createSupervisedFineTuningJob" }, fault: lost, times: 1 });
  const second = await process.create("SupervisedFineTuningJob", "two", trained);
  expect(at.names("supervisedFineTuningJobs").sort()).toEqual([first.id, second.id].sort());
});

test("where a look finds nothing, the create is sent again, as often as any other", async () => {
  const process = at.process();
  await process.create("Deployment", "one", served);
  await strike(overloaded, 7);
  await at.requests();
  await process.create("Deployment", "two", served);
  expect(at.names("deployments")).toHaveLength(2);
  expect(await sent()).toBe(8);
});

test("declarations that are alike each get an object of their own", async () => {
  const process = at.process();
  await process.create("Deployment", "first", served);
  await strike(lost, 2, 1);
  const names = ["a", "b", "c", "d"];
  const made = await Promise.all(names.map((name) => process.create("Deployment", name, served)));
  expect(new Set(made.map(({ id }) => id)).size).toBe(4);
  expect(at.names("deployments")).toHaveLength(5);
});

test("an object of somebody else that shows something more is none of ours", async () => {
  const process = at.process();
  await process.create("Deployment", "one", served);
  await strike(overloaded);
  await at.put("accounts/acme/deployments/theirs", {
    ...{ ...served, displayName: "theirs" },
    createTime: new Date(at.clock.now() + 1000).toISOString(),
  });
  const second = await process.create("Deployment", "two", served);
  expect(second.id).not.toBe("accounts/acme/deployments/theirs");
  expect(at.names("deployments")).toHaveLength(3);
});
