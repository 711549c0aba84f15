import type { Form, Secret } from "./forms";
import type { Letters } from "./letters";

/** A window of a form. */
interface Entry {
  readonly form: Form;
  readonly at: number;
}

/** Half-open range of letters of a form. */
export type Stretch = readonly [from: number, to: number];

/** Work of the matcher, in letters read, compared and indexed. */
export interface Effort {
  steps: number;
}

const base = 0x01_00_01_93;
const mixer = 0x9e_37_79_b1;

/** The letters of a text, or of a form. */
type Text = Pick<Letters, "codes" | "length">;

/** Takes a run: letters `first` to `end` of `form` are the letters from `start` to `stop` of a text. */
type RunReader = (form: Form, first: number, end: number, start: number, stop: number) => void;

/**
 * An index of forms by windows of `width` letters. Every run that must be masked contains an indexed window: of its
 * candidates, the one that the fewest other forms share.
 */
export class Windows {
  /** The weight of a letter that leaves a window. */
  readonly #high: number;
  #shift = 32 - 10;
  #filter = new Uint8Array(1 << 7);
  readonly #picks = new Map<number, Entry[]>();
  readonly #parts = new Set<string>();

  constructor(
    readonly width: number,
    private readonly effort: Effort,
  ) {
    let high = 1;
    for (let count = 0; count < width; count++) high = Math.imul(high, base);
    this.#high = high;
  }

  get isEmpty(): boolean {
    return this.#picks.size === 0;
  }

  /** Reports each run that a text of these letters shares with a form, if the run holds an indexed window. */
  search(text: Text, report: RunReader): void {
    /** Per form its latest run: where in the text the form would begin, and where the run stops. */
    const latest = new Map<Form, { origin: number; stop: number }>();
    this.effort.steps += text.length;
    let hash = 0;
    for (let last = 0; last < text.length; last++) {
      hash = this.#slide(hash, text.codes, last);
      if (last < this.width - 1 || !this.#mayHave(hash)) continue;
      for (const { form, at } of this.#picks.get(hash) ?? []) {
        const origin = last + 1 - this.width - at;
        const run = latest.get(form);
        if (run !== undefined && run.origin === origin && last < run.stop) continue;
        const [first, end] = this.#runAround(at, form, text, origin);
        if (first > at) continue;
        latest.set(form, { origin, stop: end + origin });
        report(form, first, end, first + origin, end + origin);
      }
    }
  }

  /** The letters of a form around its window `at` that a text has too. They end within it if only its hash is alike. */
  #runAround(at: number, { codes, own, length }: Form, text: Text, origin: number): Stretch {
    let first = at + this.width;
    let end = first;
    const isSame = (letter: number): boolean => codes[letter] === text.codes[letter + origin];
    while (first > own[0] && first + origin > 0 && isSame(first - 1)) first--;
    while (end < own[1] && end + origin < text.length && isSame(end)) end++;
    this.effort.steps += end - first + 1;
    return [
      first === own[0] && first + origin > 0 ? 0 : first,
      end === own[1] && end + origin < text.length ? length : end,
    ];
  }

  /** The hash of the window that ends with the letter at `last`, by the one before. */
  #slide(hash: number, codes: Uint16Array, last: number): number {
    const leaving = last < this.width ? 0 : Math.imul(codes[last - this.width]! + 1, this.#high);
    return (Math.imul(hash, base) + codes[last]! + 1 - leaving) | 0;
  }

  #mayHave(hash: number): boolean {
    const slot = Math.imul(hash, mixer) >>> this.#shift;
    return (this.#filter[slot >> 3]! & (1 << (slot & 7))) !== 0;
  }

  /** Indexes the forms of a secret, and remembers its parts as known. */
  add({ text, whole, lines }: Secret, forms: readonly Form[]): void {
    for (const form of forms) this.#addForm(form);
    for (const [from, to] of [whole, ...lines]) this.#parts.add(text.slice(from, to));
  }

  /**
   * Indexes `form` so that each run which must be masked contains a window of it, or of another form that has the same
   * letters: many secrets begin alike.
   */
  #addForm(form: Form): void {
    const known = this.#knownIn(form);
    const hashes = this.#hashesOf(form);
    const isPicked = new Uint8Array(hashes.length);
    const pick = (at: number): void => {
      if (isPicked[at] !== 0) return;
      isPicked[at] = 1;
      this.#insert(hashes[at]!, { form, at });
    };
    for (const stretch of this.#unknown(form.own, hashes.length, known)) this.#pickRuns(form, hashes, stretch, pick);
    this.#pickParts(form, hashes, isPicked, pick);
  }

