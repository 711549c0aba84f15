/** A secret, and the rule that says which of its letters are masked. */

/** Shorter texts are part of too many others. */
export const shortestSecret = 3;
/** Lines may be ordinary words: they are masked from this length on. */
const shortestLine = 8;

/** Half-open range of letters (UTF-16 code units) of a secret. */
type Range = readonly [from: number, to: number];

/** What the format of a credential prescribes: the same in everybody's, so none of it is secret. */
const publicFormats: readonly RegExp[] = [
  /-----(?:BEGIN|END)[A-Z0-9 ]{0,40}-----/g,
  /^\s*\{\s*"type"\s*:\s*(?:"service_account"\s*,?)?/g,
  /\b(?:ssh-rsa|ssh-ed25519|ssh-dss|ecdsa-sha2-nistp\d{3}) AAAA[A-Za-z0-9]{0,20}/g,
  /^b3BlbnNzaC1rZXktdjEAAAAA[A-Za-z0-9+/]{0,45}/gm,
  /^eyJ[A-Za-z0-9_-]{10,200}\./g,
];

export class Secret {
  /** The shortest run of letters that is masked wherever in the secret it stands. */
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

  /** Whether a text that holds these letters must not be shown. */
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
