import { randomFillSync } from "node:crypto";
import { gzipSync } from "node:zlib";
import { unpack } from "../../engine/state/checkpoint";

const mb = 1024 * 1024;
/** One megabyte that does not compress, and as many as asked for that compress to almost nothing. */
const packed = (more: number): Buffer =>
  gzipSync(Buffer.concat([randomFillSync(Buffer.alloc(mb)), Buffer.alloc(more * mb)]));

test("a packed state may unpack to 40 times its size", () => {
  expect(unpack(packed(37)).length).toBe(38 * mb);
  expect(() => unpack(packed(42))).toThrow(/^unpacked it is larger than 41 MB, which no state of its size is$/);
});

test("a small packed state may unpack to 32 MB", () => {
  expect(unpack(gzipSync(Buffer.alloc(32 * mb))).length).toBe(32 * mb);
  expect(() => unpack(gzipSync(Buffer.alloc(32 * mb + 1)))).toThrow("unpacked it is larger than 32 MB");
});
