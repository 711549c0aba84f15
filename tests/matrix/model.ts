import type { Action } from "./commands";
import type { Fate, Step, SubjectDeclaration } from "./fates";
import { Holdings } from "./holdings";
import type { Variant } from "./kinds";
import { type Expected, Failure, formerUrns, type SubjectEntry, type Thing, urnOf } from "./situation";
import { deletesFirst } from "./subject";

/**
 * What Pulumi's engine and a provider that keeps the rules of ownership do to one subject: pure, without names, times
 * or requests. It knows nothing of how either is built.
 */
export class Model {
  private before = new Set<Thing>();

  private readonly there: Holdings;
  /** Under which URN a state has held each object last, by when that was born. */
  private readonly holders = new Map<number, string>();

  constructor(
    private readonly variant: Variant,
    private readonly fate: Fate,
  ) {
    this.there = new Holdings(variant);
    for (const step of fate.steps) this.prepare(step);
  }

  private prepare(step: Step): void {
    if ("up" in step) this.attempt(() => this.update({ verb: "up" }, step.up, step.refuse));
    else if ("hand" in step) this.there.byHand(step.hand);
    else if (step.state === "twin") this.there.entries.push({ ...this.there.entries[0]!, urn: "twin" });
    else this.there.begun = this.there.entries.pop()!.object;
  }

  /** What there is at this point. */
  now(): { live: number; entries: number } {
    return { live: this.there.objects.size, entries: this.there.entries.length };
  }

  /** The command's effect; the model is then as things are after it. */
  command(action: Action, program: readonly SubjectDeclaration[] = this.fate.program, healed = false): Expected {
    this.there.writes = 0;
    this.before = new Set(this.there.objects.values());
    const fails = this.attempt(() => this.act(action, program, healed));
    const kept = [...this.there.objects.values()].filter((thing) => this.before.has(thing)).length;
    const open = this.there.foreign && (action.refreshes || action.replaces || action.verb === "destroy");
    return {
      live: open ? undefined : this.there.objects.size,
      kept: open ? undefined : kept,
      entries: open ? undefined : this.there.entries.length,
      writes: open || this.isVague(action, program) ? undefined : this.there.writes,
      fails: open || this.isSeenAhead(action, program) ? undefined : fails,
    };
  }

  /** Taking settings over may send them once more; two entries of one object may both ask for its deletion. */
  private isVague = ({ verb }: Action, program: readonly SubjectDeclaration[]): boolean =>
    (verb === "up" && this.variant.singleton === true && program.some(({ adopt }) => adopt)) ||
    this.fate.steps.some((step) => "state" in step && step.state === "twin");

  /** Whether a preview fails as the update would is up to the engine, which may ask about deletions ahead, or not. */
  private isSeenAhead = ({ verb }: Action, program: readonly SubjectDeclaration[]): boolean =>
    verb === "preview" &&
    this.variant.identity !== "automatic id" &&
    program.some(({ name, alias }) => name === "two" && !alias);

  private attempt(work: () => void): boolean {
    try {
      work();
      return false;
    } catch (error) {
      if (error instanceof Failure) return true;
      throw error;
    }
  }

