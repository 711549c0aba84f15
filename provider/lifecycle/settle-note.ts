import { accountOf } from "../core/names";
import type { Records } from "../core/records";
import type { Values } from "./types";
import type { Intents } from "./world";

/**
 * A state holds this object under that URN: an interrupted create of it is over. Resolves to the name
 * of another one that was begun for the URN and is in no state.
 */
export async function settleNote(
  intents: Pick<Intents, "settle">,
  urn: string,
  id: string,
  outputs: Values,
): Promise<string | undefined> {
  const { endpoint, accountId } = outputs as Partial<Records>;
  return endpoint === undefined ? undefined : intents.settle(endpoint, accountId ?? accountOf(id) ?? "", urn, id);
}
