import type { ResourceSpec } from "../../provider/core/declaration/resource";
import { accountOf, lastSegment } from "../../provider/core/values/names";
import { stateOf } from "../transitions";
import type { Fields, StoredObject, World } from "../types";
import type { ServiceCall } from "./service";

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
export function progressOf(
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
