import { dayMs } from "../../provider/core/values/grouping";
import { platform } from "../access";
import { timestamp } from "../timestamps";
import type { Fields, World } from "../types";

export const models = `accounts/${platform}/models`;

const tunable = {
  supervisedLoraTunable: true,
  supervisedFullParameterTunable: true,
  rlLoraTunable: true,
  rlFullParameterTunable: true,
};

const untunable = {
  supervisedLoraTunable: false,
  supervisedFullParameterTunable: false,
  rlLoraTunable: false,
  rlFullParameterTunable: false,
};

const chat = {
  kind: "HUB_BASE_MODEL",
  conversationConfig: { style: "jinja" },
  supportsTools: true,
  supportsLora: true,
  calibrated: true,
  supportsServerless: true,
};

/** The base models that `accounts/platform` offers from the start. */
const baseModels: readonly ({ id: string } & Fields)[] = [
  {
    id: "open-1b",
    ...chat,
    ...tunable,
    displayName: "Open 1B",
    description: "A small chat model for trying things out.",
    baseModelDetails: {
      worldSize: 1,
      parameterCount: "1000000000",
      tunable: true,
      modelType: "open",
      supportsOptimizedAttention: true,
      defaultPrecision: "BF16",
    },
    contextLength: 32768,
    trainingContextLength: 16384,
  },
  {
    id: "open-8b",
    ...chat,
    ...tunable,
    displayName: "Open 8B",
    description: "A chat model of medium size.",
    baseModelDetails: {
      worldSize: 1,
      parameterCount: "8000000000",
      tunable: true,
      modelType: "open",
      supportsOptimizedAttention: true,
      defaultPrecision: "FP8",
    },
    contextLength: 131072,
    trainingContextLength: 65536,
    defaultSamplingParams: { temperature: 0.7, top_p: 0.9 },
  },
  {
    id: "open-70b",
    ...chat,
    ...tunable,
    supervisedFullParameterTunable: false,
    rlFullParameterTunable: false,
    displayName: "Open 70B",
    description: "A large chat model with a draft model for speculation.",
    baseModelDetails: {
      worldSize: 4,
      parameterCount: "70000000000",
      tunable: true,
      modelType: "open",
      supportsOptimizedAttention: true,
      defaultPrecision: "FP8",
    },
    contextLength: 131072,
    trainingContextLength: 32768,
    defaultDraftModel: `${models}/open-1b-draft`,
    defaultDraftTokenCount: 4,
  },
  {
    id: "open-1b-draft",
    kind: "DRAFT_ADDON",
    ...untunable,
    calibrated: true,
    displayName: "Open 1B draft",
    description: "Drafts tokens for the larger models.",
  },
  {
    id: "embed-400m",
    kind: "EMBEDDING_MODEL",
    ...untunable,
    calibrated: true,
    supportsServerless: true,
    displayName: "Embed 400M",
    description: "Turns text into vectors.",
    contextLength: 8192,
  },
  {
    id: "vision-12b",
    ...chat,
    ...untunable,
    supportsLora: false,
    supportsImageInput: true,
    displayName: "Vision 12B",
    description: "Reads images; cannot be fine-tuned.",
    baseModelDetails: {
      worldSize: 1,
      parameterCount: "12000000000",
      tunable: false,
      modelType: "vision",
      supportsOptimizedAttention: true,
      defaultPrecision: "BF16",
    },
    contextLength: 65536,
  },
];

const shapes = `accounts/${platform}/deploymentShapes`;
const firstDay = Date.UTC(2025, 0, 1);

/** Fills an empty world with what `accounts/platform` offers. Times are fixed, so that two emulators offer the same. */
export function fillCatalogue(world: World): void {
  const createTime = timestamp(firstDay);
  const account = `accounts/${platform}`;
  world.put({
    kind: "Account",
    name: account,
    fields: { name: account, displayName: "Platform", createTime, updateTime: createTime, suspendState: "UNSUSPENDED" },
  });
  for (const { id, ...fields } of baseModels) {
    const name = `${models}/${id}`;
    world.put({
      kind: "Model",
      name,
      fields: {
        name,
        ...fields,
        createTime,
        updateTime: createTime,
        state: "READY",
        status: { code: "OK" },
        public: true,
      },
    });
  }
  for (const [index, shape] of deploymentShapes.entries()) putShape(world, shape, firstDay + index * 10 * dayMs);
}

