/** The letters of a text that are compared, each with the range of the text that it was read from. */
export class Letters {
  readonly codes: Uint16Array;
  readonly from: Int32Array;
  readonly to: Int32Array;
  /** So many are in use. */
  length = 0;

  constructor(most: number) {
    this.codes = new Uint16Array(most);
    this.from = new Int32Array(most);
    this.to = new Int32Array(most);
  }

  add(code: number, from: number, to: number): void {
    this.codes[this.length] = code;
    this.from[this.length] = from;
    this.to[this.length++] = to;
  }
}

export function plainLetters(text: string): Letters {
  const letters = new Letters(text.length);
  for (let at = 0; at < text.length; at++) letters.add(text.charCodeAt(at), at, at + 1);
  return letters;
}

const hexValues = Int8Array.from({ length: 128 }, (_, code) =>
  "0123456789abcdef".indexOf(String.fromCharCode(code).toLowerCase()),
);

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

const sharpS = 0xdf;
const smallS = 0x73;

/**
 * Letters without the differences that writers add: case, the kind of a space or quotation mark, and their number,
 * because writers add line breaks and indentation, and double quotation marks.
 */
export function foldedLetters({ codes, from, to, length }: Letters): Letters {
  const letters = new Letters(2 * length);
  let last = -1;
  for (let at = 0; at < length; at++) {
    const letter = foldedLetter(codes[at]!);
    if (letter === last && (letter === space || letter === quote)) letters.to[letters.length - 1] = to[at]!;
    else letters.add(letter === sharpS ? smallS : letter, from[at]!, to[at]!);
    // In capitals it is two letters.
    if (letter === sharpS) letters.add(smallS, from[at]!, to[at]!);
    last = letter;
  }
  return letters;
}

const compact = Uint8Array.from({ length: 128 }, (_, code) =>
  /[0-9A-Za-z]/.test(String.fromCharCode(code)) ? lowerCase(code) : 0,
);

/** A digit, or a letter of ASCII in lower case; 0 for another. */
const compactLetter = (code = 0): number => (code < 128 ? compact[code]! : 0);

const zero = 0x30;
const smallX = 0x78;

/**
 * Digits and letters of ASCII alone, in lower case, without a `0x` that begins a word: what base64 of either alphabet,
 * hexadecimal digits and lists of numbers have in common, with any separators.
 */
export function compactLetters({ codes, from, to, length }: Letters): Letters {
  const letters = new Letters(length);
  for (let at = 0; at < length; at++) {
    const letter = compactLetter(codes[at]!);
    if (letter === smallX && codes[at - 1] === zero && compactLetter(codes[at - 2]) === 0) letters.length--;
    else if (letter !== 0) letters.add(letter, from[at]!, to[at]!);
  }
  return letters;
}
