import type { EngineState } from "../../protocol/engine-state";
import type { Values } from "../values";
import type { HeldResource } from "./invariants";

/** An operation that a run began, and whose outcome no run has recorded. */
export interface PendingOperation {
  urn: string;
  type: "creating" | "updating" | "deleting";
  /** When it began, by the machine's clock. */
  at: number;
  /** A creation that is to replace a recorded object. */
  replaces?: boolean;
}

type Entry = Pick<HeldResource, "urn" | "id" | "delete" | "outputs">;

/** The pending operations of a state file, as the built-in engine keeps them. */
export class PendingOperations {
  /** Those of earlier runs. */
  private earlier: readonly PendingOperation[] = [];
  /** URNs whose object a read of this run did not see, although it may exist. */
  private readonly unseen = new Set<string>();

  private operations: readonly PendingOperation[] = [];

  list = (): readonly PendingOperation[] => this.operations;

  /** Another state file is in place of the one that was. */
  reset(operations: readonly PendingOperation[]): void {
    this.operations = operations;
  }

  /** A run begins, and knows nothing of what earlier ones have seen. */
  startRun(): void {
    this.earlier = this.operations;
    this.unseen.clear();
  }

  begin(operation: PendingOperation): void {
    this.operations = [...this.operations, operation];
  }

  /** The operation has an outcome. What has made an object tells what earlier creations came to, a refusal does not. */
  end(operation: PendingOperation, hasMade: boolean): void {
    this.operations = this.operations.filter((each) => each !== operation);
    const { urn, type } = operation;
    this.operations = this.operations.filter((each) =>
      each.type === "creating" ? !(hasMade && type === "creating" && each.urn === urn) : each.urn !== urn,
    );
  }

  /** A run has read the object. */
  answer(urn: string): void {
    if (this.unseen.has(urn)) return;
    this.operations = this.operations.filter((each) => each.urn !== urn || each.type === "creating");
  }

  /** Whether a run may have changed or deleted the object, and none has looked since. */
  isUncertain(urn: string): boolean {
    return this.operations.some((each) => each.urn === urn && each.type !== "creating");
  }

  isCreating(urns: readonly string[]): boolean {
    return this.operations.some(({ urn, type }) => type === "creating" && urns.includes(urn));
  }

  /** A state file keeps a creation until the resource is in it, the others as long as it is. */
  prune(entries: readonly Entry[]): void {
    const kept = new Set(entries.map(({ urn }) => urn));
    const current = new Set(entries.filter((entry) => !entry.delete).map(({ urn }) => urn));
    this.operations = this.operations.filter(({ urn, type, replaces }) =>
      type === "creating" ? replaces === true || !current.has(urn) : kept.has(urn),
    );
  }

  /** Takes out the operations of a resource, which goes to another state. */
  release(urn: string): readonly PendingOperation[] {
    const released = this.operations.filter((each) => each.urn === urn);
    this.operations = this.operations.filter((each) => each.urn !== urn);
    return released;
  }

  receive(operations: readonly PendingOperation[]): void {
    this.operations = [...this.operations, ...operations];
  }

  rename(from: string, to: string): void {
    this.operations = this.operations.map((each) => (each.urn === from ? { ...each, urn: to } : each));
  }

  /** What an engine answers about its state; `nameNow` is what providers call a URN. */
  view(entries: () => readonly Entry[], nameNow: (urn: string) => string): EngineState {
    const find = (type: PendingOperation["type"], matches: (urn: string) => boolean): PendingOperation | undefined =>
      this.earlier.findLast(
        (each) => each.type === type && this.operations.includes(each) && matches(nameNow(each.urn)),
      );
    return {
      holderOf: (id, matches) => {
        const holder = entries().find(
          (entry) => entry.id === id && matches(entry.outputs as Values, nameNow(entry.urn)),
        );
        return holder && nameNow(holder.urn);
      },
      heldElsewhere: async () => ({ holder: undefined, unread: [] }),
      mayBeChanged: (matches) => find("updating", matches) !== undefined,
      creatingSince: (matches) => find("creating", matches)?.at,
      noteUnseen: (matches) => {
        for (const { urn } of this.earlier) if (matches(nameNow(urn))) this.unseen.add(urn);
      },
    };
  }
}
