import type { Reader } from "./letters";
import { base64Value, hexValue, isDigit, isSpace } from "./letters";

/** Takes values of a few bits each; `interrupt` says that what comes next is not the continuation. */
export interface BitReader extends Reader {
  interrupt(): void;
}

/** Reads base64 of both alphabets, over line ends and the indentation after them. */
export class Base64Reader implements Reader {
  #afterBreak = false;
  constructor(private readonly reader: BitReader) {}

  letter(code: number, from: number, to: number): void {
    const value = base64Value(code);
    if (value >= 0) {
      this.#afterBreak = false;
      this.reader.letter(value, from, to);
    } else if (code === 10 || code === 13 || (this.#afterBreak && isSpace(code))) this.#afterBreak = true;
    else {
      this.#afterBreak = false;
      this.reader.interrupt();
    }
  }
}

const isHexSeparator = (code: number): boolean =>
  isSpace(code) || code === 0x3a || code === 0x2d || code === 0x2c || code === 0x2e || code === 0x5f;

/** Reads hexadecimal digits, with separators or `0x` between them or without. */
export class HexReader implements Reader {
  /** Range of a zero that may be the first half of `0x`; empty if there is none. */
  #zeroFrom = 0;
  #zeroTo = 0;
  #isBehindDigit = false;
  constructor(private readonly reader: BitReader) {}

  letter(code: number, from: number, to: number): void {
    if (this.#zeroTo > this.#zeroFrom) {
      if (code === 0x78 || code === 0x58) return this.#forget();
      this.end();
    }
    const value = hexValue(code);
    if (value === 0 && !this.#isBehindDigit) {
      this.#zeroFrom = from;
      this.#zeroTo = to;
    } else if (value >= 0) this.reader.letter(value, from, to);
    else if (!isHexSeparator(code)) this.reader.interrupt();
    this.#isBehindDigit = value >= 0;
  }

  end(): void {
    if (this.#zeroTo > this.#zeroFrom) this.reader.letter(0, this.#zeroFrom, this.#zeroTo);
    this.#zeroFrom = this.#zeroTo = 0;
  }

  #forget(): void {
    this.#zeroFrom = this.#zeroTo = 0;
    this.#isBehindDigit = false;
  }
}

/** Reads bytes as lists of numbers, as runtimes print arrays of bytes: `[107, 101, -61]`, `[107 101 195]`. */
export class DecimalReader implements Reader {
  #value = -1;
  #sign = 1;
  #from = 0;
  #to = 0;
  constructor(private readonly reader: BitReader) {}

  letter(code: number, from: number, to: number): void {
    if (isDigit(code)) {
      if (this.#value < 0) this.#from = from;
      this.#value = Math.min(1000, Math.max(0, this.#value) * 10 + code - 0x30);
      this.#to = to;
      return;
    }
    this.end();
    if (code === 0x2d) this.#sign = -1;
    else if (code !== 0x2c && code !== 0x2e && !isSpace(code)) this.reader.interrupt();
  }

  end(): void {
    if (this.#value < 0) {
      this.#sign = 1;
      return;
    }
    const byte = this.#sign < 0 ? 256 - this.#value : this.#value;
    if (byte >= 0 && byte < 256) this.reader.letter(byte, this.#from, this.#to);
    else this.reader.interrupt();
    this.#value = -1;
    this.#sign = 1;
  }
}
