import type { Lifecycle } from "../../provider/core/declaration/resource";
import { goalOf, hasFailed, hasReached, isDeleted, phaseOf } from "../../provider/core/declaration/states";
import { specs } from "../../provider/resources/index";

const deployment = specs.Deployment.lifecycle!;
const job = specs.SupervisedFineTuningJob.lifecycle!;
const trainer = specs.RlorTrainerJob.lifecycle!;
const deployedModel = specs.DeployedModel.lifecycle!;
const user = specs.User.lifecycle!;

const standings: [what: string, lifecycle: Lifecycle | undefined, object: Record<string, unknown>, is: string][] = [
  ["a deployment scaled to zero (A048)", deployment, { state: "READY", replicaCount: 0 }, "ready"],
  ["a deployment that takes a change", deployment, { state: "UPDATING" }, "moving"],
  ["a deployment that could not start", deployment, { state: "FAILED" }, "failed"],
  ["a soft-deleted deployment (A042)", deployment, { state: "DELETED" }, "gone"],
  ["a deployment in a state of tomorrow (A090)", deployment, { state: "HIBERNATING" }, "unknown"],
  ["a deployment in an unspecified state", deployment, { state: "STATE_UNSPECIFIED" }, "unknown"],
  ["a deployment that answers no state", deployment, {}, "unknown"],
  ["a deployment that answers a state that is no text", deployment, { state: { toString: false } }, "unknown"],
  ["a job that ended before its last epoch (A071)", job, { state: "JOB_STATE_EARLY_STOPPED" }, "ready"],
  ["a job that someone cancelled", job, { state: "JOB_STATE_CANCELLED" }, "failed"],
  ["a job that waits for its account", job, { state: "JOB_STATE_PAUSED" }, "resting"],
  ["a job whose record is archived", job, { state: "JOB_STATE_ARCHIVED" }, "gone"],
  [
    "a deployed model that failed, which no state tells (A081)",
    deployedModel,
    { state: "UNDEPLOYING", status: { code: "INTERNAL" } },
    "gone",
  ],
  [
    "a deployed model that fails while it deploys (A081)",
    deployedModel,
    { state: "DEPLOYING", status: { code: "RESOURCE_EXHAUSTED" } },
    "failed",
  ],
  [
    "a deployed model that deploys, with nothing to say",
    deployedModel,
    { state: "DEPLOYING", status: { code: "OK" } },
    "moving",
  ],
  [
    "a deployed model that deploys, with an unset status (A094)",
    deployedModel,
    { state: "DEPLOYING", status: { code: "" } },
    "moving",
  ],
  [
    "a deployed model that serves whatever its status says",
    deployedModel,
    { state: "DEPLOYED", status: { code: "INTERNAL" } },
    "ready",
  ],
  ["a secret, which has no life cycle", undefined, {}, "ready"],
  ["a secret that was deleted", undefined, { deleteTime: "2026-01-01T00:00:00Z" }, "gone"],
  ["a user that was deleted, in a state that users do not have", user, { state: "DELETED" }, "gone"],
  ["a user whose tombstone has the prefix of its enum", user, { state: "USER_STATE_DELETED" }, "gone"],
  ["a user that is marked as deleted", user, { deleted: true }, "gone"],
  ["a deployment with a time of its deletion", deployment, { deleteTime: "2026-01-01T00:00:00Z" }, "gone"],
  // Undeleted: a state that the description lists is believed before any sign.
  [
    "a deployment that serves, deleted once",
    deployment,
    { state: "READY", deleteTime: "2026-01-01T00:00:00Z" },
    "ready",
  ],
  [
    "a deployment that failed, deleted once",
    deployment,
    { state: "FAILED", deleteTime: "2026-01-01T00:00:00Z" },
    "failed",
  ],
  ["a deployment that was never deleted", deployment, { deleteTime: "", deleted: false }, "unknown"],
  [
    "a secret whose time of deletion is the first of a language",
    undefined,
    { deleteTime: "0001-01-01T00:00:00Z" },
    "ready",
  ],
  [
    "a secret whose time of deletion is the last of a language",
    undefined,
    { deleteTime: "9999-12-31T23:59:59Z" },
    "ready",
  ],
  ["a job without a state that has ended", job, { completedTime: "2026-01-01T00:00:00Z" }, "ready"],
  [
    "a job without a state that has ended badly",
    job,
    { completedTime: "2026-01-01T00:00:00Z", status: { code: "INTERNAL" } },
    "failed",
  ],
  ["a job without a state that has not ended", job, { completedTime: null }, "unknown"],
  [
    "a job that runs, whatever its times say",
    job,
    { state: "JOB_STATE_RUNNING", completedTime: "2026-01-01T00:00:00Z" },
    "moving",
  ],
];

