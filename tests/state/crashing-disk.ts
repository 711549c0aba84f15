import { dirname } from "node:path";
import type { FileSystem, FolderEntry } from "../../io/files/durable";

type Names = Map<string, Buffer>;
type Change = (names: Names) => void;

/** Why an operation did not happen: the machine is off. */
export class PowerCut extends Error {}

/**
 * A disk in memory whose machine may lose power at any operation. What was not synced may be lost: of
 * the changes to names since the last sync of their folder a first part survives, and a file that was
 * being written holds a first part of its bytes.
 */
export class CrashingDisk implements FileSystem {
  private names: Names = new Map();
  private unsynced: { folder: string; change: Change }[] = [];
  private synced: Names = new Map();
  private operations = 0;
  private time = 0;
  private readonly changed = new Map<string, number>();

  constructor(
    /** Which operation the power fails in; absent: never. */
    private readonly failsAt = Number.POSITIVE_INFINITY,
    /** How many of what could be lost survives: a number from 0 to 1. */
    private readonly surviving = 0,
  ) {}

  get count(): number {
    return this.operations;
  }

  /** The disk when the power is back. */
  afterPowerCut(): CrashingDisk {
    const disk = new CrashingDisk();
    const kept = this.unsynced.slice(0, Math.round(this.unsynced.length * this.surviving));
    disk.synced = new Map(this.synced);
    for (const { change } of kept) change(disk.synced);
    disk.names = new Map(disk.synced);
    return disk;
  }

  async read(path: string): Promise<Buffer> {
    this.tick();
    return this.content(path);
  }

  async write(path: string, bytes: Uint8Array): Promise<void> {
    const content = Buffer.from(bytes);
    // Truncated first, then filled: both are seen by whoever looks in between.
    this.change(path, (names) => names.set(path, Buffer.alloc(0)));
    this.tick(() =>
      this.change(path, (names) => names.set(path, content.subarray(0, Math.floor(content.length * this.surviving)))),
    );
    this.change(path, (names) => names.set(path, content));
  }

  async overwrite(path: string, bytes: Uint8Array): Promise<void> {
    this.content(path);
    await this.write(path, bytes);
  }

  async rename(from: string, to: string): Promise<void> {
    this.tick();
    const content = this.content(from);
    if (content === this.names.get(to)) return;
    this.change(to, (names) => names.delete(from) && names.set(to, content));
  }

  async duplicate(from: string, to: string): Promise<void> {
    this.tick();
    const content = this.content(from);
    if (this.names.has(to)) throw Object.assign(new Error(`there already: ${to}`), { code: "EEXIST" });
    this.change(to, (names) => names.set(to, content));
  }

  async remove(path: string): Promise<void> {
    this.tick();
    if (this.names.has(path)) this.change(path, (names) => names.delete(path));
  }

  async list(folder: string): Promise<FolderEntry[]> {
    this.tick();
    const names = [...this.names.keys()]
      .filter((path) => path.startsWith(`${folder}/`))
      .map((path) => path.slice(folder.length + 1));
    const entries = names.map((name) => ({
      name: name.split("/")[0]!,
      isFolder: name.includes("/"),
      modified: this.changed.get(`${folder}/${name}`) ?? 0,
    }));
    return [...new Map(entries.map((entry) => [entry.name, entry])).values()];
  }

  async modified(path: string): Promise<number | undefined> {
    this.tick();
    return this.names.has(path) ? (this.changed.get(path) ?? 0) : undefined;
  }

  async makeFolder(): Promise<void> {
    this.tick();
  }

  async syncFolder(folder: string): Promise<void> {
    this.tick();
    for (const { change } of this.unsynced.filter((one) => one.folder === folder)) change(this.synced);
    this.unsynced = this.unsynced.filter((one) => one.folder !== folder);
  }

  private content(path: string): Buffer {
    const content = this.names.get(path);
    if (content === undefined) throw Object.assign(new Error(`no such file: ${path}`), { code: "ENOENT" });
    return content;
  }

  private change(path: string, change: Change): void {
    change(this.names);
    this.changed.set(path, ++this.time);
    this.unsynced.push({ folder: dirname(path), change });
  }

  private tick(lastWords: () => void = () => {}): void {
    if (this.operations++ < this.failsAt) return;
    if (this.operations === this.failsAt + 1) lastWords();
    throw new PowerCut("the power failed");
  }
}
