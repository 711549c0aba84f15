import { adviceOn } from "../../drift/report/advice";
import { baselineOf, openBaseline } from "../../drift/scan/baseline";
import { type DriftOptions, detectDrift } from "../../drift/scan/detect";
import type { Finding } from "../../drift/scan/finding-document";
import { recordedObjects } from "../../drift/scan/recorded-object";
import { importDeployment } from "../../engine/state/checkpoint";
import { createHarness, type Harness } from "../lifecycle/harness";
import { Refreshed } from "../lifecycle/refreshed";
import type { Values } from "../values";

/** What a report advises is followed here, and the finding is gone. */

const base = "accounts/platform/models/open-8b";
const policy = "accounts/acme/policySettings";
const permissions = {
  allowServerless: true,
  allowDedicatedDeployments: true,
  allowTraining: true,
  allowServerlessFast: true,
};
const opened = { rules: [{ model: base, permissions }] };
const model = { modelId: "support", peftDetails: { baseModel: base, r: 8, targetModules: ["q"] } };
const chat = { deploymentId: "chat", baseModel: base, deploymentShape: "default", maxReplicaCount: 2 };

let at: Harness;
beforeEach(async () => void (at = await createHarness()));
afterEach(() => at.close());

const typeOf = (kind: string): string => `pulumi-nodejs:dynamic/modelplatform:${kind}`;

async function scan(resources: readonly Refreshed[], options: Partial<DriftOptions> = {}): Promise<Finding[]> {
  const { client } = at.process();
  const states = resources.flatMap(({ kind, name, state }) =>
    state === undefined
      ? []
      : [{ ...state, urn: `urn:pulumi:test::shop::${typeOf(kind)}::${name}`, custom: true, type: typeOf(kind) }],
  );
  const deployment = { version: 3, deployment: { manifest: { time: "", magic: "", version: "" }, resources: states } };
  const stacks = [recordedObjects("shop/test", importDeployment(JSON.parse(JSON.stringify(deployment)), "inspect"))];
  const tool = { name: "modelplatform", version: "1.2.3" };
  const { findings } = await detectDrift({ client, stacks, tool, accounts: ["acme"], time: at.clock, ...options });
  return findings.filter(({ ruleId, suppressed }) => suppressed === undefined && ruleId !== "drift/in-sync");
}

/** `up --refresh`. */
async function refreshAndUp(it: Refreshed, program: Values): Promise<void> {
  await it.refresh();
  await it.up(program);
}

async function finds(resources: readonly Refreshed[], ruleId: string, says: RegExp): Promise<Finding> {
  const found = await scan(resources);
  expect(found).toMatchObject([{ ruleId }]);
  expect(adviceOn(found[0]!).next).toMatch(says);
  return found[0]!;
}

test("changed: `up --refresh` reverts what the program sets", async () => {
  const it = new Refreshed(at, "Deployment");
  await it.up(chat);
  await at.change(String(it.outputs["name"]), { maxReplicaCount: 8 });
  await finds([it], "drift/changed", /`pulumi up --refresh` reverts what the program sets/);
  await refreshAndUp(it, chat);
  expect(await scan([it])).toEqual([]);
});

describe("watched, by a policy that nobody opened", () => {
  let it: Refreshed;
  const program = { residency: "EUROPE" };
  beforeEach(async () => {
    it = new Refreshed(at, "PolicySettings");
    await it.up(program);
    await at.change(policy, opened);
  });

  test("no refresh and no `up` takes the finding away", async () => {
    await finds([it], "drift/watched", /`up` does not restore what the program leaves out.*A refresh accepts nothing/);
    await it.refresh();
    await refreshAndUp(it, program);
    await it.up({ ...program, onDelete: "clear" });
    expect(await scan([it])).toMatchObject([{ ruleId: "drift/watched", changes: [{ managed: false }] }]);
  });

  test("a program that sets the field does", async () => {
    await finds([it], "drift/watched", /Set the fields in the program .* and run `pulumi up --refresh`/);
    await refreshAndUp(it, { ...program, rules: [] });
    expect(await scan([it])).toEqual([]);
  });

  test("so does a program that says what is live", async () => {
    await it.refresh();
    await it.up({ ...program, ...opened });
    expect(await scan([it])).toEqual([]);
  });

  test("so does the token of the finding", async () => {
    const { acceptDrift } = await finds([it], "drift/watched", /give the program the `acceptDrift` of the finding/);
    await it.up({ ...program, acceptDrift });
    expect(await scan([it])).toEqual([]);
    await at.change(policy, { rules: [] });
    expect(await scan([it])).toMatchObject([{ ruleId: "drift/watched" }]);
  });

  test("so does the baseline, for a time", async () => {
    const finding = await finds([it], "drift/watched", /put it into the baseline/);
    const terms = { owner: "team", reason: "agreed", expires: "2026-02-01", allowError: true };
    const document = baselineOf({ findings: [finding] } as never, terms);
    const baseline = openBaseline(document, "baseline.json", at.clock.now(), true);
    expect(await scan([it], { baseline })).toEqual([]);
  });
});

