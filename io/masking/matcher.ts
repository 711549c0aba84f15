import { isQuotedPrintable, mayHoldEscapes, UnescapingReader } from "./escapes";
import { BitForm, exactForms, type Form, foldedForms, Secret, SecretBytes, shortestSecret } from "./forms";
import {
  Base64Reader,
  type BitReader,
  DecimalReader,
  type FoldedReader,
  Folding,
  HexReader,
  isSpace,
  type Reader,
} from "./letters";
import { type Effort, type Pick, type Stretch, Windows } from "./windows";

/** Letters kept for comparison: more than a run must have in any form. */
const historySize = 256;
const historyMask = historySize - 1;

/** Letters of a form that occur in a text. */
interface Run {
  readonly form: Form;
  /** The window that matched. */
  readonly matchedBits: number;
  /** First letter, and the one that is expected next. */
  readonly first: number;
  next: number;
  /** Their range in the text. */
  readonly from: number;
  to: number;
  /**
   * Counts of letters at which that window matched again. The secret may start at any of these; each is tried when this
   * run ends, which bounds the number of open runs.
   */
  readonly again: number[];
}

/** The last letters, and their ranges in the text. */
interface Memory {
  readonly letters: Uint16Array;
  readonly from: Int32Array;
  readonly to: Int32Array;
}

const newMemory = (): Memory => ({
  letters: new Uint16Array(historySize),
  from: new Int32Array(historySize),
  to: new Int32Array(historySize),
});

/** Reused from finished lanes: most texts are short. */
const idle: Memory[] = [];

/** Takes the runs of a lane: letters `first` to `end` of `form` occur in the text from `from` to `to`. */
type RunReader = (form: Form, stretch: readonly [first: number, end: number], from: number, to: number) => void;

/** Compares the letters of one reading of a text with all forms of an index at once. */
class Lane implements FoldedReader, BitReader {
  readonly #memory = idle.pop() ?? newMemory();
  readonly #letters = this.#memory.letters;
  readonly #from = this.#memory.from;
  readonly #to = this.#memory.to;
  #count = 0;
  #hash = 0;
  readonly #runs: Run[] = [];
  /** Runs that end with the current letter. */
  readonly #ended: Run[] = [];

  constructor(
    private readonly windows: Windows,
    private readonly effort: Effort,
    private readonly report: RunReader,
  ) {}

