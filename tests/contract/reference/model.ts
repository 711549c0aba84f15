import { asOutput, precisions, status, under } from "./shared-shapes";
import { deployedModelStates, modelStates } from "./states";
import type { CircumstanceFact, Condition, FieldFact, RuleFact } from "./types";

export const states = modelStates;

export const modelKinds = [
  "KIND_UNSPECIFIED",
  "HUB_BASE_MODEL",
  "HUB_PEFT_ADDON",
  "HUB_TEFT_ADDON",
  "ENGINE_BASE_MODEL",
  "ENGINE_ADDON",
  "DRAFT_ADDON",
  "AGENT",
  "LIVE_MERGE",
  "CUSTOM_MODEL",
  "EMBEDDING_MODEL",
  "SNAPSHOT_MODEL",
] as const;

const baseKind: readonly Condition[] = [{ field: "kind", values: ["HUB_BASE_MODEL"] }];
const teftKind: readonly Condition[] = [{ field: "kind", values: ["HUB_TEFT_ADDON"] }];
// A model of no kind behaves as a PEFT addon.
const addonKinds: readonly Condition[] = [
  { field: "kind", values: ["KIND_UNSPECIFIED", "HUB_PEFT_ADDON", "HUB_TEFT_ADDON"], absent: true },
];

export const fields: readonly FieldFact[] = [
  { path: "name", type: "string", readOnly: true },
  { path: "displayName", type: "string", maxLength: 63, dropped: "cleared" },
  { path: "description", type: "string", maxLength: 999, dropped: "cleared" },
  { path: "createTime", type: "date-time", readOnly: true },
  { path: "updateTime", type: "date-time", readOnly: true },
  { path: "state", type: "enum", enum: modelStates, default: "STATE_UNSPECIFIED", readOnly: true },
  ...status,
  { path: "kind", type: "enum", enum: modelKinds, absentMeans: "HUB_PEFT_ADDON" },
  { path: "codeRepositoryUrl", type: "string" },
  { path: "modelHubUrl", type: "string" },
  { path: "baseModelDetails", type: "object", requiredWhen: baseKind, validOnlyWith: baseKind },
  ...under("baseModelDetails", [
    { path: "worldSize", type: "integer" },
    {
      path: "checkpointFormat",
      type: "enum",
      enum: ["CHECKPOINT_FORMAT_UNSPECIFIED"],
      enumPartial: true,
      default: "CHECKPOINT_FORMAT_UNSPECIFIED",
    },
    { path: "modelHubFiles", type: "array" },
    { path: "modelHubFiles[]", type: "string" },
    { path: "parameterCount", type: "string" },
    { path: "moe", type: "boolean" },
    { path: "tunable", type: "boolean" },
    { path: "modelType", type: "string" },
    { path: "supportsOptimizedAttention", type: "boolean" },
    { path: "defaultPrecision", type: "enum", enum: precisions, default: "PRECISION_UNSPECIFIED" },
    { path: "supportsMtp", type: "boolean" },
  ]),
  { path: "peftDetails", type: "object", requiredWhen: addonKinds },
  ...under("peftDetails", [
    { path: "baseModel", type: "string" },
    { path: "r", type: "integer" },
    { path: "targetModules", type: "array" },
    { path: "targetModules[]", type: "string" },
    { path: "baseModelType", type: "string" },
    { path: "mergeAddonModelName", type: "string" },
  ]),
  { path: "teftDetails", type: "object", requiredWhen: teftKind, validOnlyWith: teftKind, membersNotShown: true },
  { path: "public", type: "boolean", watched: true },
  { path: "conversationConfig", type: "object", absentMeans: "no chat completions for the model" },
  { path: "conversationConfig.style", type: "string" },
  { path: "conversationConfig.system", type: "string" },
  { path: "conversationConfig.template", type: "string" },
  { path: "contextLength", type: "integer" },
  { path: "supportsImageInput", type: "boolean" },
  { path: "supportsTools", type: "boolean" },
  { path: "importedFrom", type: "string", readOnly: true },
  { path: "fineTuningJob", type: "string", readOnly: true },
  {
    path: "defaultDraftModel",
    type: "string",
    requires: ["defaultDraftTokenCount"],
    zeroMeans: "no speculative decoding by default",
    zero: "value",
  },
  { path: "defaultDraftTokenCount", type: "integer" },
  { path: "deployedModelRefs", type: "array", readOnly: true, note: "filled by get alone" },
  ...asOutput([
    { path: "deployedModelRefs[]", type: "object" },
    { path: "deployedModelRefs[].name", type: "string" },
    { path: "deployedModelRefs[].deployment", type: "string" },
    {
      path: "deployedModelRefs[].state",
      type: "enum",
      enum: deployedModelStates,
      note: "a deployed model's states",
    },
    { path: "deployedModelRefs[].default", type: "boolean" },
    { path: "deployedModelRefs[].public", type: "boolean" },
  ]),
  { path: "cluster", type: "string", readOnly: true, zeroMeans: "the service's own cluster" },
  { path: "deprecationDate", type: "object" },
  { path: "deprecationDate.year", type: "integer" },
  { path: "deprecationDate.month", type: "integer" },
  { path: "deprecationDate.day", type: "integer" },
  { path: "calibrated", type: "boolean", readOnly: true },
  { path: "tunable", type: "boolean", readOnly: true, deprecated: true },
  { path: "supportsLora", type: "boolean" },
  { path: "useHubApplyChatTemplate", type: "boolean" },
  { path: "defaultSamplingParams", type: "object", readOnly: true, membersNotShown: true },
  { path: "rlTunable", type: "boolean", readOnly: true, deprecated: true },
  { path: "trainingContextLength", type: "integer" },
  {
    path: "snapshotType",
    type: "enum",
    enum: ["FULL_SNAPSHOT", "INCREMENTAL_SNAPSHOT"],
    default: "FULL_SNAPSHOT",
  },
  { path: "supportsServerless", type: "boolean", readOnly: true },
  { path: "supervisedLoraTunable", type: "boolean", readOnly: true },
  { path: "supervisedFullParameterTunable", type: "boolean", readOnly: true },
  { path: "rlLoraTunable", type: "boolean", readOnly: true },
  { path: "rlFullParameterTunable", type: "boolean", readOnly: true },
];

