import { desiredFields, managedFields } from "../../provider/core/comparison/desired";
import type { ResourceSpec } from "../../provider/core/declaration/resource";
import { specs } from "../../provider/resources/index";

const { Deployment, DeployedModel, Model, PolicySettings, SupervisedFineTuningJob, User } =
  specs as unknown as Readonly<Record<string, ResourceSpec>>;

test("paths are what the program sets: members of messages, lists and maps as a whole", () => {
  const inputs = {
    deploymentId: "chat",
    baseModel: "m",
    autoscalingPolicy: { scaleUpWindow: "30s", loadTargets: { default: 0.8 }, addedLater: 1 },
    directRouteApiKeys: ["key-1"],
    annotations: { "custom/team": "search" },
    displayName: null,
    description: undefined,
    accountId: "acme",
    waitFor: "ready",
    skipShapeValidation: true,
  };
  expect(managedFields(Deployment!, inputs)).toEqual([
    "annotations",
    "autoscalingPolicy",
    "autoscalingPolicy.loadTargets",
    "autoscalingPolicy.scaleUpWindow",
    "baseModel",
    "deploymentId",
    "directRouteApiKeys",
    "displayName",
  ]);
});

test("no value of an input is in the managed paths", () => {
  const inputs = { dataset: "d", trackingConfig: { apiKey: "key-1", project: "p" } };
  expect(managedFields(SupervisedFineTuningJob!, inputs)).toEqual([
    "dataset",
    "trackingConfig",
    "trackingConfig.apiKey",
    "trackingConfig.project",
  ]);
});

const removals: [
  clause: string,
  spec: ResourceSpec,
  recorded: string[],
  inputs: Record<string, unknown>,
  desired: Record<string, unknown>,
][] = [
  ["annotations are cleared", Deployment!, ["annotations"], {}, { annotations: null }],
  ["a display name is cleared", User!, ["displayName"], {}, { displayName: null }],
  ["a description is cleared", DeployedModel!, ["description"], {}, { description: null }],
  [
    "sections of a policy are cleared",
    PolicySettings!,
    ["defaultPermissions", "residency", "rules", "zeroDataRetention"],
    {},
    { defaultPermissions: null, rules: null, residency: null, zeroDataRetention: null },
  ],
  ["a required customer key is the superuser's (A061)", PolicySettings!, ["cmekRequired"], {}, {}],
  ["the least of replicas goes back to none", Deployment!, ["minReplicaCount"], {}, { minReplicaCount: 0 }],
  ["the most of replicas goes back to one", Deployment!, ["maxReplicaCount"], {}, { maxReplicaCount: 1 }],
  [
    "the most of replicas goes back to the least, if that is more",
    Deployment!,
    ["maxReplicaCount"],
    { minReplicaCount: 3 },
    { minReplicaCount: 3, maxReplicaCount: 3 },
  ],
  [
    "the most of replicas goes back to one, if the least is none",
    Deployment!,
    ["maxReplicaCount"],
    { minReplicaCount: 0 },
    { minReplicaCount: 0, maxReplicaCount: 1 },
  ],
  ["flags stay, for want of a documented default", Model!, ["public", "supportsTools"], {}, {}],
  ["the default target stays (A081)", DeployedModel!, ["default"], {}, {}],
  [
    "what the server has stays for shape, accelerators, placement, drafts, tuning and scaling",
    Deployment!,
    [
      "acceleratorCount",
      "acceleratorType",
      "autoTune",
      "autoscalingPolicy",
      "autoscalingPolicy.scaleUpWindow",
      "deploymentShape",
      "draftModel",
      "draftTokenCount",
      "placement",
      "precision",
    ],
    {},
    {},
  ],
  [
    "what the shape in use decides is the shape's",
    Deployment!,
    ["enableAddons", "enableSessionAffinity"],
    { deploymentShape: "default" },
    { deploymentShape: "default" },
  ],
  [
    "flags have no documented default to go back to, and stay",
    Deployment!,
    ["deploymentShape", "enableAddons", "enableSessionAffinity"],
    { deploymentShape: null },
    { deploymentShape: null },
  ],
  [
    "a member of a message that the program goes on setting stays",
    Deployment!,
    ["autoscalingPolicy", "autoscalingPolicy.scaleUpWindow", "autoscalingPolicy.scaleDownWindow"],
    { autoscalingPolicy: { scaleUpWindow: "30s" } },
    { autoscalingPolicy: { scaleUpWindow: "30s" } },
  ],
  [
    "explicit null always clears",
    Deployment!,
    ["acceleratorCount"],
    { acceleratorCount: null },
    { acceleratorCount: null },
  ],
  ["a field that no program set is the service's", Deployment!, [], {}, {}],
];

test.each(removals)("when a program stops setting a field: %s (A035)", (_, spec, recorded, inputs, desired) => {
  expect(desiredFields(spec, inputs, recorded)).toEqual(desired);
});

test("the id, options and directives are no desired fields", () => {
  expect(
    desiredFields(
      Deployment!,
      { deploymentId: "chat", baseModel: "m", waitFor: "ready", disableAutoDeploy: true, accountId: "acme" },
      [],
    ),
  ).toEqual({ baseModel: "m" });
});
