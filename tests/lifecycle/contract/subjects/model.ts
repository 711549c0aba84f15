import type { ContractSubject } from "../subject";

const base = {
  kind: "HUB_BASE_MODEL",
  baseModelDetails: { parameterCount: "8000000000", modelType: "open" },
  displayName: "Support 8B",
};
const addon = { kind: "HUB_PEFT_ADDON", peftDetails: { baseModel: "accounts/platform/models/open-8b", r: 8 } };
const teft = { ...addon, kind: "HUB_TEFT_ADDON", teftDetails: {} };
const drafted = { ...base, defaultDraftModel: "accounts/platform/models/open-1b-draft", defaultDraftTokenCount: 4 };

export const model: ContractSubject = {
  kind: "Model",
  inputs: base,
  chosen: { modelId: "support" },
  other: { kind: "CUSTOM_MODEL" },
  updates: [
    {
      inputs: base,
      changes: {
        displayName: { to: "Support", dropped: "cleared" },
        description: { to: "Answers questions.", dropped: "cleared" },
        codeRepositoryUrl: { to: "https://code.example.com/support", dropped: "kept" },
        modelHubUrl: { to: "https://hub.example.com/support", dropped: "kept" },
        public: { to: true, dropped: "kept" },
        conversationConfig: { to: { style: "jinja", template: "{{ messages }}" }, dropped: "kept" },
        contextLength: { to: 32768, dropped: "kept" },
        trainingContextLength: { to: 16384, dropped: "kept" },
        supportsImageInput: { to: true, dropped: "kept" },
        supportsTools: { to: true, dropped: "kept" },
        supportsLora: { to: true, dropped: "kept" },
        useHubApplyChatTemplate: { to: true, dropped: "kept" },
        deprecationDate: { to: { year: 2030, month: 1, day: 31 }, dropped: "kept" },
      },
    },
    {
      inputs: drafted,
      changes: {
        defaultDraftModel: { to: "accounts/acme/models/draft", dropped: "kept" },
        defaultDraftTokenCount: { to: 8 },
      },
    },
  ],
  replacements: {
    modelId: { to: "support-2" },
    accountId: { to: "beta" },
    kind: { to: "CUSTOM_MODEL", with: { baseModelDetails: undefined } },
    baseModelDetails: { to: { parameterCount: "70000000000", modelType: "open" } },
    peftDetails: { from: addon, to: { baseModel: "accounts/platform/models/open-8b", r: 16 } },
    teftDetails: { from: teft, to: { addedLater: "x" } },
    snapshotType: { to: "INCREMENTAL_SNAPSHOT" },
  },
  drift: { displayName: "Changed" },
};
