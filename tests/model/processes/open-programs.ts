import { type Broken, isBroken } from "../open-questions";

/**
 * Programs whose run breaks a promise that a decision record has as an open question. They are played as all others;
 * since real processes are killed at other moments each time, one may also end well.
 */
export interface OpenProgram extends Broken {
  seed: number;
  /** The record in `docs/decisions`. */
  decision: string;
}

export const openPrograms: readonly OpenProgram[] = [
  {
    ...{ seed: 20261159, decision: "170-ownership-as-tables" },
    ...{ breaks: "declared-and-gone", object: "accounts/demo/secrets/storage-key" },
  },
  {
    ...{ seed: 20261200, decision: "170-ownership-as-tables" },
    ...{ breaks: "declared-and-gone", object: "accounts/demo/secrets/storage-key" },
  },
  {
    ...{ seed: 20261214, decision: "170-ownership-as-tables" },
    ...{ breaks: "declared-and-gone", object: "accounts/demo/secrets/tracking-key" },
  },
  {
    ...{ seed: 20261221, decision: "170-ownership-as-tables" },
    ...{ breaks: "recovery-fails", by: "not-visible" },
  },
];

/** Whether a violation is the one of the seed's open question. */
export const isOpen = (seed: number, error: unknown): boolean =>
  openPrograms.some((each) => each.seed === seed && isBroken(each, error));
