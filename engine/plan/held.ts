import type { ResourceState } from "../state/types";

/**
 * One resource while an operation runs. The holder is its identity; the state
 * inside is a value, replaced and never changed.
 */
export interface Held {
  state: ResourceState;
}
