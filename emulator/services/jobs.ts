import type { ResourceSpec } from "../../provider/core/declaration/resource";
import { accountOf, fillTemplate, lastSegment } from "../../provider/core/values/names";
import { valueAt } from "../../provider/core/values/values";
import { specs } from "../../provider/resources/index";
import { failedPrecondition, invalidField } from "../refusals";
import { timestamp, withUpdateTime } from "../timestamps";
import { declaredPath, type Path, paceOf, startPath, stateOf } from "../transitions";
import type { Fields, StoredObject, World } from "../types";
import { rejectUntunable, rejectUnusableModel, trainedModel } from "./models";
import { rejectForbiddenTraining } from "./policy-settings";
import type { Service, ServiceCall } from "./service";

/** What a job reports while it runs and afterwards: a share of the work that grows with the time spent in RUNNING. */

const requestsPerEpoch = 1000;
const tokensPerRequest = 500;

/** From 0 to 1; undefined before the job runs. */
function shareDone({ notes = {} }: StoredObject, now: number): number | undefined {
  const { ranFrom, ranTo, stoppedAt = Number.POSITIVE_INFINITY } = notes as Record<string, number | undefined>;
  if (ranFrom === undefined || ranTo === undefined) return undefined;
  return ranTo <= ranFrom ? 1 : Math.min(1, (Math.min(now, stoppedAt) - ranFrom) / (ranTo - ranFrom));
}

/** The job's message as it is now. Signed addresses are new on each read (A097). */
function progressOf(
  spec: ResourceSpec,
  object: StoredObject,
  training: Fields,
  { world, now }: Pick<ServiceCall, "world" | "now">,
): Fields {
  const share = shareDone(object, now);
  if (share === undefined) return object.fields;
  const epochs = Number(training["epochs"] ?? 1);
  const total = requestsPerEpoch * epochs;
  const processed = Math.floor(total * share);
  const jobProgress = {
    percent: Math.floor(share * 100),
    epoch: Math.min(epochs, Math.floor(share * epochs) + 1),
    totalInputRequests: total,
    totalProcessedRequests: processed,
    successfullyProcessedRequests: processed,
    outputRows: processed,
    inputTokens: processed * tokensPerRequest,
    outputTokens: processed * tokensPerRequest,
  };
  const declared = new Set([...spec.fields.outputs, ...spec.fields.message].map((field) => field.name));
  const extras = Object.entries(extrasOf(object, world, usedSeconds(object, share, now)));
  return {
    ...object.fields,
    jobProgress,
    ...Object.fromEntries(extras.filter(([name, value]) => declared.has(name) && value !== undefined)),
  };
}

function extrasOf(object: StoredObject, world: World, seconds: number): Fields {
  const serves =
    object.fields["serviceMode"] === true && ["JOB_STATE_RUNNING", "JOB_STATE_IDLE"].includes(stateOf(object));
  const id = lastSegment(object.name);
  const signed = (file: string) => `https://storage.example.com/${object.name}/${file}?signature=${world.uuid()}`;
  return {
    metricsFileSignedUrl: signed("metrics.jsonl"),
    trainerLogsSignedUrl: readsLogs(object, world) ? signed("trainer.log") : undefined,
    acceleratorSeconds: { VENDOR1_H100_80GB: String(seconds) },
    directRouteHandle: serves ? `${id}.trainers.example.com` : undefined,
  };
}

/** Logs are there only for accounts that may read them, which the account object notes. */
const readsLogs = (object: StoredObject, world: World): boolean =>
  world.get(`accounts/${accountOf(object.name)}`)?.notes?.["trainerLogReading"] === true;

function usedSeconds({ fields, notes = {} }: StoredObject, share: number, now: number): number {
  const { ranFrom = now, ranTo = now } = notes as Record<string, number | undefined>;
  return Math.floor(((share * (ranTo - ranFrom)) / 1000) * Number(fields["nodeCount"] ?? 1));
}

/** What differs between the kinds of jobs. */
interface JobKind {
  spec: ResourceSpec;
  /** The members that say how to train: the job's own, or those of a message in it. */
  trainingOf(fields: Fields): Fields;
  /** The model's flags that allow it, with and without an adapter. */
  flags: { lora: string; full: string };
}

const supervised: JobKind = {
  spec: specs.SupervisedFineTuningJob as unknown as ResourceSpec,
  trainingOf: (fields) => fields,
  flags: { lora: "supervisedLoraTunable", full: "supervisedFullParameterTunable" },
};

const reinforcement: JobKind = {
  spec: specs.RlorTrainerJob as unknown as ResourceSpec,
  trainingOf: (fields) => (fields["trainingConfig"] ?? {}) as Fields,
  flags: { lora: "rlLoraTunable", full: "rlFullParameterTunable" },
};

