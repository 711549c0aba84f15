import type { ReadEntries } from "../../provider/lifecycle/memory/known-reads";
import { createHarness, type Harness, type Process } from "./harness";

const open8b = "accounts/platform/models/open-8b";
const open70b = "accounts/platform/models/open-70b";
const vision = "accounts/platform/models/vision-12b";
const unknown = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";
const base = (name: string) => ({ name, kind: "HUB_BASE_MODEL", baseModelDetails: {}, state: "READY" });
const all = { allowServerless: true, allowDedicatedDeployments: true, allowTraining: true, allowServerlessFast: true };
const deployment = { baseModel: open8b, deploymentShape: "default" };
const job = { baseModel: open8b, dataset: "accounts/acme/datasets/tickets" };
const rlor = { trainingConfig: { baseModel: open8b }, dataset: "accounts/acme/datasets/tickets" };

let at: Harness;
beforeEach(async () => void (at = await createHarness()));
afterEach(() => at.close());

const looking = (): Process => at.process();
const blind = (): Process => at.process({ preflight: "false" });

const put = (name: string, object: object) =>
  at.emulator.fetch(
    new Request(`http://127.0.0.1/_emulator/objects/${name}`, {
      method: "PUT",
      body: JSON.stringify({ name, ...object }),
      headers: { host: "127.0.0.1", "content-type": "application/json" },
    }),
  );

const policy = (sections: object) =>
  put("accounts/acme/policySettings", { ...sections, updateTime: "2026-01-01T00:00:00Z" });

/** What the check says, or an empty text where it has nothing to say. */
const complaint = (kind: string, inputs: object, process = looking()): Promise<string> =>
  process.check(kind, "it", { ...inputs }).then(
    () => "",
    (error: Error) => error.message,
  );

/** What the service says to the same request. */
const refusal = (kind: string, inputs: object): Promise<string> =>
  blind()
    .create(kind, "it", { ...inputs })
    .then(
      () => "",
      (error: Error) => error.message,
    );

type Case = [why: string, kind: string, inputs: object, sections: object | undefined, says: string[]];

