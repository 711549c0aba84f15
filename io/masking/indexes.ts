import { BitForm, exactForms, type Form, foldedForms, SecretBytes } from "./forms";
import { Lane } from "./lane";
import { Secret, shortestSecret } from "./secret";
import { type Effort, type Stretch, Windows } from "./windows";

/** Fewer letters or bytes have no case, and no form but themselves. */
const shortestFolded = 8;
/** Fewer letters of base64 may be anything. */
const shortestBase64 = 8;

/** All forms of all secrets, an index for each way to read a text. */
export class Indexes {
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
    const found: Stretch[] = [];
    const lane = new Lane(index, this.effort, (other, [first, end], from, to) => {
      const theirs = other.secret.secretLetters(other.from(first), other.to(end - 1));
      const isEnough = theirs >= secret.secretLetters(form.from(from), form.to(to - 1));
      if (isEnough && other.secret.leastRun <= secret.leastRun) found.push([from, to]);
    });
    for (let at = 0; at < form.length; at++) lane.letter(form.letter(at), at, at + 1);
    lane.end();
    return found.sort((a, b) => a[0] - b[0] || b[1] - a[1]);
  }
}
