import { hexValue, isDigit, isSpace, Letters, plainLetters } from "./letters";

/** Results of `decodeEscape` that are not letters. */
const incomplete = -1;
const noEscape = -2;
const lineContinuation = -3;
const softBreak = -4;

const backslash = 0x5c;
const percent = 0x25;
const ampersand = 0x26;
const equals = 0x3d;

export const startsEscape = (code: number, quotedPrintable: boolean): boolean =>
  code === backslash || code === percent || code === ampersand || (quotedPrintable && code === equals);

/** Whether a text contains a letter that may start an escape. */
const mayHoldEscapes = (text: string): boolean => /[\\%&]/.test(text) || isQuotedPrintable(text);

/** In quoted-printable text, an equals sign is escaped itself, breaks a line, or encodes UTF-8. */
export const isQuotedPrintable = (text: string): boolean =>
  text.includes("=") && /=(?:3D|\r?\n|[C-F][0-9A-F]=[89AB][0-9A-F])/.test(text);

/** The letters of a text as it is, and with its escapes decoded if it has any. */
export const readings = (text: string): Letters[] => [
  plainLetters(text),
  ...(mayHoldEscapes(text) ? [unescapedLetters(text)] : []),
];

function unescapedLetters(text: string): Letters {
  const letters = new Letters(text.length);
  const reader = new UnescapingReader(letters, isQuotedPrintable(text));
  for (let at = 0; at < text.length; at++) reader.letter(text.charCodeAt(at), at, at + 1);
  reader.end();
  return letters;
}

/** The code point or byte that the escape from `start` to `end` encodes. */
function decodeEscape(codes: Int32Array, start: number, end: number): number {
  switch (codes[start]) {
    case backslash:
      return afterBackslash(codes, start + 1, end);
    case percent:
      return codes[start + 1] === 0x75 ? digits(codes, start + 2, end, 4) : digits(codes, start + 1, end, 2);
    case ampersand:
      return entity(codes, start + 1, end);
    default:
      return lineEnd(codes, start + 1, end, softBreak) ?? digits(codes, start + 1, end, 2);
  }
}

/** `length` hexadecimal digits. */
function digits(codes: Int32Array, from: number, end: number, length: number): number {
  let value = 0;
  for (let at = from; at < end; at++) {
    const digit = hexValue(codes[at]!);
    if (digit < 0) return noEscape;
    value = value * 16 + digit;
  }
  if (end - from < length) return incomplete;
  return value > 0x10_ff_ff ? noEscape : value;
}

/** Hexadecimal digits in braces, as JavaScript and Rust write a code point. */
function decodeBraced(codes: Int32Array, from: number, end: number): number {
  if (codes[end - 1] !== 0x7d) return end - from > 6 ? noEscape : incomplete;
  return end - from < 2 ? noEscape : digits(codes, from, end - 1, end - 1 - from);
}

const hexEscapeLengths: Readonly<Record<string, number>> = { x: 2, u: 4, U: 8 };
const controls: Readonly<Record<string, number>> = { n: 10, r: 13, t: 9, b: 8, f: 12, v: 11, a: 7, e: 27 };

function afterBackslash(codes: Int32Array, from: number, end: number): number {
  const code = codes[from]!;
  const broken = lineEnd(codes, from, end, lineContinuation);
  if (broken !== undefined) return broken;
  if (code >= 128) return noEscape;
  const letter = String.fromCharCode(code);
  const length = hexEscapeLengths[letter];
  if (length !== undefined && codes[from + 1] === 0x7b && end > from + 1) return decodeBraced(codes, from + 2, end);
  if (length !== undefined) return digits(codes, from + 1, end, length);
  if (code >= 0x30 && code <= 0x33) return decodeOctal(codes, from, end);
  return controls[letter] ?? (/[A-Za-z4-9]/.test(letter) ? noEscape : code);
}

function decodeOctal(codes: Int32Array, from: number, end: number): number {
  let value = 0;
  for (let at = from; at < end; at++) {
    if (codes[at]! < 0x30 || codes[at]! > 0x37) return noEscape;
    value = value * 8 + codes[at]! - 0x30;
  }
  return end - from < 3 ? incomplete : value;
}

/** `broken` if the escape is a line break. */
function lineEnd(codes: Int32Array, from: number, end: number, broken: number): number | undefined {
  if (codes[from] === 10) return broken;
  if (codes[from] !== 13) return undefined;
  if (end - from === 1) return incomplete;
  return codes[from + 1] === 10 ? broken : noEscape;
}

