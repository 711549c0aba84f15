import type { ListMember } from "../../api/types";
import { EngineActivity } from "../memory/engine-activity";
import type { Clock, LiveObject, ObjectCollection, OnWrite, RequestOptions } from "../ports";
import { type QueuedRead, ReadQueue } from "./read-queue";

/** Objects on a list page. */
const pageSize = 200;

type ByName = ReadonlyMap<string, ListMember<LiveObject>>;

/** The objects on some pages of a list. */
interface ListSnapshot {
  /** When they were requested. */
  requestedAt: number;
  /** Undefined if they could not be read. */
  byName: Promise<ByName | undefined>;
  /** All pages, to the end. */
  whole: boolean;
  /** With tombstones, if lists can show them. */
  deleted: boolean;
  /** Names written since then, for which it is stale. */
  written: Set<string>;
}

/** Reads lists and single pages of one collection, and learns how many pages it has and what is on which. */
class ListReader {
  readonly pageHints = new PageHints();
  /** Pages read of the last list. Before the first, a list for two might cost more than their reads. */
  pageCount = 2;
  private readonly underWay = new Set<ListSnapshot>();

  constructor(
    private readonly objects: ObjectCollection,
    private readonly now: () => number,
  ) {}

  /** The list as far as it takes to contain the names; to its end without any. */
  list(options: RequestOptions, { names, deleted }: { names?: Set<string>; deleted: boolean }): ListSnapshot {
    return this.begin({ whole: names === undefined, deleted }, () => this.readList(options, names, deleted));
  }

