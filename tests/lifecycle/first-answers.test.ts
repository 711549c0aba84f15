import { createHarness, type Harness, keptJournal } from "./harness";

/** The first answers of a service: whether requested ids count is unknown until one has shown it. */

const served = { baseModel: "accounts/platform/models/open-8b", deploymentShape: "default" };
const fixed = { ...served, deploymentId: "chat" };
const trained = { dataset: "accounts/acme/datasets/support", baseModel: "accounts/platform/models/open-8b" };

const kinds = [
  ["Deployment", "deployments", served],
  ["Deployment", "deployments", fixed],
  ["SupervisedFineTuningJob", "supervisedFineTuningJobs", trained],
] as const;

let at: Harness;
afterEach(() => at.close());

const lose = (kind: string, fault: object, times = 1) =>
  at.fault({ match: { operation: `create${kind}` }, fault, times });

const lost = { kind: "commitThenStatus", status: 504 };

describe.each([
  ["ids do not count", { ignoreId: true }],
  ["ids count", {}],
] as const)("the first create at a service whose %s", (_, settings) => {
  beforeEach(async () => void (at = await createHarness(settings)));

  test.each(kinds)("makes one object if its answer is lost: %s %s %j", async (kind, collection, inputs) => {
    await lose(kind, lost);
    const { id, outputs } = await at.process().create(kind, "it", inputs);
    expect(at.names(collection)).toEqual([id]);
    await at.process().delete(kind, "it", outputs);
    expect(at.names(collection)).toEqual([]);
  });

  test.each(kinds)("is repeated if it never arrived: %s %s %j", async (kind, collection, inputs) => {
    await lose(kind, { kind: "status", status: 503 }, 2);
    const { id } = await at.process().create(kind, "it", inputs);
    expect(at.names(collection)).toEqual([id]);
  });
});

describe("once the journal has shown that ids count", () => {
  beforeEach(async () => void (at = await createHarness()));

  test("a lost answer costs no look, also in another process", async () => {
    const journal = keptJournal();
    await at.process({}, { journal }).create("Deployment", "one", served);
    await lose("Deployment", { kind: "status", status: 503 });
    await at.requests();
    await at.process({}, { journal }).create("Deployment", "two", served);
    const requests = await at.requests();
    expect(requests.filter((each) => each.startsWith("POST"))).toHaveLength(2);
    expect(requests).not.toContain("GET /v1/accounts/acme/deployments");
  });

  test("another team's object stays theirs if the answer to the create is lost", async () => {
    await at.process({}, {}, "another").create("Deployment", "theirs", { ...fixed, displayName: "theirs" });
    await at.clock.sleep(120_000);
    await lose("Deployment", { kind: "status", status: 503 });
    const created = at.process().create("Deployment", "it", fixed);
    await expect(created).rejects.toThrow("already exists, and nothing shows that this declaration created it");
  });
});
