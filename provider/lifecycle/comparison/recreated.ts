import { acceptedOf } from "../../core/comparison/accepted";
import { ModelPlatformError } from "../../core/errors";
import { type ResourceOperation, titleOf } from "../operation/operation";
import { isRecreated } from "../ownership/ownership";
import { relationOf } from "../ownership/relation";
import { inPlaceOfRecorded } from "../ownership/verdicts";
import type { LiveObject } from "../ports/objects";
import type { ReadAnswer, Values } from "../types";
import { acceptanceToken, hasAccepted } from "./acceptance";

/**
 * Rejects where another object has come to the name of the recorded one: it may be somebody else's, and is not changed
 * before the program accepts it. What an interrupted run of this stack has recreated is its own.
 */
export async function refuseRecreated(
  operation: ResourceOperation,
  recorded: Values,
  live: LiveObject,
  inputs: Values,
): Promise<void> {
  const other = await comeInstead(operation, recorded, live, inputs);
  if (!other) return;
  if (other.maker !== undefined)
    throw new ModelPlatformError(
      `${titleOf(operation, live.name)} was not changed: it is gone, and ${other.maker} has created the object that has its name now`,
      { advice: "Run `up --refresh`, which makes this one again." },
    );
  throw new ModelPlatformError(
    `${titleOf(operation, live.name)} is not changed, because it is not the object that the state recorded: it was created at ${String(live["createTime"])} under the same name`,
    {
      advice: `Set \`acceptDrift: "${other.token}"\` if it is yours, or rename this resource and give it an id of its own if it is not.`,
      topic: "the-object-was-created-again",
    },
  );
}

/** The other declaration that made what a refresh has read in place of the recorded object, if one has. */
export const makerOfRecreated = async (
  operation: ResourceOperation,
  read: Values,
  name: string,
  inputs: Values,
): Promise<string | undefined> => (await comeInstead(operation, read, { ...read, name }, inputs))?.maker;

/** What has come to the name of the recorded object, unless the program accepts it or an own create has made it. */
async function comeInstead(
  operation: ResourceOperation,
  recorded: Values,
  live: LiveObject,
  inputs: Values,
): Promise<{ token: string; maker: string | undefined } | undefined> {
  const { spec } = operation;
  if (!isRecreated(spec, recorded, live)) return undefined;
  const token = acceptanceToken(spec, recorded, live);
  if (hasAccepted(inputs, recorded, token)) return undefined;
  const { relation, urn } = await relationOf(operation, live, inputs, { recorded });
  const { change } = inPlaceOfRecorded[relation];
  return change === "continue" ? undefined : { token, maker: change === "replace" ? urn : undefined };
}

/**
 * What was read, with the object as the recorded one where an interrupted run of this stack has made it again: it is
 * not drift, and may be changed and deleted. Undefined where another declaration of this stack has made it, and where
 * it is what replaced the recorded one: it has a record of its own, and outlives the deletion of this one.
 */
export async function acknowledgeRecreated(
  operation: ResourceOperation,
  recorded: Values,
  name: string,
  answer: ReadAnswer,
): Promise<ReadAnswer | undefined> {
  const live = { ...answer.outputs, name };
  if (!isRecreated(operation.spec, recorded, live)) return answer;
  const { relation } = await relationOf(operation, live, answer.inputs, { recorded });
  const { read } = inPlaceOfRecorded[relation];
  if (read !== "accept") return read === "drop" ? undefined : answer;
  const { accepted: _, ...outputs } = answer.outputs;
  return { ...answer, outputs: { ...outputs, accepted: acceptedOf(operation.spec, outputs) } };
}
