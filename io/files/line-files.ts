import { closeSync, fdatasync, fstatSync, lstatSync, readSync, writeSync } from "node:fs";
import { promisify } from "node:util";
import { assertFits } from "./read";
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

/** What was appended to a file, and where the file ended then. */
interface Appended {
  inode: number;
  bytes: Buffer;
  end: number;
}

/**
 * Adds whole lines to a file that others may replace, and returns once they are on the disk. No handle outlives the
 * call. If the file is replaced meanwhile, the lines are added again: a reader may see them twice. `onWritten` is
 * called as soon as others can read the lines.
 */
export async function appendLines(
  path: string,
  text: string,
  onWritten: (appended: Appended) => void = () => undefined,
): Promise<void> {
  const file = openPrivate(path, "append");
  try {
    // A line that a crash cut off stays a line of its own.
    const bytes = Buffer.from(`${endsWithinLine(file) ? "\n" : ""}${text}`);
    writeWhole(file, bytes);
    const { ino: inode, size: end } = fstatSync(file);
    onWritten({ inode, bytes, end });
    await syncData(file);
    if (lstatSync(path, { throwIfNoEntry: false })?.ino === inode) return;
  } finally {
    closeSync(file);
  }
  return appendLines(path, text, onWritten);
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

/** Reads the lines that others append to a file, each time from the end of the last read. Opens it only for news. */
export class LineReader {
  private inode: number | undefined;
  private position = 0;
  private rest: Buffer = Buffer.alloc(0);

  /** `maxBytes`: of larger files only a beginning is read. */
  constructor(
    private readonly path: string,
    private readonly maxBytes: number,
  ) {}

  /**
   * Whole lines since the last call, of no more than so many bytes. `again`: the file was replaced since then, and
   * these are its lines from the beginning.
   */
  read(atMost = this.maxBytes): { lines: string[]; again: boolean } {
    const file = this.hasNews() ? openRegular(this.path) : undefined;
    if (file === undefined) return { lines: [], again: false };
    try {
      const stats = fstatSync(file);
      const again = this.inode !== undefined && (this.inode !== stats.ino || stats.size < this.position);
      if (again) Object.assign(this, { position: 0, rest: Buffer.alloc(0) });
      if (atMost === this.maxBytes) assertFits(this.path, stats.size, this.maxBytes);
      this.inode = stats.ino;
      return { lines: this.receive(file, Math.min(stats.size - this.position, atMost)), again };
    } finally {
      closeSync(file);
    }
  }

  /** Takes what this process has appended itself: its lines, unless others have appended since the last read. */
  take({ inode, bytes, end }: Appended): string[] {
    const isNext = (this.inode ?? inode) === inode && this.position + bytes.length === end;
    if (!isNext) return [];
    this.inode = inode;
    return this.linesOf(bytes);
  }

  /** What cannot be looked at is opened all the same: that distinguishes a missing folder from a failing disk. */
  private hasNews(): boolean {
    try {
      const stats = lstatSync(this.path, { throwIfNoEntry: false });
      return stats !== undefined && (stats.ino !== this.inode || stats.size !== this.position);
    } catch {
      return true;
    }
  }

  private receive(file: number, count: number): string[] {
    if (count <= 0) return [];
    const unread = Buffer.alloc(count);
    return this.linesOf(unread.subarray(0, readSync(file, unread, 0, count, this.position)));
  }

  private linesOf(next: Buffer): string[] {
    this.position += next.length;
    const all = Buffer.concat([this.rest, next]);
    const end = all.lastIndexOf("\n") + 1;
    this.rest = all.subarray(end);
    return all.subarray(0, end).toString("utf8").split("\n").slice(0, -1);
  }
}
