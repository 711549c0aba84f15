import type { LiveObject, Objects, RequestOptions, Sight, Written } from "../ports/objects";
import type { Clock } from "../ports/ports";
import { Arrivals, woken } from "./arrivals";

/** How long reads are gathered before they are answered together, in milliseconds. */
const gatherMs = 10;
/** Objects on a list page. */
const pageSize = 200;
/** How old a list may be that still answers a read of a refresh, in milliseconds. */
const freshMs = 30_000;

interface Reading extends Sight {
  name: string;
  options: RequestOptions;
  /** The list is read to its end, so that it can answer later callers. */
  whole: boolean;
  resolve(object: LiveObject | undefined): void;
  reject(error: unknown): void;
}

/** What a list shows. */
interface Pages {
  /** When it was asked for. */
  requestedAt: number;
  /** Undefined where the list failed. */
  byName: Promise<Map<string, LiveObject> | undefined>;
  /** Read to its end. */
  whole: boolean;
  /** Names written since it was requested: it cannot answer for these. */
  written: Set<string>;
}

/**
 * Answers the many reads of one collection from a few lists: N reads cost about N / 200 requests. What no list shows is
 * read on its own, because a list hides tombstones; only after a delete of an object that a list has shown does
 * its absence prove that it is gone.
 */
export class SharedReads {
  private gathered: Reading[] = [];
  private gathering = false;
  private gatheringSince = 0;
  private wake = new AbortController();
  private sleepsUntil = 0;
  private readonly arrivals: Arrivals;
  private underWay: Pages | undefined;
  private pages: Pages | undefined;
  private failedAt = Number.NEGATIVE_INFINITY;
  /** Pages that the last list was read to. Before there was one, a list for two might cost more than their reads. */
  private pageCount = 2;
  /** Names that any list has shown. */
  private readonly shown = new Set<string>();

  constructor(
    private readonly objects: Objects,
    private readonly clock: Clock,
  ) {
    this.arrivals = new Arrivals(objects.concurrency);
  }

  /** The object from a request that is started after this call. */
  look(name: string, options: RequestOptions, sight: Sight = {}): Promise<LiveObject | undefined> {
    return this.gather(name, options, sight, false);
  }

  /** The object from a list that is at most some seconds old and newer than the last write of the object. */
  async read(name: string, options: RequestOptions): Promise<LiveObject | undefined> {
    const pages = this.freshPages();
    if (!pages || pages.written.has(name)) return this.gather(name, options, {}, true);
    const listed = (await pages.byName)?.get(name);
    return listed && !pages.written.has(name) ? listed : this.objects.find(name, options);
  }

  /** What a list shows that is at most some seconds old; nothing for as long after one that failed. */
  async recent(options: RequestOptions): Promise<Iterable<LiveObject>> {
    if (this.clock.now() - this.failedAt <= freshMs) return [];
    const { byName } = this.freshPages() ?? this.list([], options);
    return (await byName)?.values() ?? [];
  }

  private freshPages(): Pages | undefined {
    return this.pages && this.clock.now() - this.pages.requestedAt <= freshMs ? this.pages : undefined;
  }

  /** Lists requested earlier may show the object, or all objects, as they were before the write. */
  written(name: string | undefined): void {
    if (name === undefined || this.objects.entangled) this.pages = undefined;
    if (name === undefined) return;
    this.pages?.written.add(name);
    this.underWay?.written.add(name);
  }

  private gather(name: string, options: RequestOptions, sight: Sight, whole: boolean): Promise<LiveObject | undefined> {
    return new Promise((resolve, reject) => {
      const now = this.clock.now();
      if (this.gathered.length === 0) this.gatheringSince = now;
      this.arrivals.note(now);
      this.gathered.push({ name, options, ...sight, whole, resolve, reject });
      if (sight.now || this.nextAnswer() < this.sleepsUntil) this.wake.abort(woken);
      void this.run();
    });
  }

