import { defineResource, resourceId } from "../core/declaration/resource";
import {
  BooleanField,
  Int64,
  NonNegativeInt,
  nameOf,
  ObjectName,
  publicNameOf,
  ResourceId,
  TextField,
  TextMap,
  textBelow,
} from "../core/fields/atoms";
import {
  closedMessage,
  descriptiveField,
  field,
  guarded,
  immutable,
  message,
  openEnum,
  optional,
  providerOption,
  secret,
  setOf,
} from "../core/fields/fields";
import { z } from "../core/zod";
import { DeployedModelState, Precision, Status, times } from "./messages";

const ModelKind = openEnum({
  KIND_UNSPECIFIED: "No kind: as `HUB_PEFT_ADDON`.",
  HUB_BASE_MODEL: "A base model, which needs `baseModelDetails`.",
  HUB_PEFT_ADDON: "A PEFT addon, such as a LoRA adapter, which needs `peftDetails`.",
  HUB_TEFT_ADDON: "A TEFT addon, which needs `peftDetails` and `teftDetails`.",
  ENGINE_BASE_MODEL: "A base model in the form that the service's engine runs.",
  ENGINE_ADDON: "An addon in the form that the service's engine runs.",
  DRAFT_ADDON: "An addon that drafts tokens for speculative decoding.",
  AGENT: "An agent, offered as a model.",
  LIVE_MERGE: "An addon that is merged into its base model while it serves.",
  CUSTOM_MODEL: "A model that fits none of the other kinds.",
  EMBEDDING_MODEL: "A model that turns text into vectors.",
  SNAPSHOT_MODEL: "A snapshot of weights; `snapshotType` says how much of them.",
});

const BaseModelDetails = closedMessage(
  "BaseModelDetails",
  optional({
    worldSize: NonNegativeInt.describe("Number of processes that the checkpoint is split over."),
    checkpointFormat: openEnum({ CHECKPOINT_FORMAT_UNSPECIFIED: "No format: as if unset." }).describe(
      "File format of the weights.",
    ),
    modelHubFiles: setOf(TextField).describe("Names of the model's files in the model hub."),
    parameterCount: Int64.describe("Number of parameters that the model has."),
    moe: BooleanField.describe("Whether the model is a mixture of experts."),
    tunable: BooleanField.describe("Whether the model can be fine-tuned."),
    modelType: TextField.describe("Name of the model's architecture."),
    supportsOptimizedAttention: BooleanField.describe("Whether there is an optimized attention kernel for the model."),
    defaultPrecision: Precision.describe(
      "Numeric format that the weights are served in unless a deployment says otherwise.",
    ),
    supportsMtp: BooleanField.describe("Whether the model can predict several tokens at once."),
  }),
);

const PeftDetails = closedMessage(
  "PeftDetails",
  optional({
    baseModel: publicNameOf("models").describe("Base model that the addon belongs to."),
    r: NonNegativeInt.describe("Rank of the LoRA adapter."),
    targetModules: setOf(TextField).describe("Modules of the base model that the adapter changes."),
    baseModelType: TextField.describe("Name of the base model's architecture."),
    mergeAddonModelName: publicNameOf("models").describe(
      "Model that results from merging the addon into its base model.",
    ),
  }),
);

const ConversationConfig = closedMessage(
  "ConversationConfig",
  optional({
    style: TextField.describe("Name of a conversation style that the service knows."),
    system: TextField.describe("System prompt that conversations begin with."),
    template: TextField.describe("Jinja template that turns messages into a prompt."),
  }),
);

/** A month or a day, of which the first is 1 (A077). */
const dateMember = (greatest: number) => ({
  convention: { number: "A077", range: { least: 1, greatest }, rule: `should be from 1 to ${greatest}` },
});