const refused: Case[] = [
  [
    "dedicated deployments that the defaults deny",
    "Deployment",
    deployment,
    { defaultPermissions: { ...all, allowDedicatedDeployments: false } },
    ["baseModel: ", "`defaultPermissions.allowDedicatedDeployments` is false"],
  ],
  [
    "dedicated deployments that the model's own row denies",
    "Deployment",
    deployment,
    { rules: [{ model: open8b, permissions: { ...all, allowDedicatedDeployments: false } }] },
    ["baseModel: ", `\`rules["${open8b}"].allowDedicatedDeployments\` is false`],
  ],
  [
    "training that the defaults deny",
    "SupervisedFineTuningJob",
    job,
    { defaultPermissions: { ...all, allowTraining: false } },
    ["baseModel: ", "`defaultPermissions.allowTraining` is false"],
  ],
  [
    "reinforcement training that the model's own row denies",
    "RlorTrainerJob",
    rlor,
    { rules: [{ model: open8b, permissions: { ...all, allowTraining: false } }] },
    ["trainingConfig.baseModel: ", `\`rules["${open8b}"].allowTraining\` is false`],
  ],
  [
    "training under a retention policy",
    "SupervisedFineTuningJob",
    job,
    { zeroDataRetention: { defaultEnforced: false, training: { enforcement: "ENFORCED" } } },
    ["`zeroDataRetention.training` is `ENFORCED`"],
  ],
  [
    "training under an inherited retention policy",
    "RlorTrainerJob",
    rlor,
    { zeroDataRetention: { defaultEnforced: true } },
    ["`zeroDataRetention.defaultEnforced` is true"],
  ],
  [
    "a region outside the residency",
    "Deployment",
    { ...deployment, placement: { region: "US_IOWA_1" } },
    { residency: "EUROPE" },
    ["placement.region: `US_IOWA_1` is outside `EUROPE`"],
  ],
  [
    "a geography outside the residency",
    "Deployment",
    { ...deployment, placement: { multiRegion: "GLOBAL" } },
    { residency: "CANADA" },
    ["placement.multiRegion: `GLOBAL` is outside `CANADA`"],
  ],
  [
    "one of several regions outside the residency",
    "Deployment",
    { ...deployment, placement: { regions: ["EU_ICELAND_1", "AP_TOKYO_1"] } },
    { residency: "EUROPE" },
    ["placement.regions[1]: `AP_TOKYO_1` is outside `EUROPE`"],
  ],
  [
    "a model that cannot be tuned",
    "SupervisedFineTuningJob",
    { ...job, baseModel: vision },
    undefined,
    ["`supervisedLoraTunable` is false"],
  ],
  [
    "a model whose parameters cannot all be tuned",
    "SupervisedFineTuningJob",
    { ...job, baseModel: open70b, loraRank: 0 },
    undefined,
    ["`supervisedFullParameterTunable` is false"],
  ],
  [
    "a model that reinforcement cannot tune in full",
    "RlorTrainerJob",
    { ...rlor, trainingConfig: { baseModel: open70b, loraRank: 0 } },
    undefined,
    ["`rlFullParameterTunable` is false"],
  ],
  [
    "fields that every shape contradicts",
    "Deployment",
    { ...deployment, acceleratorType: "VENDOR1_L4_24GB", precision: "FP8" },
    undefined,
    [
      "deploymentShape: every compatible shape conflicts",
      "open-8b-fast/versions/3c4d5e6f with `acceleratorType`",
      "open-8b-throughput/versions/5e6f7a8b with `acceleratorType`",
    ],
  ],
  [
    "a field that the named shape contradicts",
    "Deployment",
    {
      baseModel: open8b,
      deploymentShape: "accounts/platform/deploymentShapes/open-8b-fast",
      acceleratorType: "VENDOR1_H200_141GB",
    },
    undefined,
    [
      "open-8b-fast/versions/3c4d5e6f with `acceleratorType`",
      "does not conflict: accounts/platform/deploymentShapes/open-8b-throughput/versions/5e6f7a8b",
    ],
  ],
  [
    "a field that the named version contradicts",
    "Deployment",
    {
      baseModel: open8b,
      deploymentShape: "accounts/platform/deploymentShapes/open-8b-fast/versions/2b3c4d5e",
      precision: "FP8",
    },
    undefined,
    ["2b3c4d5e with `precision`"],
  ],
  [
    "a field that the shape with that id contradicts",
    "Deployment",
    { baseModel: open8b, deploymentShape: "open-8b-fast", numPeftDeviceCached: 16 },
    undefined,
    ["3c4d5e6f with `numPeftDeviceCached`"],
  ],
];

test.each(refused)(
  "a preview refuses what the service would refuse, and names the rule: %s",
  async (_, kind, inputs, sections, says) => {
    if (sections) await policy(sections);
    const said = await complaint(kind, inputs);
    for (const text of says) expect(said).toContain(text);
    expect(said.split("\n")).toHaveLength(1);
    expect(await refusal(kind, inputs)).toMatch(/400/);
  },
);

test.each(refused)(
  "answers with explicit unset values are judged the same: %s",
  async (_, kind, inputs, sections, says) => {
    await at.emulator.fetch(
      new Request("http://127.0.0.1/_emulator/settings", {
        method: "PUT",
        body: JSON.stringify({ emitUnset: true }),
        headers: { host: "127.0.0.1", "content-type": "application/json" },
      }),
    );
    if (sections) await policy(sections);
    for (const text of says) expect(await complaint(kind, inputs)).toContain(text);
  },
);

