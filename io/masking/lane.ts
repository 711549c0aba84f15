import type { BitReader } from "./bits";
import type { Form } from "./forms";
import type { FoldedReader } from "./letters";
import type { Effort, Pick, Windows } from "./windows";

/** How many letters can be looked at again: more than a run must have in any form. */
const remembered = 256;
const last = remembered - 1;

/** Letters of a form that a text holds, as they are found. */
interface Run {
  readonly form: Form;
  /** The window that it was found by. */
  readonly matchedBits: number;
  /** First letter, and the one that is expected next. */
  readonly first: number;
  next: number;
  /** Where in the text they stand. */
  readonly from: number;
  to: number;
  /**
   * Counts of letters at which that window stood there again: what repeats itself may be the secret from any of these
   * places, which is tried where this run ends. So many runs never go on at a time.
   */
  readonly again: number[];
}

/** The last letters, and where in the text they stand. */
interface Memory {
  readonly letters: Uint16Array;
  readonly from: Int32Array;
  readonly to: Int32Array;
}

const newMemory = (): Memory => ({
  letters: new Uint16Array(remembered),
  from: new Int32Array(remembered),
  to: new Int32Array(remembered),
});

/** Of lanes that are done: most texts are short. */
const idle: Memory[] = [];

/** Takes the runs of a lane: letters `first` to `end` of `form` stand in the text from `from` to `to`. */
export type RunReader = (form: Form, stretch: readonly [first: number, end: number], from: number, to: number) => void;

/** Compares the letters of one reading of a text, as they come, with all forms of an index at a time. */
export class Lane implements FoldedReader, BitReader {
  readonly #memory = idle.pop() ?? newMemory();
  readonly #letters = this.#memory.letters;
  readonly #from = this.#memory.from;
  readonly #to = this.#memory.to;
  #count = 0;
  #hash = 0;
  readonly #runs: Run[] = [];
  /** Runs that end with the letter at hand. */
  readonly #ended: Run[] = [];

  constructor(
    private readonly windows: Windows,
    private readonly effort: Effort,
    private readonly report: RunReader,
  ) {}

  letter(letter: number, from: number, to: number): void {
    const { width, high } = this.windows;
    const at = this.#count & last;
    this.effort.steps++;
    if (this.#runs.length > 0) this.#follow(letter, to);
    let hash = this.windows.next(this.#hash, letter);
    if (this.#count >= width) hash = (hash - Math.imul(this.#letters[(this.#count - width) & last]! + 1, high)) | 0;
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
    this.#from[(this.#count - 1) & last] = from;
  }

  interrupt(): void {
    if (this.#count === 0) return;
    this.#count = this.#hash = 0;
    for (const run of this.#runs) this.#end(run);
    this.#runs.length = 0;
  }

  /** The text is over. The lane MUST NOT be used any more. */
  end(): void {
    this.interrupt();
    idle.push(this.#memory);
  }

  #end({ form, first, next, from, to }: Run): void {
    this.report(form, [first, next], from, to);
  }

  /** Before the letter is remembered. */
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

  /** The last letters may be that window: if so, and no run holds it already, a run begins before them. */
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

  /** A run of which the last letter is the one before `next`, if its window and all since are of the form. */
  #begin(form: Form, matchedBits: number, next: number, again: number[]): boolean {
    const most = Math.min(this.#count, remembered, next);
    const least = Math.min(next - matchedBits, remembered);
    let length = 0;
    while (length < most && this.#equals(form, next - 1 - length, length)) length++;
    this.effort.steps += length;
    if (length < least) return false;
    const from = this.#from[(this.#count - length) & last]!;
    const to = this.#to[(this.#count - 1) & last]!;
    this.#runs.push({ form, matchedBits, first: next - length, next, from, to, again });
    return true;
  }

  /** Goes on from the first place where the window of a run that has ended stood again, and which fits. */
  #retry({ form, matchedBits, again }: Run): void {
    for (const [at, count] of again.entries()) {
      this.effort.steps++;
      const next = matchedBits + this.windows.width + this.#count - count;
      if (next <= form.length && this.#begin(form, matchedBits, next, again.slice(at + 1))) return;
    }
  }

  /** Whether the letter of the form is the one that came that many letters ago. */
  #equals(form: Form, at: number, ago: number): boolean {
    return ((form.letter(at) ^ this.#letters[(this.#count - 1 - ago) & last]!) & form.bits(at)) === 0;
  }
}
