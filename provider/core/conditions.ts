import { ModelPlatformError } from "./errors";

/** A condition of a filter, as AIP-160 text. Made by the fields that a builder is given, and by `all`, `any` and `not`. */
export class Condition {
  private constructor(
    private readonly text: string,
    private readonly isCompound: boolean,
  ) {}

  static simple(text: string): Condition {
    return new Condition(text, false);
  }

  static compound(word: string, conditions: readonly Condition[]): Condition {
    if (conditions.length === 1) return conditions[0]!;
    return new Condition(conditions.map((condition) => condition.inside()).join(` ${word} `), true);
  }

  static negated(condition: Condition): Condition {
    return new Condition(`NOT ${condition.inside()}`, true);
  }

  /** Services differ in what binds tighter (A095): parentheses leave no doubt. */
  private inside(): string {
    return this.isCompound ? `(${this.text})` : this.text;
  }

  toString(): string {
    return this.text;
  }
}

/** A condition, or nothing where a program leaves it out. */
export type Part = Condition | undefined | null | false;

export interface Logic {
  /** Of no conditions at all: everything. */
  all(...parts: Part[]): Condition | undefined;
  /** Needs at least one condition, for none can hold otherwise. */
  any(...parts: Part[]): Condition;
  not(condition: Condition): Condition;
}

const given = (parts: readonly Part[]): Condition[] =>
  parts.filter((part): part is Condition => part instanceof Condition);

export const logic: Logic = {
  all(...parts) {
    const conditions = given(parts);
    return conditions.length === 0 ? undefined : Condition.compound("AND", conditions);
  },
  any(...parts) {
    const conditions = given(parts);
    if (conditions.length === 0) throw unfit("`any` has no condition", "Give it at least one, or leave it out.");
    return Condition.compound("OR", conditions);
  },
  not: (condition) => Condition.negated(condition),
};

export const unfit = (problem: string, advice: string): ModelPlatformError =>
  new ModelPlatformError(`the filter cannot be written: ${problem}`, { advice });
