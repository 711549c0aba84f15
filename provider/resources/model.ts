import { z } from "zod";
import { Count, Flag, Int64, nameOf, ResourceId, Text, TextMap, textBelow } from "../core/atoms";
import { behaviour, closedMessage, field, immutable, message, openEnum, optional, secret } from "../core/fields";
import { defineResource, resourceId } from "../core/resource";
import { DeployedModelState, Precision, Status, times } from "./messages";

export const kinds = [
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

const BaseModelDetails = closedMessage(
  "BaseModelDetails",
  optional({
    worldSize: Count.describe("World size of the model."),
    checkpointFormat: openEnum("CHECKPOINT_FORMAT_UNSPECIFIED").describe("Format of the weights."),
    modelHubFiles: z.array(Text).describe("Files in the model hub."),
    parameterCount: Int64.describe("Number of parameters, as a string of digits."),
    moe: Flag.describe("Mixture of experts."),
    tunable: Flag.describe("Can be fine-tuned."),
    modelType: Text.describe("Architecture."),
    supportsOptimizedAttention: Flag.describe("Has an optimized attention kernel."),
    defaultPrecision: Precision.describe("Numeric format it is served with unless asked otherwise."),
    supportsMtp: Flag.describe("Supports multi-token prediction."),
  }),
);

const PeftDetails = closedMessage(
  "PeftDetails",
  optional({
    baseModel: nameOf("models").describe("Model that the addon belongs to."),
    r: Count.describe("Rank of the adapter."),
    targetModules: z.array(Text).describe("Modules that the adapter changes."),
    baseModelType: Text.describe("Architecture of the base model."),
    mergeAddonModelName: nameOf("models").describe("Model with the addon merged in."),
  }),
);

const ConversationConfig = closedMessage(
  "ConversationConfig",
  optional({
    style: Text.describe("Name of the conversation style."),
    system: Text.describe("System prompt."),
    template: Text.describe("Template that turns messages into a prompt."),
  }),
);

const CalendarDate = closedMessage(
  "CalendarDate",
  optional({
    year: Count.describe("Year."),
    month: Count.describe("Month, 1 to 12."),
    day: Count.describe("Day of the month."),
  }),
);

const DeployedModelRef = message("DeployedModelRef", {
  name: Text.optional().describe("Resource name of the deployed model."),
  deployment: Text.optional().describe("Deployment it is on."),
  state: DeployedModelState.optional().describe("Place in the life cycle."),
  default: Flag.optional().describe("Whether queries without a deployment go there."),
  public: Flag.optional().describe("Whether anyone can reach it."),
});

export const UploadRequest = z.object({
  filenameToSize: z.record(z.string(), Count).describe("Files to upload, with their sizes in bytes."),
  enableResumableUpload: Flag.optional().describe("Whether uploads are resumable instead of one PUT. Default: false."),
  readMask: field(Text, { fieldMask: true })
    .optional()
    .describe("Members of the answer to return, separated by commas. Default: all."),
});

export const FileAddresses = z.object({
  filenameToSignedUrls: secret(field(z.record(z.string(), Text), { volatile: true }))
    .optional()
    .describe("Signed addresses, by file."),
  filenameToUnsignedUris: z
    .record(z.string(), Text)
    .optional()
    .describe("Storage addresses, by file, where the caller may write to them directly."),
});

export const Model = defineResource("Model", {
  summary: "A model: its metadata, and the weights uploaded for it.",
  collection: "models",
  name: "accounts/{account}/models/{modelId}",
  identity: { decidedBy: "client", default: "automatic" },
  inputs: z.strictObject({
    modelId: resourceId(ResourceId)
      .optional()
      .describe("Last segment of the resource name. Default: made from the Pulumi name."),
    source: behaviour(
      z.strictObject({
        folder: Text.optional().describe(
          "Folder whose files are uploaded, sub-folders included. Names in the model are paths below it, with `/`. Files and folders whose name starts with a dot are left out.",
        ),
        files: TextMap.optional().describe(
          "Files to upload: the name in the model, and the path on the machine where Pulumi runs.",
        ),
        enableResumableUpload: Flag.optional().describe(
          "Whether a file whose upload is interrupted goes on where it stopped, and not from its start. Default: `false`.",
        ),
      }),
    )
      .optional()
      .describe(
        "Weights and configuration to upload: a folder, or files by name. The model is then waited for until it is `READY`; without it, until the service has accepted it. A file is uploaded again only when its content has changed.",
      ),
    ...optional({
      displayName: field(textBelow(64), { onRemoval: "clear", severity: "note" }).describe(
        "Name shown to people; fewer than 64 characters.",
      ),
      description: field(textBelow(1000), { onRemoval: "clear", severity: "note" }).describe(
        "Free text; fewer than 1000 characters.",
      ),
      kind: immutable(openEnum(...kinds)).describe("What the model is. Default: `HUB_PEFT_ADDON`."),
      codeRepositoryUrl: Text.describe("Where its code is."),
      modelHubUrl: Text.describe("Where it is in the model hub."),
      baseModelDetails: immutable(BaseModelDetails).describe("For kind `HUB_BASE_MODEL`, and only there."),
      peftDetails: immutable(PeftDetails).describe("For kinds `HUB_PEFT_ADDON` and `HUB_TEFT_ADDON`."),
      teftDetails: immutable(message("TeftDetails", {})).describe("For kind `HUB_TEFT_ADDON`, and only there."),
      public: field(Flag, { watched: true, severity: "error" }).describe("Whether anyone can read it."),
      conversationConfig: field(ConversationConfig, { whole: true }).describe("Turns the chat-completions API on."),
      contextLength: Count.describe("Longest context."),
      supportsImageInput: Flag.describe("Accepts images."),
      supportsTools: Flag.describe("Accepts tools and may answer with calls of them."),
      defaultDraftModel: field(nameOf("models"), { zero: "value" }).describe(
        "Draft model for speculation; empty turns it off.",
      ),
      defaultDraftTokenCount: Count.describe("Tokens drafted per step; goes with `defaultDraftModel`."),
      deprecationDate: field(CalendarDate, { whole: true }).describe(
        "Day on which the serverless deployment is taken down; other deployments go on.",
      ),
      supportsLora: Flag.describe("Accepts LoRA addons."),
      useHubApplyChatTemplate: Flag.describe("Uses the hub's chat template."),
      trainingContextLength: Count.describe("Longest context in training."),
      snapshotType: field(immutable(openEnum("FULL_SNAPSHOT", "INCREMENTAL_SNAPSHOT")), {
        unsetValue: "FULL_SNAPSHOT",
      }).describe("Default: `FULL_SNAPSHOT`."),
    }),
  }),
  outputs: z.object({
    name: Text.describe("Resource name: `accounts/{account}/models/{id}`."),
    ...times,
    state: openEnum("STATE_UNSPECIFIED", "UPLOADING", "READY").optional().describe("Place in the life cycle."),
    status: Status.optional(),
    importedFrom: Text.optional().describe("Where it was imported from; empty if it was not."),
    fineTuningJob: Text.optional().describe("Job that made it."),
    deployedModelRefs: z
      .array(DeployedModelRef)
      .optional()
      .describe("Where it is deployed; answered for a single model only."),
    cluster: Text.optional().describe("Customer-operated cluster; empty for the service's own."),
    calibrated: Flag.optional().describe("Can be deployed with less than FP16."),
    tunable: field(Flag, { deprecated: "read the supervised and rl flags instead" })
      .optional()
      .describe("First-generation training only."),
    defaultSamplingParams: z
      .looseObject({})
      .optional()
      .describe("Sampling parameters used unless a request says otherwise."),
    rlTunable: field(Flag, { deprecated: "read the rl flags instead" })
      .optional()
      .describe("First-generation training only."),
    supportsServerless: Flag.optional().describe("A serverless deployment exists."),
    supervisedLoraTunable: Flag.optional().describe(
      "Second-generation training: LoRA supervised fine-tuning and DPO (`lora_rank` above 0). True where a validated `LORA_TRAINER` training shape exists.",
    ),
    supervisedFullParameterTunable: Flag.optional().describe(
      "Second-generation training: full-parameter supervised fine-tuning (`lora_rank` 0). True where a validated `POLICY_TRAINER` training shape exists.",
    ),
    rlLoraTunable: Flag.optional().describe(
      "Second-generation training: LoRA reinforcement fine-tuning. True where a validated `LORA_TRAINER` training shape and a deployment shape exist.",
    ),
    rlFullParameterTunable: Flag.optional().describe(
      "Second-generation training: full-parameter reinforcement fine-tuning. True where validated `POLICY_TRAINER` and `FORWARD_ONLY` training shapes and a deployment shape exist.",
    ),
  }),
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
    poll: { from: "1s", to: "5s" },
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
