/**
 * The engine's answers about its own state, which is the authority. They cost no request and no file, and count for the
 * moment of the call. An engine that cannot be asked provides none.
 */
export interface EngineState {
  /** Whether an entry of the state manages an object with this id and matching outputs. */
  holds(id: string, matches: (outputs: Readonly<Record<string, unknown>>) => boolean): boolean;
  /** Whether an earlier run began to change a resource with a matching URN and did not record the outcome. */
  mayBeChanged(matches: (urn: string) => boolean): boolean;
  /**
   * When an earlier run began to create a resource with a matching URN, if no run has recorded the object: milliseconds
   * since 1970 by the clock of the engine's machine; not a number if the state has no time.
   */
  creatingSince(matches: (urn: string) => boolean): number | undefined;
  /**
   * A read did not show the object of a resource with a matching URN, and does not prove that it is gone: what earlier
   * runs did to it remains pending.
   */
  noteUnseen(matches: (urn: string) => boolean): void;
}

/** What became of the object of a delete that succeeded: `left` if it is still live, as its provider decided. */
export type Deletion = "deleted" | "left";