/**
 * What makes a job leave the usual path behind a state: a word in its dataset's id, so that
 * examples can show it, or a flag that is on.
 */
interface Detour {
  word?: string;
  flag?: string;
  after: string;
  /** Passed through on the usual path, or the end of it. */
  state: string;
  stay?: string;
}

const detours: readonly Detour[] = [
  { word: "requeue", after: "JOB_STATE_PENDING", state: "JOB_STATE_RE_QUEUEING", stay: "30s" },
  {
    flag: "evalAutoCarveout",
    after: "JOB_STATE_VALIDATING",
    state: "JOB_STATE_CREATING_INPUT_DATASET",
    stay: "30s",
  },
  { word: "fail", after: "JOB_STATE_VALIDATING", state: "JOB_STATE_FAILED" },
  { word: "pause", after: "JOB_STATE_RUNNING", state: "JOB_STATE_PAUSED" },
  { word: "expire", after: "JOB_STATE_RUNNING", state: "JOB_STATE_EXPIRED" },
  { word: "plateau", flag: "earlyStop", after: "JOB_STATE_WRITING_RESULTS", state: "JOB_STATE_EARLY_STOPPED" },
];

const takesDetour = ({ word = "", flag }: Detour, fields: Fields): boolean =>
  lastSegment(String(fields["dataset"] ?? "")).includes(word) && (flag === undefined || fields[flag] === true);

const stays = (fields: Fields): boolean => fields["keepAlive"] === true || fields["serviceMode"] === true;

/**
 * The states that a job goes through: to its usual end, to the one that a turn
 * leads to, or to rest where it is kept alive.
 */
function pathFor(spec: ResourceSpec, fields: Fields, without: readonly string[] = []): Path {
  const taken = detours.filter((turn) => takesDetour(turn, fields) && !without.includes(turn.state));
  const end = taken.find(({ stay }) => stay === undefined);
  const last = end?.after ?? (stays(fields) ? "JOB_STATE_RUNNING" : undefined);
  const usual = declaredPath(spec, "create")!;
  const until = last === undefined ? usual : usual.slice(0, usual.findIndex(([name]) => name === last) + 1);
  const path = until.flatMap((step) => [
    step,
    ...taken.flatMap(({ after, state, stay }) =>
      stay !== undefined && after === step[0] ? [[state, stay] as const] : [],
    ),
  ]);
  if (end) return [...path, [end.state]];
  return last === undefined ? path : [...path, ["JOB_STATE_IDLE"]];
}

function newJob({ spec, trainingOf, flags }: JobKind, object: StoredObject, call: ServiceCall): StoredObject {
  const { world, account, caller, settings, now } = call;
  const training = trainingOf(object.fields);
  const start = String(training["baseModel"] ?? training["warmStartFrom"] ?? "");
  const output = outputModelOf({ spec, trainingOf, flags }, object);
  if (accountOf(output) !== account)
    throw invalidField(
      spec.derived["outputModelName"]!.from[0]!,
      `${output} is in another account; give an id, or a name in \`accounts/${account}\``,
    );
  rejectUnusableModel(call, training["baseModel"] === undefined ? "warmStartFrom" : "baseModel", start);
  rejectForbiddenTraining(world, account, start);
  rejectUntunable(world, start, training["loraRank"] === 0 ? flags.full : flags.lora);
  const fields = {
    ...documentedDefaults(spec),
    ...object.fields,
    ...withTrackingUrl(object, account),
    createdBy: `${caller.role}@${caller.account}.example.com`,
    estimatedCost: costOf(training),
  };
  return startPath({ ...object, fields: ofKind(spec, fields) }, pathFor(spec, fields), now, paceOf(world, settings));
}

/** Defaults of the description that a job is answered with where the request says nothing, such as one node. */
const documentedDefaults = ({ fields }: ResourceSpec): Fields =>
  Object.fromEntries(
    fields.message.flatMap(({ name, markers }) => (markers.resetTo === undefined ? [] : [[name, markers.resetTo]])),
  );

/** The service says where the tracker shows the run. */
function withTrackingUrl(object: StoredObject, account: string): Fields {
  const tracking = object.fields["trackingConfig"] as Fields | undefined;
  if (!tracking) return {};
  const { entity = account, project = "default", runId = lastSegment(object.name) } = tracking;
  return { trackingConfig: { ...tracking, url: `https://tracking.example.com/${[entity, project, runId].join("/")}` } };
}

/** Includes only members that the kind of job declares. */
function ofKind(spec: ResourceSpec, fields: Fields): Fields {
  const known = new Set([...spec.fields.message, ...spec.fields.outputs].map((field) => field.name));
  return Object.fromEntries(Object.entries(fields).filter(([name]) => known.has(name)));
}

