import type { ResourceSpec } from "../../core/declaration/resource";
import { phaseOf } from "../../core/declaration/states";
import { objectCommand, stackCommand } from "../commands";
import { type CreateAttempt, nameOfAttempt } from "../memory/history";
import { idSourceOf } from "../memory/identity";
import type { CallContext, Operation } from "../operation";
import { keyDigestOf, matchesDeclared, type Orphan, openAttempts, writeCompletedFact } from "../ownership/journal";
import { classifyOwnership } from "../ownership/relation";
import { isLeftUnderOtherId } from "../ownership/verdicts";
import type { LiveObject } from "../ports";
import type { Values } from "../types";
import { visibleAfterMs } from "../waiting/operation-waits";

/** Objects that an interrupted run has created and that no state holds. */

/** Warns about objects that this declaration started under another id or natural key. */
export async function warnOfOpenAttempts(
  operation: Operation,
  open: readonly CreateAttempt[],
  inputs: Values,
): Promise<void> {
  const reported = new Set<string>();
  for (const each of open) {
    if (matchesDeclared(operation, inputs, each)) continue;
    const created = await findAttempted(operation, each);
    if (!created || reported.has(created.name)) continue;
    reported.add(created.name);
    const { relation } = await classifyOwnership(operation, created, inputs);
    if (isLeftUnderOtherId(relation, idSourceOf(operation.spec, inputs)))
      operation.call.reporter.warn(orphanText(operation, created.name, { ...each, live: created }));
  }
}

/** `live`: the object as read; absent if it was not read. `isRefused`: the create that began it. */
export function orphanText(
  about: CallContext,
  name: string,
  { live, isRefused }: { live?: Values | undefined; isRefused?: true | undefined } = {},
): string {
  const { spec } = about;
  const next =
    isRefused || mayBeInUse(spec, live)
      ? `It may be in use: look at it with ${objectCommand("get", spec, name)}`
      : `If you do not need it, delete it with ${objectCommand("delete", spec, name)}`;
  const doubt = isRefused
    ? "may be of this declaration, whose create was refused because of it,"
    : "was created for this declaration by an interrupted run";
  return `${spec.kind} ${name} ${doubt} and is not recorded in any state. ${next}. Once it is gone, ${stackCommand(about, "refresh")} clears this warning.`;
}

/** Whether the object serves or works, or was not read. */
export const mayBeInUse = (spec: ResourceSpec, live: Values | undefined): boolean =>
  live === undefined ||
  (spec.lifecycle !== undefined && !["failed", "resting"].includes(phaseOf(spec.lifecycle, live)));

/** Warns about an orphan until it is deleted. An object that is not visible may only be too new (A093). */
export async function watchOrphan(operation: Operation, { name, isRefused }: Orphan): Promise<void> {
  const { spec, call, objects, ports } = operation;
  const live = await objects.find(name);
  if (live && phaseOf(spec.lifecycle, live) !== "gone")
    return call.reporter.warn(orphanText(operation, name, { live, isRefused }));
  for (const attempt of await openAttempts(operation))
    if (nameOfAttempt(attempt) === name && ports.clock.now() >= attempt.at + visibleAfterMs)
      await writeCompletedFact(operation, { fact: "void", id: attempt.id });
}

/** The object that a create was sent for: by name, or by natural key if the service chooses the name. */
export async function findAttempted(operation: Operation, attempt: CreateAttempt): Promise<LiveObject | undefined> {
  const { objects, spec } = operation;
  const { keyDigest } = attempt.place;
  const name = nameOfAttempt(attempt);
  const named = name === undefined ? undefined : await objects.find(name);
  if (keyDigest === undefined) return named;
  const isIt = (object: LiveObject): boolean =>
    keyDigestOf(operation, object) === keyDigest && phaseOf(spec.lifecycle, object) !== "gone";
  if (named && isIt(named)) return named;
  for await (const object of objects.list()) if (isIt(object)) return object;
  return undefined;
}
