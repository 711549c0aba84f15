import { accountIdOf } from "../../api/settings/credentials";
import { type FieldChange, replacingProperties } from "../../core/comparison/diff";
import { optionsIn, recordsIn } from "../../core/declaration/own-fields";
import type { ResourceSpec } from "../../core/declaration/resource";
import { hasFailed, isDeleted } from "../../core/declaration/states";
import {
  isConfigurationError,
  isForbidden,
  isModelPlatformError,
  ModelPlatformError,
  messageOf,
} from "../../core/errors";
import { lastSegment } from "../../core/values/names";
import { containsUnknown } from "../../core/values/values";
import { createMessage } from "../../core/wire/messages";
import { stackCommand } from "../commands";
import { automaticId, chosenId } from "../memory/identity";
import type { DiffView, Successor } from "../memory/run";
import { type CallContext, type ComparedResource, type DeleteOperation, directivesOf, Operation } from "../operation";
import { replacedObjectReason } from "../ownership/owner";
import type { BoundCollection, Ports } from "../ports";
import { absentSources } from "../sources";
import type { Values } from "../types";

/**
 * The record counts, never the current program: protection is switched off by an `up` of its own, before anything is
 * deleted.
 */
const isProtected = (spec: ResourceSpec, recorded: Values): boolean =>
  optionsIn(recorded).deletionProtection === true && !isRetained(spec, recorded);

/**
 * Deleting a failed object loses nothing, and a new object in its place is the fix. The record alone does not prove the
 * failure.
 */
export const isUnprotectedByFailure = (spec: ResourceSpec, recorded: Values): boolean =>
  isProtected(spec, recorded) && isFailed(spec, recorded);

const isFailed = ({ lifecycle }: ResourceSpec, object: Values): boolean =>
  lifecycle !== undefined && hasFailed(lifecycle, object);

/** Names the source of a protection that the resource itself does not set. */
const protector = ({ settings }: Ports): string =>
  settings.deletionProtection ? " (the stack's setting, for whatever does not say otherwise)" : "";

/** Deleting it deletes nothing on the service. */
export const isRetained = (spec: ResourceSpec, recorded: Values): boolean => {
  const { adopted, retired } = recordsIn(recorded);
  return spec.singleton ? removalOf(recorded) === "retain" : adopted === true || retired === true;
};

/**
 * Rejects the delete of a protected object that exists and may be deleted at all. The old object of a forced
 * replacement stays recorded as protected: if a diff in this process has seen the record of the new object, that one
 * decides instead.
 */
export async function assertDeletable(operation: DeleteOperation, name: string, recorded: Values): Promise<void> {
  const { ports, spec, objects, resource } = operation;
  if (!isProtected(spec, recorded) || resource.isReplacedByUnprotected(name)) return;
  const live = await objects.find(name);
  if (!live || isDeleted(spec.lifecycle, live) || (await replacedObjectReason(operation, recorded, live))) return;
  if (isFailed(spec, recorded) && isFailed(spec, live)) return;
  throw new ModelPlatformError(
    `${operation.title(name)} is protected by \`deletionProtection\`${protector(ports)} and is not deleted`,
    {
      code: "protected",
      advice: `To delete it, ${recordOptionFirstAdvice(operation, "`deletionProtection: false`")}`,
      topic: "the-object-is-protected",
    },
  );
}

/**
 * Rejects a change that would replace a protected object. Unknown values may turn out unchanged. Notes a record without
 * protection, for the delete of the object that it replaced.
 */
export function assertReplaceable(
  { ports, spec, id: name, outputs: recorded }: ComparedResource,
  resource: DiffView,
  changes: readonly FieldChange[],
): void {
  if (optionsIn(recorded).deletionProtection !== true) resource.noteUnprotected(name);
  if (!isProtected(spec, recorded) || isFailed(spec, recorded)) return;
  const replacing = replacingProperties(changes);
  if (replacing.length === 0) return;
  const because = replacing.map((property) => `\`${property}\``).join(", ");
  throw new ModelPlatformError(
    `${spec.kind} ${name} is protected by \`deletionProtection\`${protector(ports)}, and changing ${because} would replace it`,
    {
      code: "protected",
      advice: "Set the field back, or run `up` with `deletionProtection: false` alone before the change.",
      topic: "the-object-is-protected",
    },
  );
}

/**
 * The message with which `attempt` rejects, if that can be known ahead of the delete. The delete itself asks an
 * unreachable service again. Looks at the record first: most objects need no request.
 */
export async function predictRejection(
  spec: ResourceSpec,
  recorded: Values,
  isDoubted: boolean,
  attempt: () => Promise<void>,
): Promise<string | undefined> {
  const mayBeRefused = isDoubted || isProtected(spec, recorded) || (spec.singleton && removalOf(recorded) !== "retain");
  if (!mayBeRefused) return undefined;
  try {
    await attempt();
    return undefined;
  } catch (error) {
    if (!isModelPlatformError(error)) throw error;
    const isOurs = error.operation === undefined && !isConfigurationError(error);
    return isOurs || isForbidden(error) ? error.message : undefined;
  }
}

/**
 * A chosen id must be free for a successor, so its object is removed for good; any other can be undeleted for a while
 * (A042).
 */
