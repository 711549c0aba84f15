import { lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { LineReader } from "../../io/files/line-files";
import { codeOf } from "../../io/text/disk-error";
import { dayOf } from "../../provider/core/values/day";
import { type HistoryRecord, recordsOf } from "./records";

export const dayFile = (folder: string, at: string): string => join(folder, `${dayOf(at)}.ndjson`);

const isDayFile = (name: string): boolean => /^\d{4}-\d{2}-\d{2}\.ndjson$/.test(name);

/** More than a day's scans can write. */
const longest = 256 * 1024 * 1024;

interface DayFile {
  reader: LineReader;
  records: HistoryRecord[];
}

/** Reads a history's files, each time from where it ended before. Warns once of each line that does not count. */
export class HistoryReader {
  private files = new Map<string, DayFile>();
  private readonly refused = new Set<string>();

  constructor(
    private readonly folder: string,
    private readonly warn: (warning: string) => void,
  ) {}

  /** Records since the last call. `isGrown`: they are all that has changed since. */
  read(): { added: HistoryRecord[]; isGrown: boolean } {
    const names = namesIn(this.folder).filter((name) => this.isReadable(name));
    const before = this.files;
    this.files = new Map(names.map((name) => [name, before.get(name) ?? this.opened(name)]));
    try {
      const read = [...this.files].map(([name, file]) => this.receive(name, file));
      const isGrown = [...before.keys()].every((name) => this.files.has(name)) && !read.some(({ again }) => again);
      return { added: read.flatMap(({ records }) => records), isGrown };
    } catch (error) {
      // Whoever tries again is to fail again, and not to go on with what is left.
      this.files.clear();
      throw error;
    }
  }

  /** All that has been read. */
  records(): HistoryRecord[] {
    return [...this.files.values()].flatMap(({ records }) => records);
  }

  /** Paths of the files of earlier days. */
  filesBefore(day: string): string[] {
    return [...this.files.keys()].filter((name) => name.slice(0, 10) < day).map((name) => join(this.folder, name));
  }

  private opened(name: string): DayFile {
    return { reader: new LineReader(join(this.folder, name), longest), records: [] };
  }

  private receive(name: string, file: DayFile): { records: HistoryRecord[]; again: boolean } {
    const { lines, again } = file.reader.read();
    const path = join(this.folder, name);
    const parsed = lines.map((line) => (line === "" ? [] : recordsOf(line, path)));
    const records = parsed.flatMap((found) => found ?? []);
    file.records = again ? records : [...file.records, ...records];
    const torn = parsed.filter((found) => found === undefined).length;
    if (torn > 0)
      this.warn(
        `${path}: ${torn === 1 ? "a line is torn and does" : `${torn} lines are torn and do`} not count. What a scan could not write, the next one finds again`,
      );
    return { records, again };
  }

  /** A link could lead anywhere, and a pipe never ends. */
  private isReadable(name: string): boolean {
    const path = join(this.folder, name);
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (stats?.isFile() && stats.size <= longest) return true;
    if (stats && !this.refused.has(name))
      this.warn(`${path} is not read: it is ${stats.isFile() ? `longer than ${longest} bytes` : "not a regular file"}`);
    this.refused.add(name);
    return false;
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).filter(isDayFile).sort();
  } catch (error) {
    if (codeOf(error) === "ENOENT") return [];
    throw error;
  }
}
