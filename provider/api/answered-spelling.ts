import type { Json } from "./types";

/** Members of objects as the service answered them, where the client reads another value of the API in them. */
const spellings = new WeakMap<object, Json>();

/** Keeps how the service spelled `members` of an object, all of which are members of its answer. */
export function keepSpelling(object: Json, answered: Json, members: ReadonlySet<string>): Json {
  if (members.size > 0)
    spellings.set(object, Object.fromEntries([...members].map((member) => [member, answered[member]])) as Json);
  return object;
}

/**
 * What the service answered for the members of an object that the client read as another value: `{ role: "User" }` of
 * a user with the role `user`. Empty for an object that was answered as the API's description has it. Who compares
 * objects need not ask; who decides whether a value is allowed does, because the other reading is a guess.
 */
export const answeredSpelling = (object: object): Json => spellings.get(object) ?? {};
