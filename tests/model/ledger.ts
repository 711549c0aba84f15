import { hiddenInput } from "../../provider/core/declaration/own-fields";
import type { Values } from "../values";
import { consentedTo } from "./answers";
import type { RecordedEntry } from "./engine";
import { type Account, heldFor, isAdopted, isOf, Violation } from "./invariants";
import { inStack, urnOf } from "./program";
import type { Scene } from "./scene";
import { lostBetween, type Stack } from "./stacks";
import type { RequestOnTheWay } from "./transport";

/** Whose each object is, as commands, people and lost states have made it: what commands are judged by. */
export class Ledger {
  /** Which stack declares an identity that there can be only once. */
  readonly owners = new Map<string, Stack>();
  /** What the program has released without deleting it. */
  readonly released = new Set<string>();
  /** What was taken over with the program's consent. */
  private readonly adopted = new Set<string>();
  /** What was changed outside, and what was deleted. */
  readonly changed = new Set<string>();
  readonly discarded = new Set<string>();
  /** What a state has held and does not show any longer, by name. */
  readonly lost = new Map<string, RecordedEntry>();
  /** What a state from before a rename of the stack is behind: its own object counts as the last one. */
  private readonly behindRename = new Set<string>();
  /** Names of what the state at hand has held last, by URN, by stack. */
  private readonly heldLast = new Map<Stack, Map<string, string>>();
  /** What was live without a record when the machine's journal was lost. */
  private readonly forgotten = new Set<string>();
  hasMoved = false;

  constructor(
    private readonly scene: Scene,
    private readonly stacks: readonly Stack[],
  ) {}

  private held = (): RecordedEntry[] => this.stacks.flatMap(({ engine }) => engine.state);

  /** The machine and its journal are lost. */
  move(): void {
    this.hasMoved = true;
    const recorded = new Set(this.held().map(({ id }) => id));
    for (const name of this.scene.live().keys()) if (!recorded.has(name)) this.forgotten.add(name);
    this.lost.clear();
    this.heldLast.clear();
  }

  /** The state at hand is an older one than `before`. */
  restored({ engine }: Stack, before: readonly RecordedEntry[]): void {
    const isOfFormerName = (entry: RecordedEntry): boolean => !entry.delete && !isOfStack(entry, engine.stack);
    for (const { urn, id } of before)
      if (engine.state.some((entry) => entry.urn === urn && isOfFormerName(entry))) this.behindRename.add(id);
  }

  /** The state shows less than `before`. */
  lose(before: readonly RecordedEntry[]): void {
    for (const entry of lostBetween(before, this.held(), this.scene.live())) this.lost.set(entry.id, entry);
    this.followLost();
  }

  /** What a state holds again, or what is gone, is not lost any longer. */
  followLost(): void {
    const live = this.scene.live();
    for (const [name, entry] of this.lost)
      if (!live.has(name) || !isOf(entry, live.get(name)) || lostBetween([entry], this.held(), live).length === 0)
        this.lost.delete(name);
  }

  /** Takes in whom a command has taken over, and what it holds. */
  follow({ program, engine }: Stack): void {
    for (const entry of engine.state) {
      if (entry.pendingReplacement) continue;
      if (isAdopted(entry)) this.adopted.add(entry.id);
      else this.released.delete(entry.id);
    }
    for (const name of consentedTo(program, this.scene)) this.adopted.add(name);
    this.followLost();
  }

  /** What the state at hand holds is what has been held last. */
  remember(stack: Stack): void {
    const held = this.heldLast.get(stack) ?? new Map<string, string>();
    for (const { urn, id, delete: isOld } of stack.engine.state) if (!isOld) held.set(urn, id);
    this.heldLast.set(stack, held);
  }

  /** The other team has made it again. */
  seize(name: string): void {
    this.discarded.add(name);
    for (const each of [this.released, this.adopted, this.lost]) each.delete(name);
  }

  /**
   * What the state at hand has lost under its present names, and the program still declares. Of what a cut-off
   * replacement had still to delete nobody is told: only what was held last is looked for.
   */
  lostOf({ engine, program }: Stack): [name: string, lost: RecordedEntry][] {
    return this.lostUnder(engine.stack).filter(
      ([, { urn, delete: isReplaced }]) => !isReplaced && program.some((each) => urnOf(each.kind, each.name) === urn),
    );
  }

