import type { Action } from "./commands";
import type { Declaration, Fate, Step } from "./fates";
import type { Variant, Version } from "./kinds";
import { type Entry, type Expected, Failure, formerUrns, type Thing, urnOf } from "./situation";
import { deletesFirst } from "./subject";

/**
 * What Pulumi's engine and a provider that keeps the rules of ownership do to one subject: pure, without names, times or requests. It knows
 * nothing of how either is built.
 */
export class Model {
  private objects = new Map<string, Thing>();
  private entries: Entry[] = [];
  /** An object that an engine which died has begun, and no state holds. */
  private begun: string | undefined;
  private writes = 0;
  private count = 0;
  private before = new Set<Thing>();
  /** Objects that were made anew by another hand: whose they are now is told by nothing that this model knows. */
  private foreign = false;
  /** The chosen id has been used up. */
  private spent = false;

  constructor(
    private readonly variant: Variant,
    private readonly fate: Fate,
  ) {
    for (const step of fate.steps) this.prepare(step);
  }

  private prepare(step: Step): void {
    if ("up" in step) this.attempt(() => this.update({ verb: "up" }, step.up, step.refuse));
    else if ("hand" in step) this.byHand(step.hand);
    else if (step.state === "twin") this.entries.push({ ...this.entries[0]!, urn: "twin" });
    else this.begun = this.entries.pop()!.object;
  }

  private byHand(hand: "makes" | "removes" | "changes" | "makes again"): void {
    const [name] = [...this.objects.keys()];
    if (hand === "makes") this.make("first", "first");
    else if (hand === "removes") this.objects.delete(name!);
    else if (hand === "changes") this.objects.set(name!, { ...this.objects.get(name!)!, content: "by hand" });
    else {
      this.objects.set(name!, { ...this.objects.get(name!)!, born: (this.count += 1) });
      this.foreign = true;
    }
  }

  /** What there is at this point. */
  now(): { live: number; entries: number } {
    return { live: this.objects.size, entries: this.entries.length };
  }

  /** The command's effect; the model is then as things are after it. */
  command(action: Action, program: readonly Declaration[] = this.fate.program, healed = false): Expected {
    this.writes = 0;
    this.before = new Set(this.objects.values());
    const fails = this.attempt(() => this.act(action, program, healed));
    const kept = [...this.objects.values()].filter((thing) => this.before.has(thing)).length;
    const open = this.foreign && (action.refreshes || action.replaces || action.verb === "destroy");
    return {
      live: open ? undefined : this.objects.size,
      kept: open ? undefined : kept,
      entries: open ? undefined : this.entries.length,
      writes: open || this.isVague(action, program) ? undefined : this.writes,
      fails: open ? undefined : fails,
    };
  }

  /** Taking settings over may send them once more; two entries of one object may both ask for its deletion. */
  private isVague = ({ verb }: Action, program: readonly Declaration[]): boolean =>
    (verb === "up" && this.variant.singleton === true && program.some(({ adopt }) => adopt)) ||
    this.fate.steps.some((step) => "state" in step && step.state === "twin");

  private attempt(work: () => void): boolean {
    try {
      work();
      return false;
    } catch (error) {
      if (error instanceof Failure) return true;
      throw error;
    }
  }

  private act(action: Action, program: readonly Declaration[], healed: boolean): void {
    if (action.leavesOut) return;
    const [entry] = this.entries;
    switch (action.verb) {
      case "up":
        return this.update(action, program, !healed && this.fate.refused ? "create" : undefined, healed);
      case "refresh":
        return this.refresh();
      case "destroy":
        if (action.refreshes) this.refresh();
        return this.deleteAll(this.entries, action, new Set());
      case "preview":
        return this.preview(program);
      case "delete entry":
        return void this.entries.shift();
      case "taint":
        entry!.tainted = true;
        return;
      case "protect":
        entry!.protect = true;
        return;
      default:
        return;
    }
  }

  /** Nothing is done; what is protected and would be deleted is told. */
  private preview(program: readonly Declaration[]): void {
    const kept = program.flatMap(formerUrns);
    if (this.entries.some(({ urn, protect }) => protect && !kept.includes(urn))) throw new Failure();
  }

  private update(
    action: Action,
    program: readonly Declaration[],
    refuse: "create" | "delete" | undefined,
    healed = true,
  ): void {
    if (action.refreshes) this.refresh();
    const claimed = new Set<string>();
    const failures: Failure[] = [];
    for (const declaration of program) {
      const old = this.entries.find(({ urn, condemned }) => !condemned && formerUrns(declaration).includes(urn));
      if (this.variant.identity !== "automatic id") claimed.add(this.nameFor());
      try {
        this.declare(action, declaration, old, refuse, claimed);
      } catch (error) {
        if (!(error instanceof Failure)) throw error;
        failures.push(error);
      }
    }
    if (this.fate.elsewhere && !healed) failures.push(new Failure());
    if (failures.length > 0 && !action.goesOn) throw failures[0];
    const declared = new Set(program.map(urnOf));
    if (refuse === "delete" && this.entries.some(({ condemned }) => condemned)) throw new Failure();
    this.deleteAll(
      this.entries.filter(({ urn, condemned }) => condemned || !declared.has(urn)),
      action,
      claimed,
    );
    if (failures.length > 0) throw failures[0];
  }

