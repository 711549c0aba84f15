import { gunzipSync, gzipSync } from "node:zlib";
import { decompress } from "fzstd";

export type Compression = "" | ".gz" | ".zst";

const gzipStart = [0x1f, 0x8b];
const zstdStart = [0x28, 0xb5, 0x2f, 0xfd];

/** Opens a file whatever its name says: Pulumi, too, goes by the content. */
export function unpack(bytes: Uint8Array): Uint8Array {
  if (startsWith(bytes, gzipStart)) return gunzipSync(bytes);
  if (startsWith(bytes, zstdStart)) return decompress(bytes);
  return bytes;
}

/** Node 20 writes no zstd: such a file becomes a plain one, which Pulumi reads as well. */
export function pack(bytes: Uint8Array, found: Compression): { bytes: Uint8Array; compression: Compression } {
  return found === ".gz" ? { bytes: gzipSync(bytes), compression: ".gz" } : { bytes, compression: "" };
}

function startsWith(bytes: Uint8Array, start: number[]): boolean {
  return start.every((byte, index) => bytes[index] === byte);
}
