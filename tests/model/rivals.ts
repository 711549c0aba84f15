import type { Values } from "./program";

/**
 * The object that the other team's create has made, whatever became of the answer: what
 * is live since, with the id or the natural key that was asked for.
 */
export const madeByRival = (
  before: ReadonlyMap<string, Values>,
  live: ReadonlyMap<string, Values>,
  body: Values,
  id?: string,
): [name: string, object: Values] | undefined =>
  [...live].find(
    ([name, object]) =>
      !before.has(name) &&
      (id === undefined
        ? ["email", "keyName"].some((key) => key in body && object[key] === body[key])
        : name.endsWith(`/deployments/${id}`)),
  );
