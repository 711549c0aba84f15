import type { Lifecycle, ResourceSpec } from "../provider/core/declaration/resource";
import { durationSeconds } from "../provider/core/fields/equality";
import type { Settings, StoredObject, World } from "./types";

/**
 * States passed through, in order, with a usual stay in each. A last state with a stay ends in the object's removal.
 */
export type Path = readonly (readonly [state: string, stay?: string])[];

/** How long a tombstone of a soft delete stays until it is purged (A042). */
export const retention = "7d";

/** Marks the object's removal in a plan. */
export const removed = "";

/** The factor by which stays last longer on the emulator's clock, for accounts with their own speed. */
export function paceOf(world: World, settings: Settings): number {
  return world.settingsOf("").speed / settings.speed;
}

/** The object in the first state of `path`, the others planned. */
export function startPath(object: StoredObject, path: Path, at: number, pace: number): StoredObject {
  const { plan: _, ...rest } = object;
  let time = at;
  const plan = path.map(([state, stay]) => {
    const step = { state, at: time };
    if (stay !== undefined) time += durationSeconds(stay) * 1000 * pace;
    return step;
  });
  if (path.at(-1)![1] !== undefined) plan.push({ state: removed, at: time });
  const first = plan[0]!;
  const moved = { ...rest, fields: { ...object.fields, state: first.state } };
  return plan.length > 1 ? { ...moved, plan } : moved;
}

/** The object that no longer moves by itself. */
export function stopAt(object: StoredObject, state: string): StoredObject {
  const { plan: _, ...rest } = object;
  return { ...rest, fields: { ...object.fields, state } };
}

export const declaredPath = (spec: ResourceSpec, operation: keyof Lifecycle["paths"]): Path | undefined =>
  spec.lifecycle?.paths[operation];

export const stateOf = (object: StoredObject): string => String(object.fields["state"] ?? "");

/** Whether the object is on its way from one state to another (A044). */
export const inTransition = (spec: ResourceSpec, object: StoredObject): boolean =>
  object.plan?.[1] !== undefined && (spec.lifecycle?.moving.includes(stateOf(object)) ?? false);

/** Whether the object is being deleted or a tombstone. */
export const isGone = (spec: ResourceSpec, object: StoredObject): boolean =>
  spec.lifecycle?.gone.includes(stateOf(object)) ?? false;

/** Whether the object is a tombstone: deleted, and kept so that its id stays taken (A042, A072). */
export const isTombstone = (spec: ResourceSpec, object: StoredObject): boolean =>
  spec.lifecycle?.deleted.includes(stateOf(object)) ?? false;

/** When the object's current state began, and when it ends; of a state at rest neither is known. */
export function stayOf(object: StoredObject): { from: number; to: number } | undefined {
  const [current, next] = object.plan ?? [];
  return current && next && { from: current.at, to: next.at };
}
