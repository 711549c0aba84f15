/**
 * Scenarios that break a promise and will go on doing so until somebody decides otherwise: each is an open question of
 * a decision record, and none stands here without one. `number` is what `PATH_` plays again with `SEED`.
 */
export interface OpenQuestion {
  seed: number;
  number: number;
  /** What the violation says, and no other one. */
  breaks: RegExp;
  /** The record in `docs/decisions`. */
  decision: string;
}

export const openQuestions: readonly OpenQuestion[] = [
  {
    ...{ seed: 223606797, number: 23, decision: "170-ownership-as-tables" },
    breaks: /^accounts\/acme\/users\/ada lives on and nobody declares it$/,
  },
  {
    ...{ seed: 20261122, number: 139, decision: "170-ownership-as-tables" },
    breaks: /^the recovery failed: Secret \S+ is not deleted, because the program declares the same object as /,
  },
];

/** Numbers of a seed's scenarios that are an open question. */
export const openOf = (seed: number): number[] =>
  openQuestions
    .filter((each) => each.seed === seed)
    .map(({ number }) => number)
    .sort((one, other) => one - other);
