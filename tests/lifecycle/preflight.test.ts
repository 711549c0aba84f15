import { all, at, complaint, deployment, job, looking, open8b, open70b, policy, refusal, vision } from "./looked-ahead";

const unknown = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";
const rlor = { trainingConfig: { baseModel: open8b }, dataset: "accounts/acme/datasets/tickets" };

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
  await at.put("accounts/acme/models/own", { kind: "HUB_BASE_MODEL", baseModelDetails: {}, state: "READY" });
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
  await at.put("accounts/acme/models/addon", {
    kind: "HUB_PEFT_ADDON",
    peftDetails: { baseModel: vision },
    state: "READY",
  });
  expect(
    await complaint("SupervisedFineTuningJob", { dataset: job.dataset, warmStartFrom: "accounts/acme/models/addon" }),
  ).toContain(`of its base ${vision} \`supervisedLoraTunable\` is false`);
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
