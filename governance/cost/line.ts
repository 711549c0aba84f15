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
  revocable?: number | undefined;
  now?: number | undefined;
}

/** What one object costs. */
export interface Line {
  urn?: string | undefined;
  name: string;
  kind: string;
  account: string;
  stack?: string | undefined;
  annotations: Readonly<Record<string, string>>;
  quantity?: Quantity | undefined;
  hourly: Bounds & { now?: Figure | undefined; before?: Bounds | undefined };
  /** For a job: what its run costs. */
  once?: Figure;
}