const CalendarDate = closedMessage(
  "CalendarDate",
  optional({
    year: NonNegativeInt.describe("Year of the calendar, such as 2030."),
    month: field(NonNegativeInt, dateMember(12)).describe("Month of the year, from 1 to 12."),
    day: field(NonNegativeInt, dateMember(31)).describe("Day of the month, from 1."),
  }),
);

const DeployedModelRef = message("DeployedModelRef", {
  name: nameOf("deployedModels").optional().describe("Deployed model that loads it."),
  deployment: nameOf("deployments").optional().describe("Deployment that the model is loaded onto."),
  state: DeployedModelState.optional().describe("Where the deployed model is in its life cycle."),
  default: BooleanField.optional().describe("Whether queries for the model that name no deployment go there."),
  public: BooleanField.optional().describe("Whether other accounts can query it there."),
}).describe("A deployment that the model is loaded onto.");

export const UploadRequest = z.object({
  filenameToSize: field(z.record(z.string(), NonNegativeInt), { unit: "bytes" }).describe(
    "Size of each file to upload, by file name.",
  ),
  enableResumableUpload: field(BooleanField, { default: "`false`" })
    .optional()
    .describe("Whether uploads can be resumed, instead of one PUT for each file."),
  readMask: field(TextField, { fieldMask: true, default: "all" })
    .optional()
    .describe("Names of the members to return, separated by commas."),
});

export const FileAddresses = z.object({
  filenameToSignedUrls: secret(field(z.record(z.string(), TextField), { volatile: true }))
    .optional()
    .describe("Signed address that each file is sent to, by file name."),
  filenameToUnsignedUris: z
    .record(z.string(), TextField)
    .optional()
    .describe("Storage address of each file, by file name, where the caller may write to it directly."),
});

export const inputs = z.strictObject({
  modelId: resourceId(field(ResourceId, { default: "derived from the Pulumi name", example: "support-8b" }))
    .optional()
    .describe("Id of the model: the last segment of its resource name."),
  source: providerOption(
    z.strictObject({
      folder: field(TextField, { example: "weights" })
        .optional()
        .describe(
          "Folder whose files are uploaded, those in sub-folders included. A file is named by its path below the folder, with `/`. Files and folders whose name starts with a dot are left out.",
        ),
      files: field(TextMap, { example: { "model.safetensors": "build/model.safetensors" } })
        .optional()
        .describe("Files to upload, by their name in the model: paths on the machine where Pulumi runs."),
      enableResumableUpload: field(BooleanField, { default: "`false`" })
        .optional()
        .describe("Whether an interrupted upload resumes where it stopped, and not at the start of the file."),
    }),
  )
    .optional()
    .describe(
      "Weights and configuration to upload: a folder, or files by name. Create then waits until the model is `READY`; without it, until the service has accepted the model. A file is uploaded again only when its content has changed.",
    ),
  ...optional({
    displayName: descriptiveField(textBelow(64)).describe("Display name, shown instead of the id."),
    description: descriptiveField(textBelow(1000)).describe("What the model is for, in free text."),
    kind: field(immutable(ModelKind), { default: "`HUB_PEFT_ADDON`" }).describe(
      "What the model is: a base model, an addon to one, or something else.",
    ),
    codeRepositoryUrl: TextField.describe("Address of the repository with the model's code."),
    modelHubUrl: TextField.describe("Address of the model in the model hub."),
    baseModelDetails: immutable(BaseModelDetails).describe("Properties of a base model."),
    peftDetails: immutable(PeftDetails).describe("Properties of a PEFT addon."),
    teftDetails: immutable(message("TeftDetails", {})).describe("Properties of a TEFT addon besides `peftDetails`."),
    public: guarded(BooleanField, { opens: { rule: "public", order: [false] } }).describe(
      "Whether other accounts can read the model.",
    ),
    conversationConfig: field(ConversationConfig, { whole: true }).describe(
      "How messages become a prompt. Setting it turns the chat-completions API on for the model.",
    ),
    contextLength: NonNegativeInt.describe("Longest context that the model can take."),
    supportsImageInput: BooleanField.describe("Whether requests may hold images."),
    supportsTools: BooleanField.describe("Whether requests may offer tools, and answers may call them."),
    defaultDraftModel: field(publicNameOf("models"), { zero: "value" }).describe(
      "Smaller model that drafts tokens for speculative decoding. An empty string turns it off.",
    ),
    defaultDraftTokenCount: NonNegativeInt.describe("Number of tokens that `defaultDraftModel` proposes per step."),
    deprecationDate: field(CalendarDate, { whole: true }).describe(
      "Day on which the serverless deployment of the model is taken down; other deployments keep running.",
    ),
    supportsLora: BooleanField.describe("Whether LoRA addons can be loaded onto the model."),
    useHubApplyChatTemplate: BooleanField.describe("Whether the chat template of the model hub is used."),
    trainingContextLength: NonNegativeInt.describe("Longest context that the model can be trained with."),
    snapshotType: field(
      immutable(
        openEnum({
          FULL_SNAPSHOT: "The weights are complete.",
          INCREMENTAL_SNAPSHOT: "The weights are what differs from an earlier snapshot.",
        }),
      ),
      {
        unsetValue: "FULL_SNAPSHOT",
      },
    ).describe("Whether the weights are complete, or only what differs from an earlier snapshot."),
  }),
});

