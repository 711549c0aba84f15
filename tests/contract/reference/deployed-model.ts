import { status } from "./shared-shapes";
import { deployedModelStates } from "./states";
import type { CircumstanceFact, FieldFact, RuleFact } from "./types";

export const states = deployedModelStates;

const notInBody = "read-only because the update's body does not list it";

export const fields: readonly FieldFact[] = [
  { path: "name", type: "string", requiredOnUpdate: true, note: "A004: sent equal to the path" },
  { path: "displayName", type: "string", dropped: "cleared" },
  { path: "description", type: "string", dropped: "cleared" },
  { path: "createTime", type: "date-time", readOnly: true, note: notInBody },
  { path: "updateTime", type: "date-time", readOnly: true, note: notInBody },
  { path: "model", type: "string" },
  { path: "deployment", type: "string" },
  { path: "default", type: "boolean" },
  {
    path: "state",
    type: "enum",
    enum: deployedModelStates,
    readOnly: true,
    note: notInBody,
  },
  { path: "serverless", type: "boolean" },
  ...status,
  { path: "public", type: "boolean", watched: true },
];

export const rules: readonly RuleFact[] = [];

export const circumstances: readonly CircumstanceFact[] = [
  { id: "default-target", sentence: "The default one answers queries for a model that name no deployment after `#`." },
  { id: "first-is-default", sentence: "A model's first deployment makes its deployed model the default one." },
];
