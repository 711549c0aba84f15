import { resourceId } from "../core/declaration/resource";
import {
  Count,
  Flag,
  Int64,
  nameOf,
  OwnName,
  publicNameOf,
  ResourceId,
  Text,
  TextMap,
  textBelow,
} from "../core/fields/atoms";
import {
  behaviour,
  closedMessage,
  field,
  guarded,
  immutable,
  label,
  message,
  openEnum,
  optional,
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
    worldSize: Count.describe("Number of processes that the checkpoint is split over."),
    checkpointFormat: openEnum({ CHECKPOINT_FORMAT_UNSPECIFIED: "No format: as if unset." }).describe(
      "File format of the weights.",
    ),
    modelHubFiles: setOf(Text).describe("Names of the model's files in the model hub."),
    parameterCount: Int64.describe("Number of parameters that the model has."),
    moe: Flag.describe("Whether the model is a mixture of experts."),
    tunable: Flag.describe("Whether the model can be fine-tuned."),
    modelType: Text.describe("Name of the model's architecture."),
    supportsOptimizedAttention: Flag.describe("Whether there is an optimized attention kernel for the model."),
    defaultPrecision: Precision.describe(
      "Numeric format that the weights are served in unless a deployment says otherwise.",
    ),
    supportsMtp: Flag.describe("Whether the model can predict several tokens at once."),
  }),
);

const PeftDetails = closedMessage(
  "PeftDetails",
  optional({
    baseModel: publicNameOf("models").describe("Base model that the addon belongs to."),
    r: Count.describe("Rank of the LoRA adapter."),
    targetModules: setOf(Text).describe("Modules of the base model that the adapter changes."),
    baseModelType: Text.describe("Name of the base model's architecture."),
    mergeAddonModelName: publicNameOf("models").describe(
      "Model that results from merging the addon into its base model.",
    ),
  }),
);

const ConversationConfig = closedMessage(
  "ConversationConfig",
  optional({
    style: Text.describe("Name of a conversation style that the service knows."),
    system: Text.describe("System prompt that conversations begin with."),
    template: Text.describe("Jinja template that turns messages into a prompt."),
  }),
);

/** A month or a day, of which the first is 1 (A077). */
const dateMember = (greatest: number) => ({
  convention: { number: "A077", range: { least: 1, greatest }, rule: `should be from 1 to ${greatest}` },
});

const CalendarDate = closedMessage(
  "CalendarDate",
  optional({
    year: Count.describe("Year of the calendar, such as 2030."),
    month: field(Count, dateMember(12)).describe("Month of the year, from 1 to 12."),
    day: field(Count, dateMember(31)).describe("Day of the month, from 1."),
  }),
);

const DeployedModelRef = message("DeployedModelRef", {
  name: nameOf("deployedModels").optional().describe("Deployed model that loads it."),
  deployment: nameOf("deployments").optional().describe("Deployment that the model is loaded onto."),
  state: DeployedModelState.optional().describe("Where the deployed model is in its life cycle."),
  default: Flag.optional().describe("Whether queries for the model that name no deployment go there."),
  public: Flag.optional().describe("Whether other accounts can query it there."),
}).describe("A deployment that the model is loaded onto.");

export const UploadRequest = z.object({
  filenameToSize: field(z.record(z.string(), Count), { unit: "bytes" }).describe(
    "Size of each file to upload, by file name.",
  ),
  enableResumableUpload: field(Flag, { default: "`false`" })
    .optional()
    .describe("Whether uploads can be resumed, instead of one PUT for each file."),
  readMask: field(Text, { fieldMask: true, default: "all" })
    .optional()
    .describe("Names of the members to return, separated by commas."),
});

export const FileAddresses = z.object({
  filenameToSignedUrls: secret(field(z.record(z.string(), Text), { volatile: true }))
    .optional()
    .describe("Signed address that each file is sent to, by file name."),
  filenameToUnsignedUris: z
    .record(z.string(), Text)
    .optional()
    .describe("Storage address of each file, by file name, where the caller may write to it directly."),
});

