import type { CurrentUrn, RecordedUrn } from "../../io/text/urns";
import type { EngineState, OtherEntry } from "../../protocol/engine-state";
import type { PendingOperation, PropertyMap, ResourceState, Snapshot } from "../state/resource-state";
import { renamesIn, withoutAliases, withUrns } from "./goal";
import type { OtherStates } from "./other-states";
import type { StateRef } from "./steps";

/**
 * The content of the state file during an operation: earlier resources not reached yet, those it has added, and pending
 * operations. A record is durable once the promise of its call resolves.
 */
export class StateLedger implements EngineState {
  private before: StateRef[];
  private byUrn = new Map<string, StateRef>();
  private readonly added: StateRef[] = [];
  private readonly removed = new Set<StateRef>();
  private readonly inProgress = new Map<StateRef, PendingOperation>();
  /** Of earlier runs, as far as the user has not dismissed them. */
  private leftBehind: readonly PendingOperation[];
  /** URNs whose object this run has read, changed or deleted. */
  private readonly resolved = new Set<string>();
  /** URNs for which this run has created an object. */
  private readonly created = new Set<string>();
  /** URNs whose object a read of this run did not return, although it may exist. */
  private readonly unseen = new Set<string>();
  /** The state differs from the file in a way that did not justify a write. */
  private unwritten = false;

  constructor(
    private readonly origin: Snapshot,
    /** Resolves when everything recorded before the call is durable. */
    private readonly persist: () => Promise<void>,
    private readonly clock: () => Date,
    private readonly otherStates: OtherStates | undefined,
  ) {
    this.before = [];
    this.rebase(origin.resources.map((state) => ({ state })));
    this.leftBehind = origin.pendingOperations;
  }

  /** The resources from before the operation, in the file's order. */
  get base(): readonly StateRef[] {
    return this.before;
  }

  /**
   * Pending operations of earlier runs whose outcome is unknown to this one, by the current URNs of their resources. An
   * unchanged step resolves nothing.
   */
  get pending(): readonly PendingOperation[] {
    if (this.leftBehind.length === 0) return this.leftBehind;
    const states = this.current().map(({ state }) => state);
    const open = this.withoutResolved(withCurrentUrns(this.withoutResolved(this.leftBehind), states));
    return unresolved(open, states, this.created);
  }

  private withoutResolved(operations: readonly PendingOperation[]): readonly PendingOperation[] {
    return operations.filter(
      ({ resource: { urn }, type }) => !(isAboutObject(type) || isRepeatable(type)) || !this.resolved.has(urn),
    );
  }

  /** Whether an earlier run may have changed or deleted the object, and this one has not read it. */
  isUncertain(urn: string): boolean {
    return this.pending.some(({ resource, type }) => resource.urn === urn && isAboutObject(type));
  }

  /** A read has resolved the fate of the object, unless its provider did not see it. */
  answer(urn: string): void {
    if (!this.unseen.has(urn)) this.resolved.add(urn);
  }

  holderOf(id: string, matches: (outputs: PropertyMap, urn: string) => boolean): string | undefined {
    return this.current().find(
      ({ state }) =>
        state.id === id && state.custom && state.external !== true && matches(state.outputs ?? {}, state.urn),
    )?.state.urn;
  }

  async heldElsewhere(
    id: string,
    matches: (outputs: PropertyMap) => boolean,
  ): Promise<{ holder: OtherEntry | undefined; unread: readonly string[] }> {
    const found = await this.otherStates?.holderOfId(id, matches);
    const holder = found && { project: found.project, stack: found.stack, urn: found.entry.urn };
    return { holder, unread: this.otherStates?.takeUnreadable() ?? [] };
  }

  mayBeChanged(matches: (urn: string) => boolean): boolean {
    return this.leftBehindOf("updating", matches) !== undefined;
  }

  creatingSince(matches: (urn: string) => boolean): number | undefined {
    const operation = this.leftBehindOf("creating", matches);
    return operation && Date.parse(operation.resource.created ?? "");
  }

  noteUnseen(matches: (urn: string) => boolean): void {
    for (const { resource } of this.leftBehind) if (matches(resource.urn)) this.unseen.add(resource.urn);
  }

  private leftBehindOf(type: string, matches: (urn: string) => boolean): PendingOperation | undefined {
    return this.pending.findLast((operation) => operation.type === type && matches(operation.resource.urn));
  }

