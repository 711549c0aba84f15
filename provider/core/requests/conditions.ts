import { ModelPlatformError } from "../errors";

/** A condition of a filter. Made by the fields that a builder is given, and by `all`, `any` and `not`. */
export interface Condition {
  /** The condition in AIP-160 syntax. */
  readonly text: string;
  /** Whether it consists of several conditions and so needs parentheses within another one. */
  readonly isCompound: boolean;
  /** The condition in AIP-160 syntax, for texts that it is put into. */
  toString(): string;
}

const condition = (text: string, isCompound: boolean): Condition => ({ text, isCompound, toString: () => text });

/** A condition that needs no parentheses. */
export const simple = (text: string): Condition => condition(text, false);

function compound(word: string, conditions: readonly Condition[]): Condition {
  if (conditions.length === 1) return conditions[0]!;
  return condition(conditions.map(inside).join(` ${word} `), true);
}

/** Services differ in what binds tighter (A095): parentheses leave no doubt. */
const inside = ({ text, isCompound }: Condition): string => (isCompound ? `(${text})` : text);

/** A condition, or nothing where a program leaves it out. */
type ConditionPart = Condition | undefined | null | false;

/** Makes one condition of several. */
export interface Logic {
  /**
   * Holds where every part holds. What is `undefined`, `null` or `false` is left out; of no parts at all, everything
   * holds.
   */
  all(...parts: ConditionPart[]): Condition | undefined;
  /** Holds where one of the parts holds. Needs at least one, for none can hold otherwise. */
  any(...parts: ConditionPart[]): Condition;
  /** Holds where the condition does not. */
  not(condition: Condition): Condition;
}

const given = (parts: readonly ConditionPart[]): Condition[] =>
  parts.filter((part): part is Condition => typeof part === "object" && part !== null);

export const logic: Logic = {
  all(...parts) {
    const conditions = given(parts);
    return conditions.length === 0 ? undefined : compound("AND", conditions);
  },
  any(...parts) {
    const conditions = given(parts);
    if (conditions.length === 0) throw unfit("`any` has no condition", "Give it at least one, or leave it out.");
    return compound("OR", conditions);
  },
  not: (negated) => condition(`NOT ${inside(negated)}`, true),
};

export const unfit = (problem: string, advice: string): ModelPlatformError =>
  new ModelPlatformError(`the filter cannot be written: ${problem}`, { advice });
