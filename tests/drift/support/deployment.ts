import type { Values } from "../../values";

export const time = "2026-01-01T00:00:00Z";

/** A deployment as the service answers it. */
export const deployment = (name: string, fields: Values = {}): Values => ({
  name,
  baseModel: "accounts/platform/models/open-8b",
  maxReplicaCount: 2,
  state: "READY",
  createTime: time,
  updateTime: time,
  ...fields,
});
