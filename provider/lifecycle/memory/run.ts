import { isDeepStrictEqual } from "node:util";
import type { DeclaredUrn, RecordedUrn } from "../../../io/text/urns";
import type { DiffResult } from "../../core/comparison/diff";
import { type HiddenContext, HiddenInput, hiddenInput, isNew, recordsIn } from "../../core/declaration/own-fields";
import type { ResourceSpec } from "../../core/declaration/resource";
import type { Values } from "../types";
import type { RunClaims } from "./claims";
import { type ObjectIdentity, type OwnershipJournal, objectKey, type UrnsByTail, unfinishedUrns } from "./history";
import { projectOf } from "./identity";

/** What one process has seen of a run; lost with it. */
export class Run {
  readonly hosts = new Map<string, NewHost>();
  private readonly resources = new Map<string, Resource>();
  /** What runs before this one have left, by project: as the first question about it found it. */
  readonly leftBehind = new Map<string, Promise<UrnsByTail>>();
  /** Recorded objects that a read did not show and that may exist. */
  readonly unseen = new Set<string>();

  /** `claims` are shared by all processes of the run. */
  constructor(readonly claims: RunClaims) {}

  resource(urn: string): ResourceMemory {
    const resource = this.resources.get(urn) ?? new Resource(urn, this);
    this.resources.set(urn, resource);
    return resource;
  }
}

/** A `check` declares a URN: the engine calls it for what the program declares, and never in a refresh or a destroy. */
type Declaration = {
  /** A diff requires that the old object is deleted before the new one is created. */
  deletesFirst: boolean;
} & (
  | { /** Of an object that the engine knows. */ continues: true; edited: ReadonlySet<string> }
  | { /** Of an object to create. */ continues: false; successor: Successor }
);

/** One resource in this process. Each of the engine's calls changes it, and gets a view of what this call may ask. */
class Resource {
  private declaration: Declaration | undefined;
  /** The object that this process left in place, updated or created. */
  private current: CurrentObject | undefined;
  /** The outputs that an engine passed last. */
  private presented: Values | undefined;
  /** The object that a diff has recorded without protection. */
  private unprotected: string | undefined;
  constructor(
    private readonly urn: string,
    private readonly run: Run,
  ) {}

  /** The resource with that URN, in the same run. */
  of(urn: string): ResourceView {
    return this.run.resource(urn);
  }

  /** The program has declared it. */
  get isDeclared(): boolean {
    return this.declaration !== undefined;
  }

  /** The object that it holds. */
  get held(): string | undefined {
    return this.run.claims.heldBy(this.urn);
  }

  /** The URN of another resource that holds the object. */
  otherHolderOf(name: string): DeclaredUrn | undefined {
    return this.run.claims.otherHolderOf(name, this.urn);
  }

  /** The URN of another resource that declares one of the keys. */
  otherDeclarerOf(keys: readonly string[]): DeclaredUrn | undefined {
    return this.run.claims.otherDeclarerOf(keys, this.urn);
  }

  /** The URN that continues with its object of that name; undefined if none does. */
  currentUrnOf(name: string): DeclaredUrn | undefined {
    return this.run.claims.currentUrnOf(this.urn, name);
  }

  /** What this run's engine has recorded under one of these URNs, in a stack of any name. */
  recordedUnder(urns: Iterable<RecordedUrn>): ObjectIdentity[] {
    return this.run.claims.recordedUnder(urns);
  }

  /** A refresh of this run has read the state. */
  get isRunRefreshed(): boolean {
    return this.run.claims.hasRefreshed();
  }

  /** The URNs of its project with creates that runs before this one have left unfinished. */
  unfinishedBefore(journal: OwnershipJournal, origin: string, account: string): Promise<UrnsByTail> {
    const { leftBehind } = this.run;
    const place = [origin, account, projectOf(this.urn) ?? ""] as const;
    const key = JSON.stringify(place);
    const known = leftBehind.get(key) ?? unfinishedUrns(journal, ...place);
    leftBehind.set(key, known);
    return known;
  }

