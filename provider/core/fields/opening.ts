/** The access that a change of a value may grant to more people. */
export interface AccessOpening {
  /** Name of the rule that somebody has to name before such a change is written into a program. */
  rule: string;
  /** Values from the narrowest on; one that is not listed is wider than any, and unset is as narrow as can be. */
  order: readonly unknown[];
}
