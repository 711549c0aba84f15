import { durationSeconds } from "../../provider/core/fields/equality";
import { stateOf, stayOf } from "../transitions";
import type { Fields, StoredObject, World } from "../types";

/**
 * Replica counts of a deployment, which its autoscaler moves: one replica while
 * it was used lately, none after (A048, A049).
 */

const defaultIdleWindow = "3600s";

/** Notes that a deployment answered a request at `at` (milliseconds since 1970). */
export function recordTraffic(world: World, name: string, at: number = world.clock.now()): boolean {
  const object = world.get(name);
  if (object?.kind !== "Deployment") return false;
  world.put({ ...object, notes: { ...object.notes, servedAt: at } });
  return true;
}

/** Whether a deployment answered a request within the last hour (A043). */
export function hasRecentTraffic(object: StoredObject, now: number): boolean {
  const servedAt = object.notes?.["servedAt"];
  return typeof servedAt === "number" && now - servedAt < 3_600_000;
}

interface Counts {
  desired: number;
  ready: number;
  phase?: "pendingSchedulingReplicaCount" | "downloadingModelReplicaCount" | "initializingReplicaCount";
}

const startPhases = [
  "pendingSchedulingReplicaCount",
  "downloadingModelReplicaCount",
  "initializingReplicaCount",
] as const;

function countsAt(object: StoredObject, now: number): Counts {
  const bound = (name: string): number => Number(object.fields[name] ?? 0);
  const [least, most] = [bound("minReplicaCount"), bound("maxReplicaCount")];
  switch (stateOf(object)) {
    case "CREATING": {
      const desired = Math.min(Math.max(least, 1), most);
      const { from, to } = stayOf(object) ?? { from: now, to: now + 1 };
      return { desired, ready: 0, phase: startPhases[Math.min(2, Math.floor((3 * (now - from)) / (to - from)))]! };
    }
    case "READY":
    case "UPDATING": {
      const ready = Math.min(Math.max(least, awakeReplicas(object, now)), most);
      return { desired: ready, ready };
    }
    default:
      return { desired: 0, ready: 0 };
  }
}

/**
 * Replicas that recent use asks for: those scaled to by hand, else one until nothing has happened for the idle window.
 */
function awakeReplicas(object: StoredObject, now: number): number {
  const {
    servedAt = 0,
    readyAt = 0,
    scaledTo,
    scaledAt = 0,
  } = (object.notes ?? {}) as Record<string, number | undefined>;
  const policy = object.fields["autoscalingPolicy"] as Fields | undefined;
  const idle = durationSeconds(String(policy?.["scaleToZeroWindow"] ?? defaultIdleWindow)) * 1000;
  const lastUse = Math.max(servedAt, readyAt, scaledAt);
  if (scaledTo !== undefined && scaledAt >= servedAt) return now - scaledAt < idle || scaledTo === 0 ? scaledTo : 0;
  return lastUse > 0 && now - lastUse >= idle ? 0 : 1;
}

const replicaCache = new WeakMap<StoredObject, { key: string; fields: Fields }>();

/** The deployment's message with its replicas as they are now; the same object as long as the counts are. */
export function withReplicas(object: StoredObject, now: number): Fields {
  const { desired, ready, phase } = countsAt(object, now);
  const key = `${desired} ${ready} ${phase}`;
  const last = replicaCache.get(object);
  if (last?.key === key) return last.fields;
  const starting = phase ? { [phase]: desired } : {};
  // Counts set by hand are kept while it serves.
  const byHand = ready > 0 ? object.fields : {};
  const fields = {
    ...object.fields,
    desiredReplicaCount: desired,
    replicaCount: ready,
    replicaStats: ready > 0 ? { ...starting, readyReplicaCount: ready } : starting,
    ...byHand,
  };
  replicaCache.set(object, { key, fields });
  return fields;
}
