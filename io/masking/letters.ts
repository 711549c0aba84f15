/** Readers of the letters of a text, and the letters that masks treat as equal. */

/** Takes the letters of a text one by one, each with the range of the text that it was read from. */
export interface Reader {
  letter(code: number, from: number, to: number): void;
}

export interface FoldedReader extends Reader {
  /** The last letter repeats: a match may begin with this one, and end with the first. */
  repeat(from: number, to: number): void;
}

const table = (value: (letter: string) => number): Int8Array =>
  Int8Array.from({ length: 128 }, (_, code) => value(String.fromCharCode(code)));

const base64Alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const base64Values = table((letter) => base64Alphabet.indexOf(letter === "-" ? "+" : letter === "_" ? "/" : letter));
const hexValues = table((letter) => "0123456789abcdef".indexOf(letter.toLowerCase()));

/** The six bits of a base64 letter of either alphabet, -1 of another. */
const base64Value = (code: number): number => (code < 128 ? base64Values[code]! : -1);

/** The four bits of a hexadecimal digit, -1 of another letter. */
export const hexValue = (code: number): number => (code < 128 ? hexValues[code]! : -1);

export const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39;

export const isSpace = (code: number): boolean =>
  code === 32 || (code >= 9 && code <= 13) || code === 0xa0 || code === 0x2028 || code === 0x2029;

const space = 32;
const quote = 34;

const folded = Uint16Array.from({ length: 0x250 }, (_, code) => {
  if (isSpace(code) || code === 0x2b) return space;
  return code === 0x27 ? quote : lowerCase(code);
});

function lowerCase(code: number): number {
  const lower = String.fromCharCode(code).toLowerCase();
  return lower.length === 1 ? lower.charCodeAt(0) : code;
}

/**
 * One letter for all that masks treat as equal: both cases, a space and the plus that a form writes for it, both
 * quotation marks.
 */
const foldedLetter = (code: number): number => (code < 0x250 ? folded[code]! : isSpace(code) ? space : lowerCase(code));

/** A run of these is one letter: writers add line breaks and indentation, and double quotation marks. */
const isRepeatable = (letter: number): boolean => letter === space || letter === quote;

const sharpS = 0xdf;
const smallS = 0x73;

/**
 * Passes letters on without the differences that writers add: case, the kind of a space or quotation mark, their
 * number.
 */
export class Folding implements Reader {
  #last = -1;
  constructor(private readonly reader: FoldedReader) {}

  letter(code: number, from: number, to: number): void {
    const letter = foldedLetter(code);
    if (letter === this.#last && isRepeatable(letter)) return this.reader.repeat(from, to);
    this.#last = letter;
    if (letter !== sharpS) return this.reader.letter(letter, from, to);
    // In capitals it is two letters.
    this.reader.letter(smallS, from, to);
    this.reader.letter(smallS, from, to);
  }
}

/** Takes values of a few bits each; `interrupt`: the next value does not continue the last. */
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
  /** Range of a zero that may be the first half of `0x`; otherwise empty. */
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
