import { isQuotedPrintable, readings } from "./escapes";
import { byteForms, exactForms, foldedForms, Secret, shortestSecret } from "./forms";
import { compactLetters, foldedLetters, isSpace, type Letters } from "./letters";
import { type Effort, type Stretch, Windows } from "./windows";

/** Forms of fewer letters occur in many texts: such a secret is looked for as it is. */
const shortestForm = 8;

/** Whether the letters of a secret may be displayed nevertheless. */
type Exempt = (secret: string) => boolean;

/** Finds secrets in texts, in all the forms of docs/dev/masking.md. */
export class SecretMatcher {
  readonly #effort: Effort = { steps: 0 };
  readonly #exact = new Windows(shortestSecret, this.#effort);
  readonly #folded = new Windows(shortestForm, this.#effort);
  readonly #compact = new Windows(shortestForm, this.#effort);
  readonly #texts = new Set<string>();

  /** Work so far, in letters read, compared and indexed: tests measure how it grows. */
  get steps(): number {
    return this.#effort.steps;
  }

  /**
   * Adds a secret to mask, in which the letters of `known` do not count. Texts of fewer than 3 letters occur in too
   * many others and are ignored.
   */
  add(text: string, known?: string): void {
    if (this.#texts.has(text)) return;
    this.#texts.add(text);
    const secret = new Secret(text, known);
    const [from, to] = secret.whole;
    if (to - from < shortestSecret) return;
    const folded = foldedForms(secret);
    this.#folded.add(secret, folded);
    this.#compact.add(secret, byteForms(secret));
    // Folding leaves one letter of a run of spaces or quotation marks, and of an escape.
    if (to - from >= shortestForm && folded.every(({ length }) => length >= shortestForm)) return;
    const trimmed = new Secret(text.slice(from, to));
    this.#exact.add(trimmed, exactForms(trimmed));
  }

  /** `text` with `mark` in place of each secret that is not exempt. */
  mask(text: string, mark: string, exempt?: Exempt): string {
    if (this.#texts.size === 0) return text;
    const ranges: Stretch[] = [];
    const search = (index: Windows, letters: Letters): void =>
      index.search(letters, (form, first, end, start, stop) => {
        const { secret } = form;
        if (secret.isRevealedBy(form.from[first]!, form.to[end - 1]!) && !exempt?.(secret.text))
          ranges.push(withoutSpaces(text, letters.from[start]!, letters.to[stop - 1]!));
      });
    const texts = readings(text);
    for (const letters of texts) {
      if (!this.#exact.isEmpty) search(this.#exact, letters);
      if (!this.#folded.isEmpty) search(this.#folded, foldedLetters(letters));
    }
    // Nobody escapes a part of base64. After a stray equals sign, its first two letters look like an escape.
    for (const letters of isQuotedPrintable(text) ? texts : texts.slice(-1))
      if (!this.#compact.isEmpty) search(this.#compact, compactLetters(letters));
    ranges.sort((a, b) => a[0] - b[0]);
    return maskRanges(text, ranges, mark);
  }
}

/** Spaces around a line are not part of it. */
function withoutSpaces(text: string, from: number, to: number): Stretch {
  let start = from;
  let end = to;
  while (start < end && isSpace(text.charCodeAt(start))) start++;
  while (end > start && isSpace(text.charCodeAt(end - 1))) end--;
  return [start, end];
}

/** The replacement of a secret; nothing within it is masked again. */
const marks = /\[(?:redacted|secret)\]/g;

/** `ranges` are in ascending order. */
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
