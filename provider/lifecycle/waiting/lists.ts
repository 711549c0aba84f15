import type { LiveObject, ObjectCollection, RequestOptions } from "../ports/objects";

/** Objects on a list page. */
const pageSize = 200;

type ByName = ReadonlyMap<string, LiveObject>;

/** What some pages of a list show. */
export interface ListSnapshot {
  /** When they were requested. */
  requestedAt: number;
  /** Undefined where they could not be read. */
  byName: Promise<ByName | undefined>;
  /** All pages, to the end. */
  whole: boolean;
  /** With tombstones, where lists can show them. */
  deleted: boolean;
  /** Names written since then: they cannot answer for these. */
  written: Set<string>;
}

/** Reads lists and single pages of one collection, and learns how many pages it has and what is on which. */
export class ListReader {
  readonly pageHints = new PageHints();
  /** Pages that the last list was read to. Before there was one, a list for two might cost more than their reads. */
  pageCount = 2;
  private readonly underWay = new Set<ListSnapshot>();

  constructor(
    private readonly objects: ObjectCollection,
    private readonly now: () => number,
  ) {}

  /** The list as far as it takes to show the wanted names; to its end without any. */
  list(options: RequestOptions, { names, deleted }: { names?: Set<string>; deleted: boolean }): ListSnapshot {
    return this.begin({ whole: names === undefined, deleted }, () => this.readList(options, names, deleted));
  }

  /** Single pages, all at once. */
  pages(options: RequestOptions, tokens: readonly string[], expected: readonly string[]): ListSnapshot {
    return this.begin({ whole: false, deleted: false }, () => this.readPages(options, tokens, expected));
  }

  /** A list that is read during a write may show the state before it. */
  noteWrite(name: string): void {
    for (const listing of this.underWay) listing.written.add(name);
  }

  private begin(what: Pick<ListSnapshot, "whole" | "deleted">, read: () => Promise<ByName | undefined>): ListSnapshot {
    const byName = read().catch(() => undefined);
    const listing: ListSnapshot = { ...what, requestedAt: this.now(), byName, written: new Set() };
    this.underWay.add(listing);
    void byName.then(() => this.underWay.delete(listing));
    return listing;
  }

  private async readList(options: RequestOptions, names: Set<string> | undefined, deleted: boolean): Promise<ByName> {
    const byName = new Map<string, LiveObject>();
    for await (const { items, token = "" } of this.objects.pages(options, { deleted })) {
      for (const object of items) {
        byName.set(object.name, object);
        names?.delete(object.name);
        if (deleted) this.pageHints.noteSeen(object.name);
        else this.pageHints.note(object.name, token);
      }
      if (names?.size === 0) break;
    }
    this.pageCount = Math.max(1, Math.ceil(byName.size / pageSize));
    return byName;
  }

  private async readPages(
    options: RequestOptions,
    tokens: readonly string[],
    expected: readonly string[],
  ): Promise<ByName> {
    const byName = new Map<string, LiveObject>();
    const readPage = async (token: string): Promise<void> => {
      const { value } = await this.objects
        .pages(options, token === "" ? {} : { from: token })
        [Symbol.asyncIterator]()
        .next();
      for (const object of value?.items ?? []) {
        byName.set(object.name, object);
        this.pageHints.note(object.name, token);
      }
    };
    try {
      await Promise.all(tokens.map(readPage));
    } catch (error) {
      this.pageHints.forget();
      throw error;
    }
    for (const name of expected) if (!byName.has(name)) this.pageHints.note(name, undefined);
    return byName;
  }
}

/** From this many reads on, a page of two hundred objects costs less than their reads. */
const worthPage = 4;

/**
 * Where a list has shown its objects, so that reads of some of a large collection need not read it from its start. A
 * page shows what is there when it is read: a hint that is out of date costs a request, and proves nothing.
 */
class PageHints {
  /** Token of its page by name; the first page has an empty one, and undefined stands for a page that has none. */
  private readonly tokens = new Map<string, string | undefined>();
  /** Reads that were sent one by one because nobody knew the pages of so many. */
  private missed = 0;

  /** The page of a token has shown it, or undefined: not where it was expected. */
  note(name: string, token: string | undefined): void {
    this.tokens.set(name, token);
  }

  /** A list has shown it, but its page tokens do not apply to other lists. */
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
    return [...count].filter(([, reads]) => reads >= worthPage).map(([token]) => token);
  }

  isOn(name: string, pages: readonly string[]): boolean {
    const token = this.tokens.get(name);
    return token !== undefined && pages.includes(token);
  }

  /** Whether reads have by now cost as much as a list of so many pages, which would have shown their pages. */
  shouldListAll(names: readonly string[], pageCount: number): boolean {
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
