import type { Values } from "../types";

/** An object, and what the program says of it now. */
export interface Current {
  name: string;
  inputs: Values;
}

/** What the program says of a URN. */
export interface Declared {
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
