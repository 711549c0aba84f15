import type { ResourceSpec } from "../../core/declaration/resource";
import { isModelPlatformError, ModelPlatformError, messageOf } from "../../core/errors";
import { createMessage } from "../../core/requests/wire";
import { lastSegment } from "../../core/values/names";
import { containsUnknown } from "../../core/values/unknowns";
import { automaticId, chosenId } from "../identity/ids";
import { directivesOf, openSession, optionsOf, withSources } from "../operation/operation";
import type { Declared } from "../ports/memory";
import type { World } from "../ports/ports";
import { absentSources } from "../sources/absent-sources";
import type { Call, Values } from "../types";
import { deletesHard } from "./deletion-mode";

/**
 * An attempt that no create makes, so that a validation meets neither the object that is to be replaced nor any other.
 */
const nobody = -1;

/**
 * Why the service would refuse to make what takes the place of an object that goes first; undefined where
 * it would not. Asks the service itself where its create has `validateOnly`, and judges by reads
 * otherwise. What is not known yet cannot be judged.
 */
async function refusalOfSuccessor(
  world: World,
  spec: ResourceSpec,
  call: Call,
  inputs: Values,
): Promise<string | undefined> {
  if (containsUnknown(inputs)) return undefined;
  const account = String(inputs["accountId"] ?? (await world.defaultAccount()));
  const session = await openSession(world, spec, call, account, "create", inputs);
  const { validate } = session.objects;
  if (!validate) {
    const { failures } = await world.judge({ spec, account, olds: {}, inputs, signal: call.signal });
    return failures.length === 0
      ? undefined
      : failures.map(({ property, reason }) => `${property}: ${reason}`).join("; ");
  }
  const message = createMessage(spec, await withSources(session, inputs));
  try {
    await validate(message, automaticId(call.hidden, account, nobody), directivesOf(spec, inputs), optionsOf(session));
    return undefined;
  } catch (error) {
    if (!isModelPlatformError(error)) throw error;
    return messageOf(error);
  }
}

/** Refuses a delete that comes before a create which the service would refuse: the old object stays as it is. */
export async function requireSuccessor(
  world: World,
  spec: ResourceSpec,
  call: Call,
  name: string,
  recorded: Values,
): Promise<void> {
  const refusal =
    refusalOfId(world, spec, call, name, recorded) ??
    (await absentFrom(world, spec, call)) ??
    (await refusalOfDeclared(world, spec, call));
  if (refusal === undefined) return;
  throw new ModelPlatformError(
    `${spec.kind} ${name} is not deleted, because its replacement would be refused: ${refusal}`,
    { advice: "Correct the program and run `up` again; the object is untouched." },
  );
}

/** The declaration of another object in this one's place, decided on and not made yet. */
function successorToMake({ memory }: Pick<World, "memory">, { hidden }: Pick<Call, "hidden">): Declared | undefined {
  const given = memory.declared.get(hidden.urn);
  return given && !given.continues && !memory.current.has(hidden.urn) ? given : undefined;
}

/** Its value or its files may be on another machine. */
async function absentFrom(world: World, spec: ResourceSpec, call: Call): Promise<string | undefined> {
  const given = successorToMake(world, call);
  return given && (await absentSources(world, spec, given.inputs))[0];
}

/** A deleted object may keep its id: for good, or until it is purged (A042, A072). */
function refusalOfId(
  { memory }: World,
  spec: ResourceSpec,
  { hidden }: Call,
  name: string,
  recorded: Values,
): string | undefined {
  const given = successorToMake({ memory }, { hidden });
  if (!given) return undefined;
  if (chosenId(spec, given.inputs) !== lastSegment(name)) return undefined;
  if (spec.deletion === "forever") return "the id of a deleted one is never free again; give another id, or drop it";
  const isFreed = deletesHard(spec, recorded) || given.inputs["onSoftDeletedConflict"] === "hardDelete";
  if (spec.deletion !== "soft" || isFreed) return undefined;
  return 'its id stays taken until the deleted object is purged; set `onSoftDeletedConflict: "hardDelete"`, or run `up` with `deletionMode: "hard"` first';
}

/** What a preview tells as well: a check that follows a diff by which the old object goes first. */
export async function refusalAfterDiff(world: World, spec: ResourceSpec, call: Call): Promise<string | undefined> {
  if (!world.memory.declared.get(call.hidden.urn)?.takesPlace) return undefined;
  const refusal = await refusalOfDeclared(world, spec, call);
  return refusal && `the object stays as it is, because its replacement would be refused: ${refusal}`;
}

/** Asks once per declaration, and only where the engine has decided on another object that is not made yet. */
async function refusalOfDeclared(world: World, spec: ResourceSpec, call: Call): Promise<string | undefined> {
  const given = successorToMake(world, call);
  if (!given || given.isPossible) return undefined;
  const refusal = await refusalOfSuccessor(world, spec, call, given.inputs);
  if (refusal === undefined) world.memory.declared.set(call.hidden.urn, { ...given, isPossible: true });
  return refusal;
}
