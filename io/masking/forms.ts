import { readings, startsEscape } from "./escapes";
import { compactLetters, foldedLetters, Letters } from "./letters";

/** A secret as texts show it: letters, and the part of the secret that each reveals, even in part. */
export interface Form extends Pick<Letters, "codes" | "from" | "to" | "length"> {
  readonly secret: Secret;
  /** Per letter, how far a text must contain the secret for it to be read. */
  readonly readableTo: Int32Array;
  /** The letters that the secret decides alone. One before or behind them, which a neighbor shares, may be any. */
  readonly own: Range;
}

/**
 * If a letter encodes several of the secret, as an escape, its neighbors reveal a part: a text may be cut within. With
 * a letter behind the secret, its end may form an escape.
 */
function textForm(secret: Secret, { codes, from, to, length }: Letters): Form {
  const isEscape = (at: number): boolean => at >= 0 && at < length && to[at]! - from[at]! > 1;
  const mayStartEscape = (at: number): boolean => at < length && startsEscape(codes[at]!, false);
  const revealedTo = (at: number): number => {
    if (isEscape(at + 1)) return to[at + 1]! - 1;
    return mayStartEscape(at + 1) ? to[at + 1]! : to[at]!;
  };
  return {
    secret,
    codes,
    from: from.map((start, at) => (isEscape(at - 1) ? from[at - 1]! + 1 : start)),
    to: to.map((_, at) => revealedTo(at)),
    readableTo: to.map((end, at) => (mayStartEscape(at) ? end + 1 : revealedTo(at))),
    length,
    own: [0, length],
  };
}

/** Forms in which case and the number of spaces do not count: as it is, and with its own escapes decoded. */
export const foldedForms = (secret: Secret): Form[] =>
  readings(secret.text).map((letters) => textForm(secret, foldedLetters(letters)));

/** Forms of a short secret, letter by letter; a plus may replace a space. */
export const exactForms = (secret: Secret): Form[] =>
  [...new Set([secret.text, secret.text.replaceAll(" ", "+")])]
    .flatMap(readings)
    .map((letters) => textForm(secret, letters));

/** The bytes of a secret, each with the range of letters that it is part of. */
function lettersOfBytes(text: string): Letters {
  const bytes = Buffer.from(text);
  const letters = new Letters(bytes.length);
  let from = 0;
  for (const character of text) {
    const to = from + character.length;
    const end = letters.length + Buffer.byteLength(character);
    while (letters.length < end) letters.add(bytes[letters.length]!, from, to);
    from = to;
  }
  return letters;
}

function byteForm(secret: Secret, { codes, from, to, length }: Letters, own: Range = [0, length]): Form {
  return { secret, codes, from, to, readableTo: to, length, own };
}

const byteWriters: readonly ((byte: number) => string)[] = [
  (byte) => byte.toString(16).padStart(2, "0"),
  (byte) => `${byte}`,
  // Some runtimes print signed bytes. Those of ASCII are the same.
  (byte) => `${byte < 128 ? byte : 256 - byte}`,
];

/** Forms of the bytes: hexadecimal digits, lists of numbers, and base64 at each place that it has in a longer text. */
export function byteForms(secret: Secret): Form[] {
  const bytes = lettersOfBytes(secret.text);
  const isAscii = bytes.length === secret.text.length;
  const writers = isAscii ? byteWriters.slice(0, -1) : byteWriters;
  return [
    ...writers.map((write) => byteForm(secret, writtenBytes(bytes, write))),
    ...[0, 1, 2].map((before) => base64Form(secret, bytes, before)),
  ];
}

function writtenBytes({ codes, from, to, length }: Letters, write: (byte: number) => string): Letters {
  const letters = new Letters(3 * length);
  for (let at = 0; at < length; at++)
    for (const letter of write(codes[at]!)) letters.add(letter.charCodeAt(0), from[at]!, to[at]!);
  return letters;
}

/** Base64 of a secret behind `before` other bytes, from the first letter that shows a bit of it. */
function base64Form(secret: Secret, bytes: Letters, before: number): Form {
  const text = Buffer.from([...new Uint8Array(before), ...bytes.codes])
    .toString("base64")
    .replace(/={1,2}$/, "");
  const all = new Letters(text.length);
  for (let at = Math.floor((before * 8) / 6); at < text.length; at++) {
    // A letter covers its neighbours that a compact text lacks.
    const behind = /(?:[+/]|0x){0,4}$/i.exec(text.slice(Math.max(0, at - 4), at))![0].length;
    const ahead = /^[+/]*/.exec(text.slice(at + 1, at + 4))![0].length;
    const first = Math.max((((at - behind) * 6) >> 3) - before, 0);
    const last = Math.min((((at + ahead) * 6 + 5) >> 3) - before, bytes.length - 1);
    all.add(text.charCodeAt(at), bytes.from[first]!, bytes.to[last]!);
  }
  const letters = compactLetters(all);
  const isShared = (before + bytes.length) % 3 !== 0;
  return byteForm(secret, letters, [before === 0 ? 0 : 1, letters.length - (isShared ? 1 : 0)]);
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
  /** Each line that is long enough, without the spaces around, or piece beside a known text, in ascending order. */
  readonly lines: readonly Range[];
  /** Per letter, and behind the last, the number of letters before it that are secret; absent where all are. */
  readonly #secretBefore: Int32Array | undefined;

  /** `known`: what everybody may see of the secret. Of fewer than 8 letters it is a part as any other. */
  constructor(
    readonly text: string,
    known = "",
  ) {
    const isPart = known.length >= shortestLine && text.includes(known);
    const length = isPart ? text.replaceAll(known, "").length : text.length;
    this.leastRun = Math.min(Math.max(12, Math.ceil(length / 3)), 64);
    this.#secretBefore = secretLetters(text, isPart ? known : undefined);
    this.whole = trimRange(text, 0, text.length);
    this.lines = isPart ? this.#partsBetween(known) : text.includes("\n") ? this.#partsBetween("\n") : [];
  }

  #partsBetween(separator: string): Range[] {
    const parts: Range[] = [];
    for (let from = 0; from < this.text.length; ) {
      const end = this.text.indexOf(separator, from);
      const to = end < 0 ? this.text.length : end;
      const part = trimRange(this.text, from, to);
      if (part[1] - part[0] >= shortestLine && !this.isPublic(...part)) parts.push(part);
      from = to + separator.length;
    }
    return parts;
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

function secretLetters(text: string, known?: string): Int32Array | undefined {
  const publicRanges = publicFormats.flatMap((format) => [...text.matchAll(format)]);
  if (publicRanges.length === 0 && known === undefined) return undefined;
  const isPublic = new Uint8Array(text.length);
  for (const { index, 0: run } of publicRanges) isPublic.fill(1, index, index + run.length);
  if (known !== undefined)
    for (let at = text.indexOf(known); at >= 0; at = text.indexOf(known, at + known.length))
      isPublic.fill(1, at, at + known.length);
  const before = new Int32Array(text.length + 1);
  for (let at = 0; at < text.length; at++) before[at + 1] = before[at]! + 1 - isPublic[at]!;
  return before;
}

function trimRange(text: string, from: number, to: number): Range {
  const part = text.slice(from, to);
  const start = from + part.length - part.trimStart().length;
  return [start, Math.max(start, from + part.trimEnd().length)];
}
