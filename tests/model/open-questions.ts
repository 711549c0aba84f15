import type { ErrorCode } from "../../provider/core/error-codes";
import { type Invariant, Violation } from "./invariants";

/** What an open question breaks. */
export interface Broken {
  breaks: Invariant;
  /** The object that the violation is about. */
  object?: string;
  /** The code of the error in which a command ends, where that breaks it. */
  by?: ErrorCode;
}

/**
 * Scenarios that end in what is not promised: a decision record says so of each, with the reason, and none stands here
 * without one. `number` is what `PATH_` plays again with `SEED`.
 */
export interface OpenQuestion extends Broken {
  seed: number;
  number: number;
  /** The record in `docs/decisions`. */
  decision: string;
}

/** Every entry's record. */
const decision = "170-ownership-as-tables";

export const openQuestions: readonly OpenQuestion[] = [
  { seed: 223606797, number: 23, decision, breaks: "lives-on", object: "accounts/acme/users/ada" },
  { seed: 223606797, number: 248, decision, breaks: "recovery-fails", by: "already-exists" },
  { seed: 602214076, number: 206, decision, breaks: "recovery-fails", by: "already-exists" },
  { seed: 602214076, number: 298, decision, breaks: "doubt-unnamed" },
  { seed: 1795589211, number: 338, decision, breaks: "held-twice", object: "accounts/acme/users/ada" },
  { seed: 915965594, number: 297, decision, breaks: "write-forgotten" },
  { seed: 20261122, number: 139, decision, breaks: "recovery-fails", by: "declared-by-another" },
  { seed: 20261123, number: 301, decision, breaks: "doubt-unnamed" },
  { seed: 20261123, number: 386, decision, breaks: "held-twice", object: "accounts/acme/deployments/chat" },
  { seed: 20261130, number: 230, decision, breaks: "held-twice", object: "accounts/acme/deployments/chat" },
];

/** Whether a violation is the one that is expected, and no other. */
export const isBroken = ({ breaks, object, by }: Broken, violation: unknown): boolean =>
  violation instanceof Violation &&
  violation.invariant === breaks &&
  violation.object === object &&
  violation.codes.every((code) => code === by);

/** Numbers of a seed's scenarios that are an open question. */
export const openOf = (seed: number): number[] =>
  openQuestions
    .filter((each) => each.seed === seed)
    .map(({ number }) => number)
    .sort((one, other) => one - other);
