import { type Change, changesBetween } from "../../core/comparison/diff";
import { optionsIn } from "../../core/declaration/options";
import { standing } from "../../core/declaration/states";
import { ModelPlatformError } from "../../core/errors";
import { stackOf } from "../identity/ids";
import { toSecond } from "../identity/notes";
import { type Operation, titleOf, withSources } from "../operation/operation";
import { untilAtRest } from "../operation/rest";
import { refuseStranger } from "../ownership/ownership";
import { applyChanges } from "../patching/apply";
import type { Intent } from "../ports/intents";
import type { LiveObject } from "../ports/objects";
import { digestsOf } from "../sources/digests";
import type { Values } from "../types";
import { writeTaken } from "./send";

/** An object that exists already becomes this declaration's. `adopted` ones are retained when the declaration goes. */
export interface Taken {
  object: LiveObject;
  adopted: boolean;
}

const listed = (changes: readonly Change[]): string => changes.map((change) => `\`${change.path}\``).join(", ");

/**
 * Makes an object that an interrupted run of this declaration left behind what the program now says: what cannot change
 * must agree, the rest is patched, and values that are never answered are always written.
 */
export async function takeOver(operation: Operation, found: LiveObject, inputs: Values): Promise<Taken> {
  const live =
    standing(operation.spec.lifecycle, found) === "moving" && !isJob(operation)
      ? ((await untilAtRest(operation, found)) ?? found)
      : found;
  refuseUnlike(operation, live, inputs);
  return {
    object: await applyChanges(operation, live, inputs, { accountId: operation.objects.account }, true),
    adopted: false,
  };
}

/** Whether the program says that the object may be there. */
export const mayAdopt = ({ adopt }: Values): boolean => adopt !== undefined && adopt !== "never";

/**
 * Takes over an object that the program says may be there: `ifEqual` only as it is, `overwrite` by making it so.
 * `intent` is what is known of this declaration.
 */
export async function adopt(
  operation: Operation,
  live: LiveObject,
  inputs: Values,
  intent: Intent | undefined,
): Promise<Taken> {
  const name = live.name;
  const mode = optionsIn(inputs).adopt ?? (operation.spec.singleton ? "ifEqual" : "never");
  if (mode === "never" && intent?.settled === true && intent.name === name) {
    throw new ModelPlatformError(
      `${titleOf(operation, name)} was already created by this declaration, and there can be no second one beside it`,
      {
        advice:
          'To replace it, set `deleteBeforeReplace: true` in the options of the resource; where the state has lost it, set `adopt: "overwrite"`.',
      },
    );
  }
  refuseStranger(operation, live);
  if (mode === "never") {
    const maker = await findMaker(operation, live);
    throw new ModelPlatformError(`${titleOf(operation, name)} already exists and was not created by this declaration`, {
      advice: maker
        ? `This stack made it as ${maker}. If that was renamed, give this resource an alias of its old name (\`aliases\`), or set \`adopt: "overwrite"\`.`
        : 'Set `adopt: "ifEqual"` to take it over as it is, `adopt: "overwrite"` to take it over and change it, or choose another id.',
    });
  }
  refuseHeld(operation, name);
  refuseUnlike(operation, live, inputs);
  if (mode === "ifEqual") {
    const unlike = differing(operation, live, inputs).filter((change) => change.effect === "update");
    if (unlike.length > 0) {
      throw new ModelPlatformError(
        `${titleOf(operation, name)} exists and differs from the program in ${listed(unlike)}`,
        {
          advice: 'Make the program agree, or set `adopt: "overwrite"` to change the object.',
        },
      );
    }
  }
  const spared = sparedFields(operation, inputs);
  const writesSecrets = operation.spec.fields.message.some(
    (field) => field.markers.inputOnly && !spared.has(field.name),
  );
  const adopted = (await findMaker(operation, live)) === undefined;
  await writeTaken(operation, inputs, name);
  if (mode === "ifEqual" && !writesSecrets) return { object: live, adopted };
  const digests =
    spared.size > 0
      ? digestsOf(operation.spec, await withSources(operation, inputs), (bytes) => operation.ports.randomHex(bytes))
      : {};
  return {
    object: await applyChanges(
      operation,
      live,
      inputs,
      { accountId: operation.objects.account, digests },
      writesSecrets,
    ),
    adopted,
  };
}

/** One object is never two resources': a second one would undo what the first does, and delete it for both. */
function refuseHeld({ ports, call, spec }: Operation, name: string): void {
  const holder = ports.claims.holderOf(name, call.hidden.urn);
  if (holder === undefined) return;
  throw new ModelPlatformError(`${spec.kind} ${name} belongs to ${holder} of the same program`, {
    advice: "Remove one of the two resources, or give this one another id.",
  });
}

/**
 * The other declaration of this stack that made the object, as far as notes tell. Taken over from
 * there, the object is not adopted: it goes with this declaration from now on. That other one is not
 * declared any longer, or it would hold the object.
 */
async function findMaker({ ports, call, objects }: Operation, live: LiveObject): Promise<string | undefined> {
  const notes = await ports.intents.naming(objects.origin, objects.account, live.name);
  const note = notes.find(
    ({ urn, taken, clock }) =>
      urn !== call.hidden.urn &&
      taken === undefined &&
      stackOf(urn) === stackOf(call.hidden.urn) &&
      Date.parse(String(live["createTime"] ?? "")) >= toSecond(clock ?? Number.POSITIVE_INFINITY),
  );
  return note?.of ?? note?.urn;
}

/** Fields that cannot be compared, and that the program says to leave as they are. */
function sparedFields({ spec }: Operation, inputs: Values): Set<string> {
  return new Set(
    spec.fields.behaviours.flatMap(({ name, markers }) =>
      markers.spares !== undefined && inputs[name] === "keep" ? [markers.spares] : [],
    ),
  );
}

const differing = (operation: Operation, live: LiveObject, inputs: Values): Change[] =>
  changesBetween(operation.spec, { ...live, accountId: operation.objects.account }, inputs);

/** A job only ever moves; there is nothing to wait for before it can be taken over. */
const isJob = (operation: Operation): boolean => operation.spec.operations.update === undefined;

function refuseUnlike(operation: Operation, live: LiveObject, inputs: Values): void {
  const unlike = differing(operation, live, inputs).filter(
    (change) => change.effect === "replace" && change.property !== "state" && !isOption(operation, change),
  );
  if (unlike.length === 0) return;
  throw new ModelPlatformError(
    `${titleOf(operation, live.name)} exists and differs from the program in ${listed(unlike)}, which cannot change`,
    {
      advice: "Delete it if it is not needed, choose another id, or make the program agree.",
    },
  );
}

const isOption = (operation: Operation, change: Change): boolean =>
  operation.spec.fields.behaviours.some((field) => field.name === change.property);
