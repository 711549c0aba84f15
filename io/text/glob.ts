/** One step of a pattern: a character of a class, any number of them, or a choice to leave the next steps out. */
export type PatternStep =
  | { one: (character: string) => boolean }
  | { many: (character: string) => boolean }
  | { optional: number };

export const matchesCharacter =
  (expected: string) =>
  (character: string): boolean =>
    character === expected;

export const matchesOtherThan =
  (unexpected: string) =>
  (character: string): boolean =>
    character !== unexpected;

export const anything = (): boolean => true;

export const literalSteps = (text: string): PatternStep[] =>
  [...text].map((character) => ({ one: matchesCharacter(character) }));

/**
 * Whether the whole text matches. Follows all readings at once, so that the time is at most the length of the pattern
 * times that of the text; a regular expression would backtrack, for years if need be.
 */
export function matches(pattern: readonly PatternStep[], text: string): boolean {
  let reached = new Places(pattern);
  let next = new Places(pattern);
  reached.add(0);
  for (const character of text) {
    if (reached.count === 0) return false;
    next.clear();
    for (let index = 0; index < reached.count; index += 1) {
      const place = reached.at(index);
      const token = pattern[place]!;
      if (token === undefined) continue;
      if ("one" in token && token.one(character)) next.add(place + 1);
      else if ("many" in token && token.many(character)) next.add(place);
    }
    [reached, next] = [next, reached];
  }
  return reached.has(pattern.length);
}

/** The reached places of a pattern, each once, including those reached without a character. */
class Places {
  count = 0;
  private readonly places: Int32Array;
  /** The round in which each place was added last. */
  private readonly rounds: Int32Array;
  private round = 1;

  constructor(private readonly pattern: readonly PatternStep[]) {
    this.places = new Int32Array(pattern.length + 1);
    this.rounds = new Int32Array(pattern.length + 1);
  }

  at(index: number): number {
    return this.places[index]!;
  }

  has(place: number): boolean {
    return this.rounds[place] === this.round;
  }

  clear(): void {
    this.count = 0;
    this.round += 1;
  }

  add(first: number): void {
    let from = this.count;
    this.put(first);
    for (; from < this.count; from += 1) {
      const place = this.at(from);
      const token = this.pattern[place];
      if (token === undefined || "one" in token) continue;
      this.put(place + 1);
      if ("optional" in token) this.put(place + 1 + token.optional);
    }
  }

  private put(place: number): void {
    if (this.has(place)) return;
    this.rounds[place] = this.round;
    this.places[this.count++] = place;
  }
}
