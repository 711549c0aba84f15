import { mayHoldEscapes, startsEscape, UnescapingReader } from "./escapes";
import { type FoldedReader, Folding, type Reader } from "./letters";

/** A secret as a reader of texts sees it: letters, and the part of the secret that each reveals. */
export interface Form {
  readonly secret: Secret;
  readonly length: number;
  letter(at: number): number;
  /** Bits of that letter which the secret decides; a neighbor decides the others. */
  bits(at: number): number;
  /** First letter of the secret that the letter reveals, even in part. */
  from(at: number): number;
  /** The letter of the secret behind the last that it reveals. */
  to(at: number): number;
  /** How far a text must contain the secret for the letter to be read. */
  readableTo(at: number): number;
}

const allBits = 0xffff;

/**
 * The letters of a text form. If a letter encodes several of the secret, as an escape, its neighbors reveal a part: a
 * text may be cut within.
 */
class TextForm implements Form {
  constructor(
    readonly secret: Secret,
    readonly length: number,
    private readonly letters: Uint16Array,
    private readonly starts: Int32Array,
    private readonly ends: Int32Array,
  ) {}
  letter(at: number): number {
    return this.letters[at]!;
  }
  bits(): number {
    return allBits;
  }
  from(at: number): number {
    return this.#isEscape(at - 1) ? this.starts[at - 1]! + 1 : this.starts[at]!;
  }
  to(at: number): number {
    if (this.#isEscape(at + 1)) return this.ends[at + 1]! - 1;
    return this.#startsEscape(at + 1) ? this.ends[at + 1]! : this.ends[at]!;
  }
  readableTo(at: number): number {
    return this.#startsEscape(at) ? this.ends[at]! + 1 : this.to(at);
  }
  /** With a letter behind the secret, it may form an escape. */
  #startsEscape(at: number): boolean {
    return at < this.length && startsEscape(this.letters[at]!, false);
  }
  #isEscape(at: number): boolean {
    return at >= 0 && at < this.length && this.ends[at]! - this.starts[at]! > 1;
  }
}

