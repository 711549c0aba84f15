import type { Preflight } from "../core/declaration/preflight";
import type { RuleFailure } from "../core/declaration/rules";
import type { Values } from "../core/values/values";

/**
 * What a kind does beyond what its declaration says. All of it is optional, and shared code calls the hook that is
 * there. Hooks take and return values: the caller sends the requests and reports the outcome.
 */
export interface KindHooks {
  /** Why a change of the object is refused, unless the program consents to it. `inputs`: with the program's options. */
  beforeChange?(before: Values, after: Values, inputs: Values): Objection | undefined;
  /** The effective values that `after` allows and `before` did not. */
  loosened?(before: Values, after: Values): LoosenedValue[];
  /** Options through which a program supplies what an import cannot read (A054), by name. */
  onImport?(inputs: Values): Values;
  /** What to do where the service cannot delete such objects (A050). Default: its refusal is the error. */
  onUndeletable?(recorded: Values): Undeletable;
  /** What the object, as a setting of its account, forbids of a new object of another kind. */
  policyViolations?(settings: Values, preflight: Preflight, inputs: Values): RuleFailure[];
}

interface Objection {
  /** The end of a sentence that begins with what makes the change. */
  reason: string;
  /** The program's input that allows the change where it is true. */
  consent: string;
}

/** The object leaves the state, after an update where there is one; or that fails, and an option would allow it. */
export type Undeletable =
  | { update?: Values /** What becomes of it, as a clause. */; outcome: string }
  | { /** As a program writes it. */ option: string };

/** One effective value that a change loosens, in words. */
export interface LoosenedValue {
  path: string;
  before: string;
  after: string;
}
