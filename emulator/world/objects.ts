import { accountOf } from "../../provider/core/values/names";
import { ascending } from "../../provider/core/values/order";
import type { StoredObject } from "../types";

/** Objects by name, and by kind and account in the order of their names. Sorting is left until a list is asked for. */
export interface ObjectStore {
  get(name: string): StoredObject | undefined;
  put(object: StoredObject): void;
  remove(name: string): void;
  list(kind: string, account?: string): StoredObject[];
  all(): Iterable<StoredObject>;
  clear(): void;
}

interface Shelf {
  names: string[];
  sorted: boolean;
  /** Names that are gone and still in `names`. */
  stale: boolean;
}

export function createObjects(): ObjectStore {
  const objects = new Map<string, StoredObject>();
  const shelves = new Map<string, Map<string, Shelf>>();

  function shelfOf(object: StoredObject): Shelf {
    let accounts = shelves.get(object.kind);
    if (!accounts) shelves.set(object.kind, (accounts = new Map()));
    const account = accountOf(object.name) ?? "";
    let shelf = accounts.get(account);
    if (!shelf) accounts.set(account, (shelf = { names: [], sorted: true, stale: false }));
    return shelf;
  }

  function namesOn(shelf: Shelf): readonly string[] {
    if (shelf.stale) shelf.names = [...new Set(shelf.names)].filter((name) => objects.has(name));
    if (!shelf.sorted) shelf.names.sort(ascending);
    shelf.sorted = true;
    shelf.stale = false;
    return shelf.names;
  }

  return {
    get: (name) => objects.get(name),
    put: (object) => {
      if (!objects.has(object.name)) {
        const shelf = shelfOf(object);
        shelf.sorted &&= shelf.names.length === 0 || shelf.names.at(-1)! < object.name;
        shelf.names.push(object.name);
      }
      objects.set(object.name, object);
    },
    remove: (name) => {
      const object = objects.get(name);
      if (!object) return;
      shelfOf(object).stale = true;
      objects.delete(name);
    },
    list: (kind, account) => {
      const accounts = shelves.get(kind);
      if (!accounts) return [];
      const own = account === undefined ? undefined : accounts.get(account);
      const wanted = account === undefined ? [...accounts.values()] : [own].filter((shelf) => shelf !== undefined);
      const names = wanted.length === 1 ? namesOn(wanted[0]!) : wanted.flatMap(namesOn).sort(ascending);
      return names.map((name) => objects.get(name)!);
    },
    all: () => objects.values(),
    clear: () => {
      objects.clear();
      shelves.clear();
    },
  };
}

/** What happens to which object, and when: a binary heap, so idle objects cost nothing. */
interface Agenda {
  add(at: number, name: string): void;
  /** Takes the earliest entry that is due, in the order of time and then of adding. */
  takeDue(now: number): { at: number; name: string } | undefined;
  clear(): void;
}

interface Entry {
  at: number;
  turn: number;
  name: string;
}

const before = (a: Entry, b: Entry): boolean => a.at < b.at || (a.at === b.at && a.turn < b.turn);

export function createAgenda(): Agenda {
  let heap: Entry[] = [];
  let turn = 0;
  return {
    add: (at, name) => {
      heap.push({ at, turn: turn++, name });
      rise(heap, heap.length - 1);
    },
    takeDue: (now) => {
      const first = heap[0];
      if (first === undefined || first.at > now) return undefined;
      const last = heap.pop()!;
      if (heap.length > 0) {
        heap[0] = last;
        sink(heap);
      }
      return first;
    },
    clear: () => {
      heap = [];
    },
  };
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
