import { answeredErrorRows } from "./answered-errors";
import { errorRows } from "./errors";
import { listRows } from "./lists";
import { nameRows } from "./names";
import { operationRows } from "./operations";
import type { Row } from "./row";
import { spellingRows } from "./spellings";
import { stateRows } from "./states";
import { tombstoneRows } from "./tombstones";
import { valueRows } from "./values";
import { wireRows } from "./wire";
import { writeRows } from "./writes";

/** What services may do in another way than this package expects, where the API's description is silent. */
export const groups: Readonly<Record<string, readonly Row[]>> = {
  Values: valueRows,
  "Names and texts": nameRows,
  Spellings: spellingRows,
  Refusals: errorRows,
  "Errors with status 200": answeredErrorRows,
  Lists: listRows,
  Operations: operationRows,
  Writes: writeRows,
  States: stateRows,
  Tombstones: tombstoneRows,
  Transport: wireRows,
};

export const rows: readonly Row[] = Object.values(groups).flat();
