import type { LiveObject, ObjectCollection, OnWrite, ReadHints, RequestOptions } from "../ports/objects";
import type { Clock } from "../ports/ports";
import { immediately, type PendingRead, ReadBatcher, type ReadRequest } from "./batcher";
import { ListReader, type ListSnapshot } from "./lists";

/** How long reads are gathered before they are answered together, in milliseconds. */
const gatherMs = 10;
/** How old a list may be that still answers a read of a refresh, in milliseconds. */
const freshMs = 30_000;

interface QueuedRead extends ReadRequest {
  /** The list is read to its end, so that it can answer later callers. */
  whole: boolean;
}

/**
 * Answers the many reads of one collection from a few lists: N reads cost about N / 200 requests. What no list shows is
 * read on its own, because a list hides tombstones; only after a delete of an object that a list has shown does
 * its absence prove that it is gone.
 */
class SharedReader {
  private readonly readings: ReadBatcher<QueuedRead>;
  /** The last list that was read to its end. */
  private latest: ListSnapshot | undefined;
  /** The page that creates have looked at before the first of them. */
  private first: ListSnapshot | undefined;
  private failedAt = Number.NEGATIVE_INFINITY;
  private readonly lists: ListReader;

  constructor(
    private readonly objects: ObjectCollection,
    private readonly clock: Clock,
  ) {
    const { concurrency } = objects;
    this.readings = new ReadBatcher({ concurrency, clock, togetherFrom: 1 }, (batch) => this.serveReads(batch));
    this.lists = new ListReader(objects, () => clock.now());
  }

  /** The object from a request that is started after this call. `whole`: the list that shows it is read to its end. */
  poll(
    name: string,
    options: RequestOptions,
    { deleted, now }: ReadHints = {},
    whole = false,
  ): Promise<LiveObject | undefined> {
    const due = now ? immediately : this.clock.now() + gatherMs;
    return this.readings.request({ name, options, due, deleted, whole });
  }

  /** The object from a list that is at most some seconds old and newer than the last write of the object. */
  async read(name: string, options: RequestOptions): Promise<LiveObject | undefined> {
    const listing = this.fresh();
    if (!listing || listing.written.has(name)) return this.poll(name, options, {}, true);
    const listed = (await listing.byName)?.get(name);
    return listed && !listing.written.has(name) ? listed : this.objects.find(name, options);
  }

  /** What a list shows that is at most some seconds old; none is requested for as long after one that failed. */
  async recent(options: RequestOptions): Promise<Iterable<LiveObject> | undefined> {
    if (this.clock.now() - this.failedAt <= freshMs) return undefined;
    const { byName } = this.fresh() ?? this.list(options);
    return (await byName)?.values();
  }

  /** The only such request of a process: later callers share its answer, and its failure. */
  async seenFirst(options: RequestOptions): Promise<readonly LiveObject[]> {
    if (this.clock.now() - this.failedAt <= freshMs) return [];
    const listing = (this.first ??= this.fresh() ?? this.lists.pages(options, [""], []));
    const objects = (await listing.byName)?.values() ?? [];
    return [...objects].filter(({ name }) => !listing.written.has(name));
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

  /** Those that share a page are answered by that page, the others by a list or by reads. */
  private async serveReads(readings: readonly PendingRead<QueuedRead>[]): Promise<void> {
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

  private async serveFromNewList(readings: readonly PendingRead<QueuedRead>[]): Promise<void> {
    if (readings.length === 0) return;
    const { pageHints, pageCount } = this.lists;
    const there = readings.flatMap(({ name, deleted }) => (deleted ? [] : [name]));
    if (readings.length > pageCount) await this.serveFromList(this.list(readings[0]!.options, readings), readings);
    else if (pageHints.shouldListAll(there, pageCount))
      await this.serveFromList(this.list(readings[0]!.options), readings);
    else this.findEach(readings);
  }

  private async serveFromList(listing: ListSnapshot, readings: readonly PendingRead<QueuedRead>[]): Promise<void> {
    const byName = await listing.byName;
    const rest = readings.filter((reading) => {
      const listed = listing.written.has(reading.name) ? undefined : byName?.get(reading.name);
      if (listed) reading.resolve(listed);
      else if (byName && this.isGone(reading, listing)) reading.resolve(undefined);
      else return true;
      return false;
    });
    this.findEach(rest);
  }

  /** A failed list says nothing; each read then fails or succeeds on its own. */
  private findEach(readings: readonly PendingRead<QueuedRead>[]): void {
    for (const { name, options, deleted, resolve, reject } of readings)
      this.objects.find(name, options, deleted ? { deleted } : {}).then(resolve, reject);
  }

  private isGone({ name, deleted }: QueuedRead, listing: ListSnapshot): boolean {
    const isProof = deleted === true && listing.deleted && listing.whole && this.objects.listIsComplete;
    return isProof && this.lists.pageHints.knows(name) && !listing.written.has(name);
  }

  /** Reads the list until it has shown what is read, or to its end. */
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
 * as far as it is known: a list that is read meanwhile may show the state before the write.
 */
export function withSharedReads(create: (noteWrite: OnWrite) => ObjectCollection, clock: Clock): ObjectCollection {
  const objects = create((name) => reads.noteWrite(name));
  const reads = new SharedReader(objects, clock);
  return {
    ...objects,
    poll: (name, options, hints) => reads.poll(name, options, hints),
    read: (name, options) => reads.read(name, options),
    recent: (options) => reads.recent(options),
    seenFirst: (options) => reads.seenFirst(options),
  };
}
