import type { Values } from "../values";
import { edited, identityOf } from "./edits";
import { ModelEngine, type RecordedEntry } from "./engine";
import { type HeldResource, heldFor, isOf } from "./invariants";
import type { PendingOperation } from "./pending";
import { type Declaration, type Program, type StackName, urnOf } from "./program";
import type { ProgramEdit, StateEdit } from "./scenario";

/** A program, and the state that an engine keeps of it. */
export class Stack {
  readonly engine: ModelEngine;
  program: Program = [];
  /** The state before each of the last commands. */
  private readonly backups: Backup[] = [];
  private count = 0;
  /** The program before the edits of the last round. */
  private former: Program | undefined;
  /** What the stack was called before. */
  readonly formerNames: string[] = [];

  constructor(
    readonly first: StackName,
    now: () => number,
    isAsked: boolean,
  ) {
    this.engine = new ModelEngine(first, now, isAsked);
  }

  /** Carries out the edits of a round, after the reversal of those of the last one. */
  editAll(edits: readonly ProgramEdit[], reverts: boolean, owners: Map<string, Stack>): void {
    if (reverts) this.program = this.former ?? this.program;
    this.former = this.program;
    for (const edit of edits) this.edit(edit, owners);
  }

  /** Things that there can be only one of stay the stack's that had them first, so that no two programs declare one. */
  private edit(edit: ProgramEdit, owners: Map<string, Stack>): void {
    const idOf = (each: Declaration): string | undefined => heldFor(each, this.engine.state)?.id.split("/").at(-1);
    const program = edited(this.program, edit, ++this.count, idOf);
    const identities = program.map(identityOf).filter((identity) => identity !== undefined);
    if (identities.some((identity) => (owners.get(identity) ?? this) !== this)) return;
    for (const identity of identities) owners.set(identity, this);
    this.program = program;
  }

  backUp(): void {
    const { state, pending } = this.engine;
    this.backups.unshift({ state: copied(state), pending: pending.list() });
  }

  /** The state file of before, with what it says is pending. */
  restore(ago: number): void {
    const backup = this.backups[ago];
    if (!backup) return;
    this.engine.state = copied(backup.state);
    this.engine.pending.reset(backup.pending);
  }

  lose(): void {
    this.engine.state = [];
    this.engine.pending.reset([]);
  }

  /** A stack gets a name that none has had before. */
  rename(project: boolean): void {
    const { stack } = this.first;
    const count = this.formerNames.push(this.engine.stack.stack);
    this.engine.stack = { stack: `${stack}-${count}`, project: project ? `demo-${count}` : "demo" };
  }

  delete(at: number): void {
    const entry = this.entryAt(at);
    this.engine.state = this.engine.state.filter((each) => each !== entry);
  }

  /** What a person does who gives a resource another name in the state and in the program. */
  renameEntry(at: number): void {
    const entry = this.entryAt(at);
    const declaration = entry && this.declarationOf(entry);
    if (!declaration) return;
    this.count += 1;
    const name = `r${this.count}`;
    this.program = this.program.map((each) => (each === declaration ? { ...each, name } : each));
    const { urn } = entry;
    for (const each of this.entriesOf(urn)) each.urn = urnOf(entry.kind, name);
    this.engine.pending.rename(urn, urnOf(entry.kind, name));
    this.former = undefined;
  }

  /** Backups of a state from before tell of what the other stack has now. */
  moveEntry(at: number, other: Stack, owners: Map<string, Stack>): void {
    const entry = this.entryAt(at);
    const declaration = entry && this.declarationOf(entry);
    if (!declaration || declaration.kind === "PolicySettings" || other.knows(entry.urn)) return;
    const moved = this.entriesOf(entry.urn);
    this.engine.state = this.engine.state.filter((each) => !moved.includes(each));
    other.engine.state = [...other.engine.state, ...moved];
    this.program = this.program.filter((each) => each !== declaration);
    other.program = [...other.program, declaration];
    for (const each of [declaration, ...moved]) owners.set(identityOf(each) ?? each.kind, other);
    other.engine.pending.receive(this.engine.pending.release(entry.urn));
    for (const stack of [this, other]) {
      stack.backups.length = 0;
      stack.former = undefined;
    }
  }

  private entryAt = (at: number): RecordedEntry | undefined =>
    this.engine.state[at % Math.max(1, this.engine.state.length)];

  private entriesOf = (urn: string): RecordedEntry[] => this.engine.state.filter((each) => each.urn === urn);

  private declarationOf = ({ urn }: RecordedEntry): Declaration | undefined =>
    this.program.find(({ kind, name }) => urnOf(kind, name) === urn);

  private knows = (urn: string): boolean =>
    this.entriesOf(urn).length > 0 || this.program.some(({ kind, name }) => urnOf(kind, name) === urn);
}

interface Backup {
  state: RecordedEntry[];
  pending: readonly PendingOperation[];
}

const copied = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

/** Carries out what a person does to the first stack's state; `other` is the second one. */
export function handled(edit: StateEdit, stack: Stack, other: Stack, owners: Map<string, Stack>): void {
  switch (edit.state) {
    case "rename stack":
      return stack.rename(edit.project);
    case "move":
      return stack.moveEntry(edit.at, other, owners);
    case "rename":
      return stack.renameEntry(edit.at);
    case "delete":
      return stack.delete(edit.at);
    case "restore":
      return stack.restore(edit.ago);
    case "lose":
      return stack.lose();
  }
}

/** Live objects that were in a stack's state and are in no state now. */
export const lostBetween = <H extends HeldResource>(
  before: readonly H[],
  states: readonly HeldResource[],
  live: ReadonlyMap<string, Values>,
): H[] =>
  before.filter(
    (entry) =>
      !entry.pendingReplacement &&
      entry.kind !== "PolicySettings" &&
      isOf(entry, live.get(entry.id)) &&
      live.has(entry.id) &&
      !states.some((held) => held.id === entry.id && isOf(held, live.get(entry.id))),
  );
