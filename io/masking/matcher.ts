import { Indexes } from "./indexes";
import { type Exempt, Scan } from "./scan";
import type { Stretch } from "./windows";

/** What stands in place of a secret; nothing within it is masked again. */
const marks = /\[(?:redacted|secret)\]/g;

/** Finds secrets in texts, in whatever form they stand there. docs/masking.md says how. */
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
    return masked(text, new Scan(text, this.#indexes, exempt).read(), mark);
  }
}

function masked(text: string, found: Stretch[], mark: string): string {
  if (found.length === 0) return text;
  const done = [...text.matchAll(marks)].map(({ index, 0: { length } }): Stretch => [index, index + length]);
  let result = "";
  let shown = 0;
  let next = 0;
  let mask: Stretch | undefined;
  const replace = ([from, to]: Stretch): void => {
    result += text.slice(shown, from) + mark;
    shown = to;
  };
  for (const stretch of found) {
    while (next < done.length && done[next]![1] < stretch[1]) next++;
    if (done[next] !== undefined && done[next]![0] <= stretch[0]) continue;
    if (mask !== undefined && stretch[0] > mask[1]) replace(mask);
    mask = mask !== undefined && stretch[0] <= mask[1] ? [mask[0], Math.max(mask[1], stretch[1])] : stretch;
  }
  if (mask !== undefined) replace(mask);
  return result + text.slice(shown);
}
