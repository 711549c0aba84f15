import { backslash, decodeEscape, incomplete, lineContinuation, noEscape, softBreak, startsEscape } from "./escapes";
import type { Reader } from "./letters";
import { isSpace } from "./letters";

/** Marks a letter that is a byte of UTF-8, until its character is complete. */
const byteMark = 0x1_00_00_00;

/** No escape is as long, with each of its letters escaped; a text of marks alone cannot make it grow. */
const mostPending = 64;

/**
 * Reads each position of a text once, however deep it is escaped: a letter is put on a stack, and an escape that it
 * completes is taken off and put on again as the letter it stands for. So the order in which a text was escaped does
 * not matter, and a letter takes a bounded number of steps.
 */
export class UnescapingReader implements Reader {
  readonly #codes = new Int32Array(mostPending + 1);
  readonly #from = new Int32Array(mostPending + 1);
  readonly #to = new Int32Array(mostPending + 1);
  /** Letters on the stack: the first is one that starts an escape. */
  #count = 0;
  /** Where on the stack escapes start that are not complete. */
  readonly #starts: number[] = [];
  #skipsIndent = false;
  readonly #bytes: Utf8;

  /** `quotedPrintable`: whether an equals sign starts an escape. */
  constructor(
    private readonly reader: Reader,
    private readonly quotedPrintable: boolean,
  ) {
    this.#bytes = new Utf8(reader);
  }

  end(): void {
    this.#flush();
    this.#bytes.end();
  }

  letter(code: number, from: number, to: number): void {
    this.#put(code, from, to, startsEscape(code, this.quotedPrintable));
  }

  #put(code: number, from: number, to: number, isStart: boolean): void {
    if (this.#count === 0 && !isStart) return this.#emit(code, from, to);
    if (this.#count === mostPending) this.#flush();
    if (isStart) this.#starts.push(this.#count);
    this.#codes[this.#count] = code;
    this.#from[this.#count] = from;
    this.#to[this.#count] = to;
    this.#count++;
    if (!isStart) this.#reduce(to);
  }

  #reduce(to: number): void {
    const start = this.#starts.at(-1);
    if (start === undefined) return this.#flush();
    const decoded = decodeEscape(this.#codes, start, this.#count);
    if (decoded === incomplete) return;
    if (decoded === noEscape) return this.#flush();
    const from = this.#from[this.#firstOfBackslashes(start)]!;
    const isByte = decoded >= 0x80 && decoded < 0x100 && !isCodePoint(this.#codes, start);
    this.#drop(this.#firstOfBackslashes(start));
    if (decoded === softBreak) return;
    if (decoded === lineContinuation) {
      this.#skipsIndent = true;
      return;
    }
    if (isByte) return this.#put(decoded | byteMark, from, to, false);
    // An equals sign that was escaped starts none itself.
    if (decoded < 0x1_00_00) return this.#put(decoded, from, to, startsEscape(decoded, false));
    for (const unit of surrogatesOf(decoded)) this.#put(unit, from, to, false);
  }

  /** Of an escape behind further backslashes, as a writer who escapes those of another makes them, the first. */
  #firstOfBackslashes(start: number): number {
    let first = start;
    if (this.#codes[start] !== backslash) return first;
    while (this.#starts.includes(first - 1) && this.#codes[first - 1] === backslash && this.#isAlike(first - 1, first))
      first--;
    return first;
  }

  /** Whether both letters stand in the text as they are, or both are what an escape stands for. */
  #isAlike(at: number, other: number): boolean {
    return this.#isEscaped(at) === this.#isEscaped(other);
  }

  #isEscaped(at: number): boolean {
    return this.#to[at]! - this.#from[at]! > 1;
  }

  #drop(count: number): void {
    this.#count = count;
    while (this.#starts.length > 0 && this.#starts.at(-1)! >= count) this.#starts.pop();
  }

  /** What is on the stack is no escape. A backslash before another mark is none of the letters either. */
  #flush(): void {
    const count = this.#count;
    this.#drop(0);
    let from = -1;
    for (let at = 0; at < count; at++) {
      if (from < 0) from = this.#from[at]!;
      if (this.#codes[at] === backslash && at + 1 < count && startsEscape(this.#codes[at + 1]!, true)) continue;
      this.#emit(this.#codes[at]!, from, this.#to[at]!);
      from = -1;
    }
  }

  #emit(code: number, from: number, to: number): void {
    if (this.#skipsIndent) {
      if (to - from === 1 && isSpace(code)) return;
      this.#skipsIndent = false;
    }
    if ((code & byteMark) !== 0) this.#bytes.byte(code & 0xff, from, to);
    else {
      this.#bytes.end();
      this.reader.letter(code, from, to);
    }
  }
}

/** `\u`, `\U`, `%u` and entities name characters; every other escape names a byte. */
const isCodePoint = (codes: Int32Array, start: number): boolean =>
  codes[start] === 0x26 || codes[start + 1] === 0x75 || codes[start + 1] === 0x55;

const surrogatesOf = (point: number): [high: number, low: number] => [
  0xd800 + (((point - 0x1_00_00) >> 10) & 0x3ff),
  0xdc00 + (point & 0x3ff),
];

/** Puts the bytes of a character together. Bytes that are no UTF-8 are characters of Latin-1. */
class Utf8 {
  readonly #values: number[] = [];
  readonly #from: number[] = [];
  readonly #to: number[] = [];
  #length = 0;

  constructor(private readonly reader: Reader) {}

  byte(value: number, from: number, to: number): void {
    const count = this.#values.length;
    if (count > 0 && (value & 0xc0) !== 0x80) this.end();
    this.#values.push(value);
    this.#from[this.#values.length - 1] = from;
    this.#to[this.#values.length - 1] = to;
    if (this.#values.length === 1) this.#length = value >= 0xf0 ? 4 : value >= 0xe0 ? 3 : value >= 0xc2 ? 2 : 1;
    if (this.#length === 1) return this.end();
    if (this.#values.length === this.#length) this.#character(to);
  }

  #character(to: number): void {
    const [first = 0, ...rest] = this.#values;
    const point = rest.reduce((bits, byte) => (bits << 6) | (byte & 0x3f), first & (0xff >> (this.#length + 1)));
    this.#values.length = 0;
    for (const unit of point < 0x1_00_00 ? [point] : surrogatesOf(point)) this.reader.letter(unit, this.#from[0]!, to);
  }

  /** What is left is no character. */
  end(): void {
    if (this.#values.length === 0) return;
    for (const [at, value] of this.#values.entries()) this.reader.letter(value, this.#from[at]!, this.#to[at]!);
    this.#values.length = 0;
  }
}
