import { changesBetween, type FieldChange } from "../../core/comparison/diff";
import { withOpenWait } from "../../core/comparison/recorded";
import { optionsIn } from "../../core/declaration/own-fields";
import type { ResourceSpec } from "../../core/declaration/resource";
import { phaseOf } from "../../core/declaration/states";
import type { ErrorAnswers } from "../../core/error-codes";
import { ModelPlatformError, mayHaveCreated } from "../../core/errors";
import { lastSegment } from "../../core/values/names";
import { applyChanges, toInitFailedError } from "../changes/patch";
import { freeing, recoveringUp, stackCommand } from "../commands";
import { idSourceOf } from "../memory/identity";
import type { CreateOperation, Operation } from "../operation";
import { assertNotForeign } from "../ownership/owner";
import type { Adopt } from "../ownership/verdicts";
import type { LiveObject } from "../ports";
import { digestsOf } from "../sources";
import { InitFailedError, type Values } from "../types";
import { waitUntilSettled } from "../waiting/operation-waits";
import { send } from "./send";

/** An existing object that becomes this declaration's. Adopted objects are retained when the declaration is removed. */
export interface Placement {
  object: LiveObject;
  adopted: boolean;
  /** Another record of it may be left: of an interrupted run, or of the object that this create replaces. */
  takenOver?: true;
  /** It existed before this declaration began anything: a timeout does not delete it. */
  existed?: true;
}

const joinPaths = (changes: readonly FieldChange[]): string => changes.map((change) => `\`${change.path}\``).join(", ");

/**
 * Takes over an object that an interrupted run of this declaration left behind: immutable fields must agree, the rest
 * is patched, and values that responses never contain are always written.
 */
export async function takeOver(operation: CreateOperation, existing: LiveObject, inputs: Values): Promise<Placement> {
  // A job, which is never updated, needs no waiting.
  const live =
    phaseOf(operation.spec.lifecycle, existing) === "moving" && operation.spec.operations.update !== undefined
      ? ((await waitUntilSettled(operation, existing)) ?? existing)
      : existing;
  assertEqualForAdopt(
    operation,
    live,
    inputs,
    `If the state holds it, run ${stackCommand(operation, "up", "--refresh")}; if not, declare it as it is${orAnother(operation, inputs)}`,
    {
      refresh: true,
      ...(idSourceOf(operation.spec, inputs) === "automatic" ? { recover: ["new"] } : { otherId: true }),
    },
  );
  const known = { accountId: operation.objects.account, rewritesUnanswered: true };
  const object = await whileClaiming(operation, live.name, () => applyChanges(operation, live, inputs, known));
  return { object, adopted: false, takenOver: true };
}

/** How another object can stand beside it. */
const orAnother = (operation: Operation, inputs: Values): string =>
  idSourceOf(operation.spec, inputs) === "automatic"
    ? `, leave it and create another with ${recoveringUp(operation, "new")}`
    : ", choose another id";

/** Whether the program allows the object to exist already. */
export const mayAdopt = ({ adopt }: Values): boolean => adopt !== undefined && adopt !== "never";

/** How an existing object is adopted. */
interface AdoptOptions {
  mode: Adopt;
  /** This declaration held it before, so that it is not adopted. */
  isOwn?: boolean;
}

/** Adopts an existing object as the program allows: `ifEqual` only if it agrees, `overwrite` by changing it. */
export async function adopt(
  operation: CreateOperation,
  live: LiveObject,
  inputs: Values,
  how: AdoptOptions,
): Promise<Placement> {
  const taken = await whileClaiming(operation, live.name, () => adoptAs(operation, live, inputs, how));
  if (taken.adopted) reportAdopted(operation, live.name, how.mode);
  return taken;
}

/** Engines have no term for adoption: they report a create. */
export const reportAdopted = (operation: Operation, name: string, mode: unknown): void =>
  operation.call.reporter.info(
    `${operation.title(name)} existed and was adopted${mode === "overwrite" ? "; it is now what the program says" : " as it was"}`,
  );

async function adoptAs(
  operation: Operation,
  live: LiveObject,
  inputs: Values,
  { mode, isOwn = false }: AdoptOptions,
): Promise<Placement> {
  assertEqualForAdopt(operation, live, inputs);
  if (mode === "ifEqual") {
    const unlike = differingFields(operation, live, inputs).filter((change) => change.effect === "update");
    if (unlike.length > 0) {
      throw new ModelPlatformError(
        `${operation.title(live.name)} exists and differs from the program in ${joinPaths(unlike)}`,
        {
          code: "differs",
          about: { object: live.name },
          answers: { adopt: ["overwrite"] },
          advice: 'Make the program agree, or set `adopt: "overwrite"` to change the object.',
          topic: "the-object-already-exists",
        },
      );
    }
  }
  const spared = fieldsKeptOnAdopt(operation, inputs);
  const writesSecrets = operation.spec.fields.message.some(
    (field) => field.markers.inputOnly && !spared.has(field.name),
  );
  if (mode === "ifEqual" && !writesSecrets) return { object: live, adopted: !isOwn, takenOver: true, existed: true };
  const digests =
    spared.size > 0
      ? digestsOf(operation.spec, await operation.withSources(inputs), (bytes) => operation.ports.randomHex(bytes))
      : {};
  const known = { accountId: operation.objects.account, digests, rewritesUnanswered: writesSecrets };
  return {
    object: await applyChanges(operation, live, inputs, known),
    adopted: !isOwn,
    takenOver: true,
    existed: true,
  };
}

