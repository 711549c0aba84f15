/** The text of a file in UTF-8, or in UTF-16 with a byte order mark. Throws for UTF-16 without one. */
export function decodeText(bytes: Buffer, file: string): string {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return new TextDecoder("utf-16le").decode(bytes);
  if (first === 0xfe && second === 0xff) return new TextDecoder("utf-16be").decode(bytes);
  if (bytes.length > 1 && (first === 0 || second === 0))
    throw new Error(`${file} is not UTF-8 text: it begins like UTF-16 or a binary file. Save it as UTF-8.`);
  return new TextDecoder().decode(bytes);
}
