import type { Form, Secret } from "./forms";

/** Where the index has an entry: a window of a form. */
export interface Pick {
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

/** The secret decides every bit of the windows from this one on, up to `completeTo`. */
const completeFrom = (form: Form): number => (form.bits(0) === form.bits(1) ? 0 : 1);
const completeTo = (form: Form, count: number): number =>
  form.bits(form.length - 1) === form.bits(1) ? count : count - 1;

/**
 * An index of forms by windows of `width` letters. Every run that must be masked contains an indexed window: of its
 * candidates, the one that the fewest other forms share.
 */
export class Windows {
  /** The weight of a letter that leaves a window. */
  readonly high: number;
  #shift = 32 - 10;
  #filter = new Uint8Array(1 << 7);
  readonly #picks = new Map<number, Pick[]>();
  readonly #parts = new Set<string>();

  constructor(
    readonly width: number,
    private readonly effort: Effort,
  ) {
    let high = 1;
    for (let count = 0; count < width; count++) high = Math.imul(high, base);
    this.high = high;
  }

  get isEmpty(): boolean {
    return this.#picks.size === 0;
  }

  /** The hash of the letters of a window and one more. */
  next(hash: number, letter: number): number {
    return (Math.imul(hash, base) + letter + 1) | 0;
  }

  mayHave(hash: number): boolean {
    const slot = Math.imul(hash, mixer) >>> this.#shift;
    return (this.#filter[slot >> 3]! & (1 << (slot & 7))) !== 0;
  }

  picks(hash: number): readonly Pick[] | undefined {
    return this.#picks.get(hash);
  }

  /**
   * Indexes `form` so that each run which must be masked contains a window of it. `known`: stretches that another form
   * already indexes, because many secrets begin alike.
   */
  add(form: Form, known: readonly Stretch[]): void {
    const hashes = this.#hashesOf(form);
    const isPicked = new Uint8Array(hashes.length);
    const pick = (at: number): void => {
      if (isPicked[at] !== 0) return;
      isPicked[at] = 1;
      this.#insert(hashes[at]!, { form, at });
    };
    for (const stretch of this.#unknown(form, hashes.length, known)) this.#pickRuns(form, hashes, stretch, pick);
    this.#pickParts(form, hashes, isPicked, pick);
  }

  #hashesOf(form: Form): Int32Array {
    const { width, high } = this;
    const hashes = new Int32Array(Math.max(0, form.length - width + 1));
    let hash = 0;
    for (let at = 0; at < form.length; at++) {
      hash = this.next(hash, form.letter(at));
      if (at >= width) hash = (hash - Math.imul(form.letter(at - width) + 1, high)) | 0;
      if (at >= width - 1) hashes[at - width + 1] = hash;
    }
    this.effort.steps += form.length;
    return hashes;
  }

  /** The starts of windows that lie in no known stretch and in which the secret decides every bit. */
  #unknown(form: Form, count: number, known: readonly Stretch[]): Stretch[] {
    let from = completeFrom(form);
    const last = completeTo(form, count);
    const unknown: Stretch[] = [];
    for (const [start, end] of known) {
      if (end - start < this.width) continue;
      if (start > from) unknown.push([from, Math.min(start, last)]);
      from = Math.max(from, end - this.width + 1);
    }
    if (from < last) unknown.push([from, last]);
    return unknown;
  }

  /** Picks as many windows from `first` to `end` as a run needs, and both at the borders of known stretches. */
  #pickRuns(form: Form, hashes: Int32Array, [first, end]: Stretch, pick: (at: number) => void): void {
    const { secret } = form;
    const all = secret.secretLettersBefore(secret.text.length);
    const isBehindKnown = first > 1;
    if (all < secret.leastRun) return;
    if (isBehindKnown) pick(first);
    if (end < hashes.length - 1) pick(end - 1);
    let at = isBehindKnown ? first + 1 : first;
    let reach = secret.leastRun + (isBehindKnown ? secret.secretLettersBefore(form.from(first) + 1) : 0);
    while (at < end && reach <= all) {
      let stop = at;
      while (stop < end && secret.secretLettersBefore(form.readableTo(stop + this.width - 1)) <= reach) stop++;
      const chosen = this.#rarest(form, hashes, at, Math.max(stop, at + 1));
      at = (chosen ?? Math.max(stop - 1, at)) + 1;
      if (chosen === undefined) continue;
      pick(chosen);
      reach = secret.leastRun + secret.secretLettersBefore(form.from(chosen) + 1);
    }
  }

  /** The last of the windows that the fewest forms have, none of them public. */
  #rarest(form: Form, hashes: Int32Array, from: number, to: number): number | undefined {
    let rarest: number | undefined;
    let fewest = Number.POSITIVE_INFINITY;
    for (let at = to - 1; at >= from && fewest > 0; at--) {
      this.effort.steps++;
      const count = this.#picks.get(hashes[at]!)?.length ?? 0;
      if (count >= fewest || form.secret.isPublic(form.from(at), form.to(at + this.width - 1))) continue;
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
    const last = completeTo(form, count);
    for (const parts of [[whole], lines]) {
      let first = completeFrom(form);
      for (const [from, to] of parts) {
        while (first < last && form.from(first) < from) first++;
        let end = first;
        if (to - from < leastRun) while (end < last && form.to(end + this.width - 1) <= to) end++;
        this.effort.steps += end - first;
        if (end > first) yield { from, to, first, end };
      }
    }
  }

  /** Marks the parts of a secret as known, once its forms are indexed. */
  remember({ text, whole, lines }: Secret): void {
    for (const [from, to] of [whole, ...lines]) this.#parts.add(text.slice(from, to));
  }

  #insert(hash: number, pick: Pick): void {
    this.effort.steps++;
    const picks = this.#picks.get(hash);
    if (picks !== undefined) return void picks.push(pick);
    this.#picks.set(hash, [pick]);
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
