import { outlivesRecord } from "./fates";
import type { Variant, Version } from "./kinds";
import { Failure, type SubjectEntry, type Thing } from "./situation";

/** What there is of a subject: live objects, what the state holds of them, and what may become of both. */
export class Holdings {
  objects = new Map<string, Thing>();
  entries: SubjectEntry[] = [];
  /** An object that an engine which died has begun, and no state holds. */
  begun: string | undefined;
  writes = 0;
  count = 0;
  /** Objects that were recreated by another hand: whose they are now is told by nothing that this model knows. */
  foreign = false;
  /** The chosen id has been used up. */
  spent = false;

  constructor(private readonly variant: Variant) {}

  byHand(hand: "makes" | "removes" | "changes" | "makes again"): void {
    const [name] = [...this.objects.keys()];
    if (hand === "makes") this.make("first", "first");
    else if (hand === "removes") this.objects.delete(name!);
    else if (hand === "changes") this.objects.set(name!, { ...this.objects.get(name!)!, content: "by hand" });
    else {
      this.objects.set(name!, { ...this.objects.get(name!)!, born: (this.count += 1) });
      this.foreign = true;
    }
  }

  make(build: Version, content: Version, name = this.nameFor()): void {
    this.objects.set(name, { build, content, born: (this.count += 1) });
  }

  nameFor(): string {
    return this.variant.identity === "automatic id" ? `automatic-${this.count}` : "chosen";
  }

  delete(entry: SubjectEntry, claimed: ReadonlySet<string>): void {
    if (entry.protect && !entry.condemned) throw new Failure();
    const isKept = this.entries.some(
      (each) => each !== entry && each.object === entry.object && !each.condemned && claimed.has(each.object),
    );
    // A declaration claims it that has not come to hold it: the state's word is the only one that is left.
    if (claimed.has(entry.object) && !isKept && !entry.condemned && !entry.retain) throw new Failure();
    this.entries.splice(this.entries.indexOf(entry), 1);
    const thing = this.objects.get(entry.object);
    const leaves = outlivesRecord(entry) || isKept || this.isSomebodyElses(thing);
    if (leaves || thing === undefined || this.foreign) return;
    this.objects.delete(entry.object);
    this.writes += 1;
    this.spent ||= this.variant.neverReused === true && this.variant.identity === "explicit id";
  }

  /** What somebody else has set since is not this stack's to clear. */
  private isSomebodyElses = (thing: Thing | undefined): boolean =>
    this.variant.keepsForeignChanges === true && thing?.content === "by hand";

  refresh(): void {
    for (const entry of [...this.entries]) {
      const thing = this.objects.get(entry.object);
      if (thing) entry.content = this.variant.byHand ? thing.content : entry.content;
      else if (!this.variant.staysRecorded) this.entries.splice(this.entries.indexOf(entry), 1);
    }
  }
}
