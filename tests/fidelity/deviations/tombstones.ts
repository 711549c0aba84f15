import type { Values } from "../../values";
import { listedKinds, type Row, right } from "./row";

const buried = (change: (object: Values) => Values) => ({ buries: change });

/** What a read finds of an object that was deleted. */
export const tombstoneRows: readonly Row[] = right(listedKinds, {
  "a deleted object has the state `DELETED`": buried((object) => ({ ...object, state: "DELETED" })),
  "a deleted object has the state `STATE_DELETED`": buried((object) => ({ ...object, state: "STATE_DELETED" })),
  "a deleted object has the state `Purged`": buried((object) => ({ ...object, state: "Purged" })),
  "a deleted object has a `deleteTime` and no state": buried(({ state: _, ...object }) => ({
    ...object,
    deleteTime: "2026-01-01T00:00:00Z",
  })),
  "a deleted object has a `deletedAt` in a state of its own": buried((object) => ({
    ...object,
    state: "HIDDEN",
    deletedAt: "2026-01-01T00:00:00Z",
  })),
  "a deleted object is marked as deleted": buried(({ state: _, ...object }) => ({ ...object, deleted: true })),
  "a deleted object is an empty answer": buried(() => ({})),
  "a deleted object is its name alone, and listed nowhere": buried(({ name }) => ({ name, deleted: true })),
});
