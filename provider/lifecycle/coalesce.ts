import type { Values } from "./types";
import type { Clock, Objects, RequestOptions } from "./world";

/** How long reads are gathered before they are answered together, in milliseconds. */
const gatherMs = 10;
/** From this many on, list pages cost less than a read each. */
const listFrom = 3;
/** How old a list may be that still answers a read, in milliseconds. */
const freshMs = 30_000;

interface Reading {
  name: string;
  options: RequestOptions;
  resolve(object: Values | undefined): void;
  reject(error: unknown): void;
}

/** A list, from when it is asked for: who comes while it is under way waits for it. */
interface Pages {
  /** When the last page came; infinite before. */
  at: number;
  /** Undefined where the list failed. */
  byName: Promise<Map<string, Values> | undefined>;
}

async function namesIn(list: AsyncIterable<Values>): Promise<Map<string, Values> | undefined> {
  const byName = new Map<string, Values>();
  try {
    for await (const object of list) byName.set(String(object["name"]), object);
    return byName;
  } catch {
    return undefined;
  }
}

/**
 * Answers the many reads of a refresh from a few list pages: N reads of a collection cost about N / 200
 * requests. What no page shows is read on its own, because a list hides tombstones and cannot prove that an
 * object is gone. A write makes the pages stale.
 */
export function coalescing(objects: Objects, clock: Clock): Objects {
  let gathered: Reading[] = [];
  let pages: Pages | undefined;

  async function answer(readings: readonly Reading[]): Promise<void> {
    if (!isFresh() && readings.length >= listFrom) pages = listAll(readings[0]!.options);
    const byName = isFresh() ? await pages?.byName : undefined;
    await Promise.all(
      readings.map(async ({ name, options, resolve, reject }) => {
        const listed = byName?.get(name);
        return listed ? resolve(listed) : objects.find(name, options).then(resolve, reject);
      }),
    );
  }

  const isFresh = (): boolean => pages !== undefined && clock.now() - pages.at <= freshMs;

  /** A list that fails tells nothing; each read then learns its own reason. */
  function listAll(options: RequestOptions): Pages {
    const listing: Pages = { at: Number.POSITIVE_INFINITY, byName: namesIn(objects.list(options)) };
    void listing.byName.then((byName) => {
      listing.at = clock.now();
      if (byName === undefined && pages === listing) pages = undefined;
    });
    return listing;
  }

  function read(name: string, options: RequestOptions): Promise<Values | undefined> {
    return new Promise((resolve, reject) => {
      gathered.push({ name, options, resolve, reject });
      if (gathered.length > 1) return;
      void clock.sleep(gatherMs).then(() => {
        const readings = gathered;
        gathered = [];
        return answer(readings);
      });
    });
  }

  /** What is listed while a write is under way may be from before it. */
  const stale =
    <A extends unknown[], R>(write: (...args: A) => Promise<R>) =>
    async (...args: A): Promise<R> => {
      pages = undefined;
      try {
        return await write(...args);
      } finally {
        pages = undefined;
      }
    };

  return {
    ...objects,
    read,
    create: stale(objects.create),
    update: stale(objects.update),
    remove: stale(objects.remove),
    verb: stale(objects.verb),
  };
}
