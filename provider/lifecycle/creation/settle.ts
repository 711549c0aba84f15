import { optionsIn } from "../../core/declaration/options";
import { type CreateOperation, titleOf } from "../operation/operation";
import { writeFactOf } from "../ownership/facts";
import { idSourceOf, type Related, relationOf } from "../ownership/relation";
import { decide, isUnrecorded } from "../ownership/verdicts";
import type { LiveObject } from "../ports/objects";
import type { Values } from "../types";
import { leftOverText } from "./left-over";
import { questionAbout } from "./questions";
import { refuse } from "./refusals";
import { adopt, type Placement, takeOver } from "./take-over";
import { replaceTombstone } from "./tombstone";

/** What came of the request that has met an object. */
interface Met {
  error?: unknown;
  /** It, or an earlier one of this create, may have made the object. */
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
  { error, isAnswerLost = false }: Met = {},
): Promise<Placement | undefined> {
  const related = await relationOf(operation, live, inputs, { isAnswerLost });
  const { adopt: mode = "never" } = optionsIn(inputs);
  const { recover } = operation.ports;
  const id = idSourceOf(operation, inputs);
  switch (decide(related.relation, { id, adopt: mode, recover })) {
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
      throw questionAbout(operation, live, id, error);
    case "refuse":
      return refuse(operation, live, related);
  }
}

/** What `recover` says to leave. */
function nameLeft(operation: CreateOperation, live: LiveObject, { relation }: Related): void {
  const { call, spec } = operation;
  if (isUnrecorded(relation)) return call.reporter.warn(leftOverText(spec, live.name));
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
