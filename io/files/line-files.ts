import { closeSync, fdatasync, fstatSync, lstatSync, readSync, writeSync } from "node:fs";
import { promisify } from "node:util";
import { openPrivate, openRegular } from "./write";

const syncData = promisify(fdatasync);

/** A file that grows at its end, such as a log. */
export interface AppendHandle {
  /**
   * Adds the text in one write, so that the lines of several processes never mix, and returns once it is on the disk.
   */
  append(text: string): Promise<void>;
  close(): void;
}

/** Opens a log, or creates it. Only its owner may read it. Throws for a link. */
export function openLog(path: string): AppendHandle {
  const file = openPrivate(path, "append");
  return {
    append: async (text) => {
      writeWhole(file, Buffer.from(text));
      await syncData(file);
    },
    close: () => closeSync(file),
  };
}

/**
 * Adds whole lines to a file that others may replace, and returns once they are on the disk. No handle outlives the
 * call. If the file is replaced meanwhile, the lines are added again: a reader may see them twice.
 */
export async function appendLines(path: string, text: string): Promise<void> {
  const file = openPrivate(path, "append");
  try {
    // A line that a crash cut off stays a line of its own.
    writeWhole(file, Buffer.from(`${endsWithinLine(file) ? "\n" : ""}${text}`));
    await syncData(file);
    if (lstatSync(path, { throwIfNoEntry: false })?.ino === fstatSync(file).ino) return;
  } finally {
    closeSync(file);
  }
  return appendLines(path, text);
}

function endsWithinLine(file: number): boolean {
  const { size } = fstatSync(file);
  const last = Buffer.alloc(1);
  return size > 0 && readSync(file, last, 0, 1, size - 1) === 1 && last.toString() !== "\n";
}

/** A nearly full disk writes only a part. */
function writeWhole(file: number, bytes: Uint8Array): void {
  for (let done = 0; done < bytes.length; ) done += writeSync(file, bytes, done);
}

/** Reads the lines that others append to a file, each time from the end of the last read. */
export class LineReader {
  private inode: number | undefined;
  private position = 0;
  private rest: Buffer = Buffer.alloc(0);

  /** `maxBytes`: larger files are not read. */
  constructor(
    private readonly path: string,
    private readonly maxBytes: number,
  ) {}

  /** Whole lines since the last call. `again`: the file was replaced since then, and these are all its lines. */
  read(): { lines: string[]; again: boolean } {
    const file = openRegular(this.path);
    if (file === undefined) return { lines: [], again: false };
    try {
      const stats = fstatSync(file);
      const again = this.inode !== undefined && (this.inode !== stats.ino || stats.size < this.position);
      if (again) Object.assign(this, { position: 0, rest: Buffer.alloc(0) });
      if (stats.size > this.maxBytes) return { lines: [], again: false };
      this.inode = stats.ino;
      return { lines: this.receive(file, stats.size), again };
    } finally {
      closeSync(file);
    }
  }

  private receive(file: number, size: number): string[] {
    if (size <= this.position) return [];
    const unread = Buffer.alloc(size - this.position);
    const count = readSync(file, unread, 0, unread.length, this.position);
    this.position += count;
    const all = Buffer.concat([this.rest, unread.subarray(0, count)]);
    const end = all.lastIndexOf("\n") + 1;
    this.rest = all.subarray(end);
    return all.subarray(0, end).toString("utf8").split("\n").slice(0, -1);
  }
}