  private act(action: Action, program: readonly SubjectDeclaration[], healed: boolean): void {
    if (action.leavesOut) return;
    const [entry] = this.there.entries;
    switch (action.verb) {
      case "up":
        return this.update(action, program, !healed && this.fate.refused ? "create" : undefined, healed);
      case "refresh":
        return this.there.refresh();
      case "destroy":
        if (action.refreshes) this.there.refresh();
        return this.deleteAll(this.there.entries, action, new Set());
      case "preview":
        return this.preview(program);
      case "delete entry":
        if (entry!.protect) throw new Failure();
        return void this.there.entries.shift();
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
  private preview(program: readonly SubjectDeclaration[]): void {
    const kept = program.flatMap(formerUrns);
    if (this.there.entries.some(({ urn, protect }) => protect && !kept.includes(urn))) throw new Failure();
  }

  private update(
    action: Action,
    program: readonly SubjectDeclaration[],
    refuse: "create" | "delete" | undefined,
    healed = true,
  ): void {
    if (action.refreshes) this.there.refresh();
    const claimed = new Set<string>();
    const failures: Failure[] = [];
    for (const declaration of program) {
      const old = this.there.entries.find(({ urn, condemned }) => !condemned && formerUrns(declaration).includes(urn));
      if (this.variant.identity !== "automatic id") claimed.add(this.there.nameFor());
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
    if (refuse === "delete" && this.there.entries.some(({ condemned }) => condemned)) throw new Failure();
    this.deleteAll(
      this.there.entries.filter(({ urn, condemned }) => condemned || !declared.has(urn)),
      action,
      claimed,
    );
    if (failures.length > 0) throw failures[0];
  }

  private declare(
    action: Action,
    declaration: SubjectDeclaration,
    old: SubjectEntry | undefined,
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
    if (!old.adopted) this.holders.set(old.born, old.urn);
    claimed.add(old.object);
    const thing = this.there.objects.get(old.object);
    if (!changed || thing === undefined) return;
    if (!this.variant.recordsOnly) this.there.writes += 1;
    thing.content = content;
    old.content = content;
  }

  private replace(
    action: Action,
    declaration: SubjectDeclaration,
    old: SubjectEntry,
    refuse: "create" | "delete" | undefined,
    claimed: Set<string>,
  ): void {
    if (old.protect && declaration.protect) throw new Failure();
    const { build = "first" } = declaration;
    // A replacement that the engine decides on by itself asks the provider for no manner of doing it.
    const forced = action.replaces === true || old.tainted || (declaration.replaceOnChanges && old.build === build);
    if (deletesFirst(this.variant, this.fate) || (this.variant.identity !== "automatic id" && !forced)) {
      // Nothing is deleted that the same step cannot make again.
      if (this.variant.neverReused && this.variant.identity === "explicit id" && this.there.objects.has(old.object))
        throw new Failure();
      this.there.delete(old, new Set());
      return this.create(declaration, refuse, claimed);
    }
    this.create(declaration, refuse, claimed);
    old.condemned = true;
  }

  private create(declaration: SubjectDeclaration, refuse: "create" | "delete" | undefined, claimed: Set<string>): void {
    const { content = "first", build = "first", protect = false, retain = false, adopt } = declaration;
    if (refuse === "create" || this.there.spent) throw new Failure();
    const name = this.there.begun ?? this.there.nameFor();
    const found = this.there.objects.get(name);
    const { singleton } = this.variant;
    if (found && this.there.begun === undefined && !adopt && !(singleton && found.content === content))
      throw new Failure();
    if (found && !singleton && this.isHeldElsewhere(found, declaration)) throw new Failure();
    if (!found) this.there.make(build, content, name);
    else if (found.content !== content || this.variant.kind === "Secret") {
      if (!this.variant.recordsOnly) this.there.writes += 1;
      found.content = content;
    }
    if (!found) this.there.writes += 1;
    const thing = this.there.objects.get(name)!;
    const adopted = found !== undefined && this.there.begun === undefined;
    this.there.begun = undefined;
    claimed.add(name);
    if (!adopted) this.holders.set(thing.born, urnOf(declaration));
    this.there.entries.push({
      ...thing,
      ...{ urn: urnOf(declaration), object: name, protect, retain, adopted, condemned: false, tainted: false },
    });
  }

  /** What a state has held is not adopted under another URN of the same stack. */
  private isHeldElsewhere({ born }: Thing, declaration: SubjectDeclaration): boolean {
    const holder = this.holders.get(born);
    return holder !== undefined && !formerUrns(declaration).includes(holder);
  }

  private deleteAll(entries: readonly SubjectEntry[], action: Action, claimed: ReadonlySet<string>): void {
    const failures: Failure[] = [];
    for (const entry of [...entries]) {
      if (action.sparesProtected && entry.protect) continue;
      try {
        this.there.delete(entry, claimed);
      } catch (error) {
        if (!(error instanceof Failure)) throw error;
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
  }
}
