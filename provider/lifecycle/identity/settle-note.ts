import { recordsIn } from "../../core/declaration/own-records";
import { accountOf } from "../../core/values/names";
import type { Intents } from "../ports/intents";
import type { Values } from "../types";
import { precedes } from "./notes";

/**
 * A state holds this object under that URN: an interrupted create of it is over, unless the object that
 * the state means was there before that create, and is gone. Resolves to the name of another one that was
 * begun for the URN and is not recorded in any state.
 */
export async function settleNote(
  intents: Pick<Intents, "find" | "settle">,
  urn: string,
  id: string,
  outputs: Values,
): Promise<string | undefined> {
  const { endpoint, accountId } = recordsIn(outputs);
  if (endpoint === undefined) return undefined;
  const account = accountId ?? accountOf(id) ?? "";
  const note = await intents.find(endpoint, account, urn);
  if (!note || note.settled) return undefined;
  const isFormer = (note.name ?? id) === id && precedes(outputs, note);
  return isFormer ? undefined : intents.settle(endpoint, account, urn, id);
}
