const mostLetters = 120;

/** A value that is no secret, in a message: a long one is shortened. */
export function shortText(value: unknown): string {
  const text = value === undefined || value === null ? "unset" : JSON.stringify(value);
  return text.length > mostLetters ? `${text.slice(0, mostLetters - 1)}…` : text;
}
