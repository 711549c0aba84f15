import type { FileBackend, RecordedState } from "../state/backend";
import { isProviderType, type PropertyMap, type ResourceState } from "../state/resource-state";
import { valuesEqual } from "../values/values";

interface Holder {
  project: string;
  stack: string;
  entry: ResourceState;
}

/**
 * What the other stacks of the backend record, before an object is deleted or taken: a move or a rename that was cut
 * off, a state that was restored, or a declaration that was left behind gives one object to two.
 */
export class OtherStates {
  private shared: Promise<Map<string, Holder[]>> | undefined;
  private all: Promise<Map<string, Holder[]>> | undefined;
  private readonly unreadable: string[] = [];
  private readonly ids: ReadonlySet<string>;

  constructor(
    private readonly backend: FileBackend,
    private readonly project: string,
    private readonly stack: string,
    /** The stack's own entries: what others have of these ids is found without reading each state. */
    own: readonly ResourceState[],
  ) {
    this.ids = new Set(own.filter(isOwn).map(({ id }) => id!));
  }

  /**
   * The stack that holds the very object of an entry, too. The states are read when the first one is asked about. A
   * provider is not an object of the service: each stack has a copy of its own.
   */
  async holderOf(entry: ResourceState): Promise<Holder | undefined> {
    if (isProviderType(entry.type)) return undefined;
    return (await this.entriesWith(entry.id ?? "")).find((holder) => isSameObject(holder.entry, entry));
  }

  /** The entry with that id that matches, whoever made it. The states are read when the first one is asked about. */
  async holderOfId(id: string, matches: (outputs: PropertyMap) => boolean): Promise<Holder | undefined> {
    return (await this.entriesWith(id)).find(({ entry }) => matches(entry.outputs ?? {}));
  }

  /** Why states could not be asked, each once. */
  takeUnreadable(): string[] {
    return this.unreadable.splice(0);
  }

  private async entriesWith(id: string): Promise<readonly Holder[]> {
    const index = this.ids.has(id) ? (this.shared ??= this.readShared()) : (this.all ??= this.readAll());
    return (await index).get(id) ?? [];
  }

  private async readAll(): Promise<Map<string, Holder[]>> {
    const states = await this.backend.listStates();
    return this.entriesIn(
      states.map((state) => ({ ...state, load: () => state.load("inspect") })),
      isOwn,
    );
  }

  private async readShared(): Promise<Map<string, Holder[]>> {
    const { backend, ids } = this;
    return this.entriesIn(
      (await backend.listStacks()).map((each) => ({
        ...each,
        load: () => backend.stack(each.project, each.name).loadIfNamed("id", ids),
      })),
      (entry) => isOwn(entry) && ids.has(entry.id!),
    );
  }

  /** Entries of the other stacks by id. */
  private async entriesIn(
    states: readonly RecordedState[],
    isMeant: (entry: ResourceState) => boolean,
  ): Promise<Map<string, Holder[]>> {
    const found = new Map<string, Holder[]>();
    for (const { project, name, load } of states) {
      if (name === this.stack && project === this.project) continue;
      const state = await load().catch((error: unknown) => {
        this.unreadable.push(error instanceof Error ? error.message : String(error));
        return undefined;
      });
      for (const entry of state?.resources.filter(isMeant) ?? [])
        found.set(entry.id!, [...(found.get(entry.id!) ?? []), { project, stack: name, entry }]);
    }
    return found;
  }
}

/** Whether an entry is of an object that its stack manages. */
const isOwn = ({ id = "", type, external }: ResourceState): boolean =>
  id !== "" && external !== true && !isProviderType(type);

/**
 * Whether two entries record one object, because one is a copy of the other. The id alone does not say it: services
 * with other addresses may have objects of the same id.
 */
export function isSameObject(one: ResourceState, other: ResourceState): boolean {
  if (one.id === undefined || one.id === "" || one.id !== other.id || one.type !== other.type) return false;
  if (one.created !== undefined || other.created !== undefined) return one.created === other.created;
  return valuesEqual(one.inputs ?? {}, other.inputs ?? {});
}
