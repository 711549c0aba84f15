import { closeSync, fstatSync, readSync } from "node:fs";
import { openRegular } from "./open";

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
      const found = fstatSync(file);
      const again = this.inode !== undefined && (this.inode !== found.ino || found.size < this.position);
      if (again) Object.assign(this, { position: 0, rest: Buffer.alloc(0) });
      if (found.size > this.longest) return { lines: [], again: false };
      this.inode = found.ino;
      return { lines: this.receive(file, found.size), again };
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