/** Those of Latin-1 from U+00A0 on, in order. */
const latinEntities =
  `nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3
  acute micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig
  Ccedil Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash
  Ugrave Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc
  euml igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml
  yacute thorn yuml`.split(/\s+/);

const entities: ReadonlyMap<string, number> = new Map([
  ...Object.entries({ amp: 38, lt: 60, gt: 62, quot: 34, apos: 39, sol: 47, bsol: 92, plus: 43, equals: 61 }),
  ...Object.entries({
    lowbar: 95,
    grave: 96,
    num: 35,
    percnt: 37,
    colon: 58,
    excl: 33,
    dollar: 36,
    Tab: 9,
    NewLine: 10,
  }),
  ...latinEntities.map((name, at): [string, number] => [name, 0xa0 + at]),
]);

const maxEntityLength = 9;

function entity(codes: Int32Array, from: number, end: number): number {
  const isClosed = codes[end - 1] === 0x3b;
  if (!isClosed && end - from > maxEntityLength) return noEscape;
  if (codes[from] === 0x23) return decodeNumbered(codes, from + 1, isClosed ? end - 1 : end, isClosed);
  if (isClosed) return entities.get(String.fromCharCode(...codes.subarray(from, end - 1))) ?? noEscape;
  const last = codes[end - 1]!;
  return isDigit(last) || (last < 128 && /[A-Za-z]/.test(String.fromCharCode(last))) ? incomplete : noEscape;
}

function decodeNumbered(codes: Int32Array, from: number, end: number, isClosed: boolean): number {
  const isHex = end > from && (codes[from] === 0x78 || codes[from] === 0x58);
  const first = isHex ? from + 1 : from;
  let value = 0;
  for (let at = first; at < end; at++) {
    const digit = hexValue(codes[at]!);
    if (digit < 0 || (!isHex && digit > 9)) return noEscape;
    value = value * (isHex ? 16 : 10) + digit;
  }
  if (!isClosed) return incomplete;
  return end === first || value > 0x10_ff_ff ? noEscape : value;
}

/** Marks a letter that is a byte of UTF-8, until its character is complete. */
const byteMark = 0x1_00_00_00;

/** Longer than any escape with each of its letters escaped. Bounds the stack for a text of marks alone. */
const maxPending = 64;

/**
 * Reads each position of a text once, however deep it is escaped: a letter goes on a stack, and an escape that it
 * completes is replaced with the decoded letter. So the order in which a text was escaped does not matter, and a letter
 * takes a bounded number of steps.
 */
class UnescapingReader {
  readonly #codes = new Int32Array(maxPending + 1);
  readonly #from = new Int32Array(maxPending + 1);
  readonly #to = new Int32Array(maxPending + 1);
  /** Letters on the stack; the first starts an escape. */
  #count = 0;
  /** Where on the stack escapes start that are not complete. */
  readonly #starts: number[] = [];
  #skipsIndent = false;
  readonly #bytes: Utf8;

  /** `quotedPrintable`: whether an equals sign starts an escape. */
  constructor(
    private readonly letters: Letters,
    private readonly quotedPrintable: boolean,
  ) {
    this.#bytes = new Utf8(letters);
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
    if (this.#count === maxPending) this.#flush();
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

  /** The first of the backslashes before an escape, as repeated escaping writes them. */
  #firstOfBackslashes(start: number): number {
    let first = start;
    if (this.#codes[start] !== backslash) return first;
    while (this.#starts.includes(first - 1) && this.#codes[first - 1] === backslash && this.#isAlike(first - 1, first))
      first--;
    return first;
  }

  /** Whether both letters are literal, or both are decoded. */
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

  /** The stack holds no escape. A backslash before another mark is not a letter either. */
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
      this.letters.add(code, from, to);
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

  constructor(private readonly letters: Letters) {}

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
    for (const unit of point < 0x1_00_00 ? [point] : surrogatesOf(point)) this.letters.add(unit, this.#from[0]!, to);
  }

  /** The remaining bytes are not a character. */
  end(): void {
    if (this.#values.length === 0) return;
    for (const [at, value] of this.#values.entries()) this.letters.add(value, this.#from[at]!, this.#to[at]!);
    this.#values.length = 0;
  }
}