const peftDetails = { baseModel: "accounts/platform/models/m1", r: 16, targetModules: ["q_proj"] };
const peft = { kind: "HUB_PEFT_ADDON", peftDetails };

export const rules: readonly RuleFact[] = [
  {
    id: "base-model-details",
    sentence: "Base model details belong to hub base models: always there, nowhere else.",
    valid: [{ body: { kind: "HUB_BASE_MODEL", baseModelDetails: { worldSize: 1 } } }, { body: peft }],
    invalid: [
      { body: { kind: "HUB_BASE_MODEL" }, because: "the details are missing", path: "baseModelDetails" },
      {
        body: { ...peft, baseModelDetails: { worldSize: 1 } },
        because: "the kind is `HUB_PEFT_ADDON`",
        path: "baseModelDetails",
      },
      {
        body: { kind: "CUSTOM_MODEL", baseModelDetails: { worldSize: 1 } },
        because: "the kind is `CUSTOM_MODEL`",
        path: "baseModelDetails",
      },
    ],
  },
  {
    id: "peft-details",
    sentence: "Both kinds of hub addon say what they were trained on.",
    valid: [
      { body: peft },
      { body: { kind: "HUB_TEFT_ADDON", peftDetails, teftDetails: {} } },
      { body: { kind: "EMBEDDING_MODEL" } },
    ],
    invalid: [
      { body: { kind: "HUB_PEFT_ADDON" }, because: "the details are missing", path: "peftDetails" },
      { body: { kind: "HUB_TEFT_ADDON", teftDetails: {} }, because: "the details are missing", path: "peftDetails" },
    ],
  },
  {
    id: "peft-details-by-default",
    sentence: "A model without a kind behaves as a hub PEFT addon and so needs its details.",
    inferred: true,
    valid: [{ body: { peftDetails } }, { body: { kind: "KIND_UNSPECIFIED", peftDetails } }],
    invalid: [
      { body: { displayName: "no kind" }, because: "no kind means `HUB_PEFT_ADDON`", path: "peftDetails" },
      { body: { kind: "KIND_UNSPECIFIED" }, because: "it means `HUB_PEFT_ADDON`", path: "peftDetails" },
      { body: { kind: "" }, because: "an empty kind is none, which means `HUB_PEFT_ADDON`", path: "peftDetails" },
    ],
  },
  {
    id: "teft-details",
    sentence: "TEFT details belong to hub TEFT addons: always there, nowhere else.",
    valid: [{ body: { kind: "HUB_TEFT_ADDON", peftDetails, teftDetails: {} } }],
    invalid: [
      { body: { kind: "HUB_TEFT_ADDON", peftDetails }, because: "the details are missing", path: "teftDetails" },
      { body: { ...peft, teftDetails: {} }, because: "the kind is `HUB_PEFT_ADDON`", path: "teftDetails" },
    ],
  },
  {
    id: "draft-token-count",
    sentence: "Who names a default draft model also says how many tokens it drafts.",
    valid: [
      { body: { ...peft, defaultDraftModel: "accounts/acme/models/draft1", defaultDraftTokenCount: 4 } },
      { body: { ...peft, defaultDraftTokenCount: 4 } },
    ],
    invalid: [
      {
        body: { ...peft, defaultDraftModel: "accounts/acme/models/draft1" },
        because: "there is no token count",
        path: "defaultDraftTokenCount",
        orPath: "defaultDraftModel",
      },
    ],
  },
];

export const circumstances: readonly CircumstanceFact[] = [
  {
    id: "refs-from-get",
    sentence: "deployedModelRefs is filled when one model is read, not in lists and not in answers to changes.",
  },
  { id: "uncalibrated", sentence: "Only a calibrated model can be deployed at a precision other than FP16." },
  { id: "deprecation-date", sentence: "On its deprecation date the model's serverless deployment goes away." },
  {
    id: "v2-flags",
    sentence: "On the V2 training stack four supervised and rl flags stand in for tunable and rlTunable.",
  },
  {
    id: "flags-need-shapes",
    sentence: "Each V2 flag is true once the validated training and deployment shapes it needs exist.",
  },
];