const accepted: Case[] = [
  ["an account without a policy", "Deployment", deployment, undefined, []],
  [
    "a row that allows what the defaults deny",
    "SupervisedFineTuningJob",
    job,
    { defaultPermissions: { ...all, allowTraining: false }, rules: [{ model: open8b, permissions: all }] },
    [],
  ],
  [
    "a scope that is exempt from the retention policy",
    "SupervisedFineTuningJob",
    job,
    { zeroDataRetention: { defaultEnforced: true, training: { enforcement: "NOT_ENFORCED" } } },
    [],
  ],
  [
    "a place inside the residency",
    "Deployment",
    { ...deployment, placement: { region: "NA_BRITISHCOLUMBIA_2" } },
    { residency: "CANADA" },
    [],
  ],
  ["no placement", "Deployment", deployment, { residency: "EUROPE" }, []],
  [
    "any place where residency is global",
    "Deployment",
    { ...deployment, placement: { region: "US_IOWA_1" } },
    { residency: "GLOBAL" },
    [],
  ],
  [
    "fields that one of the shapes has",
    "Deployment",
    { ...deployment, acceleratorType: "VENDOR1_H200_141GB" },
    undefined,
    [],
  ],
  [
    "a base model of one's own, which has no flags",
    "SupervisedFineTuningJob",
    { ...job, baseModel: "accounts/acme/models/own" },
    undefined,
    [],
  ],
  [
    "an adapter of a model that takes one",
    "SupervisedFineTuningJob",
    { ...job, baseModel: open70b, loraRank: 8 },
    undefined,
    [],
  ],
];

test.each(accepted)("what the service accepts passes: %s", async (_, kind, inputs, sections) => {
  if (sections) await policy(sections);
  await put("accounts/acme/models/own", { kind: "HUB_BASE_MODEL", baseModelDetails: {}, state: "READY" });
  expect(await complaint(kind, inputs)).toBe("");
  expect(await refusal(kind, inputs)).toBe("");
});

test.each([
  ["a model that does not exist yet", "Deployment", { baseModel: "accounts/acme/models/to-come", minReplicaCount: 1 }],
  ["a model that is not known yet", "Deployment", { ...deployment, baseModel: unknown }],
  ["a shape that is not known yet", "Deployment", { ...deployment, deploymentShape: unknown, precision: "NF4" }],
  ["fields that are not known yet", "Deployment", { ...deployment, acceleratorType: unknown, placement: unknown }],
  ["a rank that is not known yet", "SupervisedFineTuningJob", { ...job, baseModel: open70b, loraRank: unknown }],
  ["a message that is not known yet", "RlorTrainerJob", { ...rlor, trainingConfig: unknown }],
  ["an account that is not known yet", "Deployment", { ...deployment, accountId: unknown }],
  ["a region that is newer than this provider", "Deployment", { ...deployment, placement: { region: "SA_LIMA_1" } }],
])("%s is no failure", async (_, kind, inputs) => {
  await policy({ residency: "US" });
  expect(await complaint(kind, inputs)).toBe("");
});

test("an addon is judged by its base model", async () => {
  await put("accounts/acme/models/addon", {
    kind: "HUB_PEFT_ADDON",
    peftDetails: { baseModel: vision },
    state: "READY",
  });
  expect(
    await complaint("SupervisedFineTuningJob", { dataset: job.dataset, warmStartFrom: "accounts/acme/models/addon" }),
  ).toContain(`of its base ${vision} \`supervisedLoraTunable\` is false`);
});

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

test("accounts are judged separately, each with its own key", async () => {
  await policy({ defaultPermissions: { ...all, allowTraining: false } });
  const process = looking();
  expect(await complaint("SupervisedFineTuningJob", job, process)).not.toBe("");
  expect(await complaint("SupervisedFineTuningJob", { ...job, accountId: "beta" }, process)).toBe("");
});

test("a policy that became stricter does not block existing objects", async () => {
  const inputs = { ...deployment, accountId: "acme" };
  await policy({ defaultPermissions: { ...all, allowDedicatedDeployments: false }, residency: "EUROPE" });
  await at.requests();
  await expect(looking().check("Deployment", "it", inputs, inputs)).resolves.toMatchObject(deployment);
  expect(await at.requests()).toEqual([]);
});

