import type { IdentityRule, Lifecycle } from "../core/declaration/resource";
import type { Caution } from "../core/declaration/rules";
import { BooleanField, Float, NonNegativeInt, TextField } from "../core/fields/atoms";
import { closedEnum, field, providerOption, secret } from "../core/fields/fields";
import { z } from "../core/zod";

/** What supervised and reinforcement fine-tuning jobs have in common. */

export const jobIdentity: IdentityRule<never> = { decidedBy: "client", default: "automatic", neverReused: true };

/** States by meaning (A071). `JOB_STATE_ARCHIVED` is a state that services answer and the API's list lacks. */
export const jobLifecycle: Omit<Lifecycle, "goal"> = {
  moving: [
    "JOB_STATE_CREATING",
    "JOB_STATE_PENDING",
    "JOB_STATE_VALIDATING",
    "JOB_STATE_CREATING_INPUT_DATASET",
    "JOB_STATE_RUNNING",
    "JOB_STATE_WRITING_RESULTS",
    "JOB_STATE_RE_QUEUEING",
    "JOB_STATE_CANCELLING",
  ],
  ready: ["JOB_STATE_COMPLETED", "JOB_STATE_EARLY_STOPPED"],
  failed: ["JOB_STATE_FAILED", "JOB_STATE_CANCELLED", "JOB_STATE_EXPIRED"],
  resting: ["JOB_STATE_PAUSED", "JOB_STATE_IDLE"],
  gone: ["JOB_STATE_DELETING", "JOB_STATE_DELETING_CLEANING_UP", "JOB_STATE_DELETED", "JOB_STATE_ARCHIVED"],
  deleted: ["JOB_STATE_DELETED", "JOB_STATE_ARCHIVED"],
  endTime: "completedTime",
  goals: {
    submitted: ["*"],
    running: [
      "JOB_STATE_RUNNING",
      "JOB_STATE_WRITING_RESULTS",
      "JOB_STATE_IDLE",
      "JOB_STATE_COMPLETED",
      "JOB_STATE_EARLY_STOPPED",
    ],
    terminal: ["JOB_STATE_COMPLETED", "JOB_STATE_EARLY_STOPPED"],
  },
  paths: {
    create: [
      ["JOB_STATE_CREATING", "5s"],
      ["JOB_STATE_PENDING", "30s"],
      ["JOB_STATE_VALIDATING", "30s"],
      ["JOB_STATE_RUNNING", "20m"],
      ["JOB_STATE_WRITING_RESULTS", "30s"],
      ["JOB_STATE_COMPLETED"],
    ],
    cancel: [["JOB_STATE_CANCELLING", "5s"], ["JOB_STATE_CANCELLED"]],
    delete: [["JOB_STATE_DELETING", "1s"], ["JOB_STATE_DELETING_CLEANING_UP", "1s"], ["JOB_STATE_DELETED"]],
  },
  progress: [
    "{jobProgress.percent} %",
    "epoch {jobProgress.epoch}",
    "{jobProgress.inputTokens} tokens",
    "estimated cost {estimatedCost}",
  ],
  longestPause: "30s",
};

export const jobTimeouts = { create: "24h", update: "24h", delete: "15m" };

/** Options of this provider for jobs. */
export const jobBehaviours = {
  waitFor: field(
    providerOption(
      closedEnum({
        submitted: "Waits until the service has accepted the job.",
        running: "Waits until the job trains.",
        terminal: "Waits until the job has ended, and fails if it did not succeed.",
      }),
    ),
    {
      default: "`terminal`; `running` for an RLOR trainer job that keeps running (keep-alive or service mode)",
    },
  )
    .optional()
    .describe(
      "How long create waits: until the service has accepted the job (`submitted`), until it trains (`running`), or until it has ended (`terminal`).",
    ),
  onFailure: providerOption(
    closedEnum({
      hold: "Reports the failure and starts nothing, at no cost.",
      rerun: "Starts a new run, up to `maxAttempts` in all.",
    }),
    "hold",
  )
    .optional()
    .describe(
      "What the next `up` does about a job that failed or was cancelled: report it, at no cost (`hold`), or start a new run (`rerun`).",
    ),
  maxAttempts: providerOption(z.int().min(1), 3)
    .optional()
    .describe('Number of runs that `onFailure: "rerun"` may start in all.'),
  recreateIfPurged: providerOption(BooleanField, false)
    .optional()
    .describe("Whether to run the job again when the service has removed the record of one that succeeded."),
  triggers: field(providerOption(z.record(z.string(), z.string())), {
    restarts: true,
    example: { month: "2026-01" },
  })
    .optional()
    .describe("Your own values. A new or changed one starts a new run; a removed one does not."),
};

/** A job that starts from nothing is not refused by the description, and probably a mistake (A076). */
export const startingPoint = <Path extends string>(base: Path, addon: Path): Caution<Path> => ({
  whenNew: true,
  rule: { rule: "anyOf", groups: [[{ field: base }], [{ field: addon }]] },
  says: `neither it nor \`${addon}\` is set, so that there is no model to fine-tune (A076); the service may refuse the job`,
});

/** A second run needs a second id, and an id can never be used again (A072). */
export const singleRunId = <Id extends string>(id: Id): Caution<Id | "onFailure"> => ({
  rule: { rule: "onlyWith", field: id, conditions: [{ field: "onFailure", in: ["hold"], absentIs: "hold" }] },
  says: 'it can be used for one run, so that `onFailure: "rerun"` will fail; leave it out for an automatic id',
});

/** Two ways to get an evaluation dataset, of which one is enough (A077). */
export const oneEvaluation: Caution<"evaluationDataset" | "evalAutoCarveout"> = {
  rule: { rule: "exclusive", fields: ["evaluationDataset", "evalAutoCarveout"] },
  says: "`evaluationDataset` and `evalAutoCarveout` are both set (A077); the service may ignore one of them or refuse the job",
};

/** What cannot be zero, and what cannot be negative, in a run that trains something (A077). */
export const PositiveCount = field(NonNegativeInt, {
  convention: { number: "A077", range: { least: 1 }, rule: "should be at least 1" },
});
export const Rate = field(Float, {
  convention: { number: "A077", range: { least: 0 }, rule: "should not be negative" },
});

/** The model that a job makes, by its id or its name (A016). */
export const OutputModel = field(TextField, {
  refersTo: { collection: "models", idAlone: true },
  default: "the id of the job",
  example: "support-8b",
  convention: {
    number: "A016",
    pattern: /^(accounts\/[^/\s]+\/models\/)?[a-z]([a-z0-9-]{0,61}[a-z0-9])?$/,
    rule: "should be an id of at most 63 lower-case letters, digits and hyphens, or the resource name of a model",
  },
});

/** Shows how training went; signed, so secret and different on each read (A004, A097). */
export const metricsFileSignedUrl = secret(field(TextField, { volatile: true, recordedOnly: true })).describe(
  "Signed URL of the training's metrics.",
);

/** Where the job came from and what it was called: a difference trains nothing (A070). */
export const cosmetic = { recordedOnly: true } as const;
