import { ascending } from "../../provider/core/values/grouping";
import { accountOf } from "../../provider/core/values/names";
import type { StoredObject } from "../types";

interface Shelf {
  names: string[];
  sorted: boolean;
  /** Names that are gone and still in `names`. */
  stale: boolean;
}

/** Objects by name, and by kind and account in the order of their names. Sorts when a list is requested. */
export class ObjectStore {
  private readonly byName = new Map<string, StoredObject>();
  private readonly shelves = new Map<string, Map<string, Shelf>>();

  get(name: string): StoredObject | undefined {
    return this.byName.get(name);
  }

  put(object: StoredObject): void {
    if (!this.byName.has(object.name)) {
      const shelf = this.shelfOf(object);
      shelf.sorted &&= shelf.names.length === 0 || shelf.names.at(-1)! < object.name;
      shelf.names.push(object.name);
    }
    this.byName.set(object.name, object);
  }

  remove(name: string): void {
    const object = this.byName.get(name);
    if (!object) return;
    this.shelfOf(object).stale = true;
    this.byName.delete(name);
  }

  list(kind: string, account?: string): StoredObject[] {
    const accounts = this.shelves.get(kind);
    if (!accounts) return [];
    const own = account === undefined ? undefined : accounts.get(account);
    const shelvesToList = account === undefined ? [...accounts.values()] : [own].filter((shelf) => shelf !== undefined);
    const names =
      shelvesToList.length === 1
        ? this.namesOn(shelvesToList[0]!)
        : shelvesToList.flatMap((shelf) => this.namesOn(shelf)).sort(ascending);
    return names.map((name) => this.byName.get(name)!);
  }

  all(): Iterable<StoredObject> {
    return this.byName.values();
  }

  clear(): void {
    this.byName.clear();
    this.shelves.clear();
  }

  private shelfOf(object: StoredObject): Shelf {
    let accounts = this.shelves.get(object.kind);
    if (!accounts) this.shelves.set(object.kind, (accounts = new Map()));
    const account = accountOf(object.name) ?? "";
    let shelf = accounts.get(account);
    if (!shelf) accounts.set(account, (shelf = { names: [], sorted: true, stale: false }));
    return shelf;
  }

  private namesOn(shelf: Shelf): readonly string[] {
    if (shelf.stale) shelf.names = [...new Set(shelf.names)].filter((name) => this.byName.has(name));
    if (!shelf.sorted) shelf.names.sort(ascending);
    shelf.sorted = true;
    shelf.stale = false;
    return shelf.names;
  }
}

interface Entry {
  at: number;
  turn: number;
  name: string;
}

const before = (a: Entry, b: Entry): boolean => a.at < b.at || (a.at === b.at && a.turn < b.turn);

/** What happens to which object, and when: a binary heap, so idle objects cost nothing. */
export class Agenda {
  private heap: Entry[] = [];
  private turn = 0;

  add(at: number, name: string): void {
    this.heap.push({ at, turn: this.turn++, name });
    rise(this.heap, this.heap.length - 1);
  }

  /** Takes the earliest entry that is due, in the order of time and then of adding. */
  takeDue(now: number): { at: number; name: string } | undefined {
    const first = this.heap[0];
    if (first === undefined || first.at > now) return undefined;
    const last = this.heap.pop()!;
    if (this.heap.length > 0) {
      this.heap[0] = last;
      sink(this.heap);
    }
    return first;
  }

  clear(): void {
    this.heap = [];
  }
}

function rise(heap: Entry[], from: number): void {
  for (let index = from; index > 0; ) {
    const parent = (index - 1) >> 1;
    if (!before(heap[index]!, heap[parent]!)) return;
    swap(heap, index, parent);
    index = parent;
  }
}

function sink(heap: Entry[]): void {
  for (let index = 0; ; ) {
    const [left, right] = [2 * index + 1, 2 * index + 2];
    let least = index;
    if (left < heap.length && before(heap[left]!, heap[least]!)) least = left;
    if (right < heap.length && before(heap[right]!, heap[least]!)) least = right;
    if (least === index) return;
    swap(heap, index, least);
    index = least;
  }
}

function swap(heap: Entry[], a: number, b: number): void {
  [heap[a], heap[b]] = [heap[b]!, heap[a]!];
}
