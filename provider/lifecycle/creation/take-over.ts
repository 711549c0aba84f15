import { changesBetween, type FieldChange } from "../../core/comparison/diff";
import { optionsIn } from "../../core/declaration/options";
import { phaseOf } from "../../core/declaration/states";
import { ModelPlatformError } from "../../core/errors";
import { removalCommand } from "../deletion/removal-command";
import {
  type CreateOperation,
  outputsOf,
  type ResourceOperation,
  requestOptions,
  titleOf,
  withSources,
} from "../operation/operation";
import { untilAtRest } from "../operation/rest";
import { writeFactOf } from "../ownership/facts";
import { refuseStranger } from "../ownership/ownership";
import { type Whose, whose } from "../ownership/whose";
import { applyChanges, initFailure } from "../patching/apply";
import type { LiveObject } from "../ports/objects";
import { digestsOf } from "../sources/digests";
import { InitFailedError, type Values } from "../types";
import { mayHaveBeenMade } from "./lost-answer";

/** An existing object that becomes this declaration's. Adopted objects are retained when the declaration is removed. */
export interface Placement {
  object: LiveObject;
  adopted: boolean;
  /** Another record of it may be left: of an interrupted run, or the one that this create is to replace. */
  takenOver?: true;
  /** It stood before this declaration began anything: it is not given up for being late. */
  existed?: true;
}

const listed = (changes: readonly FieldChange[]): string => changes.map((change) => `\`${change.path}\``).join(", ");

/**
 * Takes over an object that an interrupted run of this declaration left behind: immutable fields must agree, the rest
 * is patched, and values that the service never answers are always written.
 */
export async function takeOver(operation: CreateOperation, found: LiveObject, inputs: Values): Promise<Placement> {
  const live =
    phaseOf(operation.spec.lifecycle, found) === "moving" && !isJob(operation)
      ? ((await untilAtRest(operation, found)) ?? found)
      : found;
  refuseUnlike(operation, live, inputs, "Run `up --refresh` if the state holds it");
  const known = { accountId: operation.objects.account, rewritesUnanswered: true };
  const object = await having(operation, live.name, () => applyChanges(operation, live, inputs, known));
  return { object, adopted: false, takenOver: true };
}

/**
 * Undeletes a tombstone that can become what the program declares. Whatever fails after that is recorded with the
 * object, so that it is not orphaned.
 */
export async function bringBack(operation: CreateOperation, tombstone: LiveObject, inputs: Values): Promise<Placement> {
  const { name } = tombstone;
  refuseUnlike(operation, tombstone, inputs);
  const live = await undelete(operation, name);
  operation.resource.hold(name, inputs);
  try {
    return await takeOver(operation, live, inputs);
  } catch (error) {
    throw error instanceof InitFailedError
      ? error
      : initFailure(name, await outputsOf(operation, inputs, live, {}), error);
  }
}

/** The object that is there again, also where the answer that says so was lost. */
async function undelete(operation: ResourceOperation, name: string): Promise<LiveObject> {
  const { objects, spec } = operation;
  try {
    return { ...(await objects.verb(name, "undelete", {}, requestOptions(operation))), name };
  } catch (error) {
    const found = mayHaveBeenMade(error) ? await objects.find(name, requestOptions(operation)) : undefined;
    if (!found || phaseOf(spec.lifecycle, found) === "gone") throw error;
    return found;
  }
}

/** An object that another declaration of this run has is not taken from it, whoever made it. */
export function refuseHeld({ ports, call, spec }: ResourceOperation, name: string): void {
  const holder = ports.claims.holderOf(name, call.hidden.urn);
  if (holder === undefined) return;
  throw new ModelPlatformError(`${spec.kind} ${name} belongs to ${holder} of the same program`, {
    advice: "Run `up` again if that one gives it up in the same command, or give this one another id.",
    topic: "another-declaration-has-the-object",
  });
}

/** Whether the program allows the object to exist already. */
export const mayAdopt = ({ adopt }: Values): boolean => adopt !== undefined && adopt !== "never";

/**
 * Adopts an existing object as the program allows: `ifEqual` only if it agrees, `overwrite` by changing it. What a
 * state has held for another declaration of the stack is that one's: an alias says that the two are one.
 */
