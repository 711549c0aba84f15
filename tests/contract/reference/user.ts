import { status } from "./shared-shapes";
import { userStates } from "./states";
import type { CircumstanceFact, FieldFact, RuleFact } from "./types";

export const states = userStates;

export const roles = ["admin", "user", "contributor", "inference-user", "custom"] as const;

export const fields: readonly FieldFact[] = [
  { path: "name", type: "string", readOnly: true },
  { path: "role", type: "string", enum: roles, closed: true, requiredOnUpdate: true, watched: true },
  { path: "displayName", type: "string", maxLength: 63, dropped: "cleared" },
  { path: "serviceAccount", type: "boolean", watched: true },
  { path: "email", type: "string" },
  {
    path: "permissionPreset",
    type: "string",
    validOnlyWith: [{ field: "role", values: ["custom"] }],
    dropped: "cleared",
    watched: true,
  },
  { path: "state", type: "enum", enum: userStates, readOnly: true },
  ...status,
  { path: "createTime", type: "date-time", readOnly: true },
  { path: "updateTime", type: "date-time", readOnly: true },
];

export const rules: readonly RuleFact[] = [
  {
    id: "preset-for-custom-role",
    sentence: "A permission preset goes with the role custom and no other.",
    valid: [
      { body: { email: "ada@example.com", role: "custom", permissionPreset: "readers" } },
      { body: { email: "ada@example.com", role: "admin" } },
    ],
    invalid: [
      {
        body: { email: "ada@example.com", role: "user", permissionPreset: "readers" },
        because: "the role is `user`",
        path: "permissionPreset",
      },
      {
        body: { email: "ada@example.com", role: "inference-user", permissionPreset: "readers" },
        because: "the role is `inference-user`",
        path: "permissionPreset",
      },
    ],
  },
];

export const circumstances: readonly CircumstanceFact[] = [
  { id: "id-from-email", sentence: "A user created without an id gets one made from the email." },
];
