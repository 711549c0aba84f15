import { type FieldChange, replacingProperties } from "../../core/comparison/diff";
import { optionsIn } from "../../core/declaration/options";
import { recordsIn } from "../../core/declaration/own-records";
import type { ResourceSpec } from "../../core/declaration/resource";
import { hasFailed, isDeleted } from "../../core/declaration/states";
import { isConfigurationError, isForbidden, isModelPlatformError, ModelPlatformError } from "../../core/errors";
import { type ComparedResource, type DeleteOperation, describeObject, requestOptions } from "../operation/operation";
import { replacedObjectReason } from "../ownership/ownership";
import type { Ports } from "../ports/ports";
import type { DiffView } from "../run/views";
import type { Call, Values } from "../types";

/**
 * What is recorded counts, never what the program says now: protection is switched off by an `up` of its own, before
 * whatever deletes.
 */
const isProtected = (spec: ResourceSpec, recorded: Values): boolean =>
  optionsIn(recorded).deletionProtection === true && !isRetained(spec, recorded);

/**
 * Nothing is lost by the deletion of what failed, and a new object in its place is what fixes it. The record alone does
 * not show that.
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
 * Refuses to delete a protected object that is there and may be deleted at all. The old object of a forced
 * replacement stays recorded as protected: if a diff in this process has seen the record of the new object, that one
 * decides instead.
 */
export async function assertDeletable(operation: DeleteOperation, name: string, recorded: Values): Promise<void> {
  const { ports, spec, call, objects, resource } = operation;
  if (!isProtected(spec, recorded) || resource.isReplacedByUnprotected(name)) return;
  const live = await objects.find(name, requestOptions(operation));
  if (!live || isDeleted(spec.lifecycle, live) || (await replacedObjectReason(operation, recorded, live))) return;
  if (isFailed(spec, recorded) && isFailed(spec, live)) return;
  throw new ModelPlatformError(
    `${describeObject(operation, name)} is protected by \`deletionProtection\`${protector(ports)} and is not deleted`,
    {
      advice: `To delete it, ${recordOptionFirstAdvice(call, "`deletionProtection: false`")}`,
      topic: "the-object-is-protected",
    },
  );
}

/**
 * Refuses a change that would replace a protected object. Unknown values may turn out unchanged. Notes a record without
 * protection, for the delete of the object that it has replaced.
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
      advice: "Set the field back, or run `up` with `deletionProtection: false` alone before the change.",
      topic: "the-object-is-protected",
    },
  );
}

/**
 * What `attempt` refuses, in words, where it can be known ahead of the delete; undefined where nothing stands against
 * it. A service that cannot be asked is asked again by the delete itself. Looks at what is recorded first: most objects
 * need no request.
 */
export async function predictRejection(
  spec: ResourceSpec,
  recorded: Values,
  attempt: () => Promise<void>,
): Promise<string | undefined> {
  const mayBeRefused = isProtected(spec, recorded) || (spec.singleton && removalOf(recorded) !== "retain");
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
 * What is recorded decides, so that an option is recorded first: with this resource as the only target, since an `up`
 * of everything makes again what the same command has deleted.
 */
export const recordOptionFirstAdvice = ({ hidden }: Call, option: string): string =>
  `declare it with ${option}, run \`up --target '**:${typeAndName(hidden.urn)}'\`, and delete again.`;

/** `Deployment::chat`: the type without its package, and the name. */
const typeAndName = (urn: string): string => urn.slice(urn.lastIndexOf(":", urn.lastIndexOf("::") - 1) + 1);