  /** The name of the object that an engine reported last. */
  get recordedName(): string | undefined {
    const name = this.presented?.["name"];
    return typeof name === "string" ? name : undefined;
  }

  /** The program declares it. An engine that has decided on another object checks again, without old inputs. */
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
    const replaced = before?.continues && this.recordedName !== undefined ? [{ name: this.recordedName }] : [];
    this.run.claims.continueFrom(this.urn, [...formers, ...replaced]);
    const deletesFirst = before?.deletesFirst === true;
    this.declaration = { continues: false, successor: { inputs, isPossible: false }, deletesFirst };
    this.recordNone();
    return this;
  }

  /**
   * Compares the program's declaration with the recorded object. Undefined: nothing is declared yet, so the diff
   * belongs to a refresh or to a deletion, shows what no state holds, and changes nothing here.
   */
  diff(name: string, recorded: Values, object: ObjectIdentity): DiffView | undefined {
    this.run.claims.noteEngineRecord(this.urn, object, "shown");
    if (!this.declaration) return undefined;
    this.presented = recorded;
    const former = urnIn(recorded);
    if (former !== undefined) this.run.claims.continueFrom(this.urn, [{ urn: former, name }]);
    // Regardless of the diff, a second record of this object is not its current declaration.
    if (this.declaration.continues) this.run.claims.hold(this.urn, name);
    return this;
  }

  create(): CreateView {
    return this;
  }

  /** A refresh begins: an engine reports its state, and the program has to declare again. */
  read(recorded: Values, object: ObjectIdentity): ReadView {
    this.presented = recorded;
    this.declaration = undefined;
    this.run.unseen.delete(objectKey(object));
    // An object that a program only looks up is in no state.
    if (recordsIn(recorded).endpoint !== undefined) this.run.claims.noteEngineRecord(this.urn, object, "read");
    return this;
  }

  /** The recorded object may be deleted, or too young for a read to show it. */
  noteUnseen(object: ObjectIdentity): void {
    this.run.unseen.add(objectKey(object));
  }

  /** Whether a read of this run has left that open. */
  isUnseen(object: ObjectIdentity): boolean {
    return this.run.unseen.has(objectKey(object));
  }

  update(name: string, recorded: Values, inputs: Values, object: ObjectIdentity): void {
    this.noteEngineRecord(recorded, object);
    this.recordObject(name, inputs);
  }

  delete(): DeleteView {
    return this;
  }

  /** The engine knows an object of the declaration, and has not decided on another one. */
  get hasCurrentObject(): boolean {
    return this.declaration?.continues === true;
  }

  /** The object to create after the old one is deleted, where a diff requires that order. */
  get successorInPlace(): Successor | undefined {
    return this.declaration?.continues === false && this.declaration.deletesFirst ? this.plannedSuccessor : undefined;
  }

  /** Makes `keys` everything that it claims. Returns the other URNs that claim some of them, by key. */
  claim(keys: readonly string[]): Map<string, string> {
    return this.run.claims.declare(this.urn, keys);
  }

  /** Others serve from the object to create. */
  declareHost(host: NewHost): void {
    this.run.hosts.set(this.urn, host);
  }

  /** All new hosts so far, by URN. */
  newHosts(): ReadonlyMap<string, NewHost> {
    return this.run.hosts;
  }

  /** Whether the input has changed, which an engine sees by itself. */
  isEdited(property: string): boolean {
    return this.declaration?.continues === true && this.declaration.edited.has(property);
  }

  /** The recorded object is not protected, and neither is the one that it has replaced. */
  noteUnprotected(name: string): void {
    this.unprotected = name;
  }

  /** Learns whether the declaration keeps its object. */
  conclude(name: string, inputs: Values, { replaces, deleteBeforeReplace }: DiffResult): void {
    if (!this.declaration?.continues) return;
    if (replaces.length === 0) this.recordObject(name, inputs);
    else if (deleteBeforeReplace) this.declaration.deletesFirst = true;
  }

  /** The outputs of the object before, if an engine has passed them. */
  get previous(): Values | undefined {
    return this.presented;
  }

  /** This declaration claims an existing object. Returns what undoes that. */
  claimExisting(name: string): () => void {
    const before = this.held;
    this.run.claims.hold(this.urn, name);
    return () => this.run.claims.hold(this.urn, before);
  }

  /** The declaration has this object. */
  recordObject(name: string, inputs: Values): void {
    this.current = { name, inputs };
    this.run.claims.hold(this.urn, name);
  }

  /** The state has this existing object with the end of the create, and perhaps for another resource as well. */
  noteTaken(object: ObjectIdentity): void {
    this.run.claims.noteEngineRecord(this.urn, object, "shown");
  }

  /** The declaration has no object. */
  recordNone(): void {
    this.current = undefined;
    this.run.claims.hold(this.urn, undefined);
  }

  /** Whether a create of this run took over the very object before an engine reported that its state holds it. */
  wasTakenOver(name: string): boolean {
    return this.held === name && this.presented === undefined;
  }

  /** An engine reports a record of its state. */
  noteEngineRecord(recorded: Values, object: ObjectIdentity): void {
    this.presented = recorded;
    this.run.claims.noteEngineRecord(this.urn, object, "shown");
  }

  /** The recorded object is deleted. */
  noteDeleted(object: ObjectIdentity): void {
    this.run.claims.noteEngineRecord(this.urn, object, "gone");
  }

  /** What the program continues with in place of that object; undefined if that is the object itself, or unknown. */
  successorOf(name: string): CurrentObject | undefined {
    return this.current?.name === name ? undefined : this.current;
  }

  /** The object that the engine has decided on and that does not exist yet. */
  get plannedSuccessor(): Successor | undefined {
    return this.declaration?.continues === false && !this.current ? this.declaration.successor : undefined;
  }

  /** Whether that object has been replaced by one that is recorded without protection. */
  isReplacedByUnprotected(name: string): boolean {
    return this.unprotected !== undefined && this.unprotected !== name;
  }
}