const outputs = z.object({
  name: ObjectName.describe("Resource name, `accounts/{account}/models/{id}`: what deployments and jobs refer to."),
  ...times,
  state: openEnum({
    STATE_UNSPECIFIED: "The service reports no state.",
    UPLOADING: "The service waits for the model's files.",
    READY: "The model is complete and can be used.",
  })
    .optional()
    .describe("Where the model is in its life cycle."),
  status: Status.optional(),
  importedFrom: TextField.optional().describe("Where the model was imported from; empty if it was not."),
  fineTuningJob: TextField.optional().describe("Fine-tuning job that created the model."),
  deployedModelRefs: z
    .array(DeployedModelRef)
    .optional()
    .describe("Where the model is deployed. Only reads of a single model return it."),
  cluster: TextField.optional().describe(
    "Customer-operated cluster that the model is in; empty for the service's own.",
  ),
  calibrated: BooleanField.optional().describe("Whether the model can be deployed with less precision than FP16."),
  tunable: field(BooleanField, { deprecated: "read the supervised and rl flags instead" })
    .optional()
    .describe("Whether first-generation training can fine-tune the model."),
  defaultSamplingParams: z
    .looseObject({})
    .optional()
    .describe("Sampling parameters that hold unless a request says otherwise."),
  rlTunable: field(BooleanField, { deprecated: "read the rl flags instead" })
    .optional()
    .describe("Whether first-generation reinforcement training can fine-tune the model."),
  supportsServerless: BooleanField.optional().describe("Whether there is a serverless deployment of the model."),
  supervisedLoraTunable: BooleanField.optional().describe(
    "Whether second-generation training supports LoRA supervised fine-tuning and DPO (`lora_rank` above 0): true where a validated `LORA_TRAINER` training shape exists.",
  ),
  supervisedFullParameterTunable: BooleanField.optional().describe(
    "Whether second-generation training supports full-parameter supervised fine-tuning (`lora_rank` 0): true where a validated `POLICY_TRAINER` training shape exists.",
  ),
  rlLoraTunable: BooleanField.optional().describe(
    "Whether second-generation training supports LoRA reinforcement fine-tuning: true where a validated `LORA_TRAINER` training shape and a deployment shape exist.",
  ),
  rlFullParameterTunable: BooleanField.optional().describe(
    "Whether second-generation training supports full-parameter reinforcement fine-tuning: true where validated `POLICY_TRAINER` and `FORWARD_ONLY` training shapes and a deployment shape exist.",
  ),
});

