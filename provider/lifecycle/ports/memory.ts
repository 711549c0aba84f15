import type { ResourceSpec } from "../../core/declaration/resource";
import type { Values } from "../types";

/** An object, and its current declaration. */
export interface CurrentObject {
  name: string;
  inputs: Values;
}

/** What the program says of a URN. */
export interface UrnDeclaration {
  /** An object of this declaration is known to the engine, and it has not decided on another one. */
  continues: boolean;
  inputs: Values;
  /** Inputs that are not what they were: an engine sees such a change by itself. */
  edited: ReadonlySet<string>;
  /** A diff asks for the old object to be deleted before this one is made. */
  takesPlace?: true;
  /** The service would make it. */
  isPossible?: true;
}

/** What one process has seen; lost with it. */
export interface Memory {
  /** When this process created an object, by name. */
  readonly createdAt: Map<string, number>;
  /** What the program says of each URN that it declares. */
  readonly declared: Map<string, UrnDeclaration>;
  /** The object that this process has left in place, updated or created for each URN. */
  readonly current: Map<string, CurrentObject>;
  /** Accounts of which a check has looked whether they can be reached. */
  readonly checked: Set<string>;
  /** Recorded outputs that the engine presented, by URN. */
  readonly presented: Map<string, Values>;
  /** Names of objects whose record, when a diff showed it, asked for no protection, by URN. */
  readonly unprotected: Map<string, string>;
  /** Declarations of objects that are to be made and that others serve from, by URN. */
  readonly newHosts: Map<string, { spec: ResourceSpec; account: unknown; inputs: Values }>;
}

export const newMemory = (): Memory => ({
  createdAt: new Map(),
  declared: new Map(),
  current: new Map(),
  checked: new Set(),
  presented: new Map(),
  unprotected: new Map(),
  newHosts: new Map(),
});