  /** The stretches of `form` that the index already matches: other secrets contain them, and need no longer runs. */
  #knownIn(form: Form): Stretch[] {
    const { secret, from, to } = form;
    if (this.isEmpty || secret.text.length < secret.leastRun) return [];
    const known: Stretch[] = [];
    this.search(form, (other, first, end, start, stop) => {
      const knownLetters = other.secret.secretLetters(other.from[first]!, other.to[end - 1]!);
      const isEnough = knownLetters >= secret.secretLetters(from[start]!, to[stop - 1]!);
      if (isEnough && other.secret.leastRun <= secret.leastRun) known.push([start, stop]);
    });
    return known.sort((a, b) => a[0] - b[0] || b[1] - a[1]);
  }

  #hashesOf({ codes, own: [, end] }: Form): Int32Array {
    const hashes = new Int32Array(Math.max(0, end - this.width + 1));
    let hash = 0;
    for (let last = 0; last < end; last++) {
      hash = this.#slide(hash, codes, last);
      if (last >= this.width - 1) hashes[last - this.width + 1] = hash;
    }
    this.effort.steps += end;
    return hashes;
  }

  /** The starts of windows that lie in no known stretch. */
  #unknown([first]: Stretch, count: number, known: readonly Stretch[]): Stretch[] {
    let from = first;
    const unknown: Stretch[] = [];
    for (const [start, end] of known) {
      if (end - start < this.width) continue;
      if (start > from) unknown.push([from, Math.min(start, count)]);
      from = Math.max(from, end - this.width + 1);
    }
    if (from < count) unknown.push([from, count]);
    return unknown;
  }

  /** Picks as many windows from `first` to `end` as a run needs, and both at the borders of known stretches. */
  #pickRuns(form: Form, hashes: Int32Array, [first, end]: Stretch, pick: (at: number) => void): void {
    const { secret } = form;
    const all = secret.secretLettersBefore(secret.text.length);
    const isBehindKnown = first > form.own[0];
    if (all < secret.leastRun) return;
    if (isBehindKnown) pick(first);
    if (end < hashes.length - 1) pick(end - 1);
    let at = isBehindKnown ? first + 1 : first;
    let reach = secret.leastRun + (isBehindKnown ? secret.secretLettersBefore(form.from[first]! + 1) : 0);
    while (at < end && reach <= all) {
      let stop = at;
      while (stop < end && secret.secretLettersBefore(form.readableTo[stop + this.width - 1]!) <= reach) stop++;
      const chosen = this.#rarest(form, hashes, at, Math.max(stop, at + 1));
      at = (chosen ?? Math.max(stop - 1, at)) + 1;
      if (chosen === undefined) continue;
      pick(chosen);
      reach = secret.leastRun + secret.secretLettersBefore(form.from[chosen]! + 1);
    }
  }

  /** The last of the windows that the fewest forms have, none of them public. */
  #rarest(form: Form, hashes: Int32Array, from: number, to: number): number | undefined {
    let rarest: number | undefined;
    let fewest = Number.POSITIVE_INFINITY;
    for (let at = to - 1; at >= from && fewest > 0; at--) {
      this.effort.steps++;
      const count = this.#picks.get(hashes[at]!)?.length ?? 0;
      if (count >= fewest || form.secret.isPublic(form.from[at]!, form.to[at + this.width - 1]!)) continue;
      rarest = at;
      fewest = count;
    }
    return rarest;
  }

  /** A part that is shorter than a run needs a window of its own, unless another secret has the same part. */
  #pickParts(form: Form, hashes: Int32Array, isPicked: Uint8Array, pick: (at: number) => void): void {
    const { secret } = form;
    for (const { from, to, first, end } of this.#windowsOfParts(form, hashes.length)) {
      const part = secret.text.slice(from, to);
      if (this.#parts.has(part) || isPicked.subarray(first, end).includes(1)) continue;
      pick(this.#rarest(form, hashes, first, end) ?? first);
    }
  }

  /** The windows of each part that is shorter than a run but not shorter than a window. */
  *#windowsOfParts(form: Form, count: number): Iterable<{ from: number; to: number; first: number; end: number }> {
    const { whole, lines, leastRun } = form.secret;
    for (const parts of [[whole], lines]) {
      let [first] = form.own;
      for (const [from, to] of parts) {
        while (first < count && form.from[first]! < from) first++;
        let end = first;
        if (form.secret.secretLetters(from, to) < leastRun)
          while (end < count && form.to[end + this.width - 1]! <= to) end++;
        this.effort.steps += end - first;
        if (end > first) yield { from, to, first, end };
      }
    }
  }

  #insert(hash: number, entry: Entry): void {
    this.effort.steps++;
    const picks = this.#picks.get(hash);
    if (picks !== undefined) return void picks.push(entry);
    this.#picks.set(hash, [entry]);
    if (this.#picks.size * 16 > this.#filter.length * 8) this.#grow();
    else this.#mark(hash);
  }

  #mark(hash: number): void {
    const slot = Math.imul(hash, mixer) >>> this.#shift;
    this.#filter[slot >> 3]! |= 1 << (slot & 7);
  }

  #grow(): void {
    this.#filter = new Uint8Array(this.#filter.length * 4);
    this.#shift -= 2;
    this.effort.steps += this.#picks.size;
    for (const hash of this.#picks.keys()) this.#mark(hash);
  }
}