test("what may be adopted is not judged as a new object", async () => {
  await policy({ defaultPermissions: { ...all, allowDedicatedDeployments: false } });
  const named = { ...deployment, deploymentId: "chat" };
  expect(await complaint("Deployment", named)).toMatch(/allowDedicatedDeployments` is false/);
  for (const adopt of ["ifEqual", "overwrite"]) expect(await complaint("Deployment", { ...named, adopt })).toBe("");
  // With an automatic id, nothing is adopted.
  expect(await complaint("Deployment", { ...deployment, adopt: "ifEqual" })).toMatch(/is false/);
});

test("a new shape of an existing object is judged", async () => {
  const olds = { baseModel: open8b, accountId: "acme", acceleratorType: "VENDOR1_H200_141GB" };
  await expect(looking().check("Deployment", "it", { ...olds, deploymentShape: "open-8b-fast" }, olds)).rejects.toThrow(
    "`acceleratorType`",
  );
});

test("a policy that the program itself declares decides", async () => {
  await policy({ defaultPermissions: { ...all, allowTraining: false }, residency: "EUROPE" });
  const opening = looking();
  await opening.check("PolicySettings", "policy", { defaultPermissions: all, allowLoosening: true });
  expect(await complaint("SupervisedFineTuningJob", job, opening)).toBe("");
  expect(await complaint("Deployment", { ...deployment, placement: { multiRegion: "US" } }, opening)).toContain(
    "outside `EUROPE`",
  );
  const closing = looking();
  await closing.check("PolicySettings", "policy", { zeroDataRetention: { defaultEnforced: true } });
  expect(await complaint("SupervisedFineTuningJob", job, closing)).toContain(
    "`zeroDataRetention.defaultEnforced` is true",
  );
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

describe("the end of a model's serverless deployment", () => {
  const old = "accounts/acme/models/old";
  const inputs = { baseModel: old, acceptShapelessRisk: true };

  /** A model that is taken down so many days from now, and that day. */
  async function endingIn(days: number): Promise<string> {
    const date = new Date(at.clock.now() + days * 86_400_000);
    const deprecationDate = { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() };
    await put(old, { kind: "HUB_BASE_MODEL", baseModelDetails: {}, state: "READY", deprecationDate });
    return date.toISOString().slice(0, 10);
  }

  const judged = (settings: Record<string, string> = {}) => at.process(settings).judge("Deployment", "it", inputs);

  test("is a warning from 90 days before, and fails nothing: others keep running", async () => {
    const day = await endingIn(90);
    expect(await judged()).toMatchObject({
      failures: [],
      warnings: [
        `\`baseModel\`: is made from ${old}, whose serverless deployment is taken down on ${day}. Choose another model`,
      ],
    });
    await endingIn(91);
    expect(await judged()).toMatchObject({ failures: [], warnings: [] });
    expect((await judged({ retirementDays: "91" })).warnings).toHaveLength(1);
  });

  test("is an error by choice, also by way of an addon", async () => {
    const day = await endingIn(30);
    const addon = "accounts/acme/models/addon";
    await put(addon, { kind: "HUB_PEFT_ADDON", peftDetails: { baseModel: old }, state: "READY" });
    const process = at.process({ retirementErrorDays: "30" });
    const { failures } = await process.judge("Deployment", "it", { ...inputs, baseModel: addon });
    expect(failures).toEqual([
      {
        property: "baseModel",
        reason: `is made from ${old}, whose serverless deployment is taken down on ${day}. Choose another model (preflight)`,
      },
    ]);
    await endingIn(31);
    expect((await judged({ retirementErrorDays: "30" })).failures).toEqual([]);
  });

  test("costs no request, and leaves inputs and existing objects as they are", async () => {
    await at.requests();
    await judged();
    const without = (await at.requests()).sort();
    await endingIn(1);
    await at.requests();
    await judged();
    expect((await at.requests()).sort()).toEqual(without);
    const checked = await looking().check("Deployment", "it", inputs);
    const plain = await blind().check("Deployment", "it", inputs);
    expect(checked).toEqual(plain);
    await at.requests();
    const process = at.process({ retirementErrorDays: "30" });
    await expect(process.check("Deployment", "it", inputs, checked)).resolves.toMatchObject(inputs);
    expect(await at.requests()).toEqual([]);
  });
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
