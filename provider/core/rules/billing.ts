/** What an object is paid for. Declared as data; fields are named by their paths. */
export type Billing = HourlyBilling | TokenBilling;

/** By the hour, for the accelerators of each replica. */
export interface HourlyBilling {
  by: "acceleratorHour";
  accelerator: { type: string; count: string };
  /** The bounds of the autoscaler, and the output that says how many replicas there are. */
  replicas: { least: string; most: string; withRevocable: string; now: string };
  /** Whether all of it runs on capacity that the service may take away. */
  preemptible: string;
  /** The output that says where replicas run; where they may run is `placement` of the preflight. */
  region: string;
}

/** Once, for the tokens that a job trains on: those of its dataset in each epoch. */
export interface TokenBilling {
  by: "trainingToken";
  /** The output in which the service says what it expects, `{ currencyCode, units, nanos }`. */
  estimate?: string;
  /** The output that says how many tokens a job has read, which are all of them once it is over. */
  tokens: string;
  dataset: string;
  epochs: string;
  /** Flags of jobs that run on, for which tokens are not all that is paid. */
  runsOn?: readonly string[];
}
