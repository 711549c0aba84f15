import { optionsIn } from "../../core/declaration/options";
import type { ResourceSpec } from "../../core/declaration/resource";
import { isModelPlatformError, ModelPlatformError, messageOf } from "../../core/errors";
import { createMessage } from "../../core/requests/wire";
import { lastSegment } from "../../core/values/names";
import { containsUnknown } from "../../core/values/unknowns";
import { automaticId, chosenId } from "../identity/ids";
import { beginOperation, directivesOf, requestOptions, withSources } from "../operation/operation";
import type { UrnDeclaration } from "../ports/memory";
import type { Objects } from "../ports/objects";
import type { Ports } from "../ports/ports";
import { absentSources } from "../sources/absent-sources";
import type { Call, Values } from "../types";
import { deletesHard } from "./deletion-mode";

/**
 * An attempt that no create makes, so that a validation meets neither the object that is to be replaced nor any other.
 */
const validationAttempt = -1;

/**
 * Why the service would refuse to make what takes the place of an object that goes first; undefined where
 * it would not. Asks the service itself where its create has `validateOnly`, and judges by reads otherwise: a preview
 * never sends a create that the service might obey. What is not known yet cannot be judged.
 */
async function refusalOfSuccessor(
  ports: Ports,
  spec: ResourceSpec,
  call: Call,
  inputs: Values,
  mayAsk: (objects: Objects) => boolean,
): Promise<{ refusal?: string; isFinal: boolean }> {
  if (containsUnknown(inputs)) return { isFinal: false };
  const account = String(optionsIn(inputs).accountId ?? (await ports.defaultAccount()));
  const operation = await beginOperation(ports, spec, call, account, "create", inputs);
  const { validate } = operation.objects;
  if (!validate || !mayAsk(operation.objects)) {
    const { failures } = await ports.judge({ spec, account, olds: {}, inputs, signal: call.signal });
    const refusal = failures.map(({ property, reason }) => `${property}: ${reason}`).join("; ");
    return { isFinal: !validate, ...(failures.length > 0 && { refusal }) };
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

/** Refuses a delete before a create that the service would refuse: the old object stays as it is. */
export async function requireSuccessor(
  ports: Ports,
  spec: ResourceSpec,
  call: Call,
  name: string,
  recorded: Values,
): Promise<void> {
  const refusal =
    refusalOfId(ports, spec, call, name, recorded) ??
    (await absenceOfSources(ports, spec, call)) ??
    (await refusalOfDeclared(ports, spec, call, (objects) => objects.validateOnly?.() !== "ignored"));
  if (refusal === undefined) return;
  throw new ModelPlatformError(
    `${spec.kind} ${name} is not deleted, because its replacement would be refused: ${refusal}`,
    { advice: "Correct the program and run `up` again; the object is untouched." },
  );
}

/** The declaration of the object that replaces this one, decided on but not created yet. */
function successorToMake(
  { memory }: Pick<Ports, "memory">,
  { hidden }: Pick<Call, "hidden">,
): UrnDeclaration | undefined {
  const given = memory.declared.get(hidden.urn);
  return given && !given.continues && !memory.current.has(hidden.urn) ? given : undefined;
}

/** Its value or its files may be on another machine. */
async function absenceOfSources(ports: Ports, spec: ResourceSpec, call: Call): Promise<string | undefined> {
  const given = successorToMake(ports, call);
  return given && (await absentSources(ports, spec, given.inputs))[0];
}

/** A deleted object may keep its id: for good, or until it is purged (A042, A072). */
function refusalOfId(
  { memory }: Ports,
  spec: ResourceSpec,
  { hidden }: Call,
  name: string,
  recorded: Values,
): string | undefined {
  const given = successorToMake({ memory }, { hidden });
  if (!given) return undefined;
  if (chosenId(spec, given.inputs) !== lastSegment(name)) return undefined;
  if (spec.deletion === "forever") return "the id of a deleted object can never be reused; give another id, or drop it";
  const isFreed = deletesHard(spec, recorded) || optionsIn(given.inputs).onSoftDeletedConflict === "hardDelete";
  if (spec.deletion !== "soft" || isFreed) return undefined;
  return 'its id stays taken until the deleted object is purged; set `onSoftDeletedConflict: "hardDelete"`, or run `up` with `deletionMode: "hard"` first';
}

/** The same in a check that follows a diff by which the old object goes first, so that a preview tells it, too. */
export async function refusalAfterDiff(ports: Ports, spec: ResourceSpec, call: Call): Promise<string | undefined> {
  if (!ports.memory.declared.get(call.hidden.urn)?.takesPlace) return undefined;
  const refusal = await refusalOfDeclared(ports, spec, call, (objects) => objects.validateOnly?.() === "honored");
  return refusal && `the object stays as it is, because its replacement would be refused: ${refusal}`;
}

/** Checks once per declaration, and only if the engine has decided on another object that does not exist yet. */
async function refusalOfDeclared(
  ports: Ports,
  spec: ResourceSpec,
  call: Call,
  mayAsk: (objects: Objects) => boolean,
): Promise<string | undefined> {
  const given = successorToMake(ports, call);
  if (!given || given.isPossible) return undefined;
  const { refusal, isFinal } = await refusalOfSuccessor(ports, spec, call, given.inputs, mayAsk);
  if (refusal === undefined && isFinal) ports.memory.declared.set(call.hidden.urn, { ...given, isPossible: true });
  return refusal;
}
