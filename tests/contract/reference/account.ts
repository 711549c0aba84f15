import { asOutput, money, status, under } from "./shared-shapes";
import type { CircumstanceFact, FieldFact, RuleFact } from "./types";

export const fields: readonly FieldFact[] = asOutput([
  { path: "email", type: "string" },
  { path: "name", type: "string" },
  { path: "displayName", type: "string" },
  { path: "createTime", type: "date-time" },
  { path: "updateTime", type: "date-time" },
  {
    path: "accountType",
    type: "enum",
    enum: ["ACCOUNT_TYPE_UNSPECIFIED"],
    enumPartial: true,
    default: "ACCOUNT_TYPE_UNSPECIFIED",
  },
  { path: "state", type: "enum", enum: ["STATE_UNSPECIFIED"], enumPartial: true, default: "STATE_UNSPECIFIED" },
  ...status,
  { path: "suspendState", type: "enum", enum: ["UNSUSPENDED"], enumPartial: true },
  { path: "notificationSettings", type: "object" },
  { path: "notificationSettings.monthlySpendThresholds", type: "array" },
  { path: "notificationSettings.monthlySpendThresholds[]", type: "object" },
  ...under("notificationSettings.monthlySpendThresholds[]", money),
]);

export const rules: readonly RuleFact[] = [];

export const circumstances: readonly CircumstanceFact[] = [];
