import { closeSync, fdatasync, writeSync } from "node:fs";
import { promisify } from "node:util";
import { openPrivate } from "./open";

const synced = promisify(fdatasync);

/** A file that grows at its end, such as a log. */
export interface Appending {
  /**
   * Adds the text in one write, so that the lines of several processes never mix, and returns once it is on the disk.
   */
  append(text: string): Promise<void>;
  close(): void;
}

/** Opens a log, and makes it where it is missing. Only its owner may read it; a link is refused. */
export function openLog(path: string): Appending {
  const file = openPrivate(path, "append");
  return {
    append: async (text) => {
      writeWhole(file, Buffer.from(text));
      await synced(file);
    },
    close: () => closeSync(file),
  };
}

/** A disk that is nearly full takes a part. */
function writeWhole(file: number, bytes: Uint8Array): void {
  for (let done = 0; done < bytes.length; ) done += writeSync(file, bytes, done);
}
