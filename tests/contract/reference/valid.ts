import type { Body, SettableKind } from "./types";

const permissions = {
  allowServerless: true,
  allowDedicatedDeployments: true,
  allowTraining: false,
  allowServerlessFast: false,
};

const cloudS3Config = { credentialsSecret: "accounts/acme/secrets/s3", iamRoleArn: "arn:example:role/reader" };

const blobStorageConfig = {
  credentialsSecret: "accounts/acme/secrets/blob",
  managedIdentityClientId: "00000000-0000-0000-0000-000000000001",
  tenantId: "00000000-0000-0000-0000-000000000002",
};

const trackingConfig = { enabled: true, apiKey: "key-1", project: "p", entity: "e", runId: "r1" };

const supervisedJob = {
  dataset: "accounts/acme/datasets/d1",
  displayName: "tune",
  outputModel: "tuned",
  jinjaTemplate: "{{ messages }}",
  earlyStop: true,
  epochs: 2,
  learningRate: 0.0001,
  maxContextLength: 8192,
  loraRank: 16,
  trackingConfig,
  evaluationDataset: "accounts/acme/datasets/d2",
  isTurbo: false,
  evalAutoCarveout: false,
  batchSize: 32768,
  metricsFileSignedUrl: "https://storage.example.com/metrics?signature=s",
  gradientAccumulationSteps: 4,
  learningRateWarmupSteps: 10,
  batchSizeSamples: 8,
  optimizerWeightDecay: 0.01,
  purpose: "PURPOSE_PILOT",
};

const base = "accounts/platform/models/m1";

/**
 * Bodies that break no rule. `minimal` has what is required and what makes it a sensible whole;
 * together the `full` ones set every field that a program can set.
 */