function putShape(world: World, { id, model, displayName, versions }: BaseShape, from: number): void {
  const name = `${shapes}/${id}`;
  const details = (world.get(`${models}/${model}`)!.fields["baseModelDetails"] ?? {}) as Fields;
  const common = {
    name,
    baseModel: `${models}/${model}`,
    displayName,
    modelType: details["modelType"],
    parameterCount: details["parameterCount"],
    createTime: timestamp(from),
  };
  const known = Object.fromEntries(Object.entries(common).filter(([, value]) => value !== undefined));
  const latest = versions.findLast((version) => version.validated);
  for (const [index, version] of versions.entries()) {
    const time = timestamp(from + index * dayMs);
    const snapshot = { ...known, updateTime: time, ...version.snapshot };
    const versionName = `${name}/versions/${version.id}`;
    const fields = {
      name: versionName,
      createTime: time,
      snapshot,
      validated: version.validated,
      public: true,
      latestValidated: version === latest,
    };
    world.put({ kind: "DeploymentShapeVersion", name: versionName, fields });
    if (version === latest) world.put({ kind: "DeploymentShape", name, fields: snapshot });
  }
}

interface BaseShape {
  id: string;
  model: string;
  displayName: string;
  versions: readonly { id: string; validated: boolean; snapshot: Fields }[];
}

const h100 = { acceleratorType: "VENDOR1_H100_80GB" };
const h200 = { acceleratorType: "VENDOR1_H200_141GB" };

/**
 * Shapes to deploy the base models with. Versions from old to new; the first shape
 * of a model is the one that `default` prefers.
 */
const deploymentShapes: readonly BaseShape[] = [
  {
    id: "open-1b-small",
    model: "open-1b",
    displayName: "Small",
    versions: [
      {
        id: "1a2b3c4d",
        validated: true,
        snapshot: {
          acceleratorCount: 1,
          acceleratorType: "VENDOR1_L4_24GB",
          precision: "BF16",
          enableAddons: true,
          numLoraDeviceCached: 8,
          maxContextLength: 32768,
        },
      },
    ],
  },
  {
    id: "open-8b-fast",
    model: "open-8b",
    displayName: "Fast",
    versions: [
      {
        id: "2b3c4d5e",
        validated: true,
        snapshot: {
          ...h100,
          acceleratorCount: 1,
          precision: "FP16",
          enableAddons: true,
          numLoraDeviceCached: 4,
          maxContextLength: 65536,
        },
      },
      {
        id: "3c4d5e6f",
        validated: true,
        snapshot: {
          ...h100,
          acceleratorCount: 1,
          precision: "FP8",
          enableAddons: true,
          numLoraDeviceCached: 8,
          maxContextLength: 131072,
        },
      },
      {
        id: "4d5e6f7a",
        validated: false,
        snapshot: {
          ...h100,
          acceleratorCount: 1,
          precision: "FP8_V2",
          enableAddons: true,
          numLoraDeviceCached: 8,
          maxContextLength: 131072,
        },
      },
    ],
  },
  {
    id: "open-8b-throughput",
    model: "open-8b",
    displayName: "Throughput",
    versions: [
      {
        id: "5e6f7a8b",
        validated: true,
        snapshot: {
          ...h200,
          acceleratorCount: 2,
          precision: "FP8",
          enableAddons: true,
          numLoraDeviceCached: 16,
          maxContextLength: 131072,
        },
      },
    ],
  },
  {
    id: "open-70b-fast",
    model: "open-70b",
    displayName: "Fast",
    versions: [
      {
        id: "6f7a8b9c",
        validated: true,
        snapshot: {
          ...h200,
          acceleratorCount: 4,
          precision: "FP8",
          enableAddons: false,
          draftModel: `${models}/open-1b-draft`,
          draftTokenCount: 4,
          maxContextLength: 131072,
        },
      },
    ],
  },
  {
    id: "open-70b-addons",
    model: "open-70b",
    displayName: "With addons",
    versions: [
      {
        id: "7a8b9c0d",
        validated: true,
        snapshot: {
          ...h200,
          acceleratorCount: 8,
          precision: "BF16",
          enableAddons: true,
          numLoraDeviceCached: 16,
          maxContextLength: 131072,
        },
      },
    ],
  },
  {
    id: "embed-400m-small",
    model: "embed-400m",
    displayName: "Small",
    versions: [
      {
        id: "8b9c0d1e",
        validated: true,
        snapshot: { acceleratorCount: 1, acceleratorType: "VENDOR1_L4_24GB", precision: "FP16" },
      },
    ],
  },
  {
    id: "vision-12b-fast",
    model: "vision-12b",
    displayName: "Fast",
    versions: [
      {
        id: "9c0d1e2f",
        validated: true,
        snapshot: { ...h100, acceleratorCount: 1, precision: "BF16", maxContextLength: 65536 },
      },
    ],
  },
];
