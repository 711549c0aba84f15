import { gzipSync } from "node:zlib";

/** A file of an archive. */
interface Entry {
  path: string;
  content: Buffer;
  mode?: number;
}

const block = 512;

/** An archive that depends on its files alone: neither times nor owners of this machine are in it. */
export const archive = (entries: readonly Entry[]): Buffer =>
  // The byte after the header's level names the system that packed it.
  gzipSync(Buffer.concat([...entries.flatMap(packEntry), Buffer.alloc(2 * block)]), { level: 9 }).fill(255, 9, 10);

function packEntry({ path, content, mode = 0o644 }: Entry): Buffer[] {
  const header = Buffer.alloc(block);
  header.write(path, 0, 100);
  header.write(octal(mode, 8), 100);
  for (const [offset, width, value] of [
    [108, 8, 0],
    [116, 8, 0],
    [124, 12, content.length],
    [136, 12, 0],
  ] as const)
    header.write(octal(value, width), offset);
  header.write("        0", 148);
  header.write("ustar\u000000", 257);
  header.write(
    `${octal(
      header.reduce((sum, byte) => sum + byte, 0),
      7,
    )}\u0000 `,
    148,
    8,
    "latin1",
  );
  return [header, content, Buffer.alloc((block - (content.length % block)) % block)];
}

const octal = (value: number, width: number): string => `${value.toString(8).padStart(width - 1, "0")}`;

/** The files of an archive, without its folders and links. */
export function* entriesOf(tar: Buffer): Generator<Entry> {
  for (let offset = 0; offset < tar.length && tar[offset] !== 0; ) {
    const field = (from: number, length: number): string =>
      tar.toString("latin1", offset + from, offset + from + length).replace(/\0[\s\S]*$/, "");
    const size = Number.parseInt(field(124, 12), 8);
    const from = offset + block;
    const [prefix, name] = [field(345, 155), field(0, 100)];
    if (["0", ""].includes(field(156, 1)))
      yield {
        path: prefix === "" ? name : `${prefix}/${name}`,
        content: tar.subarray(from, from + size),
        mode: Number.parseInt(field(100, 8), 8),
      };
    offset = from + Math.ceil(size / block) * block;
  }
}
