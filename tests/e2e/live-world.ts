import type { Values } from "../values";

/** Texts that a careless writer of programs would trip over. */
export const hostile = [
  'it\'s "quoted" and `ticked`',
  "${process.exit(1)} \\${x} $ {",
  "</script><!-- */ // ",
  "line one\nline two\r\nline three\n\n  indented `with` ${tricks} and \\n, long enough to be kept in lines",
  "\u2028\u2029\u202eright to left\u200b\u0000\u0007 \ud83d\ude80",
  "__proto__",
  "  ",
] as const;

export const openModel = "accounts/platform/models/open-8b";

/** The same without what holds a secret. */
export function openWorld(account: string): Values {
  const { [`accounts/${account}/secrets/storage-key`]: _, ...rest } = liveWorld(account);
  const { directRouteApiKeys: __, ...chat } = rest[`accounts/${account}/deployments/chat`] as Values;
  return { ...rest, [`accounts/${account}/deployments/chat`]: chat };
}

/** Objects of every kind that a program can declare, as they may have come about by hand, in one account. */
export function liveWorld(account: string): Values {
  const of = (collection: string, id: string): string => `accounts/${account}/${collection}/${id}`;
  const [model, chat, policy] = [
    of("models", "support-8b"),
    of("deployments", "chat"),
    `accounts/${account}/policySettings`,
  ];
  return {
    [policy]: {
      defaultPermissions: {
        allowServerless: true,
        allowServerlessFast: false,
        allowDedicatedDeployments: true,
        allowTraining: true,
      },
      rules: [
        {
          model,
          permissions: {
            allowServerless: false,
            allowServerlessFast: false,
            allowDedicatedDeployments: true,
            allowTraining: false,
          },
        },
      ],
      residency: "EUROPE",
      zeroDataRetention: { defaultEnforced: false, inference: { enforcement: "ENFORCED" } },
      updateTime: "2026-01-01T00:00:00Z",
    },
    [of("users", "ada")]: { email: "Ada@Example.com", role: "contributor", displayName: "Ada", state: "READY" },
    [of("users", "new")]: { role: "custom", permissionPreset: "auditor", serviceAccount: true, state: "READY" },
    [of("secrets", "storage-key")]: { keyName: "STORAGE_KEY", value: "live-value" },
    [model]: {
      kind: "HUB_PEFT_ADDON",
      peftDetails: { baseModel: openModel, r: 8, targetModules: ["q_proj", "k_proj"] },
      displayName: "Support",
      description: hostile[3],
      supportsTools: true,
      state: "READY",
    },
    [of("models", "uploading")]: {
      kind: "HUB_BASE_MODEL",
      baseModelDetails: { parameterCount: "8000000000" },
      conversationConfig: { style: "jinja", template: hostile[0] },
      state: "UPLOADING",
    },
    [of("supervisedFineTuningJobs", "tune-1")]: {
      dataset: of("datasets", "tickets"),
      baseModel: openModel,
      learningRate: Math.fround(0.0001),
      epochs: 2,
      cloudS3Config: { credentialsSecret: of("secrets", "storage-key") },
      trackingConfig: { enabled: true, project: "support", url: "https://tracking.example.com/run" },
      outputModel: "tuned-8b",
      state: "JOB_STATE_COMPLETED",
    },
    [of("models", "tuned-8b")]: {
      kind: "HUB_PEFT_ADDON",
      peftDetails: { baseModel: openModel, r: 8 },
      fineTuningJob: of("supervisedFineTuningJobs", "tune-1"),
      state: "READY",
    },
    [of("rlorTrainerJobs", "service")]: {
      trainingConfig: { baseModel: openModel, epochs: 1, loraAlpha: Math.fround(0.1) },
      rewardWeights: ["safe=1", "helpful=2"],
      keepAlive: true,
      rolloutDeploymentName: chat,
      nodeCount: 1,
      state: "JOB_STATE_IDLE",
    },
    [of("rlorTrainerJobs", "paused")]: {
      dataset: of("datasets", "preferences"),
      trainingConfig: { baseModel: openModel },
      state: "JOB_STATE_PAUSED",
    },
    [chat]: {
      baseModel: model,
      displayName: hostile[0],
      description: hostile[1],
      annotations: Object.fromEntries(hostile.map((text, index) => [`custom/${index}${text}`, text])),
      minReplicaCount: 1,
      maxReplicaCount: 2,
      autoscalingPolicy: { scaleUpWindow: "30s", scaleDownWindow: "900s", loadTargets: { default: 0.8 } },
      placement: { multiRegion: "GLOBAL" },
      acceleratorType: "VENDOR1_H100_80GB",
      acceleratorCount: 1,
      precision: "FP8",
      directRouteType: "INTERNET",
      directRouteApiKeys: ["direct-route-key"],
      state: "READY",
    },
    [of("deployments", "class")]: {
      baseModel: of("models", "tuned-8b"),
      deploymentShape: "accounts/platform/deploymentShapes/open-8b-fast/versions/v1",
      acceleratorType: "VENDOR1_H100_80GB",
      minReplicaCount: 0,
      maxReplicaCount: 0,
      state: "READY",
    },
    [of("deployments", "broken")]: {
      baseModel: openModel,
      state: "FAILED",
      status: { code: "INTERNAL", message: "internal error" },
    },
    [of("deployedModels", "support-8b-1a2b")]: { model, deployment: chat, default: true, state: "DEPLOYED" },
    [of("deployedModels", "tuned-8b-3c4d")]: {
      model: of("models", "tuned-8b"),
      deployment: chat,
      displayName: "Tuned",
      state: "DEPLOYED",
    },
  };
}
