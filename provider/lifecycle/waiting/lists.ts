import type { LiveObject, Objects, RequestOptions } from "../ports/objects";
import { Places } from "./places";

/** Objects on a list page. */
const pageSize = 200;

type ByName = ReadonlyMap<string, LiveObject>;

/** What some pages of a list show. */
export interface Listing {
  /** When they were asked for. */
  requestedAt: number;
  /** Undefined where they could not be read. */
  byName: Promise<ByName | undefined>;
  /** All pages, to the end. */
  whole: boolean;
  /** With tombstones, where lists can show them. */
  deleted: boolean;
  /** Names written since they were asked for: they cannot answer for these. */
  written: Set<string>;
}

/** Reads lists and single pages of one collection, and learns how many pages it has and what is on which. */
export class Lists {
  readonly places = new Places();
  /** Pages that the last list was read to. Before there was one, a list for two might cost more than their reads. */
  pageCount = 2;
  private readonly underWay = new Set<Listing>();

  constructor(
    private readonly objects: Objects,
    private readonly now: () => number,
  ) {}

  /** The list as far as it takes to show the wanted names; to its end without any. */
  list(options: RequestOptions, { wanted, deleted }: { wanted?: Set<string>; deleted: boolean }): Listing {
    return this.begin({ whole: wanted === undefined, deleted }, () => this.readList(options, wanted, deleted));
  }

  /** Single pages, all at once. */
  pages(options: RequestOptions, tokens: readonly string[], expected: readonly string[]): Listing {
    return this.begin({ whole: false, deleted: false }, () => this.readPages(options, tokens, expected));
  }

  /** What is listed while a write is under way may be from before it. */
  written(name: string): void {
    for (const listing of this.underWay) listing.written.add(name);
  }

  private begin(what: Pick<Listing, "whole" | "deleted">, read: () => Promise<ByName | undefined>): Listing {
    const byName = read().catch(() => undefined);
    const listing: Listing = { ...what, requestedAt: this.now(), byName, written: new Set() };
    this.underWay.add(listing);
    void byName.then(() => this.underWay.delete(listing));
    return listing;
  }

  private async readList(options: RequestOptions, wanted: Set<string> | undefined, deleted: boolean): Promise<ByName> {
    const byName = new Map<string, LiveObject>();
    for await (const { items, token = "" } of this.objects.pages(options, { deleted })) {
      for (const object of items) {
        byName.set(object.name, object);
        wanted?.delete(object.name);
        if (deleted) this.places.noteSeen(object.name);
        else this.places.note(object.name, token);
      }
      if (wanted?.size === 0) break;
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
        this.places.note(object.name, token);
      }
    };
    try {
      await Promise.all(tokens.map(readPage));
    } catch (error) {
      this.places.forget();
      throw error;
    }
    for (const name of expected) if (!byName.has(name)) this.places.note(name, undefined);
    return byName;
  }
}
