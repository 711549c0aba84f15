/** `text` without the letters at its end that `letter` matches; `x+$` would try a run of them anew at each letter. */
export function trimEndOf(text: string, letter: RegExp): string {
  let end = text.length;
  while (end > 0 && letter.test(text[end - 1]!)) end -= 1;
  return text.slice(0, end);
}
