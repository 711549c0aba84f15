import type { Values } from "../../../provider/lifecycle/types";
import { createHarness, type Harness } from "../harness";
import { otherAddress } from "../in-process";
import { type CallOutcome, up } from "./told";

/** Runs that were killed after the service had made what they asked for, and what the next run finds of it. */

let at: Harness;
beforeEach(async () => void (at = await createHarness()));
afterEach(() => at.close());

const hours = 3_600_000;
const python = { aliasesUnknown: true } as const;
const marking = { ownershipMarker: "true" };
const served = { baseModel: "accounts/platform/models/open-8b", deploymentShape: "default" };
const tuned = { baseModel: served.baseModel, dataset: "accounts/acme/datasets/tickets" };
const ages: readonly [age: string, ms: number][] = [
  ["a minute", 60_000],
  ["25 hours", 25 * hours],
  ["a month", 30 * 24 * hours],
];

interface Subject {
  kind: string;
  collection: string;
  inputs: Values;
}

const deployment: Subject = { kind: "Deployment", collection: "deployments", inputs: served };
const job: Subject = { kind: "SupervisedFineTuningJob", collection: "supervisedFineTuningJobs", inputs: tuned };

describe("a runner that is lost with its journal", () => {
  for (const { kind, collection, inputs } of [deployment, job])
    for (const [age, ms] of ages) {
      test(`leaves a ${kind} that up names and asks about, ${age} later`, async () => {
        const lost = await at.process().create(kind, "it", inputs);
        await at.clock.sleep(ms);
        const { created, said } = await up(at.elsewhere(), kind, "it", inputs);
        expect(created).toBeUndefined();
        expect(said).toContain(lost.id);
        expect(said).toMatch(/MODELPLATFORM_RECOVER=take/);
        expect(at.names(collection)).toEqual([lost.id]);
      });

      test(`leaves a ${kind} that up takes where it is told to, ${age} later`, async () => {
        const lost = await at.process().create(kind, "it", inputs);
        await at.clock.sleep(ms);
        const { created } = await up(at.elsewhere({ recover: "take" }), kind, "it", inputs);
        expect(created?.id).toBe(lost.id);
        expect(at.names(collection)).toEqual([lost.id]);
      });
    }

  for (const [age, ms] of ages)
    test(`leaves a marked Deployment that up finds without asking, ${age} later`, async () => {
      const lost = await at.process(marking).create("Deployment", "it", served);
      await at.clock.sleep(ms);
      const { created } = await up(at.elsewhere(marking), "Deployment", "it", served);
      expect(created?.id).toBe(lost.id);
      expect(at.names("deployments")).toEqual([lost.id]);
    });
});

describe("an interrupted create", () => {
  test("stays where the resource is renamed in a language without aliases", async () => {
    const lost = await at.process({}, python).create("Deployment", "before", served);
    const { created } = await up(at.process({}, python), "Deployment", "after", served);
    expect(at.names("deployments").sort()).toEqual([lost.id, created!.id].sort());
  });

  test("is found by a resource that is renamed with an alias", async () => {
    const lost = await at.process().create("Deployment", "before", served);
    const process = at.process();
    process.aliases.set("after", ["before"]);
    const { created } = await up(process, "Deployment", "after", served);
    expect(created?.id).toBe(lost.id);
    expect(at.names("deployments")).toEqual([lost.id]);
  });

  test("is named, or found, after its stack was renamed", async () => {
    const lost = await at.process({}, {}, "dev").create("Deployment", "it", served);
    const { created, said } = await up(at.process({}, {}, "prod"), "Deployment", "it", served);
    expect(said).toContain(lost.id);
    if (created) expect(at.names("deployments")).toEqual([lost.id]);
  });

  test("is found where the service listens on another loopback port", async () => {
    const lost = await at.process().create("Deployment", "it", served);
    const { created } = await up(at.process({ baseUrl: otherAddress }), "Deployment", "it", served);
    expect(created?.id).toBe(lost.id);
    expect(at.names("deployments")).toEqual([lost.id]);
  });

  test("of a replacement gets no third object where the loopback port has changed", async () => {
    const program = { ...served, baseModel: "accounts/platform/models/open-70b" };
    const old = await at.process().create("Deployment", "it", served);
    const replacing = at.process();
    await replacing.diff("Deployment", "it", old.outputs, program);
    await replacing.create("Deployment", "it", program);
    const moved = at.process({ baseUrl: otherAddress });
    await moved.diff("Deployment", "it", old.outputs, program);
    const { created } = await up(moved, "Deployment", "it", program);
    await moved.delete("Deployment", "it", old.outputs);
    expect(at.names("deployments")).toEqual([created?.id]);
  });
});

