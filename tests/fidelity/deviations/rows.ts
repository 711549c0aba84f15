import { errorRows } from "./errors";
import { listRows } from "./lists";
import { nameRows } from "./names";
import { operationRows } from "./operations";
import type { Row } from "./row";
import { stateRows } from "./states";
import { valueRows } from "./values";
import { wireRows } from "./wire";
import { writeRows } from "./writes";

/** What services may do in another way than this package expects, where the API's description is silent. */
export const groups: Readonly<Record<string, readonly Row[]>> = {
  Values: valueRows,
  "Names and texts": nameRows,
  Refusals: errorRows,
  Lists: listRows,
  Operations: operationRows,
  Writes: writeRows,
  States: stateRows,
  Transport: wireRows,
};

export const rows: readonly Row[] = Object.values(groups).flat();
