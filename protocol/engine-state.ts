/**
 * What the engine knows of its own state, which is the authority. It costs no request, and but for `heldElsewhere`
 * no file, and holds at the moment of the call. Absent if the engine cannot be queried.
 */
export interface EngineState {
  /** The URN of an entry of the state that manages an object with this id, if its outputs and URN match. */
  holderOf(
    id: string,
    matches: (outputs: Readonly<Record<string, unknown>>, urn: string) => boolean,
  ): string | undefined;
  /**
   * The entry of another stack of the same backend that manages an object with this id, if its outputs match. Reads
   * their states when it is first asked. `unread`: why some could not be read, each told once.
   */
  heldElsewhere(
    id: string,
    matches: (outputs: Readonly<Record<string, unknown>>) => boolean,
  ): Promise<{ holder: OtherEntry | undefined; unread: readonly string[] }>;
  /** Whether an earlier run began to change a resource with a matching URN and did not record the outcome. */
  mayBeChanged(matches: (urn: string) => boolean): boolean;
  /**
   * When an earlier run began to create a resource with a matching URN, if no run has recorded the object: milliseconds
   * since 1970 by the clock of the engine's machine; not a number if the state has no time.
   */
  creatingSince(matches: (urn: string) => boolean): number | undefined;
  /**
   * A read did not return the object of a resource with a matching URN. That does not prove a deletion: what earlier
   * runs did to the object stays pending.
   */
  noteUnseen(matches: (urn: string) => boolean): void;
}

/** An entry of another stack's state. */
export interface OtherEntry {
  project: string;
  stack: string;
  urn: string;
}

/** The result of a successful delete: `left` if the provider decided to leave the object live. */
export type Deletion = "deleted" | "left";
