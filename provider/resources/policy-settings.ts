import { defineResource } from "../core/declaration/resource";
import { BooleanField, ObjectName, requiredPublicReferenceTo, Timestamp } from "../core/fields/atoms";
import {
  closedEnum,
  closedMessage,
  field,
  growingMessage,
  guarded,
  optional,
  providerOption,
} from "../core/fields/fields";
import { z } from "../core/zod";
import { geographyMeanings } from "./regions";

const ModelPermissions = field(
  growingMessage(
    "ModelPermissions",
    {
      allowServerless: BooleanField.describe("Whether the model may be used for serverless inference."),
      allowDedicatedDeployments: BooleanField.describe("Whether the model may be deployed on dedicated accelerators."),
      allowTraining: BooleanField.describe("Whether the model may be fine-tuned."),
      allowServerlessFast: BooleanField.describe(
        "Whether the model may be used for serverless inference in the Fast serving mode; independent of `allowServerless`.",
      ),
    },
    BooleanField,
  ),
  { zero: "value" },
).describe("What may be done with a model. All four permissions must be given.");

const ModelAccessRule = closedMessage("ModelAccessRule", {
  model: requiredPublicReferenceTo("models").describe("Model that the rule is for."),
  permissions: ModelPermissions.describe(
    "What may be done with this model: a complete row, which replaces the defaults.",
  ),
}).describe("What may be done with one model.");

const Enforcement = closedEnum({
  ENFORCEMENT_UNSPECIFIED: "Inherits `defaultEnforced`, as if unset.",
  ENFORCED:
    "Blocks new work in the scope that would retain customer content; all new work, where the scope is training.",
  NOT_ENFORCED: "Allows new work in the scope to retain customer content.",
});

const scope = (id: string) =>
  closedMessage(id, {
    enforcement: Enforcement.optional().describe(
      "Whether retention is off in this scope. Unset or `ENFORCEMENT_UNSPECIFIED`: as `defaultEnforced` says.",
    ),
  });

const ZeroDataRetentionPolicy = closedMessage("ZeroDataRetentionPolicy", {
  defaultEnforced: BooleanField.describe(
    "Whether zero data retention is enforced in scopes that have no setting of their own.",
  ),
  ...optional({
    inference: scope("InferenceRetention").describe(
      "Scope of chat and completion requests, stored responses and batch inference.",
    ),
    training: scope("TrainingRetention").describe(
      "Scope of fine-tuning jobs, training sessions, checkpoints and evaluations.",
    ),
  }),
}).describe("Where the service keeps no customer content.");

export const PolicySettings = defineResource("PolicySettings", {
  summary: "The governance policy of an account: who may use which models, where they are served, what is kept.",
  collection: "policySettings",
  name: "accounts/{account}/policySettings",
  identity: { decidedBy: "account" },
  singleton: true,
  inputs: z.strictObject({
    ...optional({
      defaultPermissions: guarded(ModelPermissions, {
        default: "everything is allowed",
        whole: true,
        onRemoval: "clear",
      }).describe("What may be done with models that no rule names."),
      rules: guarded(z.array(ModelAccessRule), {
        setOf: "model",
        onRemoval: "clear",
      }).describe(
        "Permissions of single models, each a complete row. A model without a rule follows `defaultPermissions`.",
      ),
      cmekRequired: guarded(BooleanField, { sentIfChanged: true, onRemoval: "keep" }).describe(
        "Whether new customer-data resources must be encrypted with a customer-managed key. Every member reads it; only a platform superuser can change it. Enabling it needs a primary external key that is READY.",
      ),
      residency: guarded(closedEnum(geographyMeanings), {
        default: "unrestricted",
        onRemoval: "clear",
      }).describe("The one geography that models are served from."),
      zeroDataRetention: guarded(ZeroDataRetentionPolicy, {
        default: "not enforced",
        whole: true,
        onRemoval: "clear",
      }).describe(
        "Where the service keeps no customer content (zero data retention). Enforcing it blocks new work that would need content to be kept, and deletes nothing that exists.",
      ),
    }),
    allowLoosening: providerOption(BooleanField, false)
      .optional()
      .describe(
        "Whether a change, an adoption or a removal may open up access, retention or residency. Without it, such a change fails.",
      ),
    onDelete: providerOption(
      closedEnum({
        retain: "Leaves the policy as it is.",
        restorePrevious: "Restores the policy that was found at creation.",
        clear: "Clears every section that the program managed.",
      }),
      "retain",
    )
      .optional()
      .describe(
        "What deleting the resource does to the policy: leave it (`retain`), bring back the one found at creation (`restorePrevious`), or clear every section that the program managed (`clear`).",
      ),
  }),
  outputs: z.object({
    name: ObjectName.describe("Resource name, `accounts/{account}/policySettings`."),
    updateTime: Timestamp.optional().describe("When the policy was last changed."),
  }),
  rules: [{ rule: "uniqueBy", field: "rules", key: "model", by: "A065" }],
  operations: {
    get: { route: "GET /v1/{name}", provenance: "listed" },
    update: { route: "PATCH /v1/{name}?updateMask={updateMask}", provenance: "conventional", convention: "A060" },
  },
  timeouts: { create: "2m", update: "2m", delete: "2m" },
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