  /** The resource that had this URN before the operation; not one that only waits for its deletion. */
  old(urn: RecordedUrn): StateRef | undefined {
    return this.byUrn.get(urn);
  }

  /** Those of `base` that nothing has replaced. */
  remaining(): StateRef[] {
    return this.before.filter((ref) => !this.removed.has(ref));
  }

  /** The resources as they are now: the operation's own first. */
  current(): StateRef[] {
    return [...this.added, ...this.before].filter((ref) => !this.removed.has(ref));
  }

  /** Replaces the starting point with the result of a refresh. */
  rebase(base: StateRef[]): void {
    this.before = base;
    this.byUrn = new Map(base.filter(({ state }) => state.delete !== true).map((ref) => [ref.state.urn, ref]));
    this.unwritten = true;
  }

  /** Dismisses what no read can resolve. */
  forgetPendingCreates(): void {
    this.leftBehind = this.leftBehind.filter(({ type }) => isAboutObject(type));
    this.unwritten = true;
  }

  /** Records that an operation on the resource starts. */
  begin(ref: StateRef, type: PendingOperation["type"]): Promise<void> {
    const created = type === "creating" ? this.clock().toISOString() : ref.state.created;
    this.inProgress.set(ref, { resource: created === undefined ? ref.state : { ...ref.state, created }, type });
    return this.write();
  }

  /** Records how it ended. */
  end(ref: StateRef, change: { removed?: StateRef | undefined; added?: StateRef | undefined }): Promise<void> {
    const { urn } = ref.state;
    if (change.added && this.inProgress.get(ref)?.type === "creating") this.created.add(urn);
    this.inProgress.delete(ref);
    this.resolved.add(urn);
    this.apply(change);
    return this.write();
  }

  /** Records something that a later write may include. */
  note(change: { removed?: StateRef | undefined; added?: StateRef | undefined }): void {
    this.apply(change);
    this.unwritten = true;
  }

  private apply({ removed, added }: { removed?: StateRef | undefined; added?: StateRef | undefined }): void {
    if (removed) this.removed.add(removed);
    if (added) this.added.push(added);
  }

  write(): Promise<void> {
    this.unwritten = false;
    return this.persist();
  }

  /** Writes changes that no write has covered yet. */
  async flush(): Promise<void> {
    if (this.unwritten) await this.write();
  }

  snapshot(): Snapshot {
    const resources = withoutAliases(this.current().map(({ state }) => state));
    return {
      ...this.origin,
      manifest: { ...this.origin.manifest, time: this.clock().toISOString() },
      resources,
      pendingOperations: [...this.inProgress.values(), ...this.pending.filter(({ type }) => !isRepeatable(type))],
    };
  }
}

/** Whether an operation was about an object of the state: only the object shows its outcome. */
const isAboutObject = (type: string): boolean => type === "updating" || type === "deleting";

/** Whether an interrupted operation changed nothing outside the state. */
const isRepeatable = (type: string): boolean => type === "reading" || type === "importing";

/** The operations as this run has renamed their resources. */
function withCurrentUrns(
  operations: readonly PendingOperation[],
  states: readonly ResourceState[],
): readonly PendingOperation[] {
  const renamed = renamesIn(states);
  if (renamed.size === 0) return operations;
  const now = (urn: RecordedUrn): CurrentUrn => renamed.get(urn) ?? urn;
  return operations.map(({ resource, type }) => ({ resource: withUrns(resource, now), type }));
}

/** The operations whose outcome neither the state nor this run's creates show. */
const unresolved = (
  operations: readonly PendingOperation[],
  states: readonly ResourceState[],
  createdUrns: ReadonlySet<string>,
): readonly PendingOperation[] =>
  operations.filter(({ resource: { urn, created }, type }) => {
    const recorded = states.filter((state) => state.urn === urn);
    if (isAboutObject(type)) return recorded.length > 0;
    if (type !== "creating") return true;
    // Neither a read nor a rejected create resolves it. An older entry is the one that it was to replace.
    if (createdUrns.has(urn)) return false;
    return !recorded.some((state) => state.delete !== true && !isBefore(state.created, created));
  });

const isBefore = (time: string | undefined, other: string | undefined): boolean =>
  Date.parse(time ?? "") < Date.parse(other ?? "");