/** One and a half dollars per epoch. */
function costOf(training: Fields): Fields {
  const cents = 150 * Number(training["epochs"] ?? 1);
  return { currencyCode: "USD", units: String(Math.floor(cents / 100)), nanos: (cents % 100) * 10_000_000 };
}

/** The full name of the model that the job creates (A070). */
function outputModelOf({ spec }: JobKind, object: StoredObject): string {
  const { template, from } = spec.derived["outputModelName"]!;
  const candidates = from.map((path) => (path === "id" ? lastSegment(object.name) : valueAt(object.fields, path)));
  const requestedName = candidates.find((value) => typeof value === "string" && value !== "") as string;
  return requestedName.startsWith("accounts/")
    ? requestedName
    : fillTemplate(template, { account: accountOf(object.name)!, value: requestedName });
}

function onStateReached(kind: JobKind, object: StoredObject, world: World, at: number): StoredObject {
  const { ready, failed } = kind.spec.lifecycle!;
  const state = stateOf(object);
  if (state === "JOB_STATE_RUNNING") return { ...object, notes: { ...object.notes, ...runOf(object, at) } };
  if (!ready.includes(state) && !failed.includes(state)) return object;
  const succeeded = ready.includes(state);
  if (succeeded && !stays(object.fields)) {
    const name = outputModelOf(kind, object);
    world.put(trainedModel(world, { name, job: object, training: kind.trainingOf(object.fields), at }));
  }
  const status = succeeded ? { code: "OK" } : statusAfter[state];
  return {
    ...object,
    fields: { ...object.fields, status, completedTime: timestamp(at) },
    notes: { ...object.notes, endedAt: at },
  };
}

const statusAfter: Readonly<Record<string, Fields>> = {
  JOB_STATE_FAILED: { code: "INVALID_ARGUMENT", message: "the dataset is not valid: row 1 has no messages" },
  JOB_STATE_EXPIRED: { code: "DEADLINE_EXCEEDED", message: "the job expired before it was done" },
  JOB_STATE_CANCELLED: { code: "CANCELLED", message: "the job was cancelled" },
};

/** Ends of a run that leave half of the work undone. */
const unfinished: ReadonlySet<string> = new Set(["JOB_STATE_PAUSED", "JOB_STATE_EXPIRED"]);

/** When the work began, and when all of it would be done. */
function runOf({ plan }: StoredObject, at: number): Fields {
  const next = plan?.[1];
  if (!next) return { ranFrom: at, ranTo: at };
  return { ranFrom: at, ranTo: unfinished.has(next.state) ? 2 * next.at - at : next.at, stoppedAt: next.at };
}

function cancel({ spec }: JobKind, object: StoredObject, { world, settings, now }: ServiceCall): Fields {
  const state = stateOf(object);
  if (state === "JOB_STATE_CANCELLING" || state === "JOB_STATE_CANCELLED") return {};
  const { moving, resting } = spec.lifecycle!;
  if (![...moving, ...resting].includes(state))
    throw failedPrecondition(`${object.name} is ${state} and cannot be cancelled`);
  const stopped = {
    ...object,
    fields: withUpdateTime(spec, object.fields, now),
    notes: { ...object.notes, stoppedAt: now },
  };
  world.put(startPath(stopped, declaredPath(spec, "cancel")!, now, paceOf(world, settings)));
  return {};
}

const resumable: ReadonlySet<string> = new Set([
  "JOB_STATE_PAUSED",
  "JOB_STATE_FAILED",
  "JOB_STATE_CANCELLED",
  "JOB_STATE_IDLE",
]);

/** A job that rests or did not succeed continues, from the queue; one that was paused does not pause again. */
function resume({ spec }: JobKind, object: StoredObject, { world, settings, now }: ServiceCall): undefined {
  if (!resumable.has(stateOf(object)))
    throw failedPrecondition(`${object.name} is ${stateOf(object)} and cannot be resumed`);
  const { completedTime: _, ...fields } = object.fields;
  const path = pathFor(spec, fields, ["JOB_STATE_PAUSED"]);
  const queued = path.slice(path.findIndex(([state]) => state === "JOB_STATE_PENDING"));
  world.put(
    startPath(
      { ...object, fields: withUpdateTime(spec, { ...fields, status: { code: "OK" } }, now), notes: {} },
      queued,
      now,
      paceOf(world, settings),
    ),
  );
}

const jobService = (kind: JobKind): Service => ({
  create: (object, call) => newJob(kind, object, call),
  onStateReached: (object, world, at) => onStateReached(kind, object, world, at),
  view: (object, world, now) => progressOf(kind.spec, object, kind.trainingOf(object.fields), { world, now }),
  verbs: { cancel: (object, call) => cancel(kind, object, call), resume: (object, call) => resume(kind, object, call) },
});

export const supervisedJobs = jobService(supervised);

export const reinforcementJobs = jobService(reinforcement);
