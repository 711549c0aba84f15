import type { ContractSubject } from "../subject";

const shaped = { baseModel: "accounts/platform/models/open-8b", deploymentShape: "default", maxReplicaCount: 2 };

const shapeless = {
  baseModel: "accounts/acme/models/ours",
  acceptShapelessRisk: true,
  acceleratorType: "VENDOR1_H100_80GB",
  acceleratorCount: 1,
  precision: "FP16",
};

const throughput = "accounts/platform/deploymentShapes/open-8b-throughput";

export const deployment: ContractSubject = {
  kind: "Deployment",
  inputs: shaped,
  chosen: { deploymentId: "chat" },
  other: { ...shaped, baseModel: "accounts/platform/models/open-1b" },
  world: [{ name: "accounts/acme/models/ours", kind: "HUB_BASE_MODEL", state: "READY", calibrated: true }],
  updates: [
    {
      changes: {
        displayName: { to: "Chat", dropped: "cleared" },
        description: { to: "Answers.", dropped: "cleared" },
        annotations: { to: { "custom/team": "support", "custom/tier": "1" }, dropped: "cleared" },
        minReplicaCount: { to: 1, dropped: { reset: 0 } },
        maxReplicaCount: { to: 4, dropped: { reset: 1 } },
        maxWithRevocableReplicaCount: { to: 5, dropped: "kept" },
        autoscalingPolicy: {
          to: { scaleUpWindow: "1m", loadTargets: { default: 0.5 } },
          holds: { scaleUpWindow: "60s", loadTargets: { default: 0.5 } },
          dropped: "kept",
        },
        autoTune: { to: { longPrompt: true }, dropped: "kept" },
        maxConcurrencyPerReplica: { to: 32, dropped: "kept" },
        directRouteType: { to: "INTERNET", moves: ["directRouteHandle"], dropped: "kept" },
        directRouteApiKeys: { to: ["route-key-1", "route-key-2"], dropped: "kept" },
        enableHotReloadLatestAddon: { to: true, dropped: "kept" },
        hotLoadTrainerJob: { to: "accounts/acme/rlorTrainerJobs/tuner", dropped: "kept" },
        hotLoadTransitionType: { to: "SYNC", dropped: "kept" },
        pricingPlanId: { to: "plan-7", dropped: "kept" },
        targetModelVersion: { to: "v2", moves: ["activeModelVersion"], dropped: "kept" },
        activeModelVersion: { to: "v3", moves: ["targetModelVersion"], dropped: "kept" },
        deploymentShape: {
          to: throughput,
          holds: `${throughput}/versions/5e6f7a8b`,
          moves: ["acceleratorType", "acceleratorCount", "precision", "numPeftDeviceCached", "maxContextLength"],
          dropped: "kept",
        },
      },
    },
    {
      inputs: shapeless,
      changes: {
        acceleratorType: { to: "VENDOR1_H200_141GB", dropped: "kept" },
        acceleratorCount: { to: 2, dropped: "kept" },
        precision: { to: "FP8", dropped: "kept" },
        draftModel: { to: "accounts/platform/models/open-1b-draft", dropped: "kept" },
        draftTokenCount: { to: 4, dropped: "kept" },
        ngramSpeculationLength: { to: 3, dropped: "kept" },
        enableAddons: { to: true, dropped: "kept" },
        enableSessionAffinity: { to: true, dropped: "kept" },
        maxContextLength: { to: 8192, dropped: "kept" },
        numPeftDeviceCached: { to: 4, dropped: "kept" },
      },
    },
  ],
  recorded: { disableDeploymentSizeValidation: true, expireTime: "2030-01-01T00:00:00Z" },
  replacements: {
    deploymentId: { to: "search" },
    accountId: { to: "beta" },
    baseModel: { to: "accounts/platform/models/open-1b" },
    placement: { to: { multiRegion: "EUROPE" } },
    preemptible: { to: true },
    enableHotLoad: { to: true },
    hotLoadBucketType: { to: "S3" },
    hotLoadBucketUrl: { to: "s3://bucket/weights" },
    deploymentTemplate: { to: "template-1" },
  },
  secret: (text) => ({ ...shaped, directRouteType: "INTERNET", directRouteApiKeys: [text] }),
  drift: { maxReplicaCount: 7 },
};