export function isHardDelete(spec: ResourceSpec, recorded: Values): boolean {
  if (spec.deletion !== "soft") return false;
  if (optionsIn(recorded).deletionMode !== undefined) return optionsIn(recorded).deletionMode === "hard";
  const id = spec.fields.resourceId?.name ?? "";
  return (recordsIn(recorded).managedFields ?? []).includes(id);
}

/** What happens to the settings when their declaration is removed. */
export const removalOf = (recorded: Values): unknown => optionsIn(recorded).onDelete ?? "retain";

/**
 * The record decides, so that an option is recorded first: with this resource as the only target, since an `up` of
 * everything creates again what the same command has deleted.
 */
export const recordOptionFirstAdvice = (operation: Operation, option: string): string =>
  `declare it with ${option}, run ${stackCommand(operation, "up", "--target", `**:${typeAndName(operation.call.hidden.urn)}`)}, and delete again.`;

/** `Deployment::chat`: the type without its package, and the name. */
const typeAndName = (urn: string): string => urn.slice(urn.lastIndexOf(":", urn.lastIndexOf("::") - 1) + 1);

/**
 * An attempt that no create uses, so that a validation meets neither the object that is to be replaced nor any other.
 */
const validationAttempt = -1;

/** Rejects a delete before a create that the service would reject: the old object stays as it is. */
export async function requireSuccessor(operation: DeleteOperation, name: string, recorded: Values): Promise<void> {
  const { ports, spec, resource } = operation;
  const successor = resource.plannedSuccessor;
  if (!successor) return;
  const refusal =
    successorIdRejection(spec, successor, name, recorded) ??
    // Its value or its files may be on another machine.
    (await absentSources(ports.machine, spec, successor.inputs))[0] ??
    (await successorRejection(operation, successor, (objects) => objects.validateOnly?.() !== "ignored"));
  if (refusal === undefined) return;
  throw new ModelPlatformError(
    `${spec.kind} ${name} is not deleted, because its replacement would be refused: ${refusal}`,
    { code: "replacement-refused", advice: "Correct the program and run `up` again; the object is untouched." },
  );
}

/** The same after a diff that deletes the old object first, so that a preview reports it, too. */
export async function successorRejectionAfterDiff(
  context: CallContext,
  successor: Successor,
): Promise<string | undefined> {
  const refusal = await successorRejection(context, successor, (objects) => objects.validateOnly?.() === "honored");
  return refusal && `the object stays as it is, because its replacement would be refused: ${refusal}`;
}

/** A deleted object may keep its id: for good, or until it is purged (A042, A072). */
function successorIdRejection(
  spec: ResourceSpec,
  { inputs }: Successor,
  name: string,
  recorded: Values,
): string | undefined {
  if (chosenId(spec, inputs) !== lastSegment(name)) return undefined;
  if (spec.deletion === "forever") return "the id of a deleted object can never be reused; give another id, or drop it";
  const isFreed = isHardDelete(spec, recorded) || optionsIn(inputs).onSoftDeletedConflict === "hardDelete";
  if (spec.deletion !== "soft" || isFreed) return undefined;
  return 'its id stays taken until the deleted object is purged; set `onSoftDeletedConflict: "hardDelete"`, or run `up` with `deletionMode: "hard"` first';
}

type MayAsk = (objects: BoundCollection) => boolean;

/** Validates until the service has accepted the create once. */
async function successorRejection(
  context: CallContext,
  successor: Successor,
  mayAsk: MayAsk,
): Promise<string | undefined> {
  if (successor.isPossible) return undefined;
  const { refusal, isFinal } = await judge(context, successor.inputs, mayAsk);
  successor.isPossible = refusal === undefined && isFinal;
  return refusal;
}

/**
 * Why the service would reject the successor of an object that is deleted first; undefined if it would not. Asks the
 * service itself if its create has `validateOnly`, and judges by reads otherwise: a preview never sends a create that
 * the service might obey. Unknown values cannot be judged.
 */
async function judge(
  context: CallContext,
  inputs: Values,
  mayAsk: MayAsk,
): Promise<{ refusal?: string | undefined; isFinal: boolean }> {
  if (containsUnknown(inputs)) return { isFinal: false };
  const { ports, spec, call } = context;
  const account = String(optionsIn(inputs).accountId ?? accountIdOf(ports.settings));
  const operation = new Operation(context, { account, verb: "create", values: inputs });
  const { validate } = operation.objects;
  if (!validate || !mayAsk(operation.objects)) {
    const { failures } = await ports.preflight({ spec, account, olds: {}, inputs, signal: call.signal });
    const reasons = failures.map(({ property, reason }) => `${property}: ${reason}`);
    return { refusal: reasons.length > 0 ? reasons.join("; ") : undefined, isFinal: !validate };
  }
  const message = createMessage(spec, await operation.withSources(inputs));
  try {
    await validate(message, automaticId(call.hidden, account, validationAttempt), directivesOf(spec, inputs));
    return { isFinal: true };
  } catch (error) {
    if (!isModelPlatformError(error)) throw error;
    return { refusal: messageOf(error), isFinal: true };
  }
}
