import { recordedOutputs } from "../../provider/core/comparison/recorded";
import type { ResourceSpec } from "../../provider/core/declaration/resource";
import type { Values } from "../values";

export const account = "acme";
export const endpoint = "https://api.example.com";

/** Outputs as a create records them. */
export const outputsFor = (spec: ResourceSpec, inputs: Values, answer: Values): Values =>
  recordedOutputs(spec, inputs, answer, { accountId: account, endpoint });