test.each([
  ["DELETED", true],
  ["USER_STATE_DELETED", true],
  ["purged", true],
  ["DELETING", false],
  ["PENDING_DELETION", false],
  ["READY", false],
])("the deletion of a user in the state %s is over: %s", (state, isOver) => {
  expect(isDeleted(user, { state })).toBe(isOver);
});

test("a job that has ended without a state has reached its end, not before", () => {
  const ended = { completedTime: "2026-01-01T00:00:00Z" };
  expect(hasReached(job, ended, "terminal")).toBe(true);
  expect(hasReached(job, { ...ended, status: { code: "INTERNAL" } }, "terminal")).toBe(false);
  expect(hasReached(job, {}, "terminal")).toBe(false);
});

test.each(standings)("%s", (_, lifecycle, object, is) => {
  expect(phaseOf(lifecycle, object)).toBe(is);
});

test("a status is a failure only where no state tells failures", () => {
  expect(hasFailed(deployment, { state: "CREATING", status: { code: "INTERNAL" } })).toBe(false);
  expect(hasFailed(deployedModel, { state: "DEPLOYING", status: { code: "INTERNAL" } })).toBe(true);
  expect(hasFailed(deployedModel, { state: "DEPLOYING", status: null })).toBe(false);
});

test.each<[string, Lifecycle, Record<string, unknown>, string]>([
  ["a fine-tuning job is waited for to its end (A071)", job, {}, "terminal"],
  ["a trainer is waited for to its end", trainer, { keepAlive: false }, "terminal"],
  ["a keep-alive trainer until it runs", trainer, { keepAlive: true }, "running"],
  ["a trainer in service mode until it runs", trainer, { serviceMode: true }, "running"],
  ["what the program says goes", trainer, { keepAlive: true, waitFor: "terminal" }, "terminal"],
  ["a deployment is waited for until it serves", deployment, {}, "ready"],
])("by default %s", (_, lifecycle, inputs, goal) => {
  expect(goalOf(lifecycle, inputs)).toBe(goal);
});

test.each<[string, Lifecycle | undefined, string, string | undefined, boolean]>([
  ["a job that runs has not ended", job, "JOB_STATE_RUNNING", "terminal", false],
  ["a job that runs runs", job, "JOB_STATE_RUNNING", "running", true],
  ["an idle keep-alive job runs (A071)", trainer, "JOB_STATE_IDLE", "running", true],
  ["an idle job has not ended", trainer, "JOB_STATE_IDLE", "terminal", false],
  ["a failed job has reached nothing but being accepted", job, "JOB_STATE_FAILED", "running", false],
  ["any answer is enough for a submitted job", job, "JOB_STATE_FAILED", "submitted", true],
  ["any answer is enough for an accepted deployment", deployment, "CREATING", "accepted", true],
  ["a deployment that starts does not serve", deployment, "CREATING", "ready", false],
  ["without a goal being ready is enough", deployedModel, "DEPLOYED", undefined, true],
  ["without a life cycle everything is reached", undefined, "", undefined, true],
])("%s", (_, lifecycle, state, goal, reached) => {
  expect(hasReached(lifecycle, { state }, goal)).toBe(reached);
});

test("a deletion is over in the last of the states of what is gone", () => {
  expect(isDeleted(deployment, { state: "DELETING" })).toBe(false);
  expect(isDeleted(deployment, { state: "DELETED" })).toBe(true);
  expect(isDeleted(job, { state: "JOB_STATE_DELETING_CLEANING_UP" })).toBe(false);
  expect(isDeleted(deployedModel, { state: "UNDEPLOYING" })).toBe(false);
  expect(isDeleted(undefined, {})).toBe(false);
});
