import type { Kind } from "./types";

export type LimitFact = {
  readonly id: string;
  readonly kind: Kind;
  readonly path: string;
  readonly maxLength?: number;
  readonly maxEntries?: number;
  readonly min?: number;
  readonly max?: number;
  readonly default?: unknown;
  readonly defaultIs?: string;
  readonly zeroMeans?: string;
};

/** Limits of fields; those of lists are in the paging table. */
export const limits: readonly LimitFact[] = [
  { id: "user display name", kind: "User", path: "displayName", maxLength: 63 },
  { id: "model display name", kind: "Model", path: "displayName", maxLength: 63 },
  { id: "deployment display name", kind: "Deployment", path: "displayName", maxLength: 63 },
  { id: "model description", kind: "Model", path: "description", maxLength: 999 },
  { id: "response metadata", kind: "StoredResponse", path: "metadata", maxEntries: 16 },
  { id: "temperature", kind: "StoredResponse", path: "temperature", min: 0, max: 2, default: 1 },
  { id: "nucleus", kind: "StoredResponse", path: "top_p", min: 0, max: 1, default: 1 },
  { id: "output tokens", kind: "StoredResponse", path: "max_output_tokens", min: 1 },
  { id: "tool calls", kind: "StoredResponse", path: "max_tool_calls", min: 1 },
  { id: "lower replica bound", kind: "Deployment", path: "minReplicaCount", default: 0 },
  { id: "upper replica bound", kind: "Deployment", path: "maxReplicaCount", defaultIs: "max(minReplicaCount, 1)" },
  { id: "trainer nodes", kind: "RlorTrainerJob", path: "nodeCount", default: 1 },
  {
    id: "requests per replica",
    kind: "Deployment",
    path: "maxConcurrencyPerReplica",
    zeroMeans: "the platform's default",
  },
];

/** The lengths on both sides of a "fewer than" limit. */
export const displayNameLengths = { accepted: [0, 1, 63], refused: [64, 65] } as const;

export const descriptionLengths = { accepted: [0, 1, 999], refused: [1000, 1001] } as const;

/** The documented default of maxReplicaCount, worked out. */
export const replicaDefaults: readonly { readonly min: number | undefined; readonly max: number }[] = [
  { min: undefined, max: 1 },
  { min: 0, max: 1 },
  { min: 1, max: 1 },
  { min: 3, max: 3 },
];

/** Version 5.10.0 of the description; every path begins with one of the prefixes. */
export const versions = { description: "5.10.0", prefixes: ["/v1", "/inference/v1"] } as const;
