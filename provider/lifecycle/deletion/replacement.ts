import { accountIdOf } from "../../api/settings/credentials";
import { optionsIn } from "../../core/declaration/options";
import type { ResourceSpec } from "../../core/declaration/resource";
import { isModelPlatformError, ModelPlatformError, messageOf } from "../../core/errors";
import { lastSegment } from "../../core/values/names";
import { containsUnknown } from "../../core/values/unknowns";
import { createMessage } from "../../core/wire";
import { automaticId, chosenId } from "../identity";
import {
  type CallContext,
  type DeleteOperation,
  directivesOf,
  requestOptions,
  startOperation,
  withSources,
} from "../operation/operation";
import type { ObjectCollection } from "../ports/objects";
import type { Successor } from "../run/views";
import { absentSources } from "../sources/files";
import type { Values } from "../types";
import { isHardDelete } from "./protection";

/**
 * An attempt that no create makes, so that a validation meets neither the object that is to be replaced nor any other.
 */
const validationAttempt = -1;

/** Refuses a delete before a create that the service would refuse: the old object stays as it is. */
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
    { advice: "Correct the program and run `up` again; the object is untouched." },
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

type MayAsk = (objects: ObjectCollection) => boolean;

/** Asks until the service has said once that it would make it. */
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
 * Why the service would refuse to make what takes the place of an object that goes first; undefined where
 * it would not. Asks the service itself where its create has `validateOnly`, and judges by reads otherwise: a preview
 * never sends a create that the service might obey. What is not known yet cannot be judged.
 */
async function judge(
  context: CallContext,
  inputs: Values,
  mayAsk: MayAsk,
): Promise<{ refusal?: string | undefined; isFinal: boolean }> {
  if (containsUnknown(inputs)) return { isFinal: false };
  const { ports, spec, call } = context;
  const account = String(optionsIn(inputs).accountId ?? accountIdOf(ports.settings));
  const operation = startOperation(context, { account, verb: "create", values: inputs });
  const { validate } = operation.objects;
  if (!validate || !mayAsk(operation.objects)) {
    const { failures } = await ports.preflight({ spec, account, olds: {}, inputs, signal: call.signal });
    const reasons = failures.map(({ property, reason }) => `${property}: ${reason}`);
    return { refusal: reasons.length > 0 ? reasons.join("; ") : undefined, isFinal: !validate };
  }
  const message = createMessage(spec, await withSources(operation, inputs));
  try {
    await validate(
      message,
      automaticId(call.hidden, account, validationAttempt),
      directivesOf(spec, inputs),
      requestOptions(operation),
    );
    return { isFinal: true };
  } catch (error) {
    if (!isModelPlatformError(error)) throw error;
    return { refusal: messageOf(error), isFinal: true };
  }
}