test("opened: `up --refresh` closes what the program sets, after a refresh, too", async () => {
  const it = new Refreshed(at, "PolicySettings");
  await it.up({ residency: "EUROPE" });
  await at.change(policy, { residency: "GLOBAL" });
  await it.refresh();
  await finds([it], "drift/loosened", /`pulumi up --refresh` reverts what the program sets/);
  await refreshAndUp(it, { residency: "EUROPE" });
  expect(await scan([it])).toEqual([]);
});

test("opened: what the program does not set is closed by the program that sets it", async () => {
  const it = new Refreshed(at, "PolicySettings");
  await at.put(policy, { zeroDataRetention: { defaultEnforced: true }, updateTime: "2026-01-01T00:00:00Z" });
  await it.up({ residency: "EUROPE", adopt: "overwrite" });
  await at.change(policy, { zeroDataRetention: { defaultEnforced: false } });
  await it.refresh();
  await finds(
    [it],
    "drift/loosened",
    /`up` does not restore what is marked as not set by the program: set it in the program first/,
  );
  await refreshAndUp(it, { residency: "EUROPE", adopt: "overwrite", zeroDataRetention: { defaultEnforced: true } });
  expect(await scan([it])).toEqual([]);
});

describe("recreated by hand under its name", () => {
  const { modelId: _, ...automatic } = model;
  let it: Refreshed;
  beforeEach(async () => {
    it = new Refreshed(at, "Model");
    await it.up(automatic);
    await at.change(String(it.outputs["name"]), { createTime: "2026-01-03T00:00:00Z" });
    await it.refresh();
    expect(await scan([it])).toMatchObject([
      { ruleId: "drift/remade", severity: "error", changes: [{ path: "createTime", live: "2026-01-03T00:00:00Z" }] },
    ]);
  });

  test("a replacement that may leave it creates another", async () => {
    const remade = String(it.outputs["name"]);
    await finds([it], "drift/remade", /`MODELPLATFORM_RECOVER=new pulumi up --replace <urn>` creates another one/);
    await expect(it.up(automatic, { replace: true })).rejects.toThrow(/`MODELPLATFORM_RECOVER=take pulumi up/);
    it.config["recover"] = "new";
    await it.up(automatic, { replace: true });
    expect(it.outputs["name"]).not.toBe(remade);
    expect(at.names("models").sort()).toEqual([remade, it.outputs["name"]].sort());
  });

  test("one at a chosen id gets another one", async () => {
    const chosen = new Refreshed(at, "Model", "chosen");
    await chosen.up({ ...model, modelId: "first" });
    await at.change(String(chosen.outputs["name"]), { createTime: "2026-01-03T00:00:00Z" });
    await chosen.refresh();
    await finds([chosen], "drift/remade", /where the program chose the id, give it another one/);
    await chosen.up({ ...model, modelId: "second" });
    expect(await scan([chosen])).toEqual([]);
  });

  test("the token of the finding accepts it", async () => {
    const { acceptDrift } = await finds([it], "drift/remade", /`acceptDrift` of the finding/);
    await it.up({ ...automatic, acceptDrift });
    expect(await scan([it])).toEqual([]);
  });
});

test("failed: `up --refresh` replaces it", async () => {
  const it = new Refreshed(at, "Deployment");
  const { deploymentId: _, ...automatic } = chat;
  await it.up(automatic);
  await at.change(String(it.outputs["name"]), { state: "FAILED", status: { code: "INTERNAL" } });
  await finds([it], "drift/failed", /`pulumi up --refresh` replaces it/);
  await it.refresh();
  await it.up(automatic);
  expect(await scan([it])).toEqual([]);
});

test("missing: `up --refresh` creates it again, or forgets what the program dropped", async () => {
  const it = new Refreshed(at, "Model");
  await it.up(model);
  at.emulator.world.remove("accounts/acme/models/support");
  // A refresh believes that something is gone when it is older than any lag of a replica.
  at.clock.jump(600_000);
  await finds([it], "drift/missing", /`pulumi up --refresh` creates it again.*drops it/);
  await it.refresh();
  expect(await scan([it])).toEqual([]);
  await it.up(model);
  expect(await scan([it])).toEqual([]);
  expect(at.live("models")).toHaveLength(1);
});

describe("what a job produced", () => {
  const tuning = {
    baseModel: base,
    dataset: "accounts/acme/datasets/tickets",
    outputModel: "accounts/acme/models/tuned",
  };
  let job: Refreshed;
  beforeEach(async () => {
    job = new Refreshed(at, "SupervisedFineTuningJob");
    await job.up(tuning);
    expect(at.object("accounts/acme/models/tuned")).toBeDefined();
    expect(await scan([job])).toEqual([]);
  });

  test("if it is gone, another run makes it again", async () => {
    at.emulator.world.remove("accounts/acme/models/tuned");
    const finding = await finds([job], "drift/output", /`pulumi up --replace <urn of the job>` runs the job again/);
    expect(finding).toMatchObject({
      verdict: "missing",
      severity: "error",
      type: "Model",
      name: "accounts/acme/models/tuned",
      urn: expect.stringContaining("SupervisedFineTuningJob::it"),
    });
    await job.up(tuning, { replace: true });
    expect(await scan([job])).toEqual([]);
  });

  test("if it was made public, a declaration of the model closes it", async () => {
    await at.change("accounts/acme/models/tuned", { public: true });
    const finding = await finds([job], "drift/output", /declare the model \(`Model` with `adopt: "overwrite"`\)/);
    expect(finding).toMatchObject({ verdict: "changed", changes: [{ path: "public", live: true, severity: "error" }] });
    const { kind, peftDetails } = at.object("accounts/acme/models/tuned")!;
    const declared = new Refreshed(at, "Model", "tuned");
    await declared.up({ modelId: "tuned", kind, peftDetails, public: false, adopt: "overwrite" });
    expect(await scan([job, declared])).toEqual([]);
  });
});

test("recorded twice: taken out of one place, it is the other's", async () => {
  const it = new Refreshed(at, "Model");
  await it.up(model);
  const other = new Refreshed(at, "Model", "other");
  other.state = it.state;
  await finds(
    [it, other],
    "drift/recorded-twice",
    /`pulumi state delete <urn>`, with a URN of the reason, removes the others/,
  );
  other.state = undefined;
  expect(await scan([it, other])).toEqual([]);
});

test("could not be read: scanned again, it is", async () => {
  const it = new Refreshed(at, "Model");
  await it.up(model);
  await at.fault({ match: { operation: "listModels" }, fault: { kind: "status", status: 500 }, times: 1000 });
  await finds([it], "drift/error", /scan again/);
  await at.clearFaults();
  expect(await scan([it])).toEqual([]);
});

test("forbidden: with the right to read it, it is read", async () => {
  const it = new Refreshed(at, "Model");
  await it.up(model);
  await at.fault({ match: { operation: "listModels" }, fault: { kind: "status", status: 403 }, times: 1000 });
  await finds([it], "drift/forbidden", /its member the right if it may not read \(403\)/);
  await at.clearFaults();
  expect(await scan([it])).toEqual([]);
});

test("unmanaged: declared, it is managed", async () => {
  await at.put("accounts/acme/models/support", {
    kind: "HUB_PEFT_ADDON",
    peftDetails: model.peftDetails,
    state: "READY",
  });
  const options = { unmanaged: true };
  const it = new Refreshed(at, "Model");
  const [finding] = await scan([it], options);
  expect(adviceOn(finding!).next).toMatch(/`npx pulumi-modelplatform codify` writes its declaration/);
  await it.up({ ...model, adopt: "ifEqual" });
  expect(await scan([it], options)).toEqual([]);
});