  private declare(
    action: Action,
    declaration: Declaration,
    old: Entry | undefined,
    refuse: "create" | "delete" | undefined,
    claimed: Set<string>,
  ): void {
    const { content = "first", build = "first", protect = false, retain = false } = declaration;
    if (old === undefined) return this.create(declaration, refuse, claimed);
    const changed = old.content !== content;
    const replaces =
      action.replaces || old.tainted || old.build !== build || (changed && declaration.replaceOnChanges === true);
    if (replaces) return this.replace(action, declaration, old, refuse, claimed);
    Object.assign(old, { urn: urnOf(declaration), protect, retain });
    claimed.add(old.object);
    const thing = this.objects.get(old.object);
    if (!changed || thing === undefined) return;
    if (!this.variant.recordsOnly) this.writes += 1;
    thing.content = content;
    old.content = content;
  }

  private replace(
    action: Action,
    declaration: Declaration,
    old: Entry,
    refuse: "create" | "delete" | undefined,
    claimed: Set<string>,
  ): void {
    if (old.protect && declaration.protect) throw new Failure();
    const { build = "first" } = declaration;
    // A replacement that the engine decides on by itself asks the provider for no manner of doing it.
    const forced = action.replaces === true || old.tainted || (declaration.replaceOnChanges && old.build === build);
    if (deletesFirst(this.variant, this.fate) || (this.variant.identity !== "automatic id" && !forced)) {
      // Nothing is deleted that the same step cannot make again.
      if (this.variant.neverReused && this.variant.identity === "explicit id" && this.objects.has(old.object))
        throw new Failure();
      this.delete(old, new Set());
      return this.create(declaration, refuse, claimed);
    }
    this.create(declaration, refuse, claimed);
    old.condemned = true;
  }

  private create(declaration: Declaration, refuse: "create" | "delete" | undefined, claimed: Set<string>): void {
    const { content = "first", build = "first", protect = false, retain = false, adopt } = declaration;
    if (refuse === "create" || this.spent) throw new Failure();
    const name = this.begun ?? this.nameFor();
    const found = this.objects.get(name);
    const { singleton } = this.variant;
    if (found && this.begun === undefined && !adopt && !(singleton && found.content === content)) throw new Failure();
    if (!found) this.make(build, content, name);
    else if (found.content !== content || this.variant.kind === "Secret") {
      if (!this.variant.recordsOnly) this.writes += 1;
      found.content = content;
    }
    if (!found) this.writes += 1;
    const thing = this.objects.get(name)!;
    const adopted = found !== undefined && this.begun === undefined;
    this.begun = undefined;
    claimed.add(name);
    this.entries.push({
      ...thing,
      ...{ urn: urnOf(declaration), object: name, protect, retain, adopted, condemned: false, tainted: false },
    });
  }

  private make(build: Version, content: Version, name = this.nameFor()): void {
    this.objects.set(name, { build, content, born: (this.count += 1) });
  }

  private nameFor(): string {
    return this.variant.identity === "automatic id" ? `automatic-${this.count}` : "chosen";
  }

  private deleteAll(entries: readonly Entry[], action: Action, claimed: ReadonlySet<string>): void {
    const failures: Failure[] = [];
    for (const entry of [...entries]) {
      if (action.sparesProtected && entry.protect) continue;
      try {
        this.delete(entry, claimed);
      } catch (error) {
        if (!(error instanceof Failure)) throw error;
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
  }

  private delete(entry: Entry, claimed: ReadonlySet<string>): void {
    if (entry.protect && !entry.condemned) throw new Failure();
    const isKept = this.entries.some(
      (each) => each !== entry && each.object === entry.object && !each.condemned && claimed.has(each.object),
    );
    // A declaration claims it that has not come to hold it: the state's word is the only one that is left.
    if (claimed.has(entry.object) && !isKept && !entry.condemned && !entry.retain) throw new Failure();
    this.entries.splice(this.entries.indexOf(entry), 1);
    const leaves = entry.retain || entry.adopted || isKept;
    const thing = this.objects.get(entry.object);
    if (leaves || thing === undefined || this.foreign) return;
    this.objects.delete(entry.object);
    this.writes += 1;
    this.spent ||= this.variant.neverReused === true && this.variant.identity === "explicit id";
  }

  private refresh(): void {
    for (const entry of [...this.entries]) {
      const thing = this.objects.get(entry.object);
      if (thing) entry.content = this.variant.byHand ? thing.content : entry.content;
      else if (!this.variant.staysRecorded) this.entries.splice(this.entries.indexOf(entry), 1);
    }
  }
}
