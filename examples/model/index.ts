import { Deployment, Model } from "pulumi-modelplatform";

// Everything below the folder is uploaded, validated and waited for; later only what has changed.
const support = new Model("support", {
  kind: "HUB_PEFT_ADDON",
  peftDetails: { baseModel: "accounts/platform/models/open-8b", r: 8, targetModules: ["q_proj", "v_proj"] },
  displayName: "Support",
  source: { folder: "weights" },
  timeouts: { create: "4h", update: "4h" },
});

// A model whose files come some other way is only made; nobody waits for it.
const later = new Model("later", {
  kind: "EMBEDDING_MODEL",
  displayName: "Embeddings, to be uploaded by hand",
});

const serving = new Deployment("support", { baseModel: support.name, deploymentShape: "default", maxReplicaCount: 1 });

export const model = support.name;
export const state = support.state;
export const waiting = later.state;
export const deployment = serving.name;
