import { gunzipSync, gzipSync } from "node:zlib";
import { Decompress } from "fzstd";

export type Compression = "" | ".gz" | ".zst";

const gzipStart = [0x1f, 0x8b];
const zstdStart = [0x28, 0xb5, 0x2f, 0xfd];

/** States compress to a thirtieth at most; a ratio above forty means a file made to fill the memory. */
const mostRatio = 40;
const alwaysFits = 32 * 1024 * 1024;

/**
 * Opens a file whatever its name says: Pulumi, too, goes by the content. Throws for one
 * that is made to be far larger than a state.
 */
export function unpack(bytes: Uint8Array): Uint8Array {
  const ceiling = Math.max(alwaysFits, bytes.length * mostRatio);
  if (startsWith(bytes, gzipStart)) return gunzip(bytes, ceiling);
  if (startsWith(bytes, zstdStart)) return decompress(bytes, ceiling);
  return bytes;
}

const tooLarge = (ceiling: number): Error =>
  new Error(`unpacked it is larger than ${Math.floor(ceiling / 1024 / 1024)} MB, which no state of its size is`);

function gunzip(bytes: Uint8Array, ceiling: number): Uint8Array {
  try {
    return gunzipSync(bytes, { maxOutputLength: ceiling });
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE" ? tooLarge(ceiling) : error;
  }
}

function decompress(bytes: Uint8Array, ceiling: number): Uint8Array {
  const pieces: Uint8Array[] = [];
  let size = 0;
  const stream = new Decompress((piece) => {
    size += piece.length;
    if (size > ceiling) throw tooLarge(ceiling);
    pieces.push(Uint8Array.from(piece));
  });
  stream.push(bytes, true);
  return Buffer.concat(pieces);
}

const comma = 0x2c;
const brace = 0x7b;
const bracket = 0x5b;
const manyMembers = 1_000_000;
/** Bytes per member: a state has more than ten. */
const dense = 5;

/**
 * The JSON of a packed or plain file. Throws for one of so many small members that they would take many times its size.
 */
export function parsePacked(bytes: Uint8Array): unknown {
  const plain = unpack(bytes);
  const members = plain.length > manyMembers ? membersIn(plain) : 0;
  if (members > manyMembers && plain.length / members < dense)
    throw new Error(`it has ${members} members in ${plain.length} bytes, which no state has`);
  return JSON.parse(new TextDecoder().decode(plain));
}

function membersIn(plain: Uint8Array): number {
  let members = 0;
  for (const byte of plain) if (byte === comma || byte === brace || byte === bracket) members++;
  return members;
}

/** Node 20 writes no zstd: such a file becomes a plain one, which Pulumi reads as well. */
export function pack(bytes: Uint8Array, found: Compression): { bytes: Uint8Array; compression: Compression } {
  return found === ".gz" ? { bytes: gzipSync(bytes), compression: ".gz" } : { bytes, compression: "" };
}

function startsWith(bytes: Uint8Array, start: number[]): boolean {
  return start.every((byte, index) => bytes[index] === byte);
}