/**
 * No two resources share an object: the second would undo the changes of the first, and deleting either would delete it
 * for both. This declaration claims it as soon as the take-over begins, and until that fails.
 */
async function whileClaiming<Result>(
  operation: CreateOperation,
  name: string,
  action: () => Promise<Result>,
): Promise<Result> {
  assertNotHeld(operation, name);
  const undo = operation.resource.claimExisting(name);
  try {
    return await action();
  } catch (error) {
    if (!(error instanceof InitFailedError)) undo();
    throw error;
  }
}

/** Fields that cannot be compared and that the program asks to keep. */
function fieldsKeptOnAdopt({ spec }: Operation, inputs: Values): Set<string> {
  return new Set(
    spec.fields.behaviours.flatMap(({ name, markers }) =>
      markers.spares !== undefined && inputs[name] === "keep" ? [markers.spares] : [],
    ),
  );
}

const differingFields = (operation: Operation, live: LiveObject, inputs: Values): FieldChange[] =>
  changesBetween(operation.spec, { ...live, accountId: operation.objects.account }, inputs);

/** What the program declares and the object cannot become. */
export const unchangeableFields = (operation: Operation, live: LiveObject, inputs: Values): FieldChange[] =>
  differingFields(operation, live, inputs).filter(
    ({ effect, property }) =>
      effect === "replace" &&
      property !== "state" &&
      !operation.spec.fields.behaviours.some((option) => option.name === property),
  );

function assertEqualForAdopt(
  operation: Operation,
  live: LiveObject,
  inputs: Values,
  otherWay = "Choose another id",
  answers: ErrorAnswers = { otherId: true },
): void {
  const unlike = unchangeableFields(operation, live, inputs);
  if (unlike.length === 0) return;
  throw new ModelPlatformError(
    `${operation.title(live.name)} exists and differs from the program in ${joinPaths(unlike)}, which cannot change`,
    {
      code: "cannot-become",
      about: { object: live.name },
      answers: { ...answers, ...(freeing(operation.spec, live.name) !== undefined && { delete: true }) },
      advice: `${otherWay}${orDelete(operation.spec, live.name)}. Then run ${stackCommand(operation, "up")}.`,
      topic: "the-object-already-exists",
    },
  );
}

/** The way out that frees the id of an object, where there is one. */
export function orDelete(spec: ResourceSpec, name: string): string {
  const command = freeing(spec, name);
  return command === undefined ? "" : `, or delete it with ${command}`;
}

/** Rejects where another declaration of this run has the object, whoever created it. */
export function assertNotHeld(operation: Operation, name: string): void {
  const { resource, spec } = operation;
  const holder = resource.otherHolderOf(name);
  if (holder === undefined) return;
  throw new ModelPlatformError(`${spec.kind} ${name} belongs to ${holder} of the same program`, {
    code: "held-by-another",
    about: { object: name, resource: holder },
    answers: { again: true, otherId: true },
    advice: `If that one gives it up in the same command, run ${stackCommand(operation, "up")}; otherwise give this one another id.`,
    topic: "another-declaration-has-the-object",
  });
}

/** Purges a deleted object that has the id, or undeletes it, as the program says. */
export async function replaceTombstone(
  operation: CreateOperation,
  tombstone: LiveObject,
  inputs: Values,
): Promise<Placement> {
  const { spec, objects } = operation;
  const { name } = tombstone;
  const id = lastSegment(name);
  if (spec.deletion === "forever")
    throw new ModelPlatformError(`the id \`${id}\` belongs to a deleted ${spec.kind} and can never be reused`, {
      code: "id-used-up",
      advice: `Give another \`${spec.fields.resourceId?.name}\`, or drop it for an automatic one.`,
    });
  const mode = optionsIn(inputs).onSoftDeletedConflict;
  if (mode === "hardDelete" || mode === "undelete") assertNotForeign(operation, tombstone);
  switch (mode) {
    case "hardDelete":
      await objects.remove(name, { hard: true });
      return { object: await send(operation, inputs, id), adopted: false };
    case "undelete":
      return bringBack(operation, tombstone, inputs);
    default:
      throw new ModelPlatformError(
        `${operation.title(name)} is soft-deleted until ${String(tombstone["purgeTime"] ?? "it is purged")}, and its id is taken until then`,
        {
          code: "soft-deleted",
          advice:
            'Set `onSoftDeletedConflict: "undelete"` to bring it back, `"hardDelete"` to remove it for good, or choose another id.',
        },
      );
  }
}

/**
 * Undeletes a tombstone that can become what the program declares. Any later failure is recorded with the object, so
 * that it is not orphaned.
 */
async function bringBack(operation: CreateOperation, tombstone: LiveObject, inputs: Values): Promise<Placement> {
  const { name } = tombstone;
  assertEqualForAdopt(operation, tombstone, inputs);
  const live = await undelete(operation, name);
  operation.resource.recordObject(name, inputs);
  try {
    return await takeOver(operation, live, inputs);
  } catch (error) {
    throw error instanceof InitFailedError
      ? error
      : toInitFailedError(name, withOpenWait(operation.spec, inputs, await operation.outputs(inputs, live, {})), error);
  }
}

/** The undeleted object, even if the response of the undelete was lost. */
async function undelete(operation: Operation, name: string): Promise<LiveObject> {
  const { objects, spec } = operation;
  try {
    return { ...(await objects.verb(name, "undelete", {})), name };
  } catch (error) {
    const live = mayHaveCreated(error) ? await objects.find(name) : undefined;
    if (!live || phaseOf(spec.lifecycle, live) === "gone") throw error;
    return live;
  }
}
