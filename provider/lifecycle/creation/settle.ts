import { optionsIn } from "../../core/declaration/options";
import { ModelPlatformError } from "../../core/errors";
import { aliasText, type IdSource, idSourceOf, removalCommand } from "../identity";
import { type CreateOperation, type ResourceOperation, titleOf } from "../operation/operation";
import { endRefused, writeFactOf } from "../ownership/facts";
import { refuseStranger } from "../ownership/ownership";
import { type Related, relationOf } from "../ownership/relation";
import { decide, isUnrecorded } from "../ownership/verdicts";
import type { LiveObject } from "../ports/objects";
import type { Values } from "../types";
import { orphanText } from "./recovery";
import { adopt, type Placement, refuseHeld, replaceTombstone, takeOver } from "./take-over";

/** What came of the request that has met an object. */
interface Met {
  error?: unknown;
  /** What the object is to this declaration, where that is known already. */
  related?: Related;
  /** It, or an earlier one of this create, may have created the object. */
  isAnswerLost?: boolean;
}

/**
 * What becomes of a create that meets a live object, whichever way it got its id: the one place that carries out what
 * the table says. Undefined: the object is left, and the create goes on at the next id.
 */
export async function settle(
  operation: CreateOperation,
  live: LiveObject,
  inputs: Values,
  { error, isAnswerLost = false, related: known }: Met = {},
): Promise<Placement | undefined> {
  const related = known ?? (await relationOf(operation, live, inputs, { isAnswerLost }));
  const { adopt: mode = "never" } = optionsIn(inputs);
  const { recover } = operation.ports.settings;
  const id = idSourceOf(operation.spec, inputs);
  const verdict = decide(related.relation, { id, adopt: mode, recover });
  if (verdict !== "ask") await endRefused(operation, live);
  switch (verdict) {
    case "next":
      return undefined;
    case "nameAndNext":
      return void nameLeft(operation, live, related);
    case "keep":
      await writeFactOf(operation, "made", live);
      return { object: live, adopted: false };
    case "takeOver":
      return takeOverBegun(operation, live, inputs);
    case "takeBack":
      return takeBack(operation, live, inputs, related);
    case "adopt":
      return adopt(operation, live, inputs, { mode });
    case "retake":
      return adopt(operation, live, inputs, { mode, isOwn: !related.object?.adopted });
    case "revive":
      return replaceTombstone(operation, live, inputs);
    case "ask":
      throw questionAbout(operation, live, { id, because: related.because, cause: error });
    case "refuse":
      return refuse(operation, live, related);
  }
}

/** Reports an object that `recover` leaves. */
function nameLeft(operation: CreateOperation, live: LiveObject, { relation }: Related): void {
  const { call, spec } = operation;
  if (isUnrecorded(relation)) return call.reporter.warn(orphanText(spec, live.name, live));
  call.reporter.info(
    `${titleOf(operation, live.name)} has the automatic id of this declaration; it is left as it is, and another is created.`,
  );
}

/** What an interrupted run has left: written down first, so that a take-over that fails is continued. */
async function takeOverBegun(operation: CreateOperation, live: LiveObject, inputs: Values): Promise<Placement> {
  await writeFactOf(operation, "made", live);
  operation.call.reporter.warn(`${titleOf(operation, live.name)} was left by an interrupted run and is taken over.`);
  return takeOver(operation, live, inputs);
}

/** What a state has held for this declaration, or for the one of that URN. */
export async function takeBack(
  operation: CreateOperation,
  live: LiveObject,
  inputs: Values,
  { urn, object }: Pick<Related, "urn" | "object">,
): Promise<Placement> {
  const was =
    urn === undefined ? "was this resource before, and is so again" : `was ${urn} before, and is this resource now`;
  operation.call.reporter.warn(`${titleOf(operation, live.name)} ${was}.`);
  return { ...(await takeOver(operation, live, inputs)), adopted: object?.adopted === true };
}

