import { mayHoldEscapes, startsEscape } from "./escapes";
import { type FoldedReader, Folding, type Reader } from "./letters";
import type { Secret } from "./secret";
import { UnescapingReader } from "./unescaping";

/** A secret as a reader of texts sees it: letters, and what of the secret each of them shows. */
export interface Form {
  readonly secret: Secret;
  readonly length: number;
  letter(at: number): number;
  /** Bits of that letter which the secret decides; a neighbor decides the others. */
  bits(at: number): number;
  /** First letter of the secret that the letter shows, be it in part. */
  from(at: number): number;
  /** The letter of the secret behind the last one that it shows. */
  to(at: number): number;
  /** Up to where a text must show the secret for the letter to be read. */
  readableTo(at: number): number;
}

const allBits = 0xffff;

/**
 * The letters of a text form. Where a letter stands for several of the secret, an escape, its neighbors show part of
 * it: a text may be cut within.
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
  /** With a letter behind the secret it may make an escape. */
  #startsEscape(at: number): boolean {
    return at < this.length && startsEscape(this.letters[at]!, false);
  }
  #isEscape(at: number): boolean {
    return at >= 0 && at < this.length && this.ends[at]! - this.starts[at]! > 1;
  }
}

/** Collects what a reader hands on. */
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

/** As it is, and with its own escapes resolved, since those of a text are. */
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

/** Forms of a short secret, letter by letter; a plus stands for a space. */
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