  /** One list at a time: callers that arrive while it is under way share the next one. */
  private async run(): Promise<void> {
    if (this.gathering) return;
    this.gathering = true;
    while (this.gathered.length > 0) {
      await this.quiet();
      const readings = this.gathered;
      this.gathered = [];
      if (!readings.some((reading) => reading.now)) this.objects.concurrency.waited(readings.length);
      await this.answer(readings);
    }
    this.gathering = false;
  }

  /** Lets callers that are about to ask join in. */
  private async quiet(): Promise<void> {
    for (;;) {
      if (this.gathered.some((reading) => reading.now)) return;
      const pause = this.nextAnswer() - this.clock.now();
      if (pause <= 0) return;
      this.wake = new AbortController();
      this.sleepsUntil = this.clock.now() + pause;
      await this.clock.sleep(pause, this.wake.signal).catch(() => undefined);
    }
  }

  private nextAnswer(): number {
    return this.arrivals.after(this.gatheringSince + gatherMs, this.gathered.length);
  }

  private async answer(readings: readonly Reading[]): Promise<void> {
    if (readings.length <= this.pageCount) return this.findEach(readings);
    const pages = this.list(readings, readings[0]!.options);
    const byName = await pages.byName;
    const rest = readings.filter((reading) => {
      const listed = pages.written.has(reading.name) ? undefined : byName?.get(reading.name);
      if (listed) reading.resolve(listed);
      else if (byName && this.isGone(reading, pages)) reading.resolve(undefined);
      else return true;
      return false;
    });
    this.findEach(rest);
  }

  /** A failed list says nothing; each read then fails or succeeds on its own. */
  private findEach(readings: readonly Reading[]): void {
    for (const { name, options, resolve, reject } of readings) this.objects.find(name, options).then(resolve, reject);
  }

  private isGone({ name, deleted }: Reading, { whole, written }: Pages): boolean {
    return deleted === true && whole && this.objects.listsAll && this.shown.has(name) && !written.has(name);
  }

  /** Reads the list until it has shown what is read, or to its end. */
  private list(readings: readonly Reading[], options: RequestOptions): Pages {
    const whole = readings.length === 0 || readings.some((reading) => reading.whole || reading.deleted);
    const wanted = whole ? undefined : new Set(readings.map(({ name }) => name));
    const deleted = readings.some((reading) => reading.deleted);
    const pages: Pages = {
      requestedAt: this.clock.now(),
      byName: this.collect(options, wanted, deleted),
      whole,
      written: new Set(),
    };
    this.underWay = pages;
    if (whole) this.pages = pages;
    void pages.byName.then((byName) => {
      if (byName !== undefined) return;
      this.failedAt = this.clock.now();
      if (this.pages === pages) this.pages = undefined;
    });
    return pages;
  }

  private async collect(
    options: RequestOptions,
    wanted: Set<string> | undefined,
    deleted: boolean,
  ): Promise<Map<string, LiveObject> | undefined> {
    const byName = new Map<string, LiveObject>();
    try {
      for await (const object of this.objects.list(options, { deleted })) {
        const name = object.name;
        byName.set(name, object);
        this.shown.add(name);
        if (wanted?.delete(name) && wanted.size === 0) break;
      }
    } catch {
      return undefined;
    }
    this.pageCount = Math.max(1, Math.ceil(byName.size / pageSize));
    return byName;
  }
}

/**
 * The objects of a collection, with reads that are shared. Whoever makes them says before and after each write what is
 * written, as far as its name is known: what is listed while a write is under way may be from before it.
 */
export function sharing(make: (written: Written) => Objects, clock: Clock): Objects {
  const objects = make((name) => reads.written(name));
  const reads = new SharedReads(objects, clock);
  return {
    ...objects,
    look: (name, options, sight) => reads.look(name, options, sight),
    read: (name, options) => reads.read(name, options),
    recent: (options) => reads.recent(options),
  };
}
