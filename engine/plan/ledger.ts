import type { PendingOperation, Snapshot } from "../state/types";
import { withoutAliases } from "./aliases";
import type { StateRef } from "./steps";

/**
 * The content of the state file during an operation: earlier resources not reached yet, those it has added, and pending
 * operations. A record is durable once the promise of its call resolves.
 */
export class StateLedger {
  private before: StateRef[];
  private byUrn = new Map<string, StateRef>();
  private readonly added: StateRef[] = [];
  private readonly gone = new Set<StateRef>();
  private readonly underWay = new Map<StateRef, PendingOperation>();
  private leftBehind: PendingOperation[];
  /** URNs that this run has recorded. */
  private readonly known = new Set<string>();
  /** The state differs from the file in a way that did not justify a write. */
  private unwritten = false;

  constructor(
    private readonly origin: Snapshot,
    /** Resolves when everything recorded before the call is durable. */
    private readonly persist: () => Promise<void>,
    private readonly clock: () => Date,
  ) {
    this.before = [];
    this.rebase(origin.resources.map((state) => ({ state })));
    this.leftBehind = origin.pendingOperations.filter(({ type }) => type === "creating");
  }

  /** The resources from before the operation, in the file's order. */
  get base(): readonly StateRef[] {
    return this.before;
  }

  /** Pending operations of earlier runs, except of resources that this run has recorded. */
  get pending(): readonly PendingOperation[] {
    return this.origin.pendingOperations.filter(({ resource }) => !this.known.has(resource.urn));
  }

  /** The resource that had this URN before the operation; not one that only waits for its deletion. */
  old(urn: string): StateRef | undefined {
    return this.byUrn.get(urn);
  }

  /** Those of `base` that nothing has replaced. */
  remaining(): StateRef[] {
    return this.before.filter((ref) => !this.gone.has(ref));
  }

  /** The resources as they are now: the operation's own first. */
  current(): StateRef[] {
    return [...this.added, ...this.before].filter((ref) => !this.gone.has(ref));
  }

  /** Replaces the starting point with what a refresh found. */
  rebase(base: StateRef[]): void {
    this.before = base;
    this.byUrn = new Map(base.filter(({ state }) => state.delete !== true).map((ref) => [ref.state.urn, ref]));
    this.unwritten = true;
  }

  forgetPendingCreates(): void {
    this.leftBehind = [];
    this.unwritten = true;
  }

  /** Records that an operation on the resource starts. */
  begin(ref: StateRef, type: PendingOperation["type"]): Promise<void> {
    this.underWay.set(ref, { resource: ref.state, type });
    return this.write();
  }

  /** Records how it ended. */
  end(ref: StateRef, change: { gone?: StateRef | undefined; added?: StateRef | undefined }): Promise<void> {
    this.underWay.delete(ref);
    this.apply(change);
    return this.write();
  }

  /** Records something that a later write may include. */
  note(change: { gone?: StateRef | undefined; added?: StateRef | undefined }): void {
    this.apply(change);
    this.unwritten = true;
  }

  private apply({ gone, added }: { gone?: StateRef | undefined; added?: StateRef | undefined }): void {
    for (const ref of [gone, added]) if (ref) this.known.add(ref.state.urn);
    if (gone) this.gone.add(gone);
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
    const existing = new Set(resources.filter((state) => state.delete !== true).map(({ urn }) => urn));
    const abandoned = this.leftBehind.filter(({ resource }) => !existing.has(resource.urn));
    return {
      ...this.origin,
      manifest: { ...this.origin.manifest, time: this.clock().toISOString() },
      resources,
      pendingOperations: [...this.underWay.values(), ...abandoned],
    };
  }
}
