import type { ResourceSpec } from "../../core/declaration/resource";
import { phaseOf } from "../../core/declaration/states";
import {
  AbortedError,
  isAborted,
  isAmbiguousOutcome,
  isConflict,
  isModelPlatformError,
  ModelPlatformError,
  messageOf,
  problemOf,
} from "../../core/errors";
import { objectCommand, stackCommand } from "../commands";
import { idSourceOf } from "../identity";
import { type CreateAttempt, nameOfAttempt } from "../journal/history";
import { type CallContext, type ResourceOperation, requestOptions } from "../operation/operation";
import { visibleAfterMs } from "../operation/waits";
import { keyDigestOf, matchesDeclared, openAttempts, writeCompletedFact } from "../ownership/facts";
import { classifyOwnership } from "../ownership/relation";
import { isLeftUnderOtherId } from "../ownership/verdicts";
import type { LiveObject } from "../ports/objects";
import type { Values } from "../types";

/** The object at the name that a create was refused; rethrows if there is none. */
export async function findConflicting(operation: ResourceOperation, name: string, error: unknown): Promise<LiveObject> {
  if (!isAmbiguousOutcome(error) && !isConflict(error)) throw error;
  const existing = await operation.objects.find(name, requestOptions(operation)).catch(rejectUnseen(operation, error));
  if (!existing) throw error;
  return existing;
}

/** Warns about objects that this declaration started under another id or natural key. */
export async function warnOfOpenAttempts(
  operation: ResourceOperation,
  open: readonly CreateAttempt[],
  inputs: Values,
): Promise<void> {
  const reported = new Set<string>();
  for (const each of open) {
    if (each.isRefused || matchesDeclared(operation, inputs, each)) continue;
    const created = await findAttempted(operation, each);
    if (!created || reported.has(created.name)) continue;
    reported.add(created.name);
    const { relation } = await classifyOwnership(operation, created, inputs);
    if (isLeftUnderOtherId(relation, idSourceOf(operation.spec, inputs)))
      operation.call.reporter.warn(orphanText(operation, created.name, created));
  }
}

/** `live`: the object as a read shows it; absent if nobody has read it. */
export function orphanText(about: CallContext, name: string, live?: Values): string {
  const { spec } = about;
  const next = mayBeInUse(spec, live)
    ? `It may still be running: look at it with ${objectCommand("get", spec, name)}`
    : `If you do not need it, delete it with ${objectCommand("delete", spec, name)}`;
  return `${spec.kind} ${name} was created for this declaration by an interrupted run and is not recorded in any state. ${next}. Once it is gone, ${stackCommand(about, "refresh")} clears this warning.`;
}

/** Whether the object serves or works, or nobody has looked. */
export const mayBeInUse = (spec: ResourceSpec, live: Values | undefined): boolean =>
  live === undefined ||
  (spec.lifecycle !== undefined && !["failed", "resting"].includes(phaseOf(spec.lifecycle, live)));

/** Warns about an orphaned create until it is gone. One that is not visible may only be too new (A093). */
export async function watchOrphan(operation: ResourceOperation, name: string): Promise<void> {
  const { spec, call, objects, ports } = operation;
  const live = await objects.find(name, requestOptions(operation));
  if (live && phaseOf(spec.lifecycle, live) !== "gone") return call.reporter.warn(orphanText(operation, name, live));
  for (const attempt of await openAttempts(operation))
    if (nameOfAttempt(attempt) === name && ports.clock.now() >= attempt.at + visibleAfterMs)
      await writeCompletedFact(operation, { fact: "void", id: attempt.id });
}

/** The object that a create was sent for: by name, or by natural key where the service chooses the name. */
export async function findAttempted(
  operation: ResourceOperation,
  attempt: CreateAttempt,
): Promise<LiveObject | undefined> {
  const { objects, spec } = operation;
  const { keyDigest } = attempt.place;
  const name = nameOfAttempt(attempt);
  const named = name === undefined ? undefined : await objects.find(name, requestOptions(operation));
  if (keyDigest === undefined) return named;
  const isIt = (object: LiveObject): boolean =>
    keyDigestOf(operation, object) === keyDigest && phaseOf(spec.lifecycle, object) !== "gone";
  if (named && isIt(named)) return named;
  for await (const object of objects.list(requestOptions(operation))) if (isIt(object)) return object;
  return undefined;
}

/** Pause between polls for what is not visible yet. */
const pollMs = 2000;

/** Polls for what an earlier request may have created, which is not visible to reads at once (A093). */
export async function pollUntilVisible(
  { ports, deadline, call }: ResourceOperation,
  poll: () => Promise<LiveObject | undefined>,
): Promise<LiveObject | undefined> {
  const { clock } = ports;
  const until = Math.min(clock.now() + visibleAfterMs, deadline);
  for (;;) {
    const live = await poll();
    if (live || clock.now() >= until) return live;
    await clock.sleep(pollMs, call.signal);
  }
}

const isUnusable = (error: unknown): boolean => isModelPlatformError(error) && error.answerAt !== undefined;

/** The error where a create may have created its object, and the poll for it failed as well; a stop stays one. */
export const rejectUnseen =
  (about: CallContext, lost: unknown) =>
  (cause: unknown): never => {
    if (!isModelPlatformError(cause)) throw cause;
    // A look that was stopped tells nothing about the create.
    if (isAborted(cause)) throw new AbortedError(messageOf(cause), { outcome: "unknown", cause });
    // Both answers have a form of the service's own: the first error is enough.
    if (isUnusable(lost) && isUnusable(cause)) throw lost;
    throw new ModelPlatformError(`${problemOf(lost)}, and looking for the object failed, too: ${problemOf(cause)}`, {
      advice: `Run ${stackCommand(about, "up")}, which looks first and takes over what this create has made.`,
      topic: "the-outcome-is-unknown",
      outcome: "unknown",
      cause,
    });
  };
