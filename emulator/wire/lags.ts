import type { EmulatorClock, StoredObject, World } from "../types";

/** What a reader does not see yet. */
interface ReplicaLag {
  /** Objects are seen as they were before their last write, deleted ones as if still there. */
  stale: boolean;
  isUnseen(name: string): boolean;
}

/** The world as a lagging replica shows it. Writes reach the world directly. */
export function laggingWorld(world: World, lag: ReplicaLag): World {
  const seen = (name: string, object: StoredObject | undefined): StoredObject | undefined => {
    if (lag.isUnseen(name)) return undefined;
    return lag.stale ? (world.previous(name) ?? object) : object;
  };
  const allSeen = (objects: Iterable<StoredObject>): StoredObject[] =>
    [...objects].flatMap((object) => seen(object.name, object) ?? []);
  return {
    clock: world.clock,
    keys: world.keys,
    get: (name) => seen(name, world.get(name)),
    list: (kind, account) => allSeen(world.list(kind, account)),
    all: () => allSeen(world.all()),
    put: (object) => world.put(object),
    remove: (name) => world.remove(name),
    setKey: (key, account, role) => world.setKey(key, account, role),
    removeKey: (key) => world.removeKey(key),
    settingsOf: (account) => world.settingsOf(account),
    changeSettings: (change, account) => world.changeSettings(change, account),
    snapshot: () => world.snapshot(),
    restore: (snapshot) => world.restore(snapshot),
    onChange: (listener) => world.onChange(listener),
    previous: (name) => world.previous(name),
    uuid: () => world.uuid(),
  };
}

export interface Unseen {
  /** Hides an object for so many reads of it, or until a time of the emulator's. */
  hide(name: string, reads: number | undefined, ms: number | undefined): void;
  isUnseen(name: string): boolean;
  /** Counts a read of the object. */
  read(name: string): void;
  /** Whether anything is hidden at all. */
  readonly any: boolean;
  clear(): void;
}

/** Objects that their creator cannot see yet. */
export function createUnseen(clock: EmulatorClock): Unseen {
  const hidden = new Map<string, { reads: number; until: number }>();
  return {
    hide: (name, reads, ms) =>
      hidden.set(name, {
        reads: reads ?? (ms === undefined ? 1 : Number.POSITIVE_INFINITY),
        until: ms === undefined ? Number.POSITIVE_INFINITY : clock.now() + ms,
      }),
    isUnseen: (name) => {
      const entry = hidden.get(name);
      if (!entry) return false;
      if (entry.reads > 0 && clock.now() < entry.until) return true;
      hidden.delete(name);
      return false;
    },
    read: (name) => {
      const entry = hidden.get(name);
      if (entry) entry.reads--;
    },
    get any() {
      return hidden.size > 0;
    },
    clear: () => hidden.clear(),
  };
}