export const Model = defineResource("Model", {
  summary: "A model: its metadata, and the weights uploaded for it.",
  collection: "models",
  name: "accounts/{account}/models/{modelId}",
  identity: { decidedBy: "client", default: "automatic" },
  inputs,
  outputs,
  madeFrom: ["peftDetails.baseModel"],
  retires: "deprecationDate",
  rules: [
    { rule: "exactlyOne", within: "source", fields: ["source.folder", "source.files"] },
    { rule: "requires", field: "defaultDraftModel", needs: "defaultDraftTokenCount" },
    { rule: "onlyWith", field: "baseModelDetails", conditions: [{ field: "kind", in: ["HUB_BASE_MODEL"] }] },
    { rule: "requiredWith", field: "baseModelDetails", condition: { field: "kind", in: ["HUB_BASE_MODEL"] } },
    {
      rule: "requiredWith",
      field: "peftDetails",
      condition: {
        field: "kind",
        in: ["HUB_PEFT_ADDON", "HUB_TEFT_ADDON", "KIND_UNSPECIFIED"],
        absentIs: "HUB_PEFT_ADDON",
      },
    },
    { rule: "onlyWith", field: "teftDetails", conditions: [{ field: "kind", in: ["HUB_TEFT_ADDON"] }] },
    { rule: "requiredWith", field: "teftDetails", condition: { field: "kind", in: ["HUB_TEFT_ADDON"] } },
  ],
  operations: {
    create: {
      route: "POST /v1/accounts/{account}/models",
      provenance: "conventional",
      convention: "A014",
      body: { wrap: { id: "modelId", message: "model" } },
    },
    get: { route: "GET /v1/{name}?readMask={readMask}", provenance: "listed" },
    list: {
      route:
        "GET /v1/accounts/{account}/models?pageSize={pageSize}&pageToken={pageToken}&filter={filter}&orderBy={orderBy}&readMask={readMask}",
      provenance: "conventional",
      convention: "A015",
    },
    update: { route: "PATCH /v1/{name}?updateMask={updateMask}", provenance: "conventional", convention: "A080" },
    delete: { route: "DELETE /v1/{name}", provenance: "conventional", convention: "A015" },
    getUploadEndpoint: {
      route: "POST /v1/{name}:getUploadEndpoint",
      provenance: "listed",
      effect: "mintsCredential",
      name: "getModelUploadEndpoint",
      request: UploadRequest,
      answer: FileAddresses,
    },
    getDownloadEndpoint: {
      route: "GET /v1/{name}:getDownloadEndpoint",
      provenance: "conventional",
      convention: "A080",
      effect: "mintsCredential",
      name: "getModelDownloadEndpoint",
      answer: FileAddresses,
    },
    validateUpload: {
      route: "GET /v1/{name}:validateUpload",
      provenance: "conventional",
      convention: "A080",
      effect: "write",
      name: "validateModelUpload",
    },
    prepare: { route: "POST /v1/{name}:prepare", provenance: "conventional", convention: "A080" },
  },
  lifecycle: {
    moving: [],
    ready: ["READY"],
    failed: [],
    resting: ["UPLOADING"],
    gone: [],
    deleted: [],
    goals: { accepted: ["*"], uploaded: ["READY"] },
    goal: [{ when: { field: "source" }, is: "uploaded" }, { is: "accepted" }],
    paths: { create: [["UPLOADING"]] },
    longestPause: "5s",
  },
  uploads: {
    from: "source",
    endpoint: {
      verb: "getUploadEndpoint",
      sizes: "filenameToSize",
      addresses: "filenameToSignedUrls",
      resumable: "enableResumableUpload",
    },
    validate: "validateUpload",
  },
  timeouts: { create: "60m", update: "60m", delete: "15m" },
  listOrder: "name",
  example: { kind: "HUB_BASE_MODEL", baseModelDetails: { parameterCount: "8000000000" }, displayName: "Support 8B" },
});
