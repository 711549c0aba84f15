import type { Values } from "../../../provider/lifecycle/types";
import { createHarness, type Harness } from "../harness";
import { before, neverArrived, up } from "./told";

/** A create that never arrived, and another team that makes the like of it before it is repeated. */

let at: Harness;
beforeEach(async () => void (at = await createHarness()));
afterEach(() => at.close());

const hours = 3_600_000;
const served = { baseModel: "accounts/platform/models/open-8b", deploymentShape: "default" };

interface Rivalry {
  kind: string;
  operation: string;
  name: string;
  ours: Values;
  /** The like of ours, and more. */
  theirs: Values;
}

const rivalries: readonly Rivalry[] = [
  {
    kind: "Deployment",
    operation: "createDeployment",
    name: "accounts/acme/deployments/chat",
    ours: { ...served, deploymentId: "chat" },
    theirs: { ...served, state: "READY", displayName: "Chat of the search team", maxReplicaCount: 5 },
  },
  {
    kind: "User",
    operation: "createUser",
    name: "accounts/acme/users/ada",
    ours: { email: "ada@example.com", role: "user" },
    theirs: { email: "ada@example.com", role: "user", displayName: "Ada of the search team" },
  },
  {
    kind: "Model",
    operation: "createModel",
    name: "accounts/acme/models/tuned",
    ours: { modelId: "tuned", kind: "CUSTOM_MODEL" },
    theirs: { kind: "CUSTOM_MODEL", state: "READY", description: "Weights of the search team" },
  },
  {
    kind: "SupervisedFineTuningJob",
    operation: "createSupervisedFineTuningJob",
    name: "accounts/acme/supervisedFineTuningJobs/tune",
    ours: { baseModel: served.baseModel, dataset: "accounts/acme/datasets/tickets", supervisedFineTuningJobId: "tune" },
    theirs: {
      baseModel: served.baseModel,
      dataset: "accounts/acme/datasets/tickets",
      state: "JOB_STATE_COMPLETED",
      displayName: "Tickets of the search team",
    },
  },
];

for (const { kind, operation, name, ours, theirs } of rivalries) {
  const made = async (): Promise<void> =>
    at.put(name, { ...theirs, createTime: new Date(at.clock.now()).toISOString(), updateTime: undefined });
  const isTheirsStill = (said: string): void => {
    expect(at.object(name)).toMatchObject(theirs);
    expect(said).toContain(name);
  };

  for (const [how, strike] of neverArrived)
    for (const later of [0, 50])
      test(`a ${kind} whose create ${how} is not another team's, ${later} hours later`, async () => {
        await strike(at, operation);
        await up(at.process(), kind, "it", { ...ours, timeouts: { create: "1m" } });
        await at.clearFaults();
        await at.clock.sleep(later * hours);
        await made();
        await at.clock.sleep(1000);
        const { created, said } = await up(at.process(), kind, "it", ours);
        expect(created).toBeUndefined();
        isTheirsStill(said);
      });

  for (const status of [500, 503])
    test(`a ${kind} made between a ${status} and its repetition is not another team's`, async () => {
      await at.fault({ match: { operation }, fault: { kind: "status", status } });
      before(at, "POST", /./, async () => before(at, "POST", /./, made));
      const { created, said } = await up(at.process(), kind, "it", ours);
      expect(created).toBeUndefined();
      isTheirsStill(said);
    });

  test(`a ${kind} whose create arrived is found and not created again`, async () => {
    const { created } = await up(at.process(), kind, "it", ours);
    await at.clock.sleep(1000);
    const again = await up(at.process(), kind, "it", ours);
    expect(again.created?.id).toBe(created?.id);
  });
}

test("a Deployment that carries its owner's marks is found, whatever else it shows", async () => {
  const inputs = { ...served, deploymentId: "chat" };
  const marking = { ownershipMarker: "true" };
  const { created } = await up(at.process(marking), "Deployment", "it", inputs);
  await at.change(created!.id, { displayName: "changed by hand", maxReplicaCount: 7 });
  const again = await up(at.process(marking), "Deployment", "it", inputs);
  expect(again.created?.id).toBe(created!.id);
});
