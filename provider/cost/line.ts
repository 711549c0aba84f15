import type { Figure } from "./money";

/** Per hour: with the fewest replicas, and with the most. */
export interface Bounds {
  least: Figure;
  most: Figure;
}

export interface Quantity {
  acceleratorType: string;
  perReplica: number;
  min: number;
  max: number;
  /** Replicas beyond `max` that may run on revocable capacity. */
  revocable?: number;
  now?: number;
}

/** What one object costs. */
export interface Line {
  urn?: string;
  name: string;
  kind: string;
  account: string;
  stack?: string;
  annotations: Readonly<Record<string, string>>;
  quantity?: Quantity;
  hourly: Bounds & { now?: Figure; before?: Bounds };
  /** For a job: what its run costs. */
  once?: Figure;
}
