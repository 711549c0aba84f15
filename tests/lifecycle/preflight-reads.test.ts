import type { ReadEntries } from "../../provider/lifecycle/memory/known-reads";
import type { Process } from "./harness";
import {
  all,
  at,
  blind,
  complaint,
  deployment,
  job,
  looking,
  open8b,
  open70b,
  policy,
  refusal,
  vision,
} from "./looked-ahead";

const base = (name: string) => ({ name, kind: "HUB_BASE_MODEL", baseModelDetails: {}, state: "READY" });

test("switched off, nothing is read", async () => {
  await policy({ defaultPermissions: { ...all, allowDedicatedDeployments: false } });
  await at.requests();
  expect(await complaint("Deployment", deployment, blind())).toBe("");
  expect(await at.requests()).toEqual([]);
});

test("each object is read once per process, and nothing but reads is sent", async () => {
  await policy({ residency: "EUROPE" });
  await at.requests();
  const process = looking();
  for (const name of ["a", "b", "c"]) await process.check("Deployment", name, deployment);
  for (const name of ["d", "e"]) await process.check("SupervisedFineTuningJob", name, job);
  expect((await at.requests()).sort()).toEqual([
    "GET /v1/accounts/-/deploymentShapes/-/versions",
    "GET /v1/accounts/acme/policySettings",
    `GET /v1/${open8b}`,
  ]);
});

describe("the reads of many new resources", () => {
  const models = (count: number): string[] =>
    Array.from({ length: count }, (_, index) => `accounts/acme/models/own-${index}`);
  const judgeAll = (process: Process, baseModels: readonly string[]) =>
    Promise.all(
      baseModels.map((baseModel, index) => process.judge("Deployment", `d${index}`, { ...deployment, baseModel })),
    );

  test.each([
    // The policy, two models by name and the rest in pages of 200, two models' shapes and then those of all.
    [1, 3],
    [2, 5],
    [200, 7],
    [1000, 11],
  ])("%i models of one account take %i requests", async (count, expected) => {
    for (const name of models(count)) await at.put(name, base(name));
    await at.requests();
    const answers = await judgeAll(looking(), models(count));
    expect(answers.flatMap(({ failures, warnings }) => [...failures, ...warnings])).toEqual([]);
    expect(await at.requests()).toHaveLength(expected);
  });

  test("pages are read no longer than reads by name would take", async () => {
    for (const name of models(1000)) await at.put(name, base(name));
    const last = ["own-997", "own-998", "own-999"].map((id) => `accounts/acme/models/${id}`);
    await at.requests();
    await judgeAll(looking(), last);
    const reads = (await at.requests()).filter((request) => request.includes("/models"));
    expect(reads.length).toBeLessThanOrEqual(2 * last.length);
  });

  test("what is not in the list, or in none, is read by name", async () => {
    const names = models(5);
    for (const name of names) await at.put(name, base(name));
    await at.fault({ match: { operation: "listModels" }, fault: { kind: "status", status: 403 }, times: null });
    const answers = await judgeAll(looking(), [...names, "accounts/acme/models/missing"]);
    expect(answers.flatMap(({ warnings }) => warnings)).toEqual([
      expect.stringContaining("preflight finds no model accounts/acme/models/missing"),
    ]);
  });

  test("an `up` starts with what its preview has read, and repeats no warning", async () => {
    const names = models(20);
    for (const name of names) await at.put(name, base(name));
    await at.fault({ match: { operation: "getPolicySettings" }, fault: { kind: "status", status: 403 }, times: null });
    const knownReads: ReadEntries = new Map();
    const preview = await judgeAll(at.process({}, { knownReads }), names);
    expect(preview.flatMap(({ warnings }) => warnings)).toHaveLength(1);
    await at.requests();
    const up = await judgeAll(at.process({}, { knownReads }), names.toReversed());
    expect(up.flatMap(({ failures, warnings }) => [...failures, ...warnings])).toEqual([]);
    expect(await at.requests()).toEqual([]);
  });
});