type Refusal = (operation: ResourceOperation, live: LiveObject, related: Related) => ModelPlatformError;

/** Somebody else has created it, as far as is known. */
export const existsError = (operation: ResourceOperation, { name }: LiveObject): ModelPlatformError =>
  new ModelPlatformError(`${titleOf(operation, name)} already exists and was not created by this declaration`, {
    advice:
      'Set `adopt: "ifEqual"` to take it over as it is, `adopt: "overwrite"` to take it over and change it, or choose another id.',
    topic: "the-object-already-exists",
  });

const leftError: Refusal = (operation, { name }) =>
  new ModelPlatformError(
    `${titleOf(operation, name)} was left by an interrupted run of this declaration, and \`recover: new\` leaves it at its id`,
    {
      advice: `Choose another id, or delete it with ${removalCommand(operation.spec, name)}.`,
      topic: "an-interrupted-run-left-an-object",
    },
  );

const createdError: Refusal = (operation, live, related) =>
  related.object?.adopted
    ? existsError(operation, live)
    : new ModelPlatformError(
        `${titleOf(operation, live.name)} was already created by this declaration, and only one such object can exist at a time`,
        {
          advice:
            'Set `deleteBeforeReplace: true` to replace it, `adopt: "overwrite"` if the state has lost it, or choose another id.',
          topic: "the-object-already-exists",
        },
      );

function siblingError(otherwise: string): Refusal {
  return (operation, { name }, { urn = "" }) =>
    new ModelPlatformError(
      `${titleOf(operation, name)} already exists and was not created by this declaration: this stack created it as ${urn}`,
      {
        advice: `Give it \`${aliasText(urn, operation.call.hidden.urn)}\` if it was renamed, or ${otherwise}.`,
        topic: "another-declaration-has-the-object",
      },
    );
}

const refusals: Partial<Record<Related["relation"], Refusal>> = {
  begun: leftError,
  likely: leftError,
  recorded: createdError,
  former: createdError,
  siblingHeld: siblingError("choose another id"),
  siblingBegun: siblingError('set `adopt: "overwrite"`'),
};

/** Rejects: the object stays as it is, and only the program or a person can change that. */
function refuse(operation: ResourceOperation, live: LiveObject, related: Related): never {
  refuseStranger(operation, live);
  refuseHeld(operation, live.name);
  throw (refusals[related.relation] ?? existsError)(operation, live, related);
}

/** The error about an object that may be this declaration's: the user decides. */
function questionAbout(
  operation: ResourceOperation,
  live: LiveObject,
  { id, because, cause }: { id: IdSource; because: Related["because"]; cause: unknown },
): ModelPlatformError {
  const title = titleOf(operation, live.name);
  const topic = "an-interrupted-run-left-an-object";
  if (because === "refused")
    return new ModelPlatformError(
      `${title} was created while this create was under way and shows exactly what was sent, and the service refused the create because it exists`,
      {
        advice: `Set \`modelplatform:recover\` to \`take\` if it is yours, ${id === "automatic" ? "or to `new` to leave it and create another" : "or choose another id"}.`,
        topic,
        cause,
      },
    );
  if (because === "state")
    return new ModelPlatformError(
      `${title} exists. An interrupted run of this stack began to create it, and nothing shows whether this is the object of that run`,
      { advice: "Set `modelplatform:recover` to `take` if it is yours, or choose another id.", topic, cause },
    );
  return id === "automatic"
    ? new ModelPlatformError(
        `${title}, created at ${String(live["createTime"])}, was not taken over: it has the automatic id of this declaration, but nothing shows that this declaration created it`,
        {
          advice:
            "Set `modelplatform:recover` to `take` to make it this resource, or to `new` to leave it and create another.",
          topic,
          cause,
        },
      )
    : new ModelPlatformError(
        `${title} was created while this declaration's create was under way, and does not show exactly what was sent`,
        {
          advice: "Set `modelplatform:recover` to `take` to make it this resource, or choose another id.",
          topic,
          cause,
        },
      );
}