/** What every step of a call may ask: the compiler rejects the rest. */
export type ResourceView = Pick<
  Resource,
  | "of"
  | "isDeclared"
  | "held"
  | "otherHolderOf"
  | "otherDeclarerOf"
  | "currentUrnOf"
  | "recordedUnder"
  | "isRunRefreshed"
  | "unfinishedBefore"
  | "recordedName"
>;

/** What a call begins with, and what the steps of each call may ask and add besides. */
type View<Key extends keyof Resource> = ResourceView & Pick<Resource, Key>;
export type ResourceMemory = View<"check" | "diff" | "create" | "read" | "update" | "delete">;
export type CheckView = View<"hasCurrentObject" | "successorInPlace" | "claim" | "declareHost" | "newHosts">;
export type DiffView = View<"isEdited" | "isUnseen" | "noteUnprotected" | "conclude">;
export type CreateView = View<"previous" | "claimExisting" | "recordObject" | "noteTaken" | "recordNone">;
export type ReadView = View<"noteDeleted" | "noteUnseen">;
export type DeleteView = View<
  "wasTakenOver" | "noteEngineRecord" | "noteDeleted" | "successorOf" | "plannedSuccessor" | "isReplacedByUnprotected"
>;

/** The URN that inputs or outputs were recorded under. */
function urnIn(recorded: Values): RecordedUrn | undefined {
  if (recorded[hiddenInput] === undefined) return undefined;
  const hidden = HiddenInput.safeParse(recorded[hiddenInput]);
  return hidden.success ? hidden.data.urn : undefined;
}

const editedIn = (olds: Values, inputs: Values): ReadonlySet<string> =>
  new Set(
    Object.keys(inputs).filter((name) => Object.hasOwn(olds, name) && !isDeepStrictEqual(olds[name], inputs[name])),
  );

/** An object, and its current declaration. */
export interface CurrentObject {
  name: string;
  inputs: Values;
}

/** The declaration of an object that is to be created. */
export interface Successor {
  readonly inputs: Values;
  /** The service has accepted the validation of its create. */
  isPossible: boolean;
}

/** The declaration of an object that is to be created and that others serve from. */
interface NewHost {
  spec: ResourceSpec;
  account: unknown;
  inputs: Values;
}