describe("an interrupted create whose base model the program has changed since", () => {
  const changed = { ...served, baseModel: "accounts/platform/models/open-70b" };

  for (const id of [{}, { deploymentId: "chat" }]) {
    const where = "deploymentId" in id ? "a chosen id" : "an automatic id";

    test(`at ${where} is named, with the command that removes it`, async () => {
      const lost = await at.process().create("Deployment", "it", { ...served, ...id });
      const { created, said } = await up(at.process(), "Deployment", "it", { ...changed, ...id });
      if (created && created.id !== lost.id) expect(said).toContain(lost.id);
      if (!created) expect(said).toContain("npx pulumi-modelplatform call deleteDeployment");
      expect(at.names("deployments")).toContain(lost.id);
    });
  }

  describe("and whose next create is answered 500 once", () => {
    const struck = async (inputs: Values): Promise<CallOutcome & { lost: string }> => {
      const { id: lost } = await at.process().create("Deployment", "it", served);
      const fault = { kind: "status", status: 500 };
      await at.fault({ match: { operation: "createDeployment" }, fault, times: 1 });
      return { ...(await up(at.process(), "Deployment", "it", inputs)), lost };
    };

    test("is not taken for what that create has made", async () => {
      const { created, said, lost } = await struck(changed);
      expect(created).toBeUndefined();
      expect(said).toContain(`${lost} exists and differs from the program in \`baseModel\`, which cannot change`);
      expect(said).toMatch(/leave it and create another with `MODELPLATFORM_RECOVER=new /);
    });

    test("is left by the word that the error names, and another one is created", async () => {
      const { lost } = await struck(changed);
      const { created } = await up(at.process({ recover: "new" }), "Deployment", "it", changed);
      expect(at.names("deployments").sort()).toEqual([lost, created!.id].sort());
    });

    test("becomes what is declared where it can", async () => {
      const { created, lost } = await struck({ ...served, maxReplicaCount: 3 });
      expect(created?.id).toBe(lost);
      expect(at.object(lost)).toMatchObject({ maxReplicaCount: 3 });
    });
  });

  test("is left alone where the program is told to make a new one", async () => {
    const lost = await at.process().create("Deployment", "it", served);
    const { created, said } = await up(at.process({ recover: "new" }), "Deployment", "it", changed);
    expect(created?.outputs).toMatchObject({ state: "READY", baseModel: changed.baseModel });
    expect(said).toContain(lost.id);
    expect(at.names("deployments").sort()).toEqual([lost.id, created!.id].sort());
  });
});

describe("a state that no longer holds what this stack made", () => {
  const forgotten = async (): Promise<string> => {
    const { id, outputs } = await at.process().create("Deployment", "it", served);
    await at.process().diff("Deployment", "it", outputs, served);
    return id;
  };

  for (const [age, ms] of ages) {
    test(`has it named where up makes another after state delete, ${age} later`, async () => {
      const id = await forgotten();
      await at.clock.sleep(ms);
      const { said } = await up(at.process(), "Deployment", "it", served);
      expect(said).toContain(id);
      expect(said).toMatch(/warning: .*was this resource before and is live, and .* was created beside it/);
      expect(said).toContain("up --refresh --stack test` asks before");
      expect(at.names("deployments")).toContain(id);
    });

    test(`has it taken after state delete where the program is told to, ${age} later`, async () => {
      const id = await forgotten();
      await at.clock.sleep(ms);
      const { created } = await up(at.process({ recover: "take" }), "Deployment", "it", served);
      expect(created?.id).toBe(id);
      expect(at.names("deployments")).toEqual([id]);
    });
  }

  test("makes a second one where it is told to, and says so", async () => {
    const id = await forgotten();
    const { created, said } = await up(at.process({ recover: "new" }), "Deployment", "it", served);
    expect(at.names("deployments").sort()).toEqual([id, created!.id].sort());
    expect(said).toContain(id);
  });
});

describe("a machine whose clock is wrong", () => {
  for (const [how, ahead] of [
    ["a day behind", -24 * hours],
    ["an hour ahead", hours],
    ["a month ahead", 30 * 24 * hours],
  ] as const) {
    test(`finds what it made when its clock was right: now it is ${how}`, async () => {
      const lost = await at.process().create("Deployment", "it", served);
      const { created } = await up(at.process({}, { ahead }), "Deployment", "it", served);
      expect(created?.id).toBe(lost.id);
      expect(at.names("deployments")).toEqual([lost.id]);
    });

    test(`finds what it made while its clock was ${how}`, async () => {
      const lost = await at.process({}, { ahead }).create("Deployment", "it", { ...served, deploymentId: "chat" });
      const { created } = await up(at.process(), "Deployment", "it", { ...served, deploymentId: "chat" });
      expect(created?.id).toBe(lost.id);
    });

    test(`takes nothing that another team has made, when its clock is ${how}`, async () => {
      await at.fault({ match: { operation: "createDeployment" }, fault: { kind: "status", status: 503 }, times: null });
      const inputs = { ...served, deploymentId: "chat" };
      await up(at.process({}, { ahead }), "Deployment", "it", inputs);
      await at.clearFaults();
      await at.clock.sleep(60_000);
      const theirs = await at.elsewhere({}, "other").create("Deployment", "theirs", { ...inputs, maxReplicaCount: 7 });
      const { created, said } = await up(at.process({}, { ahead }), "Deployment", "it", inputs);
      expect(created).toBeUndefined();
      expect(said).toContain(theirs.id);
      expect(at.object(theirs.id)).toMatchObject({ maxReplicaCount: 7 });
    });
  }
});
