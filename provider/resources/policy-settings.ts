import { z } from "zod";
import { Flag, givenNameOf, Text, Timestamp } from "../core/atoms";
import { behaviour, closedMessage, field, optional } from "../core/fields";
import { defineResource } from "../core/resource";
import { multiRegions } from "./messages";

const ModelPermissions = field(
  closedMessage("ModelPermissions", {
    allowServerless: Flag.describe("Serverless inference."),
    allowDedicatedDeployments: Flag.describe("Deployments on dedicated accelerators."),
    allowTraining: Flag.describe("Fine-tuning."),
    allowServerlessFast: Flag.describe(
      "Serverless inference in the Fast serving mode; independent of `allowServerless`.",
    ),
  }),
  { zero: "value" },
).describe("What may be done with a model; all four must be given.");

const ModelAccessRule = closedMessage("ModelAccessRule", {
  model: givenNameOf("models").describe("Model the row is for."),
  permissions: ModelPermissions.describe("A complete row that replaces the defaults for this model."),
});

const enforcements = ["ENFORCEMENT_UNSPECIFIED", "ENFORCED", "NOT_ENFORCED"] as const;

const scope = (id: string) =>
  closedMessage(id, {
    enforcement: z
      .enum(enforcements)
      .optional()
      .describe("Unset or `ENFORCEMENT_UNSPECIFIED`: as `defaultEnforced` says."),
  });

const ZeroDataRetentionPolicy = closedMessage("ZeroDataRetentionPolicy", {
  defaultEnforced: Flag.describe("Whether scopes that say nothing are enforced."),
  ...optional({
    inference: scope("InferenceRetention").describe("Chat and completion requests, stored responses, batch inference."),
    training: scope("TrainingRetention").describe("Fine-tuning jobs, training sessions, checkpoints, evaluations."),
  }),
}).describe("No customer content is kept where it is enforced. Absent: not enforced.");

export const PolicySettings = defineResource("PolicySettings", {
  summary: "The governance policy of an account: who may use which models, where they are served, what is kept.",
  collection: "policySettings",
  name: "accounts/{account}/policySettings",
  identity: { decidedBy: "account" },
  singleton: true,
  inputs: z.strictObject({
    ...optional({
      defaultPermissions: field(ModelPermissions, {
        whole: true,
        onRemoval: "clear",
        watched: true,
        severity: "error",
      }).describe("What may be done with models that no rule names. Unset: everything."),
      rules: field(z.array(ModelAccessRule), {
        setOf: "model",
        onRemoval: "clear",
        watched: true,
        severity: "error",
      }).describe("Complete rows for single models. A model without one follows `defaultPermissions`."),
      cmekRequired: field(Flag, { sentIfChanged: true, watched: true, severity: "error", onRemoval: "keep" }).describe(
        "Whether new customer-data resources must be encrypted with a customer-managed key. Every member reads it; only a platform superuser can change it. Enabling it needs a primary external key that is READY.",
      ),
      residency: field(z.enum(multiRegions), { onRemoval: "clear", watched: true, severity: "error" }).describe(
        "The one geography that models are served from. Unset: unrestricted.",
      ),
      zeroDataRetention: field(ZeroDataRetentionPolicy, {
        whole: true,
        onRemoval: "clear",
        watched: true,
        severity: "error",
      }).describe(
        "Zero data retention. Enforcing it blocks new work and deletes nothing that exists. Unset: not enforced.",
      ),
    }),
    allowLoosening: behaviour(Flag, false)
      .optional()
      .describe("Must be true for a change, an adoption or a removal that opens up access, retention or residency."),
    onDelete: behaviour(z.enum(["retain", "restorePrevious", "clear"]), "retain")
      .optional()
      .describe(
        "What a removal does: leave the policy, bring back the one found at creation, or clear every managed section.",
      ),
  }),
  outputs: z.object({
    name: Text.describe("Resource name: `accounts/{account}/policySettings`."),
    updateTime: Timestamp.optional().describe("When the policy last changed."),
  }),
  rules: [{ rule: "uniqueBy", field: "rules", key: "model", by: "A065" }],
  operations: {
    get: { route: "GET /v1/{name}", provenance: "listed" },
    update: { route: "PATCH /v1/{name}?updateMask={updateMask}", provenance: "conventional", convention: "A060" },
  },
  timeouts: { create: "2m", update: "2m", delete: "2m" },
  versionField: "updateTime",
  loosening: {
    grants: { defaults: "defaultPermissions", overrides: "rules", key: "model", row: "permissions" },
    enforcement: {
      section: "zeroDataRetention",
      default: "defaultEnforced",
      scopes: ["inference", "training"],
      member: "enforcement",
      on: "ENFORCED",
      off: "NOT_ENFORCED",
    },
    geography: { field: "residency", everywhere: ["MULTI_REGION_UNSPECIFIED", "GLOBAL"] },
    guards: ["cmekRequired"],
  },
  example: {
    defaultPermissions: {
      allowServerless: true,
      allowDedicatedDeployments: true,
      allowTraining: true,
      allowServerlessFast: false,
    },
    residency: "EUROPE",
    zeroDataRetention: { defaultEnforced: false, inference: { enforcement: "ENFORCED" } },
  },
});
