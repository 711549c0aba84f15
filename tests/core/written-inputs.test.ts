import { SecretPlaceholder, writtenInputs } from "../../provider/core/written-inputs";
import { specOf } from "../../provider/resources/index";

const written = (kind: string, live: Record<string, unknown>) =>
  writtenInputs(specOf(kind)!, { name: "accounts/acme/x/id", ...live });

const base = { deploymentId: "id", baseModel: "m" };

test.each<[string, string, Record<string, unknown>, Record<string, unknown>]>([
  [
    "the service's own fields",
    "Deployment",
    { baseModel: "m", state: "READY", replicaCount: 2, region: "US_IOWA_1", activeModelVersion: "v1" },
    base,
  ],
  [
    "documented defaults",
    "Deployment",
    {
      baseModel: "m",
      minReplicaCount: 2,
      maxReplicaCount: 2,
      enableAddons: false,
      placement: { multiRegion: "GLOBAL" },
      autoscalingPolicy: { scaleUpWindow: "30s" },
    },
    { ...base, minReplicaCount: 2 },
  ],
  [
    "unset values that are answered all the same",
    "Deployment",
    {
      baseModel: "m",
      displayName: "",
      annotations: {},
      precision: "PRECISION_UNSPECIFIED",
      maxContextLength: 0,
      autoTune: { longPrompt: false },
    },
    base,
  ],
  [
    "what a shape decides",
    "Deployment",
    {
      baseModel: "m",
      deploymentShape: "accounts/platform/deploymentShapes/s/versions/3",
      acceleratorCount: 8,
      precision: "FP8",
    },
    { ...base, deploymentShape: "accounts/platform/deploymentShapes/s" },
  ],
  [
    "keys that are not the program's",
    "Deployment",
    { baseModel: "m", annotations: { bare: "x", "custom/team": "a" } },
    { ...base, annotations: { "custom/team": "a" } },
  ],
  [
    "marks of an owner",
    "Deployment",
    {
      baseModel: "m",
      annotations: { "custom/pulumi-stack": "a/b/c", "custom/pulumi-urn": "t::n", "custom/team": "a" },
    },
    { ...base, annotations: { "custom/team": "a" } },
  ],
  [
    "annotations that are marks alone",
    "Deployment",
    { baseModel: "m", annotations: { "custom/pulumi-stack": "a/b/c", "custom/pulumi-urn": "t::n" } },
    base,
  ],
  [
    "deprecated fields",
    "SupervisedFineTuningJob",
    { dataset: "d", nodes: 2, mtpEnabled: true },
    { supervisedFineTuningJobId: "id", dataset: "d" },
  ],
  [
    "members that are not declared",
    "Deployment",
    { baseModel: "m", autoscalingPolicy: { scaleDownWindow: "5m", newMember: 1 } },
    { ...base, autoscalingPolicy: { scaleDownWindow: "5m" } },
  ],
])("not written: %s", (_, kind, live, inputs) => {
  expect(written(kind, live)).toEqual(inputs);
});

test.each<[string, string, Record<string, unknown>, Record<string, unknown>]>([
  [
    "zero where it says something",
    "Deployment",
    { baseModel: "m", maxReplicaCount: 0 },
    { ...base, maxReplicaCount: 0 },
  ],
  [
    "durations in their largest unit",
    "Deployment",
    {
      baseModel: "m",
      autoscalingPolicy: { scaleDownWindow: "900s", scaleToZeroWindow: "7200s", scaleUpWindow: "90s" },
    },
    { ...base, autoscalingPolicy: { scaleUpWindow: "90s", scaleDownWindow: "15m", scaleToZeroWindow: "2h" } },
  ],
  [
    "numbers of 32 bits as they were meant",
    "SupervisedFineTuningJob",
    { learningRate: 0.00019999999494757503 },
    { supervisedFineTuningJobId: "id", learningRate: 0.0002 },
  ],
  [
    "all of a permission",
    "PolicySettings",
    {
      defaultPermissions: {
        allowServerless: false,
        allowDedicatedDeployments: false,
        allowTraining: false,
        allowServerlessFast: false,
      },
    },
    {
      defaultPermissions: {
        allowServerless: false,
        allowDedicatedDeployments: false,
        allowTraining: false,
        allowServerlessFast: false,
      },
    },
  ],
  [
    "sets in order",
    "Deployment",
    { baseModel: "m", placement: { regions: ["US_UTAH_1", "AP_TOKYO_1"] } },
    { ...base, placement: { regions: ["AP_TOKYO_1", "US_UTAH_1"] } },
  ],
  [
    "how far to wait for what rests",
    "SupervisedFineTuningJob",
    { dataset: "d", state: "JOB_STATE_PAUSED" },
    { supervisedFineTuningJobId: "id", dataset: "d", waitFor: "submitted" },
  ],
])("written: %s", (_, kind, live, inputs) => {
  expect(written(kind, live)).toEqual(inputs);
});

test("secrets are sealed, and no value of theirs is anywhere in what is written", () => {
  const inputs = [
    written("Secret", { keyName: "KEY" }),
    written("Deployment", { baseModel: "m", directRouteApiKeys: ["hunter2"] }),
    written("SupervisedFineTuningJob", {
      trackingConfig: { enabled: true, apiKey: "hunter2" },
      metricsFileSignedUrl: "https://hunter2",
    }),
  ];
  expect(inputs[0]!["value"]).toMatchObject({ isSet: true });
  expect(inputs[1]!["directRouteApiKeys"]).toBeInstanceOf(SecretPlaceholder);
  expect(inputs[2]!["trackingConfig"]).toEqual({ enabled: true, apiKey: expect.objectContaining({ isSet: false }) });
  expect(inputs[2]).not.toHaveProperty("metricsFileSignedUrl");
  expect(JSON.stringify(inputs)).not.toContain("hunter2");
});