test("what a key may not read is one warning for its account", async () => {
  for (const operation of ["getPolicySettings", "getModel", "listDeploymentShapeVersions"])
    await at.fault({ match: { operation }, fault: { kind: "status", status: 403 }, times: null });
  const process = looking();
  const judged = async (accountId: string) =>
    (await process.judge("Deployment", accountId, { ...deployment, accountId })).warnings;
  for (const account of ["acme", "beta"]) {
    expect(await judged(account)).toEqual([
      expect.stringMatching(new RegExp(`preflight could not read accounts/${account}/policySettings.*403`)),
    ]);
    expect(await judged(account)).toEqual([]);
  }
});

test("a refused read is warned about once, and the rest is still judged", async () => {
  await at.fault({
    match: { operation: "getPolicySettings" },
    fault: { kind: "status", status: 403, body: { code: 7, message: "denied" } },
    times: 10,
  });
  const process = looking();
  expect(await complaint("SupervisedFineTuningJob", { ...job, baseModel: vision }, process)).toContain(
    "`supervisedLoraTunable` is false",
  );
  const judged = (name: string) => process.judge("Deployment", name, deployment);
  expect((await judged("a")).warnings).toEqual([]);
  expect((await looking().judge("Deployment", "a", deployment)).warnings).toEqual([
    expect.stringMatching(/preflight could not read accounts\/acme\/policySettings.*403/),
  ]);
});

describe("what is not to be found is said", () => {
  /** What the check warns of. */
  const warningsOf = async (kind: string, inputs: object): Promise<readonly string[]> =>
    (await looking().judge(kind, "it", { ...inputs })).warnings;
  const missing = "accounts/platform/models/open-9b";
  const throughput = "accounts/platform/deploymentShapes/open-8b-throughput";

  test.each<[string, string, object, string]>([
    ["the model of a deployment", "Deployment", { ...deployment, baseModel: missing }, `finds no model ${missing}`],
    [
      "a shape",
      "Deployment",
      { ...deployment, deploymentShape: `${throughput}-9` },
      `finds no validated version of the shape ${throughput}-9`,
    ],
    [
      "a shape for this model",
      "Deployment",
      { baseModel: open70b, deploymentShape: throughput },
      `is a shape for ${open8b}, not for ${open70b}`,
    ],
  ])("%s, which the service refuses", async (_, kind, inputs, says) => {
    expect(await warningsOf(kind, inputs)).toEqual(expect.arrayContaining([expect.stringContaining(says)]));
    expect(await refusal(kind, inputs)).not.toBe("");
  });

  test("the model of a job, which it may refuse", async () => {
    expect(await warningsOf("SupervisedFineTuningJob", { ...job, baseModel: missing })).toEqual([
      expect.stringContaining(`finds no model ${missing}`),
    ]);
  });

  test("not where the read was refused: the refusal is reported", async () => {
    await at.fault({
      match: { operation: "getModel" },
      fault: { kind: "status", status: 403, body: { code: 7, message: "denied" } },
      times: 10,
    });
    const warnings = await warningsOf("Deployment", { ...deployment, baseModel: missing });
    expect(warnings).toEqual([expect.stringMatching(/preflight could not read .*open-9b/)]);
  });

  test("hardware that no validated shape for the model has, where no shape is named", async () => {
    const of = (inputs: object) => warningsOf("Deployment", { baseModel: open8b, ...inputs });
    const [version] = [...at.emulator.world.all()].filter(
      ({ kind, fields }) =>
        kind === "DeploymentShapeVersion" &&
        fields["latestValidated"] === true &&
        (fields["snapshot"] as { baseModel: string }).baseModel === open8b,
    );
    const { acceleratorType, acceleratorCount, precision } = version!.fields["snapshot"] as Record<string, string>;
    const says = expect.stringMatching(/preflight finds no validated shape for .*open-8b that has this/);
    expect(await of({ acceleratorType: "VENDOR1_A10G_24GB", precision: "NF4" })).toContainEqual(says);
    expect(await of({ acceleratorType, acceleratorCount: 64 })).toContainEqual(says);
    expect(await of({ acceleratorType, acceleratorCount, precision })).not.toContainEqual(says);
    expect(await of({ acceleratorType })).not.toContainEqual(says);
    expect(
      await of({ acceleratorType: "VENDOR1_A10G_24GB", baseModel: "accounts/acme/models/own" }),
    ).not.toContainEqual(says);
  });

  test("and nothing where model and shape fit", async () => {
    expect(await warningsOf("Deployment", { ...deployment, deploymentShape: throughput })).toEqual([]);
  });
});