  /** What a stack has lost under the name that it has now. */
  lostUnder = (stack: Stack["engine"]["stack"]): [name: string, lost: RecordedEntry][] =>
    [...this.lost].filter(([name, entry]) => !this.behindRename.has(name) && isOfStack(entry, stack));

  /** What the stack at work is judged by; what another one has is left out. */
  async account({ program, engine }: Stack): Promise<Account> {
    const { theirs } = this.scene;
    const others = this.held().filter((entry) => !engine.state.includes(entry));
    const isElsewhere = (name: string, object: Values): boolean =>
      !theirs.has(name) && others.some((entry) => entry.id === name && isOf(entry, object));
    const live = new Map([...this.scene.live()].filter(([name, object]) => !isElsewhere(name, object)));
    const isThere = (name: string): boolean => live.has(name) || !this.scene.live().has(name);
    return {
      begun: await this.scene.begun(),
      program,
      state: engine.state,
      live,
      theirs,
      released: new Set([
        ...[...this.released, ...this.lost.keys()].filter(isThere),
        ...[...this.forgotten].filter((name) => live.has(name)),
      ]),
      adopted: this.adopted,
    };
  }

  /** What creates have made and no state has is a doubt of the journal until somebody decides, as `decided` says. */
  expectKnown(stack: Stack, decided: readonly string[]): void {
    const { service, theirs } = this.scene;
    for (const name of service.unnamed(stack, this.held(), this.scene.doubts())) {
      if (theirs.has(name) || this.released.has(name) || this.lost.has(name)) continue;
      if (!decided.some((text) => text.includes(name)))
        throw new Violation("doubt-unnamed", `${name} was made by a create, no state has it, and nobody knows of it`);
      // What a person leaves by answering a question is released.
      this.released.add(name);
      service.forget(name);
    }
  }

  /**
   * Nothing was made beside what the state has lost last, and no text names, once a refresh has read the state or the
   * engine has answered for it.
   */
  expectAsked(stack: Stack, before: readonly string[], texts: readonly string[]): void {
    const lost = this.lostOf(stack).filter(([name]) => !texts.some((text) => text.includes(name)));
    const last = new Map(lost.map(([name, { urn }]) => [urn, name]));
    for (const { urn, id } of stack.engine.state)
      if (last.has(urn) && last.get(urn) === this.heldLast.get(stack)?.get(urn) && !before.includes(id))
        throw new Violation(
          "doubt-unnamed",
          `${id} was made beside ${last.get(urn)}, which the state has lost, and nobody was asked`,
        );
  }

  /** What is wrong with a DELETE of what another entry of the state keeps, or of what the other team has made. */
  wrongsOf({ method, path }: RequestOnTheWay, deleting: ReadonlySet<RecordedEntry>): string[] {
    if (method !== "DELETE") return [];
    const name = path.replace("/v1/", "");
    const live = this.scene.object(name);
    // A secret that was deleted outside cannot be told from a later one of its name.
    const isBlind = name.includes("/secrets/") && this.discarded.has(name);
    // What nobody declares is deleted in the same command.
    const kept = new Set(
      this.stacks.flatMap(({ program, engine }) => program.map((each) => heldFor(each, engine.state))),
    );
    const keeper = this.held().find(
      (entry) =>
        entry.id === name &&
        !entry.delete &&
        !entry.pendingReplacement &&
        !deleting.has(entry) &&
        isOf(entry, live) &&
        (entry.retain || kept.has(entry)),
    );
    const lost = this.lost.get(name);
    // A refresh accepts what the stack has made again at the name of a recorded object.
    const isShown = this.held().some((entry) => entry.id === name && isOf(entry, live));
    return [
      ...(keeper && !isBlind ? [`${name} is deleted while ${keeper.urn} keeps it`] : []),
      ...(lost && !isBlind && !isShown && isOf(lost, live) ? [`${name}, which no state shows, is deleted`] : []),
      ...(this.scene.theirs.has(name) ? [`${name} of the other team is deleted`] : []),
    ];
  }
}

/** Whether a stack held it under the name that it has now. */
export const isOfStack = (
  { outputs, urn }: Pick<RecordedEntry, "outputs" | "urn">,
  stack: Stack["engine"]["stack"],
): boolean => (outputs[hiddenInput] as Values)["urn"] === inStack(urn, stack);
