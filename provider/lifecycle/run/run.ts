import { isDeepStrictEqual } from "node:util";
import type { DiffResult } from "../../core/comparison/diff";
import { type HiddenContext, HiddenInput, hiddenInput, isNew, recordsIn } from "../../core/declaration/own-records";
import type { ObjectIdentity } from "../journal/facts";
import type { Values } from "../types";
import type { RunClaims } from "./claims";
import type {
  CheckView,
  CreateView,
  CurrentObject,
  DeleteView,
  DiffView,
  NewHost,
  ReadView,
  ResourceMemory,
  Successor,
} from "./views";

/** What one process has seen of a run; lost with it. */
export class Run {
  readonly hosts = new Map<string, NewHost>();
  private readonly resources = new Map<string, Resource>();

  /** `claims` are shared by all processes of the run. */
  constructor(readonly claims: RunClaims) {}

  resource(urn: string): ResourceMemory {
    const resource = this.resources.get(urn) ?? new Resource(urn, this);
    this.resources.set(urn, resource);
    return resource;
  }

  /** Whether the program has said that it declares this URN. */
  declares(urn: string): boolean {
    return this.resources.get(urn)?.isDeclared === true;
  }

  /** The name of the object that an engine has shown last for this URN. */
  recordedNameFor(urn: string): string | undefined {
    return this.resources.get(urn)?.noteRecord;
  }
}

/**
 * The program's word for a URN is its `check`: the engine calls it for what the program declares, and never in a
 * refresh or a destroy.
 */
type Declaration = {
  /** A diff requires that the old object is deleted before the new one is created. */
  deletesFirst: boolean;
} & (
  | { /** Of an object that the engine knows. */ continues: true; edited: ReadonlySet<string> }
  | { /** Of an object to create. */ continues: false; successor: Successor }
);

/** One resource in this process, and the views that its calls get. */
class Resource implements ResourceMemory, CheckView, DiffView, CreateView, ReadView, DeleteView {
  private declaration: Declaration | undefined;
  /** The object that this process has left in place, updated or created. */
  private current: CurrentObject | undefined;
  /** The outputs that an engine has shown last. */
  private presented: Values | undefined;
  /** The object that a diff has shown with a record without protection. */
  private unprotected: string | undefined;

  constructor(
    private readonly urn: string,
    private readonly run: Run,
  ) {}

  get isDeclared(): boolean {
    return this.declaration !== undefined;
  }

  get noteRecord(): string | undefined {
    const name = this.presented?.["name"];
    return typeof name === "string" ? name : undefined;
  }

  check({ aliases = [] }: HiddenContext, olds: Values, inputs: Values): CheckView {
    const before = this.declaration;
    const recorded = urnIn(olds);
    const formers = [...aliases, ...(recorded === undefined ? [] : [recorded])].map((urn) => ({ urn }));
    if (!isNew(olds)) {
      this.run.claims.continueFrom(this.urn, formers);
      this.declaration = { continues: true, edited: editedIn(olds, inputs), deletesFirst: false };
      return this;
    }
    // The plugin's outputs do not say under which URN they were recorded.
    const replaced = before?.continues && this.noteRecord !== undefined ? [{ name: this.noteRecord }] : [];
    this.run.claims.continueFrom(this.urn, [...formers, ...replaced]);
    const deletesFirst = before?.deletesFirst === true;
    this.declaration = { continues: false, successor: { inputs, isPossible: false }, deletesFirst };
    this.recordNone();
    return this;
  }

  diff(name: string, recorded: Values, object: ObjectIdentity): DiffView | undefined {
    this.run.claims.noteEngineRecord(this.urn, object, "shown");
    if (!this.declaration) return undefined;
    this.presented = recorded;
    const former = urnIn(recorded);
    if (former !== undefined) this.run.claims.continueFrom(this.urn, [{ urn: former, name }]);
    // Whatever comes of the diff: another record of the object is not what the program continues with.
    if (this.declaration.continues) this.run.claims.hold(this.urn, name);
    return this;
  }

  create(): CreateView {
    return this;
  }

  read(recorded: Values, object: ObjectIdentity): ReadView {
    this.presented = recorded;
    this.declaration = undefined;
    // What a program only looks up is in no state.
    if (recordsIn(recorded).endpoint !== undefined) this.run.claims.noteEngineRecord(this.urn, object, "read");
    return this;
  }

  update(name: string, recorded: Values, inputs: Values, object: ObjectIdentity): void {
    this.noteEngineRecord(recorded, object);
    this.recordObject(name, inputs);
  }

  delete(): DeleteView {
    return this;
  }

  get hasCurrentObject(): boolean {
    return this.declaration?.continues === true;
  }

  get successorInPlace(): Successor | undefined {
    return this.declaration?.continues === false && this.declaration.deletesFirst ? this.plannedSuccessor : undefined;
  }

  claim(keys: readonly string[]): Map<string, string> {
    return this.run.claims.declare(this.urn, keys);
  }

  declareHost(host: NewHost): void {
    this.run.hosts.set(this.urn, host);
  }

  newHosts(): ReadonlyMap<string, NewHost> {
    return this.run.hosts;
  }

  isEdited(property: string): boolean {
    return this.declaration?.continues === true && this.declaration.edited.has(property);
  }

  noteUnprotected(name: string): void {
    this.unprotected = name;
  }

  conclude(name: string, inputs: Values, { replaces, deleteBeforeReplace }: DiffResult): void {
    if (!this.declaration?.continues) return;
    if (replaces.length === 0) this.recordObject(name, inputs);
    else if (deleteBeforeReplace) this.declaration.deletesFirst = true;
  }

  get previous(): Values | undefined {
    return this.presented;
  }

  claimExisting(name: string): () => void {
    const before = this.run.claims.heldBy(this.urn);
    this.run.claims.hold(this.urn, name);
    return () => this.run.claims.hold(this.urn, before);
  }

  recordObject(name: string, inputs: Values): void {
    this.current = { name, inputs };
    this.run.claims.hold(this.urn, name);
  }

  recordNone(): void {
    this.current = undefined;
    this.run.claims.hold(this.urn, undefined);
  }

  wasTakenOver(name: string): boolean {
    return this.run.claims.heldBy(this.urn) === name && this.presented === undefined;
  }

  noteEngineRecord(recorded: Values, object: ObjectIdentity): void {
    this.presented = recorded;
    this.run.claims.noteEngineRecord(this.urn, object, "shown");
  }

  noteDeleted(object: ObjectIdentity): void {
    this.run.claims.noteEngineRecord(this.urn, object, "gone");
  }

  successorOf(name: string): CurrentObject | undefined {
    return this.current?.name === name ? undefined : this.current;
  }

  get plannedSuccessor(): Successor | undefined {
    return this.declaration?.continues === false && !this.current ? this.declaration.successor : undefined;
  }

  isReplacedByUnprotected(name: string): boolean {
    return this.unprotected !== undefined && this.unprotected !== name;
  }

  recordedNameFor(urn: string): string | undefined {
    return this.run.recordedNameFor(urn);
  }
}

/** The URN that inputs or outputs were recorded under. */
function urnIn(recorded: Values): string | undefined {
  if (recorded[hiddenInput] === undefined) return undefined;
  const hidden = HiddenInput.safeParse(recorded[hiddenInput]);
  return hidden.success ? hidden.data.urn : undefined;
}

const editedIn = (olds: Values, inputs: Values): ReadonlySet<string> =>
  new Set(
    Object.keys(inputs).filter((name) => Object.hasOwn(olds, name) && !isDeepStrictEqual(olds[name], inputs[name])),
  );
