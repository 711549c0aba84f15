import { platform } from "../access";
import type { Fields } from "../types";

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
export const baseModels: readonly ({ id: string } & Fields)[] = [
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
