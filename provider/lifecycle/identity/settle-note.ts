import { recordsIn } from "../../core/declaration/own-records";
import { accountOf } from "../../core/values/names";
import type { Intents } from "../ports/intents";
import type { Values } from "../types";
import { precedesLast } from "./notes";

/** What is known of the creates of a URN once a state holds an object under it. */
export interface Settled {
  /** Whether there is a note of the URN, and no other declaration has taken the object over since. */
  isNoted: boolean;
  /** Name of another object that was begun for the URN and is not recorded in any state. */
  leftOver?: string;
}

/**
 * A state holds this object under that URN: an interrupted create of it is over. The note stays open where the recorded
 * object is older than that create, or where the note is about another object.
 */
export async function settleNote(
  intents: Pick<Intents, "find" | "settle">,
  urn: string,
  id: string,
  outputs: Values,
): Promise<Settled> {
  const { endpoint, accountId, accepted } = recordsIn(outputs);
  if (endpoint === undefined) return { isNoted: false };
  const account = accountId ?? accountOf(id) ?? "";
  const note = await intents.find(endpoint, account, urn);
  const isNoted = note !== undefined && !note.passedOn;
  if (!note || note.settled) return { isNoted };
  // A read may show another object under the name, which nobody has accepted.
  const createTime = accepted?.["createTime"] ?? outputs["createTime"];
  const isItsResult = note.taken || note.made === createTime;
  const isFormer = !isItsResult && (note.name ?? id) === id && precedesLast({ ...outputs, createTime }, note);
  const object = { name: id, ...(typeof createTime === "string" && { made: createTime }) };
  const leftOver = isFormer ? undefined : await intents.settle(endpoint, account, urn, object);
  return { isNoted, ...(leftOver !== undefined && { leftOver }) };
}
