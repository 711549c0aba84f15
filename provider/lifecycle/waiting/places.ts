/** From this many looks on, a page of two hundred objects costs less than their reads. */
const worthPage = 4;

/**
 * Where a list has shown its objects, so that looks at some of a large collection need not read it from its start. A
 * page shows what is there when it is read: a place that is out of date costs a request, and proves nothing.
 */
export class Places {
  /** Token of its page by name; the first page has an empty one, and undefined stands for a page that has none. */
  private readonly tokens = new Map<string, string | undefined>();
  /** Looks that cost a read each because nobody knew the places of so many. */
  private missed = 0;

  /** The page of a token has shown it, or undefined: not where it was looked for. */
  note(name: string, token: string | undefined): void {
    this.tokens.set(name, token);
  }

  /** A list has shown it whose tokens are good for nothing else. */
  noteSeen(name: string): void {
    if (!this.tokens.has(name)) this.tokens.set(name, undefined);
  }

  /** Whether any list has shown it. */
  knows(name: string): boolean {
    return this.tokens.has(name);
  }

  /** The pages that each show several of these. */
  pagesOf(names: readonly string[]): string[] {
    const count = new Map<string, number>();
    for (const token of names.map((name) => this.tokens.get(name)))
      if (token !== undefined) count.set(token, (count.get(token) ?? 0) + 1);
    return [...count].filter(([, looks]) => looks >= worthPage).map(([token]) => token);
  }

  isOn(name: string, pages: readonly string[]): boolean {
    const token = this.tokens.get(name);
    return token !== undefined && pages.includes(token);
  }

  /** Whether reads have by now cost as much as a list of so many pages, which would have shown the places. */
  isWorthList(names: readonly string[], pageCount: number): boolean {
    const unknown = names.filter((name) => this.tokens.get(name) === undefined).length;
    if (unknown >= worthPage) this.missed += unknown;
    if (this.missed <= pageCount) return false;
    this.missed = 0;
    return true;
  }

  /** The service no longer takes a token. */
  forget(): void {
    for (const name of this.tokens.keys()) this.tokens.set(name, undefined);
  }
}
