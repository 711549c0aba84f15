import { lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { codeOf } from "../../io/files/disk-error";
import { LineReader } from "../../io/files/line-files";
import { dayOf } from "../../provider/core/values/grouping";
import { z } from "../../provider/core/zod";
import { MissingPart } from "../scan/document";
import { Finding, Severity, Suppression } from "../scan/finding-document";

/**
 * The lines of a history, each a JSON object. A scan writes a line per finding that it changes, and last one about
 * itself: lines of a scan without that one were cut off by a crash and do not count. Values of fields are not stored.
 */

export const historyVersion = 1;

const Time = z.iso.datetime();
const Count = z.int().min(0).max(Number.MAX_SAFE_INTEGER);

const line = {
  schemaVersion: z.literal(historyVersion),
  /** Digest of the scan's report, so that no scan counts twice. */
  scan: z.string(),
  /** End of the scan. */
  scannedAt: Time,
};

/** What a scan has read. It says nothing of anything else. */
const Service = z.object({
  origin: z.string(),
  /** Accounts that were read as a whole. */
  accounts: z.array(z.string()),
  /** Accounts that were read in part. */
  partial: z.array(z.object({ account: z.string(), unread: z.array(z.string()) })).optional(),
  /** Accounts whose key was refused, so that nothing was read. */
  refused: z.array(z.string()).optional(),
});

export const ScanRecord = z.object({
  ...line,
  record: z.literal("scan"),
  /** Sequence number. Orders scans even if clocks disagree. One that leaves none for the next scans is none. */
  sequence: Count.max(2 ** 50),
  startedAt: Time,
  /** The run that the scan was part of. */
  run: z.string().optional(),
  /** An audit: it says nothing of drift, as a scan says nothing of breaches. */
  audit: z.literal(true).optional(),
  stacks: z.array(z.string()),
  /** Whether every live object that is in no stack was listed. */
  unmanaged: z.boolean(),
  services: z.array(Service),
  /** Shards of its run without a report, and stacks that not every shard knew. */
  missing: z.array(MissingPart.pick({ part: true, name: true })).optional(),
  /** Whether its run read everything that was asked for. */
  complete: z.boolean().optional(),
  /** Fingerprints of open findings whose object could not be compared. */
  unknown: z.array(z.string()).optional(),
  /** Open findings after the scan, in all accounts, without those that are accepted. */
  open: z.object({ error: Count, warning: Count, note: Count }),
});

/**
 * What happened to a finding: `better` is any change that is not `worse`, and `kept` repeats an open finding whose
 * lines have become too old to be kept.
 */
export const FindingChange = z.enum(["found", "worse", "better", "gone", "kept"]);

export const FindingRecord = z.object({
  ...line,
  record: z.literal("finding"),
  change: FindingChange,
  ...Finding.pick({
    fingerprint: true,
    ruleId: true,
    verdict: true,
    account: true,
    origin: true,
    type: true,
    name: true,
    stacks: true,
    owner: true,
  }).shape,
  severity: Severity,
  /** Paths of the fields that differ. */
  fields: z.array(z.string()),
  acceptedBy: Suppression.shape.by.nullable(),
  /** End of the scan that reported this occurrence first. */
  firstSeen: Time,
  /** End of the last scan that saw it. */
  lastSeen: Time,
  /** Scans that have seen it since. */
  timesSeen: Count,
  /** How many scans have reported it, this one included. */
  occurrence: Count,
  /** End of the scan that gave it its present verdict. */
  verdictSince: Time,
});

/** A finding, from the scan that reported it to the scan that no longer did. */
export const Occurrence = FindingRecord.omit({
  schemaVersion: true,
  record: true,
  scan: true,
  scannedAt: true,
  change: true,
}).extend({
  /** Time of the last line about it. */
  recordedAt: Time,
  /** End of the scan that no longer reported it; absent while it is open. */
  resolvedAt: Time.optional(),
});

export type Occurrence = z.infer<typeof Occurrence>;
export type ScanRecord = z.infer<typeof ScanRecord>;
export type FindingRecord = z.infer<typeof FindingRecord>;
export type FindingChange = z.infer<typeof FindingChange>;

/** What each line about a finding of a scan begins with. */
export const findingLine = ({ scan, scannedAt }: Pick<ScanRecord, "scan" | "scannedAt">) =>
  ({ schemaVersion: historyVersion, record: "finding", scan, scannedAt }) as const;

const HistoryRecord = z.discriminatedUnion("record", [ScanRecord, FindingRecord]);

const isKnown: ReadonlySet<string> = new Set(HistoryRecord.options.map(({ shape }) => shape.record.value));

export type HistoryRecord = z.infer<typeof HistoryRecord>;

/** A history that this release does not read. */
export class HistoryVersionError extends Error {
  override readonly name = "HistoryVersionError";
  constructor(file: string, version: unknown) {
    super(
      `${file} is part of a history of version ${JSON.stringify(version)}, and this release reads version ${historyVersion}: nothing was read or added. Use the release that wrote it, or name another folder.`,
    );
  }
}

/**
 * What a line holds; nothing where it is of a kind that later releases may add, and undefined where it is torn. Throws
 * for a line of another version.
 */
function recordsOf(text: string, file: string): HistoryRecord[] | undefined {
  const document = parsed(text);
  if (typeof document !== "object" || document === null) return undefined;
  const { schemaVersion, record } = document as { schemaVersion?: unknown; record?: unknown };
  if (typeof schemaVersion === "number" && schemaVersion !== historyVersion)
    throw new HistoryVersionError(file, schemaVersion);
  const { data } = HistoryRecord.safeParse(document);
  if (data) return [data];
  return typeof record === "string" && !isKnown.has(record) ? [] : undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

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
    this.files = new Map(names.map((name) => [name, before.get(name) ?? this.openFile(name)]));
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

  private openFile(name: string): DayFile {
    return { reader: new LineReader(join(this.folder, name), longest), records: [] };
  }

  private receive(name: string, file: DayFile): { records: HistoryRecord[]; again: boolean } {
    const { lines, again } = file.reader.read();
    const path = join(this.folder, name);
    const parsed = lines.map((line) => (line === "" ? [] : recordsOf(line, path)));
    const records = parsed.flatMap((parsedRecords) => parsedRecords ?? []);
    file.records = again ? records : [...file.records, ...records];
    const torn = parsed.filter((parsedRecords) => parsedRecords === undefined).length;
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
