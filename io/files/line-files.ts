import { closeSync, fdatasync, fstatSync, lstatSync, readSync, writeSync } from "node:fs";
import { promisify } from "node:util";
import { openPrivate, openRegular } from "./write";

const synced = promisify(fdatasync);

/** A file that grows at its end, such as a log. */
export interface AppendHandle {
  /**
   * Adds the text in one write, so that the lines of several processes never mix, and returns once it is on the disk.
   */
  append(text: string): Promise<void>;
  close(): void;
}

/** Opens a log, and makes it where it is missing. Only its owner may read it; a link is refused. */
export function openLog(path: string): AppendHandle {
  const file = openPrivate(path, "append");
  return {
    append: async (text) => {
      writeWhole(file, Buffer.from(text));
      await synced(file);
    },
    close: () => closeSync(file),
  };
}

/**
 * Adds whole lines to a file that others may replace, and returns once they are on the disk. No handle outlives the
 * call. Lines that went into a file which was replaced meanwhile are added again: a reader may see them twice.
 */
export async function appendLines(path: string, text: string): Promise<void> {
  const file = openPrivate(path, "append");
  try {
    // What a crash has torn off becomes a line of its own.
    writeWhole(file, Buffer.from(`${endsWithinLine(file) ? "\n" : ""}${text}`));
    await synced(file);
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

/** A disk that is nearly full takes a part. */
function writeWhole(file: number, bytes: Uint8Array): void {
  for (let done = 0; done < bytes.length; ) done += writeSync(file, bytes, done);
}

/** Reads the lines that others append to a file, each time from where it ended before. */
export class LineReader {
  private inode: number | undefined;
  private position = 0;
  private rest: Buffer = Buffer.alloc(0);

  /** `longest`: no longer file is read. */
  constructor(
    private readonly path: string,
    private readonly longest: number,
  ) {}

  /**
   * Whole lines since the last call. `again`: it is another file than at the last call, and these are all its lines.
   */
  read(): { lines: string[]; again: boolean } {
    const file = openRegular(this.path);
    if (file === undefined) return { lines: [], again: false };
    try {
      const stats = fstatSync(file);
      const again = this.inode !== undefined && (this.inode !== stats.ino || stats.size < this.position);
      if (again) Object.assign(this, { position: 0, rest: Buffer.alloc(0) });
      if (stats.size > this.longest) return { lines: [], again: false };
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