  /** Single pages, all at once. */
  pages(options: RequestOptions, tokens: readonly string[], expected: readonly string[]): ListSnapshot {
    const what = { whole: false, deleted: false };
    const listing = this.begin(what, () =>
      this.readPages(options, tokens, expected, () => void (listing.whole = tokens[0] === "")),
    );
    return listing;
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
    const byName = new Map<string, ListMember<LiveObject>>();
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
    onLast: () => void,
  ): Promise<ByName> {
    const byName = new Map<string, ListMember<LiveObject>>();
    const readPage = async (token: string): Promise<void> => {
      const { value } = await this.objects
        .pages(options, token === "" ? {} : { from: token })
        [Symbol.asyncIterator]()
        .next();
      for (const object of value?.items ?? []) {
        byName.set(object.name, object);
        this.pageHints.note(object.name, token);
      }
      if (token === "" && value?.isLast !== false) onLast();
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
 * Where a list has shown its objects, so that reads of some of a large collection need not start at its beginning. A
 * stale hint costs a request, and proves nothing.
 */
class PageHints {
  /** Page token by name: empty for the first page, undefined for an object on no known page. */
  private readonly tokens = new Map<string, string | undefined>();
  /** Reads that were sent one by one because too many pages were unknown. */
  private missed = 0;

  /** The page of a token contains it; undefined: not the expected page. */
  note(name: string, token: string | undefined): void {
    this.tokens.set(name, token);
  }

  /** A list contains it, but its page tokens do not apply to other lists. */
  noteSeen(name: string): void {
    if (!this.tokens.has(name)) this.tokens.set(name, undefined);
  }

  /** Whether any list has contained it. */
  knows(name: string): boolean {
    return this.tokens.has(name);
  }

  /** The pages that each contain several of these. */
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

  /** Whether reads have cost as much as a list of so many pages, which would locate them. */
  shouldListAll(names: readonly string[], pageCount: number): boolean {
    const unknown = names.filter((name) => this.tokens.get(name) === undefined).length;
    if (unknown >= worthPage) this.missed += unknown;
    if (this.missed <= pageCount) return false;
    this.missed = 0;
    return true;
  }

  /** The service no longer accepts a token. */
  forget(): void {
    for (const name of this.tokens.keys()) this.tokens.set(name, undefined);
  }
}

/** Maximum age of a list that serves a read of a refresh, in milliseconds. */
const freshMs = 30_000;

/**
 * Answers the many reads of one collection from a few lists: N reads cost about N / 200 requests. An unlisted object is
 * read on its own, because a list hides tombstones; only after a delete of an object that a list has contained does its
 * absence prove the deletion.
 */
class SharedReader {
  readonly queue: ReadQueue;
  /** The last list that was read to its end. */
  private latest: ListSnapshot | undefined;
  /** The page that creates read before the first of them. */
  private first: ListSnapshot | undefined;
  private failedAt = Number.NEGATIVE_INFINITY;
  private readonly lists: ListReader;

  constructor(
    private readonly objects: ObjectCollection,
    private readonly clock: Clock,
    activity: EngineActivity,
  ) {
    this.queue = new ReadQueue(clock, activity, (batch) => this.serveReads(batch));
    this.lists = new ListReader(objects, () => clock.now());
  }

  /** The object from a list that is at most some seconds old and newer than the last write of the object. */
  async read(name: string, options: RequestOptions): Promise<LiveObject | undefined> {
    const listing = this.fresh();
    if (!listing || listing.written.has(name)) return this.queue.request({ name, options, whole: true });
    const listed = (await listing.byName)?.get(name);
    return listed && !listing.written.has(name) ? listed.read() : this.objects.find(name, options);
  }

  /** The objects of a list that is at most some seconds old; after a failed one, none is requested for as long. */
  async recent(options: RequestOptions): Promise<Iterable<LiveObject> | undefined> {
    if (this.clock.now() - this.failedAt <= freshMs) return undefined;
    const { byName } = this.fresh() ?? this.list(options);
    const listed = await byName;
    return listed && [...listed.values()].map((each) => each.read());
  }

  /** The only such request of a process: later callers share its response, and its failure. */
  async seenFirst(options: RequestOptions): ReturnType<ObjectCollection["seenFirst"]> {
    if (this.clock.now() - this.failedAt <= freshMs) return { objects: [], isWhole: false };
    const listing = (this.first ??= this.fresh() ?? this.lists.pages(options, [""], []));
    const byName = await listing.byName;
    const unwritten = [...(byName?.values() ?? [])].filter(({ name }) => !listing.written.has(name));
    const isFresh = this.clock.now() - listing.requestedAt <= freshMs;
    return { objects: unwritten.map((each) => each.read()), isWhole: byName !== undefined && listing.whole && isFresh };
  }

  private fresh(): ListSnapshot | undefined {
    return this.latest && this.clock.now() - this.latest.requestedAt <= freshMs ? this.latest : undefined;
  }

  /** Lists requested earlier may show the object, or all objects, as they were before the write. */
  noteWrite(name: string | undefined): void {
    if (name === undefined || this.objects.writesAffectOthers) this.latest = undefined;
    if (name === undefined) return;
    this.latest?.written.add(name);
    this.first?.written.add(name);
    this.lists.noteWrite(name);
  }

  /** Reads that share a page are served by that page, the others by a list or on their own. */
  private async serveReads(readings: readonly QueuedRead[]): Promise<void> {
    const { pageHints, pageCount } = this.lists;
    const placed = readings.filter(({ deleted }) => !deleted);
    const tokens = pageHints.pagesOf(placed.map(({ name }) => name));
    const onPages = placed.filter(({ name }) => pageHints.isOn(name, tokens));
    const others = readings.filter((reading) => !onPages.includes(reading));
    const isLess = tokens.length + Math.min(others.length, pageCount) < Math.min(readings.length, pageCount);
    if (!isLess || readings.some(({ whole }) => whole)) return this.serveFromNewList(readings);
    const names = onPages.map(({ name }) => name);
    const listing = this.lists.pages(readings[0]!.options, tokens, names);
    await Promise.all([this.serveFromList(listing, onPages), this.serveFromNewList(others)]);
  }

  private async serveFromNewList(readings: readonly QueuedRead[]): Promise<void> {
    if (readings.length === 0) return;
    const { pageHints, pageCount } = this.lists;
    const there = readings.flatMap(({ name, deleted }) => (deleted ? [] : [name]));
    if (readings.length > pageCount) await this.serveFromList(this.list(readings[0]!.options, readings), readings);
    else if (pageHints.shouldListAll(there, pageCount))
      await this.serveFromList(this.list(readings[0]!.options), readings);
    else this.findEach(readings);
  }

  private async serveFromList(listing: ListSnapshot, readings: readonly QueuedRead[]): Promise<void> {
    const byName = await listing.byName;
    const rest = readings.filter((reading) => {
      const listed = listing.written.has(reading.name) ? undefined : byName?.get(reading.name);
      if (listed) reading.resolve(listed.read());
      else if (byName && this.isDeleted(reading, listing)) reading.resolve(undefined);
      else return true;
      return false;
    });
    this.findEach(rest);
  }

  /** A failed list proves nothing; each read then fails or succeeds on its own. */
  private findEach(readings: readonly QueuedRead[]): void {
    for (const { name, options, deleted, resolve, reject } of readings)
      this.objects.find(name, options, deleted ? { deleted } : {}).then(resolve, reject);
  }

  private isDeleted({ name, deleted }: QueuedRead, listing: ListSnapshot): boolean {
    const isProof = deleted === true && listing.deleted && listing.whole && this.objects.listIsComplete;
    return isProof && this.lists.pageHints.knows(name) && !listing.written.has(name);
  }

  /** Reads the list until it contains the requested names, or to its end. */
  private list(options: RequestOptions, readings: readonly QueuedRead[] = []): ListSnapshot {
    const deleted = readings.some((reading) => reading.deleted);
    const whole = readings.length === 0 || deleted || readings.some((reading) => reading.whole);
    const names = new Set(readings.map(({ name }) => name));
    const listing = this.lists.list(options, { deleted, ...(!whole && { names }) });
    if (whole) this.latest = listing;
    void listing.byName.then((byName) => {
      if (byName !== undefined) return;
      this.failedAt = this.clock.now();
      if (this.latest === listing) this.latest = undefined;
    });
    return listing;
  }
}

/**
 * The objects of a collection, with shared reads. They MUST call `noteWrite` before and after each write, with the name
 * if it is known: a list that is read meanwhile may show the state before the write.
 */
export function withSharedReads(
  create: (noteWrite: OnWrite) => ObjectCollection,
  clock: Clock,
  activity = new EngineActivity(clock.now),
): ObjectCollection {
  const objects = create((name) => reads.noteWrite(name));
  const reads = new SharedReader(objects, clock, activity);
  return {
    ...objects,
    during: (operation) => reads.queue.during(operation),
    poll: (name, options, hints) => reads.queue.request({ name, options, ...hints, whole: false }),
    read: (name, options) => reads.read(name, options),
    recent: (options) => reads.recent(options),
    seenFirst: (options) => reads.seenFirst(options),
  };
}
