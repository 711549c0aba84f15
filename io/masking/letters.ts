/** What takes the letters of a text, and what a mask makes of a letter. */

/** Takes the letters of a text one by one, each with the range of the text that it was read from. */
export interface Reader {
  letter(code: number, from: number, to: number): void;
}

export interface FoldedReader extends Reader {
  /** The last letter stands there once more: a match may begin with this one, and end with the first. */
  repeat(from: number, to: number): void;
}

const table = (value: (letter: string) => number): Int8Array =>
  Int8Array.from({ length: 128 }, (_, code) => value(String.fromCharCode(code)));

const base64Alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const base64Values = table((letter) => base64Alphabet.indexOf(letter === "-" ? "+" : letter === "_" ? "/" : letter));
const hexValues = table((letter) => "0123456789abcdef".indexOf(letter.toLowerCase()));

/** The six bits of a base64 letter of either alphabet, -1 of another. */
export const base64Value = (code: number): number => (code < 128 ? base64Values[code]! : -1);

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
 * The letter that stands for all that are equal to a mask: of both cases, of a space and the plus that a form has in
 * its place, of both quotation marks.
 */
const foldedLetter = (code: number): number => (code < 0x250 ? folded[code]! : isSpace(code) ? space : lowerCase(code));

/** A run of these is one letter: writers add line breaks and indentation, and double quotation marks. */
const isRepeatable = (letter: number): boolean => letter === space || letter === quote;

const sharpS = 0xdf;
const smallS = 0x73;

/** Hands letters on without what writers change at will: case, the kind of a space or quotation mark, their number. */
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