export async function adopt(operation: CreateOperation, live: LiveObject, inputs: Values): Promise<Placement> {
  const { name } = live;
  const { singleton } = operation.spec;
  const mode = optionsIn(inputs).adopt ?? (singleton ? "ifEqual" : "never");
  refuseHeld(operation, name);
  const judged = await whose(operation, live, inputs);
  if (mode === "never" && judged.is === "held" && !judged.object.adopted) {
    throw new ModelPlatformError(
      `${titleOf(operation, name)} was already created by this declaration, and only one such object can exist at a time`,
      {
        advice:
          'Set `deleteBeforeReplace: true` to replace it, `adopt: "overwrite"` if the state has lost it, or choose another id.',
        topic: "the-object-already-exists",
      },
    );
  }
  refuseStranger(operation, live);
  const isAnothers = judged.is === "another's" && !judged.adopted && !singleton;
  const isHeld = isAnothers && !judged.begun;
  if (mode === "never" || (isHeld && operation.ports.recover !== "take")) {
    if (judged.is === "nobody's" && !judged.seen && !singleton) await writeFactOf(operation, "seen", live);
    const byAnother = isAnothers ? `: this stack created it as ${judged.urn}` : "";
    throw new ModelPlatformError(
      `${titleOf(operation, name)} already exists and was not created by this declaration${byAnother}`,
      {
        advice: isAnothers
          ? `Add the old name to \`aliases\` if the resource was renamed, or ${isHeld ? "choose another id" : 'set `adopt: "overwrite"`'}.`
          : 'Set `adopt: "ifEqual"` to take it over as it is, `adopt: "overwrite"` to take it over and change it, or choose another id.',
        topic: isAnothers ? "another-declaration-has-the-object" : "the-object-already-exists",
      },
    );
  }
  const taken = await having(operation, name, () => adoptAs(operation, live, inputs, { mode, judged }));
  if (taken.adopted) reportAdopted(operation, name, mode);
  return taken;
}

/** Engines have no term for adoption: they say that the object was created. */
export const reportAdopted = (operation: ResourceOperation, name: string, mode: unknown): void =>
  operation.call.reporter.info(
    `${titleOf(operation, name)} existed and was adopted${mode === "overwrite" ? "; it is now what the program says" : " as it was"}`,
  );

async function adoptAs(
  operation: ResourceOperation,
  live: LiveObject,
  inputs: Values,
  { mode, judged }: { mode: "ifEqual" | "overwrite"; judged: Whose },
): Promise<Placement> {
  refuseUnlike(operation, live, inputs);
  if (mode === "ifEqual") {
    const unlike = differing(operation, live, inputs).filter((change) => change.effect === "update");
    if (unlike.length > 0) {
      throw new ModelPlatformError(
        `${titleOf(operation, live.name)} exists and differs from the program in ${listed(unlike)}`,
        {
          advice: 'Make the program agree, or set `adopt: "overwrite"` to change the object.',
          topic: "the-object-already-exists",
        },
      );
    }
  }
  const spared = sparedFields(operation, inputs);
  const writesSecrets = operation.spec.fields.message.some(
    (field) => field.markers.inputOnly && !spared.has(field.name),
  );
  const isOwn = (judged.is === "held" && !judged.object.adopted) || (judged.is === "another's" && !judged.adopted);
  if (judged.is === "nobody's" && !operation.spec.singleton) await writeFactOf(operation, "seen", live);
  if (mode === "ifEqual" && !writesSecrets) return { object: live, adopted: !isOwn, takenOver: true, existed: true };
  const digests =
    spared.size > 0
      ? digestsOf(operation.spec, await withSources(operation, inputs), (bytes) => operation.ports.randomHex(bytes))
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
 * for both. This one has it as soon as it begins to take it over, and until that fails.
 */
async function having<Result>(operation: CreateOperation, name: string, take: () => Promise<Result>): Promise<Result> {
  refuseHeld(operation, name);
  const undo = operation.resource.take(name);
  try {
    return await take();
  } catch (error) {
    if (!(error instanceof InitFailedError)) undo();
    throw error;
  }
}

/** Fields that cannot be compared and that the program asks to keep. */
function sparedFields({ spec }: ResourceOperation, inputs: Values): Set<string> {
  return new Set(
    spec.fields.behaviours.flatMap(({ name, markers }) =>
      markers.spares !== undefined && inputs[name] === "keep" ? [markers.spares] : [],
    ),
  );
}

const differing = (operation: ResourceOperation, live: LiveObject, inputs: Values): FieldChange[] =>
  changesBetween(operation.spec, { ...live, accountId: operation.objects.account }, inputs);

/** Whether the object is a job, which needs no waiting before it is taken over. */
const isJob = (operation: ResourceOperation): boolean => operation.spec.operations.update === undefined;

/** What the object cannot become that the program declares. */
export const unchangeable = (operation: ResourceOperation, live: LiveObject, inputs: Values): FieldChange[] =>
  differing(operation, live, inputs).filter(
    (change) => change.effect === "replace" && change.property !== "state" && !isOption(operation, change),
  );

function refuseUnlike(
  operation: ResourceOperation,
  live: LiveObject,
  inputs: Values,
  otherWay = "Choose another id",
): void {
  const unlike = unchangeable(operation, live, inputs);
  if (unlike.length === 0) return;
  throw new ModelPlatformError(
    `${titleOf(operation, live.name)} exists and differs from the program in ${listed(unlike)}, which cannot change`,
    {
      advice: `${otherWay}, or delete it with ${removalCommand(operation.spec, live.name)}.`,
      topic: "the-object-already-exists",
    },
  );
}

const isOption = (operation: ResourceOperation, change: FieldChange): boolean =>
  operation.spec.fields.behaviours.some((field) => field.name === change.property);
