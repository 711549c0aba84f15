/** Whether the text is the pieces in order with anything between them. Never backtracks, so that no pattern is slow. */
export function matchesWildcard(text: string, pieces: readonly string[]): boolean {
  const [first, ...rest] = pieces as [string, ...string[]];
  const last = rest.pop();
  if (last === undefined) return text === first;
  if (!text.startsWith(first) || !text.endsWith(last) || text.length < first.length + last.length) return false;
  let position = first.length;
  for (const piece of rest) {
    const index = text.indexOf(piece, position);
    if (index < 0) return false;
    position = index + piece.length;
  }
  return position <= text.length - last.length;
}
