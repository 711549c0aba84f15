import { hexValue, isDigit } from "./letters";

/** Answers of `decodeEscape` that are no letter. */
export const incomplete = -1;
export const noEscape = -2;
export const lineContinuation = -3;
export const softBreak = -4;

export const backslash = 0x5c;
const percent = 0x25;
const ampersand = 0x26;
const equals = 0x3d;

export const startsEscape = (code: number, quotedPrintable: boolean): boolean =>
  code === backslash || code === percent || code === ampersand || (quotedPrintable && code === equals);

/** Whether a text holds a letter that may start an escape. */
export const mayHoldEscapes = (text: string): boolean => /[\\%&]/.test(text) || isQuotedPrintable(text);

/** Where an equals sign is an escape, it is escaped itself, or breaks a line, or writes UTF-8. */
export const isQuotedPrintable = (text: string): boolean =>
  text.includes("=") && /=(?:3D|\r?\n|[C-F][0-9A-F]=[89AB][0-9A-F])/.test(text);

/** The code point or byte that the letters from `start`, where one that starts an escape stands, to `end` stand for. */
export function decodeEscape(codes: Int32Array, start: number, end: number): number {
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

/** `broken` where the escape is of a line's end. */
function lineEnd(codes: Int32Array, from: number, end: number, broken: number): number | undefined {
  if (codes[from] === 10) return broken;
  if (codes[from] !== 13) return undefined;
  if (end - from === 1) return incomplete;
  return codes[from + 1] === 10 ? broken : noEscape;
}

/** Latin-1's from U+00A0 on, in order. */
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

const longestEntity = 9;

function entity(codes: Int32Array, from: number, end: number): number {
  const isClosed = codes[end - 1] === 0x3b;
  if (!isClosed && end - from > longestEntity) return noEscape;
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
