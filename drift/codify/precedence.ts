/** Which of some things come before which. What would make two of them come before each other is not taken. */
export class Precedence<T> {
  private readonly before = new Map<T, Set<T>>();

  /** Whether `first` may come before `second`. */
  admits(first: T, second: T): boolean {
    return first === second || !this.leads(second, first);
  }

  add(first: T, second: T): void {
    if (first !== second) this.before.set(second, (this.before.get(second) ?? new Set()).add(first));
  }

  /** `things` in an order that keeps to what was added, and otherwise to their own. */
  order(things: readonly T[]): T[] {
    const [known, ordered] = [new Set(things), new Set<T>()];
    const place = (thing: T): void => {
      if (ordered.has(thing)) return;
      for (const first of this.before.get(thing) ?? []) if (known.has(first)) place(first);
      ordered.add(thing);
    };
    for (const thing of things) place(thing);
    return [...ordered];
  }

  private leads(first: T, second: T): boolean {
    const seen = new Set<T>();
    const pending = [second];
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      for (const earlier of this.before.get(next) ?? []) {
        if (earlier === first) return true;
        if (!seen.has(earlier)) pending.push(earlier);
        seen.add(earlier);
      }
    }
    return false;
  }
}