/** Collects the letters of a reader. */
class Collector implements FoldedReader {
  readonly #codes: number[] = [];
  readonly #from: number[] = [];
  readonly #to: number[] = [];
  letter(code: number, from: number, to: number): void {
    this.#codes.push(code);
    this.#from.push(from);
    this.#to.push(to);
  }
  repeat(_from: number, to: number): void {
    this.#to[this.#to.length - 1] = to;
  }
  form(secret: Secret): Form {
    const { length } = this.#codes;
    return new TextForm(
      secret,
      length,
      Uint16Array.from(this.#codes),
      Int32Array.from(this.#from),
      Int32Array.from(this.#to),
    );
  }
}

function readPlainly(text: string, reader: Reader): void {
  for (let at = 0; at < text.length; at++) reader.letter(text.charCodeAt(at), at, at + 1);
}

function readUnescaped(text: string, reader: Reader): void {
  const unescaping = new UnescapingReader(reader, false);
  readPlainly(text, unescaping);
  unescaping.end();
}

/** As it is, and with its own escapes decoded, because those of a text are. */
const readings = (text: string): ((reader: Reader) => void)[] => [
  (reader) => readPlainly(text, reader),
  ...(mayHoldEscapes(text) ? [(reader: Reader) => readUnescaped(text, reader)] : []),
];

const formsOf = (secret: Secret, text: string, readerOver: (collector: Collector) => Reader): Form[] =>
  readings(text).map((read) => {
    const collector = new Collector();
    read(readerOver(collector));
    return collector.form(secret);
  });

/** Forms in which case and the number of spaces do not count. */
export const foldedForms = (secret: Secret): Form[] =>
  formsOf(secret, secret.text, (collector) => new Folding(collector));

/** Forms of a short secret, letter by letter; a plus may replace a space. */
export const exactForms = (secret: Secret): Form[] =>
  [...new Set([secret.text, secret.text.replaceAll(" ", "+")])].flatMap((text) =>
    formsOf(secret, text, (collector) => collector),
  );

/** The bytes of a secret, and the letters that they are part of. */
export class SecretBytes {
  readonly bytes: Uint8Array;
  /** Per byte the letter that it begins in, and the one behind it; absent where each letter is a byte. */
  readonly #starts: Int32Array | undefined;
  readonly #ends: Int32Array | undefined;

  constructor(readonly secret: Secret) {
    this.bytes = Buffer.from(secret.text);
    if (this.bytes.length === secret.text.length) return;
    this.#starts = new Int32Array(this.bytes.length);
    this.#ends = new Int32Array(this.bytes.length);
    let byte = 0;
    let letter = 0;
    for (const character of secret.text) {
      const end = byte + Buffer.byteLength(character);
      this.#starts.fill(letter, byte, end);
      letter += character.length;
      this.#ends.fill(letter, byte, end);
      byte = end;
    }
  }
  from(byte: number): number {
    return this.#starts?.[byte] ?? byte;
  }
  to(byte: number): number {
    return this.#ends?.[byte] ?? byte + 1;
  }
}

/** The bytes of a secret in letters of `unit` bits, of which the first begins with `shift` bits of a neighbor. */
export class BitForm implements Form {
  readonly secret: Secret;
  readonly length: number;
  readonly #bytes: Uint8Array;
  readonly #allBits: number;
  readonly #firstBits: number;
  readonly #lastBits: number;

  constructor(
    private readonly source: SecretBytes,
    private readonly unit: number,
    private readonly shift = 0,
  ) {
    const total = source.bytes.length * 8 + shift;
    this.#allBits = (1 << unit) - 1;
    this.secret = source.secret;
    this.#bytes = source.bytes;
    this.length = Math.ceil(total / unit);
    this.#firstBits = this.#allBits >> shift;
    this.#lastBits = this.#allBits ^ (this.#allBits >> (total - (this.length - 1) * unit));
  }
  letter(at: number): number {
    const bit = at * this.unit - this.shift + 8;
    const byte = (bit >> 3) - 1;
    const two = ((this.#bytes[byte] ?? 0) << 8) | (this.#bytes[byte + 1] ?? 0);
    return (two >> (16 - this.unit - (bit & 7))) & this.#allBits;
  }
  bits(at: number): number {
    if (at === 0) return this.#firstBits;
    return at === this.length - 1 ? this.#lastBits : this.#allBits;
  }
  from(at: number): number {
    return this.source.from(Math.max(0, at * this.unit - this.shift) >> 3);
  }
  to(at: number): number {
    const end = Math.min((at + 1) * this.unit - this.shift, this.#bytes.length * 8);
    return this.source.to((end - 1) >> 3);
  }
  readableTo(at: number): number {
    return this.to(at);
  }
}

/** Shorter texts are part of too many others. */
export const shortestSecret = 3;
/** Lines may be ordinary words: they are masked from this length on. */
const shortestLine = 8;

/** Half-open range of letters (UTF-16 code units) of a secret. */
type Range = readonly [from: number, to: number];

/** Parts that the format of a credential prescribes: the same for everyone, so not secret. */
const publicFormats: readonly RegExp[] = [
  /-----(?:BEGIN|END)[A-Z0-9 ]{0,40}-----/g,
  /^\s*\{\s*"type"\s*:\s*(?:"service_account"\s*,?)?/g,
  /\b(?:ssh-rsa|ssh-ed25519|ssh-dss|ecdsa-sha2-nistp\d{3}) AAAA[A-Za-z0-9]{0,20}/g,
  /^b3BlbnNzaC1rZXktdjEAAAAA[A-Za-z0-9+/]{0,45}/gm,
  /^eyJ[A-Za-z0-9_-]{10,200}\./g,
];

/** A secret, and the rule that decides which of its letters are masked. */
export class Secret {
  /** The shortest run of letters that is masked at any position of the secret. */
  readonly leastRun: number;
  /** All of it, without the spaces around. */
  readonly whole: Range;
  /** Each line that is long enough, without the spaces around, in ascending order. */
  readonly lines: readonly Range[];
  /** Per letter, and behind the last, the number of letters before it that are secret; absent where all are. */
  readonly #secretBefore: Int32Array | undefined;

  constructor(readonly text: string) {
    this.leastRun = Math.min(Math.max(12, Math.ceil(text.length / 3)), 64);
    this.#secretBefore = secretLetters(text);
    this.whole = trimRange(text, 0, text.length);
    this.lines = text.includes("\n") ? this.#linesOf() : [];
  }

  #linesOf(): Range[] {
    const lines: Range[] = [];
    for (let from = 0; from < this.text.length; ) {
      const end = this.text.indexOf("\n", from);
      const to = end < 0 ? this.text.length : end;
      const line = trimRange(this.text, from, to);
      if (line[1] - line[0] >= shortestLine && !this.isPublic(...line)) lines.push(line);
      from = to + 1;
    }
    return lines;
  }

  /** Letters before `at` that are secret. */
  secretLettersBefore(at: number): number {
    return this.#secretBefore?.[at] ?? at;
  }

  secretLetters(from: number, to: number): number {
    return this.secretLettersBefore(to) - this.secretLettersBefore(from);
  }

  isPublic(from: number, to: number): boolean {
    return this.secretLetters(from, to) === 0;
  }

  /** Whether a text with these letters must not be displayed. */
  isRevealedBy(from: number, to: number): boolean {
    if (this.secretLetters(from, to) >= this.leastRun) return true;
    if (from <= this.whole[0] && this.whole[1] <= to) return true;
    const line = this.#firstLineFrom(from);
    return line !== undefined && line[1] <= to;
  }

  #firstLineFrom(from: number): Range | undefined {
    let low = 0;
    let high = this.lines.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.lines[middle]![0] < from) low = middle + 1;
      else high = middle;
    }
    return this.lines[low];
  }
}

function secretLetters(text: string): Int32Array | undefined {
  const publicRanges = publicFormats.flatMap((format) => [...text.matchAll(format)]);
  if (publicRanges.length === 0) return undefined;
  const isPublic = new Uint8Array(text.length);
  for (const { index, 0: run } of publicRanges) isPublic.fill(1, index, index + run.length);
  const before = new Int32Array(text.length + 1);
  for (let at = 0; at < text.length; at++) before[at + 1] = before[at]! + 1 - isPublic[at]!;
  return before;
}

function trimRange(text: string, from: number, to: number): Range {
  const part = text.slice(from, to);
  const start = from + part.length - part.trimStart().length;
  return [start, Math.max(start, from + part.trimEnd().length)];
}
