import { under } from "./shared-shapes";
import type { CircumstanceFact, FieldFact, RuleFact } from "./types";

export const multiRegions = ["MULTI_REGION_UNSPECIFIED", "GLOBAL", "US", "CANADA", "EUROPE", "APAC"] as const;

export const enforcements = ["ENFORCEMENT_UNSPECIFIED", "ENFORCED", "NOT_ENFORCED"] as const;

const permissions: readonly FieldFact[] = [
  { path: "allowServerless", type: "boolean", required: true },
  { path: "allowDedicatedDeployments", type: "boolean", required: true },
  { path: "allowTraining", type: "boolean", required: true },
  { path: "allowServerlessFast", type: "boolean", required: true },
];

const enforcement = {
  type: "enum",
  enum: enforcements,
  closed: true,
  default: "ENFORCEMENT_UNSPECIFIED",
} as const;

export const fields: readonly FieldFact[] = [
  { path: "name", type: "string", readOnly: true },
  {
    path: "defaultPermissions",
    type: "object",
    absentMeans: "everything is allowed",
    dropped: "cleared",
    watched: true,
  },
  ...under("defaultPermissions", permissions),
  {
    path: "rules",
    type: "array",
    absentMeans: "every model follows defaultPermissions",
    dropped: "cleared",
    watched: true,
  },
  { path: "rules[]", type: "object" },
  { path: "rules[].model", type: "string", required: true },
  { path: "rules[].permissions", type: "object", required: true },
  ...under("rules[].permissions", permissions),
  { path: "updateTime", type: "date-time", readOnly: true },
  { path: "cmekRequired", type: "boolean", watched: true },
  {
    path: "residency",
    type: "enum",
    enum: multiRegions,
    closed: true,
    default: "MULTI_REGION_UNSPECIFIED",
    absentMeans: "serving is unrestricted",
    dropped: "cleared",
    watched: true,
  },
  {
    path: "zeroDataRetention",
    type: "object",
    absentMeans: "zero data retention is not enforced",
    dropped: "cleared",
    watched: true,
  },
  { path: "zeroDataRetention.defaultEnforced", type: "boolean", required: true },
  { path: "zeroDataRetention.inference", type: "object", absentMeans: "inherits defaultEnforced" },
  { path: "zeroDataRetention.inference.enforcement", ...enforcement },
  { path: "zeroDataRetention.training", type: "object", absentMeans: "inherits defaultEnforced" },
  { path: "zeroDataRetention.training.enforcement", ...enforcement },
];

const allowAll = {
  allowServerless: true,
  allowDedicatedDeployments: true,
  allowTraining: true,
  allowServerlessFast: true,
};

export const rules: readonly RuleFact[] = [
  {
    id: "permissions-complete",
    sentence: "Permissions always carry all four booleans; there are no partial permissions.",
    valid: [
      { body: { defaultPermissions: allowAll } },
      { body: { defaultPermissions: { ...allowAll, allowServerlessFast: false } } },
      { body: { rules: [{ model: "accounts/acme/models/m1", permissions: { ...allowAll, allowTraining: false } }] } },
    ],
    invalid: [
      {
        body: {
          defaultPermissions: { allowServerless: true, allowDedicatedDeployments: true, allowTraining: true },
        },
        because: "`allowServerlessFast` is unset",
        path: "defaultPermissions.allowServerlessFast",
      },
      {
        body: {
          rules: [
            {
              model: "accounts/acme/models/m1",
              permissions: { allowServerless: true, allowDedicatedDeployments: true, allowServerlessFast: true },
            },
          ],
        },
        because: "`allowTraining` is unset",
        path: "rules[0].permissions.allowTraining",
      },
    ],
  },
  {
    id: "retention-default-given",
    sentence: "A zero data retention policy always says what holds where no scope decides.",
    valid: [
      { body: { zeroDataRetention: { defaultEnforced: false } } },
      { body: { zeroDataRetention: { defaultEnforced: false, inference: { enforcement: "ENFORCED" } } } },
      { body: { zeroDataRetention: { defaultEnforced: true, training: { enforcement: "NOT_ENFORCED" } } } },
    ],
    invalid: [
      {
        body: { zeroDataRetention: { inference: { enforcement: "ENFORCED" } } },
        because: "`defaultEnforced` is unset",
        path: "zeroDataRetention.defaultEnforced",
      },
    ],
  },
];

export const circumstances: readonly CircumstanceFact[] = [
  { id: "cmek-superuser", sentence: "Every member reads cmekRequired; a platform superuser alone changes it." },
  { id: "cmek-external-key", sentence: "Enabling cmekRequired needs a primary external key that is READY." },
  {
    id: "rule-replaces-defaults",
    sentence: "A model's rule stands in place of the defaults, it is not merged with them.",
  },
  { id: "fast-is-separate", sentence: "allowServerless and allowServerlessFast do not imply each other." },
  { id: "outputs-explicit-false", sentence: "Answers spell out a false permission instead of leaving it out." },
  { id: "never-saved", sentence: "An account without saved settings may answer 404, and that means no policy." },
  {
    id: "inference-enforced",
    sentence: "ENFORCED inference refuses stored responses and batch jobs; stateless requests go on.",
  },
  { id: "inference-enforced-uploads", sentence: "ENFORCED inference refuses uploads." },
  { id: "training-enforced", sentence: "ENFORCED training refuses all new training work." },
  { id: "retention-not-retroactive", sentence: "Turning zero data retention on leaves existing data where it is." },
  { id: "members-read", sentence: "Any member of the account may read the settings." },
];
