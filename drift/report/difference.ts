/** A piece of a text, and whether the other text has something else there. */
export type Piece = readonly [text: string, differs: boolean];

// Beyond it the time grows with the product of both lengths, and a difference
// in so many places is none that people read.
const mostPairs = 250_000;

/** Common and differing words of two texts. */
export function difference(before: string, after: string): { before: Piece[]; after: Piece[] } {
  const [old, young] = [wordsOf(before), wordsOf(after)];
  const front = commonLength(old, young, (words, index) => words[index]);
  const back = commonLength(old.slice(front), young.slice(front), (words, index) => words.at(-1 - index));
  const [oldMiddle, youngMiddle] = [old.slice(front, old.length - back), young.slice(front, young.length - back)];
  const common = oldMiddle.length * youngMiddle.length > mostPairs ? [] : commonWords(oldMiddle, youngMiddle);
  const pieces = (words: readonly string[], middle: readonly string[], side: 0 | 1): Piece[] => {
    const kept = new Set(common.map((pair) => pair[side]));
    return joinPieces([
      [words.slice(0, front).join(""), false],
      ...middle.map((word, index): Piece => [word, !kept.has(index)]),
      [back === 0 ? "" : words.slice(-back).join(""), false],
    ]);
  };
  return { before: pieces(old, oldMiddle, 0), after: pieces(young, youngMiddle, 1) };
}

const wordsOf = (text: string): string[] => text.match(/[\p{L}\p{N}_]+|\s+|[^\p{L}\p{N}_\s]/gu) ?? [];

function commonLength(
  a: readonly string[],
  b: readonly string[],
  at: (words: readonly string[], index: number) => string | undefined,
): number {
  const most = Math.min(a.length, b.length);
  let length = 0;
  while (length < most && at(a, length) === at(b, length)) length++;
  return length;
}

/** Places of a longest common subsequence. */
function commonWords(a: readonly string[], b: readonly string[]): [number, number][] {
  const lengths = Array.from({ length: a.length + 1 }, () => new Uint32Array(b.length + 1));
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--)
      lengths[i]![j] = a[i] === b[j] ? lengths[i + 1]![j + 1]! + 1 : Math.max(lengths[i + 1]![j]!, lengths[i]![j + 1]!);
  }
  const pairs: [number, number][] = [];
  for (let i = 0, j = 0; i < a.length && j < b.length; ) {
    if (a[i] === b[j]) pairs.push([i++, j++]);
    else if (lengths[i + 1]![j]! >= lengths[i]![j + 1]!) i++;
    else j++;
  }
  return pairs;
}

/** Neighbours of the same kind as one piece. */
function joinPieces(pieces: readonly Piece[]): Piece[] {
  const result: [string, boolean][] = [];
  for (const [text, differs] of pieces) {
    const last = result.at(-1);
    if (text === "") continue;
    if (last?.[1] === differs) last[0] += text;
    else result.push([text, differs]);
  }
  return result;
}