  letter(letter: number, from: number, to: number): void {
    const { width, high } = this.windows;
    const at = this.#count & historyMask;
    this.effort.steps++;
    if (this.#runs.length > 0) this.#follow(letter, to);
    let hash = this.windows.next(this.#hash, letter);
    if (this.#count >= width)
      hash = (hash - Math.imul(this.#letters[(this.#count - width) & historyMask]! + 1, high)) | 0;
    this.#letters[at] = letter;
    this.#from[at] = from;
    this.#to[at] = to;
    this.#hash = hash;
    this.#count++;
    while (this.#ended.length > 0) this.#retry(this.#ended.pop()!);
    if (this.#count < width || !this.windows.mayHave(hash)) return;
    for (const pick of this.windows.picks(hash) ?? []) this.#start(pick);
  }

  repeat(from: number): void {
    this.#from[(this.#count - 1) & historyMask] = from;
  }

  interrupt(): void {
    if (this.#count === 0) return;
    this.#count = this.#hash = 0;
    for (const run of this.#runs) this.#end(run);
    this.#runs.length = 0;
  }

  /** Ends the text. The lane MUST NOT be used afterwards. */
  end(): void {
    this.interrupt();
    idle.push(this.#memory);
  }

  #end({ form, first, next, from, to }: Run): void {
    this.report(form, [first, next], from, to);
  }

  /** Runs before the letter is stored. */
  #follow(letter: number, to: number): void {
    let kept = 0;
    for (const run of this.#runs) {
      this.effort.steps++;
      const { form, next } = run;
      if (next < form.length && ((form.letter(next) ^ letter) & form.bits(next)) === 0) {
        run.next++;
        run.to = to;
        this.#runs[kept++] = run;
      } else {
        this.#end(run);
        if (run.again.length > 0) this.#ended.push(run);
      }
    }
    this.#runs.length = kept;
  }

  /** If the last letters are that window and no run covers it, begins a run. */
  #start({ form, at }: Pick): void {
    const next = at + this.windows.width;
    this.effort.steps++;
    for (const run of this.#runs) {
      this.effort.steps++;
      if (run.form !== form) continue;
      if (run.next === next) return;
      if (run.matchedBits === at) return void run.again.push(this.#count);
    }
    this.#begin(form, at, next, []);
  }

  /** Begins a run that ends before `next`, if its window and all letters since match the form. */
  #begin(form: Form, matchedBits: number, next: number, again: number[]): boolean {
    const most = Math.min(this.#count, historySize, next);
    const least = Math.min(next - matchedBits, historySize);
    let length = 0;
    while (length < most && this.#equals(form, next - 1 - length, length)) length++;
    this.effort.steps += length;
    if (length < least) return false;
    const from = this.#from[(this.#count - length) & historyMask]!;
    const to = this.#to[(this.#count - 1) & historyMask]!;
    this.#runs.push({ form, matchedBits, first: next - length, next, from, to, again });
    return true;
  }

  /** Continues an ended run from the first repetition of its window that matches. */
  #retry({ form, matchedBits, again }: Run): void {
    for (const [at, count] of again.entries()) {
      this.effort.steps++;
      const next = matchedBits + this.windows.width + this.#count - count;
      if (next <= form.length && this.#begin(form, matchedBits, next, again.slice(at + 1))) return;
    }
  }

  /** Whether the letter of the form is the one that came that many letters ago. */
  #equals(form: Form, at: number, ago: number): boolean {
    return ((form.letter(at) ^ this.#letters[(this.#count - 1 - ago) & historyMask]!) & form.bits(at)) === 0;
  }
}

/** The replacement of a secret; nothing within it is masked again. */
const marks = /\[(?:redacted|secret)\]/g;

/** Finds secrets in texts, in all the forms of docs/dev/masking.md. */
export class SecretMatcher {
  readonly #indexes = new Indexes();

  /** Work so far, in letters read, compared and indexed: tests measure how it grows. */
  get steps(): number {
    return this.#indexes.effort.steps;
  }

  /** Adds a secret to mask. Texts of fewer than 3 letters occur in too many others and are ignored. */
  add(secret: string): void {
    this.#indexes.add(secret);
  }

  /** `text` with `mark` in place of each secret that is not exempt. */
  mask(text: string, mark: string, exempt?: Exempt): string {
    if (this.#indexes.isEmpty) return text;
    return maskRanges(text, new Scan(text, this.#indexes, exempt).read(), mark);
  }
}

function maskRanges(text: string, ranges: Stretch[], mark: string): string {
  if (ranges.length === 0) return text;
  const done = [...text.matchAll(marks)].map(({ index, 0: { length } }): Stretch => [index, index + length]);
  let result = "";
  let start = 0;
  let next = 0;
  let mask: Stretch | undefined;
  const replace = ([from, to]: Stretch): void => {
    result += text.slice(start, from) + mark;
    start = to;
  };
  for (const stretch of ranges) {
    while (next < done.length && done[next]![1] < stretch[1]) next++;
    if (done[next] !== undefined && done[next]![0] <= stretch[0]) continue;
    if (mask !== undefined && stretch[0] > mask[1]) replace(mask);
    mask = mask !== undefined && stretch[0] <= mask[1] ? [mask[0], Math.max(mask[1], stretch[1])] : stretch;
  }
  if (mask !== undefined) replace(mask);
  return result + text.slice(start);
}

/** Whether the letters of a secret may be displayed nevertheless. */
type Exempt = (secret: string) => boolean;

/** One walk over a text. */
class Scan {
  readonly #ranges: Stretch[] = [];
  readonly #lanes: Lane[] = [];
  readonly #ends: (() => void)[] = [];
  readonly #readers: readonly Reader[];

  constructor(
    private readonly text: string,
    indexes: Indexes,
    exempt: Exempt | undefined,
  ) {
    const report: RunReader = (form, [first, end], from, to) => {
      if (form.secret.isRevealedBy(form.from(first), form.to(end - 1)) && !exempt?.(form.secret.text))
        this.#ranges.push(withoutSpaces(text, from, to));
    };
    const lane = (windows: Indexes["folded"]): Lane => {
      const created = new Lane(windows, indexes.effort, report);
      this.#lanes.push(created);
      return created;
    };
    const letters = (): Reader[] => [
      ...(indexes.folded.isEmpty ? [] : [new Folding(lane(indexes.folded))]),
      ...(indexes.exact.isEmpty ? [] : [lane(indexes.exact)]),
    ];
    const bits = (): Reader[] => this.#bitReaders(indexes, lane);
    // After a stray equals sign, the first two letters of base64 or hexadecimal look like an escape.
    const unescaped = mayHoldEscapes(text) && !isQuotedPrintable(text) ? letters() : [...letters(), ...bits()];
    this.#readers = mayHoldEscapes(text)
      ? [...unescaped, this.#unescaping(new Fork([...letters(), ...bits()]))]
      : unescaped;
  }

  #bitReaders(indexes: Indexes, lane: (windows: Indexes["folded"]) => Lane): Reader[] {
    const readers: Reader[] = [];
    if (!indexes.base64.isEmpty) readers.push(new Base64Reader(lane(indexes.base64)));
    if (!indexes.hex.isEmpty) {
      const hex = new HexReader(lane(indexes.hex));
      const decimal = new DecimalReader(lane(indexes.decimal));
      readers.push(hex, decimal);
      this.#ends.push(
        () => hex.end(),
        () => decimal.end(),
      );
    }
    return readers;
  }

  #unescaping(reader: Reader): Reader {
    const unescaping = new UnescapingReader(reader, isQuotedPrintable(this.text));
    this.#ends.unshift(() => unescaping.end());
    return unescaping;
  }

  /** The ranges to mask, in ascending order. */
  read(): Stretch[] {
    for (let at = 0; at < this.text.length; at++) {
      const code = this.text.charCodeAt(at);
      for (const reader of this.#readers) reader.letter(code, at, at + 1);
    }
    for (const finish of this.#ends) finish();
    for (const lane of this.#lanes) lane.end();
    return this.#ranges.sort((a, b) => a[0] - b[0]);
  }
}

/** Spaces around a line are not part of it. */
function withoutSpaces(text: string, from: number, to: number): Stretch {
  let start = from;
  let end = to;
  while (start < end && isSpace(text.charCodeAt(start))) start++;
  while (end > start && isSpace(text.charCodeAt(end - 1))) end--;
  return [start, end];
}

class Fork implements Reader {
  constructor(private readonly readers: readonly Reader[]) {}
  letter(code: number, from: number, to: number): void {
    for (const reader of this.readers) reader.letter(code, from, to);
  }
}

/** Secrets with fewer letters or bytes are matched only exactly. */
const shortestFolded = 8;

/** Fewer letters of base64 occur in many texts. */
const shortestBase64 = 8;

/** All forms of all secrets, an index for each way to read a text. */
class Indexes {
  readonly effort: Effort = { steps: 0 };
  readonly exact = new Windows(shortestSecret, this.effort);
  readonly folded = new Windows(shortestFolded, this.effort);
  readonly base64 = new Windows(shortestBase64, this.effort);
  readonly hex = new Windows(2 * shortestFolded, this.effort);
  readonly decimal = new Windows(shortestFolded, this.effort);
  readonly #texts = new Set<string>();

  get isEmpty(): boolean {
    return this.#texts.size === 0;
  }

  add(text: string): void {
    if (this.#texts.has(text)) return;
    this.#texts.add(text);
    const secret = new Secret(text);
    const [from, to] = secret.whole;
    if (to - from < shortestSecret) return;
    const folded = foldedForms(secret);
    const isLong = to - from >= shortestFolded;
    if (isLong) this.#addTo(this.folded, folded);
    // Folding leaves one letter of a run of spaces or quotation marks, and of an escape.
    if (!isLong || folded.some(({ length }) => length < shortestFolded))
      this.#addTo(this.exact, exactForms(new Secret(text.slice(from, to))));
    const bytes = new SecretBytes(secret);
    const base64 = [0, 2, 4].map((shift) => new BitForm(bytes, 6, shift));
    this.#addTo(
      this.base64,
      base64.filter((form) => form.length >= shortestBase64),
    );
    if (!isLong) return;
    this.#addTo(this.hex, [new BitForm(bytes, 4)]);
    this.#addTo(this.decimal, [new BitForm(bytes, 8)]);
  }

  /** `forms` are of one secret. */
  #addTo(index: Windows, forms: readonly Form[]): void {
    for (const form of forms) index.add(form, this.#knownIn(index, form));
    for (const { secret } of forms.slice(0, 1)) index.remember(secret);
  }

  /** The stretches of `form` that `index` already matches: other secrets contain them, and need no longer runs. */
  #knownIn(index: Windows, form: Form): Stretch[] {
    const { secret } = form;
    if (index.isEmpty || secret.text.length < secret.leastRun) return [];
    const ranges: Stretch[] = [];
    const lane = new Lane(index, this.effort, (other, [first, end], from, to) => {
      const knownLetters = other.secret.secretLetters(other.from(first), other.to(end - 1));
      const isEnough = knownLetters >= secret.secretLetters(form.from(from), form.to(to - 1));
      if (isEnough && other.secret.leastRun <= secret.leastRun) ranges.push([from, to]);
    });
    for (let at = 0; at < form.length; at++) lane.letter(form.letter(at), at, at + 1);
    lane.end();
    return ranges.sort((a, b) => a[0] - b[0] || b[1] - a[1]);
  }
}
