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
