import { Base64Reader, DecimalReader, HexReader } from "./bits";
import { isQuotedPrintable, mayHoldEscapes } from "./escapes";
import type { Indexes } from "./indexes";
import { Lane, type RunReader } from "./lane";
import { Folding, isSpace, type Reader } from "./letters";
import { Unescaping } from "./unescaping";
import type { Stretch } from "./windows";

/** Whether the letters of a secret may be shown nevertheless. */
export type Exempt = (secret: string) => boolean;

/** One walk over a text. */
export class Scan {
  readonly #found: Stretch[] = [];
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
        this.#found.push(withoutSpaces(text, from, to));
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
    const unescaping = new Unescaping(reader, isQuotedPrintable(this.text));
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
    return this.#found.sort((a, b) => a[0] - b[0]);
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
