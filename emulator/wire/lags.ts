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

/** Objects that their creator cannot see yet. */
export class HiddenObjects {
  private readonly hidden = new Map<string, { reads: number; until: number }>();

  constructor(private readonly clock: EmulatorClock) {}

  /** Hides an object for so many reads of it, or until a time of the emulator's. */
  hide(name: string, reads: number | undefined, ms: number | undefined): void {
    this.hidden.set(name, {
      reads: reads ?? (ms === undefined ? 1 : Number.POSITIVE_INFINITY),
      until: ms === undefined ? Number.POSITIVE_INFINITY : this.clock.now() + ms,
    });
  }

  isUnseen(name: string): boolean {
    const entry = this.hidden.get(name);
    if (!entry) return false;
    if (entry.reads > 0 && this.clock.now() < entry.until) return true;
    this.hidden.delete(name);
    return false;
  }

  /** Counts a read of the object. */
  read(name: string): void {
    const entry = this.hidden.get(name);
    if (entry) entry.reads--;
  }

  /** Whether anything is hidden at all. */
  get any(): boolean {
    return this.hidden.size > 0;
  }

  clear(): void {
    this.hidden.clear();
  }
}
