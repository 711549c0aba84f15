import { entryIn } from "../../provider/core/values/grouping";

/** Something of a finding that rules have patterns for: `account`, `stack`, `kind`, or the name of an annotation. */
export type Names = ReadonlyMap<string, readonly string[]>;

/** The patterns of a rule, by what of a finding they are for. */
export type Conditions = ReadonlyMap<string, readonly string[]>;

/** What a name has to begin with for a pattern to match it; the whole of one without wildcards. */
const literalOf = (pattern: string): string => pattern.slice(0, literalLength(pattern));

export const isLiteral = (pattern: string): boolean => literalLength(pattern) === pattern.length;

function literalLength(pattern: string): number {
  const end = [...pattern].findIndex((character) => "*?[\\".includes(character));
  return end < 0 ? pattern.length : [...pattern].slice(0, end).join("").length;
}

const beginningOf = (condition: string, beginning: string): string => `${condition}\n${beginning}`;

/**
 * Rules by what one of their conditions lets a name begin with, so that of thousands a finding meets only those that
 * may match it.
 */
export class RuleIndex {
  /** By condition and beginning: places of rules. */
  private readonly beginnings = new Map<string, Set<number>>();
  /** By condition: how long the beginnings are. */
  private readonly lengths = new Map<string, Set<number>>();
  /** Rules that anything may match. */
  private readonly open: number[] = [];

  constructor(rules: readonly Conditions[]) {
    rules.forEach((conditions, place) => this.add(conditions, place));
  }

  /** Places of the rules that may match, in order. */
  candidates(names: Names): number[] {
    const places = new Set(this.open);
    for (const [condition, lengths] of this.lengths)
      for (const name of names.get(condition) ?? [])
        for (const length of lengths)
          for (const place of this.beginnings.get(beginningOf(condition, name.slice(0, length))) ?? [])
            places.add(place);
    return [...places].sort((left, right) => left - right);
  }

  private add(conditions: Conditions, place: number): void {
    const [best] = [...conditions].sort((left, right) => selectivity(right) - selectivity(left));
    if (best === undefined || selectivity(best) === 0) return void this.open.push(place);
    const [condition, patterns] = best;
    for (const beginning of patterns.map(literalOf)) {
      entryIn(this.beginnings, beginningOf(condition, beginning)).add(place);
      entryIn(this.lengths, condition).add(beginning.length);
    }
  }
}

/** Of a condition, how few findings it may leave: whole names leave the fewest, and a kind leaves many. */
function selectivity([condition, patterns]: readonly [string, readonly string[]]): number {
  if (condition === "kind") return 0.5;
  return patterns.every(isLiteral)
    ? Number.POSITIVE_INFINITY
    : Math.min(...patterns.map((pattern) => literalOf(pattern).length));
}
