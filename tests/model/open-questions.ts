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
    ...{ seed: 624329988, number: 21, decision: "170-ownership-as-tables" },
    breaks: /^accounts\/acme\/secrets\/\S+ was \S+, is live, and no command has named it$/,
  },
  {
    ...{ seed: 250290787, number: 56, decision: "170-ownership-as-tables" },
    breaks: /^accounts\/acme\/secrets\/\S+ was \S+, is live, and no command has named it$/,
  },
  {
    ...{ seed: 764223653, number: 1, decision: "170-ownership-as-tables" },
    breaks: /^accounts\/acme\/secrets\/\S+ was \S+, is live, and no command has named it$/,
  },
  {
    ...{ seed: 364912479, number: 72, decision: "170-ownership-as-tables" },
    breaks: /^accounts\/acme\/policySettings has another residency than the program says after a PATCH that broke off/,
  },
  {
    ...{ seed: 624329988, number: 23, decision: "170-ownership-as-tables" },
    breaks: /^accounts\/acme\/policySettings has another residency than the program says after a PATCH that broke off/,
  },
  {
    ...{ seed: 223606797, number: 23, decision: "170-ownership-as-tables" },
    breaks: /^accounts\/acme\/users\/ada lives on and nobody declares it$/,
  },
  {
    ...{ seed: 1414213562, number: 62, decision: "170-ownership-as-tables" },
    breaks:
      /^the recovery failed: Deployment \S+, created at \S+, was not taken over: it has the automatic id of this declaration/,
  },
  {
    ...{ seed: 660161815, number: 39, decision: "170-ownership-as-tables" },
    breaks: /^the recovery failed: updateSecret .* answered 409 ALREADY_EXISTS .* already has this `keyName`/,
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