export const inputs = z.strictObject({
  modelId: resourceId(field(ResourceId, { default: "derived from the Pulumi name", example: "support-8b" }))
    .optional()
    .describe("Id of the model: the last segment of its resource name."),
  source: behaviour(
    z.strictObject({
      folder: field(Text, { example: "weights" })
        .optional()
        .describe(
          "Folder whose files are uploaded, those in sub-folders included. A file is named by its path below the folder, with `/`. Files and folders whose name starts with a dot are left out.",
        ),
      files: field(TextMap, { example: { "model.safetensors": "build/model.safetensors" } })
        .optional()
        .describe("Files to upload, by their name in the model: paths on the machine where Pulumi runs."),
      enableResumableUpload: field(Flag, { default: "`false`" })
        .optional()
        .describe("Whether an interrupted upload resumes where it stopped, and not at the start of the file."),
    }),
  )
    .optional()
    .describe(
      "Weights and configuration to upload: a folder, or files by name. Create then waits until the model is `READY`; without it, until the service has accepted the model. A file is uploaded again only when its content has changed.",
    ),
  ...optional({
    displayName: label(textBelow(64)).describe("Display name, shown instead of the id."),
    description: label(textBelow(1000)).describe("What the model is for, in free text."),
    kind: field(immutable(ModelKind), { default: "`HUB_PEFT_ADDON`" }).describe(
      "What the model is: a base model, an addon to one, or something else.",
    ),
    codeRepositoryUrl: Text.describe("Address of the repository with the model's code."),
    modelHubUrl: Text.describe("Address of the model in the model hub."),
    baseModelDetails: immutable(BaseModelDetails).describe("Properties of a base model."),
    peftDetails: immutable(PeftDetails).describe("Properties of a PEFT addon."),
    teftDetails: immutable(message("TeftDetails", {})).describe("Properties of a TEFT addon besides `peftDetails`."),
    public: guarded(Flag, { opens: { rule: "public", order: [false] } }).describe(
      "Whether other accounts can read the model.",
    ),
    conversationConfig: field(ConversationConfig, { whole: true }).describe(
      "How messages become a prompt. Setting it turns the chat-completions API on for the model.",
    ),
    contextLength: Count.describe("Longest context that the model can take."),
    supportsImageInput: Flag.describe("Whether requests may hold images."),
    supportsTools: Flag.describe("Whether requests may offer tools, and answers may call them."),
    defaultDraftModel: field(publicNameOf("models"), { zero: "value" }).describe(
      "Smaller model that drafts tokens for speculative decoding. An empty string turns it off.",
    ),
    defaultDraftTokenCount: Count.describe("Number of tokens that `defaultDraftModel` proposes per step."),
    deprecationDate: field(CalendarDate, { whole: true }).describe(
      "Day on which the serverless deployment of the model is taken down; other deployments keep running.",
    ),
    supportsLora: Flag.describe("Whether LoRA addons can be loaded onto the model."),
    useHubApplyChatTemplate: Flag.describe("Whether the chat template of the model hub is used."),
    trainingContextLength: Count.describe("Longest context that the model can be trained with."),
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

export const outputs = z.object({
  name: OwnName.describe("Resource name, `accounts/{account}/models/{id}`: what deployments and jobs refer to."),
  ...times,
  state: openEnum({
    STATE_UNSPECIFIED: "The service reports no state.",
    UPLOADING: "The service waits for the model's files.",
    READY: "The model is complete and can be used.",
  })
    .optional()
    .describe("Where the model is in its life cycle."),
  status: Status.optional(),
  importedFrom: Text.optional().describe("Where the model was imported from; empty if it was not."),
  fineTuningJob: Text.optional().describe("Fine-tuning job that created the model."),
  deployedModelRefs: z
    .array(DeployedModelRef)
    .optional()
    .describe("Where the model is deployed. Only reads of a single model return it."),
  cluster: Text.optional().describe("Customer-operated cluster that the model is in; empty for the service's own."),
  calibrated: Flag.optional().describe("Whether the model can be deployed with less precision than FP16."),
  tunable: field(Flag, { deprecated: "read the supervised and rl flags instead" })
    .optional()
    .describe("Whether first-generation training can fine-tune the model."),
  defaultSamplingParams: z
    .looseObject({})
    .optional()
    .describe("Sampling parameters that hold unless a request says otherwise."),
  rlTunable: field(Flag, { deprecated: "read the rl flags instead" })
    .optional()
    .describe("Whether first-generation reinforcement training can fine-tune the model."),
  supportsServerless: Flag.optional().describe("Whether there is a serverless deployment of the model."),
  supervisedLoraTunable: Flag.optional().describe(
    "Whether second-generation training supports LoRA supervised fine-tuning and DPO (`lora_rank` above 0): true where a validated `LORA_TRAINER` training shape exists.",
  ),
  supervisedFullParameterTunable: Flag.optional().describe(
    "Whether second-generation training supports full-parameter supervised fine-tuning (`lora_rank` 0): true where a validated `POLICY_TRAINER` training shape exists.",
  ),
  rlLoraTunable: Flag.optional().describe(
    "Whether second-generation training supports LoRA reinforcement fine-tuning: true where a validated `LORA_TRAINER` training shape and a deployment shape exist.",
  ),
  rlFullParameterTunable: Flag.optional().describe(
    "Whether second-generation training supports full-parameter reinforcement fine-tuning: true where validated `POLICY_TRAINER` and `FORWARD_ONLY` training shapes and a deployment shape exist.",
  ),
});
