import { Base64Reader, DecimalReader, HexReader } from "./bits";
import { isQuotedPrintable, mayHoldEscapes } from "./escapes";
import { BitForm, exactForms, type Form, foldedForms, SecretBytes } from "./forms";
import { Lane, type RunReader } from "./lane";
import { Folding, isSpace, type Reader } from "./letters";
import { Secret, shortestSecret } from "./secret";
import { UnescapingReader } from "./unescaping";
import { type Effort, type Stretch, Windows } from "./windows";

/** What stands in place of a secret; nothing within it is masked again. */
const marks = /\[(?:redacted|secret)\]/g;

/** Finds secrets in texts, in whatever form they stand there. docs/dev/masking.md says how. */
export class SecretMatcher {
  readonly #indexes = new Indexes();

  /** What has been done so far, in letters read, compared and indexed: for those who test how it grows. */
  get steps(): number {
    return this.#indexes.effort.steps;
  }

  /** From now on `secret` is found. Texts of fewer than 3 letters are in too many others and are ignored. */
  add(secret: string): void {
    this.#indexes.add(secret);
  }

  /** `text` with `mark` in place of each secret but those that are exempt. */
  mask(text: string, mark: string, exempt?: Exempt): string {
    if (this.#indexes.isEmpty) return text;
    return maskRanges(text, new Scan(text, this.#indexes, exempt).read(), mark);
  }
}

function maskRanges(text: string, ranges: Stretch[], mark: string): string {
  if (ranges.length === 0) return text;
  const done = [...text.matchAll(marks)].map(({ index, 0: { length } }): Stretch => [index, index + length]);
  let result = "";
  let start = 0;
  let next = 0;
  let mask: Stretch | undefined;
  const replace = ([from, to]: Stretch): void => {
    result += text.slice(start, from) + mark;
    start = to;
  };
  for (const stretch of ranges) {
    while (next < done.length && done[next]![1] < stretch[1]) next++;
    if (done[next] !== undefined && done[next]![0] <= stretch[0]) continue;
    if (mask !== undefined && stretch[0] > mask[1]) replace(mask);
    mask = mask !== undefined && stretch[0] <= mask[1] ? [mask[0], Math.max(mask[1], stretch[1])] : stretch;
  }
  if (mask !== undefined) replace(mask);
  return result + text.slice(start);
}

/** Whether the letters of a secret may be shown nevertheless. */
type Exempt = (secret: string) => boolean;

/** One walk over a text. */
class Scan {
  readonly #ranges: Stretch[] = [];
  readonly #lanes: Lane[] = [];
  readonly #ends: (() => void)[] = [];
  readonly #readers: readonly Reader[];

  constructor(
    private readonly text: string,
    indexes: Indexes,
    exempt: Exempt | undefined,
  ) {
    const report: RunReader = (form, [first, end], from, to) => {
      if (form.secret.isRevealedBy(form.from(first), form.to(end - 1)) && !exempt?.(form.secret.text))
        this.#ranges.push(withoutSpaces(text, from, to));
    };
    const lane = (windows: Indexes["folded"]): Lane => {
      const made = new Lane(windows, indexes.effort, report);
      this.#lanes.push(made);
      return made;
    };
    const letters = (): Reader[] => [
      ...(indexes.folded.isEmpty ? [] : [new Folding(lane(indexes.folded))]),
      ...(indexes.exact.isEmpty ? [] : [lane(indexes.exact)]),
    ];
    const bits = this.#bitReaders(indexes, lane);
    this.#readers = mayHoldEscapes(text)
      ? [...letters(), this.#unescaping(new Fork([...letters(), ...bits]))]
      : [...letters(), ...bits];
  }

  #bitReaders(indexes: Indexes, lane: (windows: Indexes["folded"]) => Lane): Reader[] {
    const readers: Reader[] = [];
    if (!indexes.base64.isEmpty) readers.push(new Base64Reader(lane(indexes.base64)));
    if (!indexes.hex.isEmpty) {
      const hex = new HexReader(lane(indexes.hex));
      const decimal = new DecimalReader(lane(indexes.decimal));
      readers.push(hex, decimal);
      this.#ends.push(
        () => hex.end(),
        () => decimal.end(),
      );
    }
    return readers;
  }

  #unescaping(reader: Reader): Reader {
    const unescaping = new UnescapingReader(reader, isQuotedPrintable(this.text));
    this.#ends.unshift(() => unescaping.end());
    return unescaping;
  }

  /** What of the text must be masked, in ascending order. */
  read(): Stretch[] {
    for (let at = 0; at < this.text.length; at++) {
      const code = this.text.charCodeAt(at);
      for (const reader of this.#readers) reader.letter(code, at, at + 1);
    }
    for (const finish of this.#ends) finish();
    for (const lane of this.#lanes) lane.end();
    return this.#ranges.sort((a, b) => a[0] - b[0]);
  }
}

/** A space beside a line is none of its letters. */
function withoutSpaces(text: string, from: number, to: number): Stretch {
  let start = from;
  let end = to;
  while (start < end && isSpace(text.charCodeAt(start))) start++;
  while (end > start && isSpace(text.charCodeAt(end - 1))) end--;
  return [start, end];
}

class Fork implements Reader {
  constructor(private readonly readers: readonly Reader[]) {}
  letter(code: number, from: number, to: number): void {
    for (const reader of this.readers) reader.letter(code, from, to);
  }
}

/** Fewer letters or bytes have no case, and no form but themselves. */
const shortestFolded = 8;

/** Fewer letters of base64 may be anything. */
const shortestBase64 = 8;

/** All forms of all secrets, an index for each way to read a text. */
class Indexes {
  readonly effort: Effort = { steps: 0 };
  readonly exact = new Windows(shortestSecret, this.effort);
  readonly folded = new Windows(shortestFolded, this.effort);
  readonly base64 = new Windows(shortestBase64, this.effort);
  readonly hex = new Windows(2 * shortestFolded, this.effort);
  readonly decimal = new Windows(shortestFolded, this.effort);
  readonly #texts = new Set<string>();

  get isEmpty(): boolean {
    return this.#texts.size === 0;
  }

  add(text: string): void {
    if (this.#texts.has(text)) return;
    this.#texts.add(text);
    const secret = new Secret(text);
    const [from, to] = secret.whole;
    if (to - from < shortestSecret) return;
    const folded = foldedForms(secret);
    const isLong = to - from >= shortestFolded;
    if (isLong) this.#addTo(this.folded, folded);
    // Of a run of spaces or quotation marks one letter is left, and of an escape.
    if (!isLong || folded.some(({ length }) => length < shortestFolded))
      this.#addTo(this.exact, exactForms(new Secret(text.slice(from, to))));
    const bytes = new SecretBytes(secret);
    const base64 = [0, 2, 4].map((shift) => new BitForm(bytes, 6, shift));
    this.#addTo(
      this.base64,
      base64.filter((form) => form.length >= shortestBase64),
    );
    if (!isLong) return;
    this.#addTo(this.hex, [new BitForm(bytes, 4)]);
    this.#addTo(this.decimal, [new BitForm(bytes, 8)]);
  }

  /** `forms` are of one secret. */
  #addTo(index: Windows, forms: readonly Form[]): void {
    for (const form of forms) index.add(form, this.#knownIn(index, form));
    for (const { secret } of forms.slice(0, 1)) index.remember(secret);
  }

  /** The stretches of `form` that `index` finds already: other secrets have them, and are as quick to be masked. */
  #knownIn(index: Windows, form: Form): Stretch[] {
    const { secret } = form;
    if (index.isEmpty || secret.text.length < secret.leastRun) return [];
    const ranges: Stretch[] = [];
    const lane = new Lane(index, this.effort, (other, [first, end], from, to) => {
      const theirs = other.secret.secretLetters(other.from(first), other.to(end - 1));
      const isEnough = theirs >= secret.secretLetters(form.from(from), form.to(to - 1));
      if (isEnough && other.secret.leastRun <= secret.leastRun) ranges.push([from, to]);
    });
    for (let at = 0; at < form.length; at++) lane.letter(form.letter(at), at, at + 1);
    lane.end();
    return ranges.sort((a, b) => a[0] - b[0] || b[1] - a[1]);
  }
}
