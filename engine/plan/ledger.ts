import type { PendingOperation, Snapshot } from "../state/types";
import { withoutAliases } from "./aliases";
import type { Held } from "./steps";

/**
 * The content of the state file during an operation: earlier resources not reached yet, the ones it has made, and
 * pending operations. A record counts once the promise of its call resolves.
 */
export class StateLedger {
  private before: Held[];
  private byUrn = new Map<string, Held>();
  private readonly made: Held[] = [];
  private readonly gone = new Set<Held>();
  private readonly underWay = new Map<Held, PendingOperation>();
  private leftBehind: PendingOperation[];
  /** URNs of what this run has recorded anew. */
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
  get base(): readonly Held[] {
    return this.before;
  }

  /** Pending operations that earlier runs left behind, but for resources that this one has recorded anew. */
  get pending(): readonly PendingOperation[] {
    return this.origin.pendingOperations.filter(({ resource }) => !this.known.has(resource.urn));
  }

  /** The resource that had this URN before the operation; not one that only waits for its deletion. */
  old(urn: string): Held | undefined {
    return this.byUrn.get(urn);
  }

  /** Those of `base` that nothing has replaced. */
  remaining(): Held[] {
    return this.before.filter((held) => !this.gone.has(held));
  }

  /** The resources as they are now: the operation's own first. */
  current(): Held[] {
    return [...this.made, ...this.before].filter((held) => !this.gone.has(held));
  }

  /** Another start, as a refresh found it. */
  rebase(base: Held[]): void {
    this.before = base;
    this.byUrn = new Map(base.filter(({ state }) => state.delete !== true).map((held) => [held.state.urn, held]));
    this.unwritten = true;
  }

  forgetPendingCreates(): void {
    this.leftBehind = [];
    this.unwritten = true;
  }

  /** Records that an operation on the resource starts. */
  begin(held: Held, type: PendingOperation["type"]): Promise<void> {
    this.underWay.set(held, { resource: held.state, type });
    return this.write();
  }

  /** Records how it ended. */
  end(held: Held, change: { gone?: Held | undefined; made?: Held | undefined }): Promise<void> {
    this.underWay.delete(held);
    this.apply(change);
    return this.write();
  }

  /** Records something that a later write may include. */
  note(change: { gone?: Held | undefined; made?: Held | undefined }): void {
    this.apply(change);
    this.unwritten = true;
  }

  private apply({ gone, made }: { gone?: Held | undefined; made?: Held | undefined }): void {
    for (const held of [gone, made]) if (held) this.known.add(held.state.urn);
    if (gone) this.gone.add(gone);
    if (made) this.made.push(made);
  }

  write(): Promise<void> {
    this.unwritten = false;
    return this.persist();
  }

  /** Writes what no write has carried yet. */
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
