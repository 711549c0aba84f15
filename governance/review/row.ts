import type { ResourceSpec } from "../../provider/core/declaration/resource";
import type { Values } from "../../provider/core/values/values";
import type { CostedResource } from "../cost/report";
import type { ChangedField } from "./differences";

/** What a row does. `leave`: it leaves the stack, and its object stays live. */
export const rowOps = ["delete", "replace", "update", "create", "import", "leave"] as const;
export type RowOp = (typeof rowOps)[number];

/** What a reviewer may want to refuse: the words of `accept --allow`, and what a preview alone can show. */
export type RowRule = "role" | "loosening" | "public" | "secret" | "unknown" | "protection" | "price";

/** A resource that a preview changes. */
export interface ChangeRow {
  urn: string;
  kind: string;
  name: string;
  op: RowOp;
  place?: string | undefined;
  rules: RowRule[];
  fields: ChangedField[];
  cost?: CostedResource | undefined;
  spec?: ResourceSpec | undefined;
  /** Its object, where there is one. */
  id?: string | undefined;
  /** Of an object that is new: what the program says. */
  inputs: Values;
  /** If the row is for several that change alike: how many, and which. */
  count?: number;
  urns?: readonly string[];
  /** The URN of the resource that goes, where one of the same inputs comes in its place. */
  renamedFrom?: string;
}

/** Whether a reviewer has to look at it: it deletes, replaces or opens something up. */
export const isRisky = ({ op, rules }: Pick<ChangeRow, "op" | "rules">): boolean =>
  op === "delete" || op === "replace" || (op !== "leave" && rules.some((rule) => rule !== "secret"));

/** Resources that rows are about: one row may stand for many. */
export const countOf = (rows: readonly ChangeRow[]): number => rows.reduce((sum, { count = 1 }) => sum + count, 0);