export const valid: Readonly<Record<SettableKind, { readonly minimal: Body; readonly full: readonly Body[] }>> = {
  PolicySettings: {
    minimal: { residency: "EUROPE" },
    full: [
      {
        defaultPermissions: permissions,
        rules: [
          { model: base, permissions: { ...permissions, allowTraining: true } },
          { model: "accounts/platform/models/m2", permissions },
        ],
        cmekRequired: false,
        residency: "US",
        zeroDataRetention: {
          defaultEnforced: true,
          inference: { enforcement: "NOT_ENFORCED" },
          training: { enforcement: "ENFORCED" },
        },
      },
    ],
  },
  SupervisedFineTuningJob: {
    minimal: { dataset: "accounts/acme/datasets/d1", baseModel: base },
    full: [
      { ...supervisedJob, baseModel: base, cloudS3Config },
      {
        ...supervisedJob,
        warmStartFrom: "accounts/acme/models/addon1",
        blobStorageConfig,
        nodes: 1,
        mtpEnabled: true,
        mtpNumDraftTokens: 2,
        mtpFreezeBaseModel: true,
      },
    ],
  },
  RlorTrainerJob: {
    minimal: { dataset: "accounts/acme/datasets/d1", trainingConfig: { baseModel: base } },
    full: [
      {
        displayName: "step",
        dataset: "accounts/acme/datasets/d1",
        evaluationDataset: "accounts/acme/datasets/d2",
        evalAutoCarveout: false,
        trainingConfig: {
          outputModel: "step-1",
          baseModel: base,
          jinjaTemplate: "{{ messages }}",
          learningRate: 0.00001,
          maxContextLength: 8192,
          loraRank: 8,
          epochs: 1,
          batchSize: 32768,
          gradientAccumulationSteps: 1,
          learningRateWarmupSteps: 0,
          batchSizeSamples: 16,
          optimizerWeightDecay: 0.1,
          trainerShardingScheme: {
            tensorParallelism: 2,
            pipelineParallelism: 1,
            contextParallelism: 1,
            expertParallelism: 1,
            sequenceParallelism: true,
          },
          loraAlpha: 16,
          loraDropout: 0.05,
          loraTargetModules: ["q_proj", "v_proj"],
        },
        rewardWeights: ["accuracy=1", "brevity=0.25"],
        trackingConfig,
        cloudS3Config,
        keepAlive: true,
        rolloutDeploymentName: "accounts/acme/deployments/rollout",
        lossConfig: {
          method: "METHOD_UNSPECIFIED",
          klBeta: 0.001,
          dpo: { beta: 0.1, refCacheConcurrency: 2, refCacheBatchSize: 8 },
        },
        nodeCount: 2,
        serviceMode: true,
        hotLoadDeploymentId: "rollout",
        purpose: "PURPOSE_PILOT",
        forwardOnly: false,
        managedBy: "controller",
      },
      {
        dataset: "accounts/acme/datasets/d1",
        trainingConfig: { warmStartFrom: "accounts/acme/models/addon1" },
        blobStorageConfig,
        lossConfig: { orpo: { lambda: 0.1 } },
        serviceMode: true,
      },
    ],
  },
  DeployedModel: {
    minimal: { model: "accounts/acme/models/addon1", deployment: "accounts/acme/deployments/chat" },
    full: [
      {
        displayName: "chat",
        description: "Answers in chat.",
        model: "accounts/acme/models/addon1",
        deployment: "accounts/acme/deployments/chat",
        default: true,
        serverless: false,
        public: false,
      },
    ],
  },
  User: {
    minimal: { email: "ada@example.com", role: "user" },
    full: [
      {
        email: "ada@example.com",
        role: "custom",
        permissionPreset: "readers",
        displayName: "Ada",
        serviceAccount: false,
      },
    ],
  },
  Model: {
    minimal: { kind: "HUB_PEFT_ADDON", peftDetails: { baseModel: base, r: 16, targetModules: ["q_proj"] } },
    full: [
      {
        displayName: "base",
        description: "A base model.",
        kind: "HUB_BASE_MODEL",
        codeRepositoryUrl: "https://code.example.com/m",
        modelHubUrl: "https://hub.example.com/m",
        baseModelDetails: {
          worldSize: 8,
          checkpointFormat: "CHECKPOINT_FORMAT_UNSPECIFIED",
          modelHubFiles: ["config.json"],
          parameterCount: "8000000000",
          moe: false,
          tunable: true,
          modelType: "llm",
          supportsOptimizedAttention: true,
          defaultPrecision: "FP8_MM",
          supportsMtp: false,
        },
        public: false,
        conversationConfig: { style: "jinja", system: "Be brief.", template: "{{ messages }}" },
        contextLength: 32768,
        supportsImageInput: false,
        supportsTools: true,
        defaultDraftModel: "accounts/acme/models/draft1",
        defaultDraftTokenCount: 4,
        deprecationDate: { year: 2030, month: 1, day: 31 },
        supportsLora: true,
        useHubApplyChatTemplate: true,
        trainingContextLength: 16384,
        snapshotType: "FULL_SNAPSHOT",
      },
      {
        kind: "HUB_TEFT_ADDON",
        peftDetails: {
          baseModel: base,
          r: 16,
          targetModules: ["q_proj", "v_proj"],
          baseModelType: "llm",
          mergeAddonModelName: "accounts/acme/models/addon2",
        },
        teftDetails: {},
        snapshotType: "INCREMENTAL_SNAPSHOT",
      },
    ],
  },
  Deployment: {
    minimal: { baseModel: base },
    full: [
      {
        baseModel: base,
        displayName: "chat",
        description: "Answers in chat.",
        expireTime: "2030-01-31T00:00:00Z",
        annotations: { "custom/team": "search", "custom/stage": "test" },
        minReplicaCount: 0,
        maxReplicaCount: 2,
        maxWithRevocableReplicaCount: 3,
        // The members of these three are A045's.
        autoscalingPolicy: { scaleUpWindow: "30s", scaleDownWindow: "600s", scaleToZeroWindow: "3600s" },
        autoTune: { longPrompt: true },
        placement: { multiRegion: "EUROPE" },
        acceleratorCount: 2,
        acceleratorType: "VENDOR1_H100_80GB",
        precision: "FP8_MM_V2",
        maxConcurrencyPerReplica: 64,
        enableAddons: true,
        draftTokenCount: 4,
        draftModel: "accounts/acme/models/draft1",
        ngramSpeculationLength: 3,
        enableSessionAffinity: true,
        directRouteApiKeys: ["key-1", "key-2"],
        numPeftDeviceCached: 2,
        directRouteType: "INTERNET",
        deploymentTemplate: "template-1",
        maxContextLength: 8192,
        disableDeploymentSizeValidation: false,
        pricingPlanId: "plan-1",
        activeModelVersion: "v1",
        targetModelVersion: "v1",
        preemptible: false,
      },
      {
        baseModel: base,
        deploymentShape: "default",
        enableHotLoad: true,
        hotLoadBucketType: "S3",
        hotLoadBucketUrl: "s3://bucket/checkpoints",
        enableHotReloadLatestAddon: true,
        hotLoadTrainerJob: "accounts/acme/rlorTrainerJobs/step",
        hotLoadTransitionType: "SYNC",
      },
    ],
  },
  Secret: {
    minimal: { keyName: "S3_KEY", value: "secret-value" },
    full: [{ keyName: "TRACKING_KEY", value: "another-secret-value" }],
  },
};
