import type { FileBackend } from "../state/backend";
import { isProviderType, type ResourceState } from "../state/resource-state";
import { valuesEqual } from "../values/values";

interface Holder {
  stack: string;
  entry: ResourceState;
}

/**
 * What the other stacks of the project record, before an object is deleted: a move or a rename that was
 * cut off, or a state that was restored, leaves one object to two of them.
 */
export class OtherStates {
  private read: Promise<Map<string, Holder[]>> | undefined;
  private readonly unreadable: string[] = [];

  constructor(
    private readonly backend: FileBackend,
    private readonly project: string,
    private readonly stack: string,
    /** The stack's own entries: of the others, those with these ids are kept. */
    private readonly own: readonly ResourceState[],
  ) {}

  /**
   * The stack that holds the very object of an entry, too. The states are read when the first one is asked about. A
   * provider is not an object of the service: each stack has a copy of its own.
   */
  async holderOf(entry: ResourceState): Promise<Holder | undefined> {
    if (isProviderType(entry.type)) return undefined;
    const holders = (await (this.read ??= this.readAll())).get(entry.id ?? "");
    return holders?.find((holder) => isSameObject(holder.entry, entry));
  }

  /** Why states could not be asked, each once. */
  takeUnreadable(): string[] {
    return this.unreadable.splice(0);
  }

  private async readAll(): Promise<Map<string, Holder[]>> {
    const { backend, project } = this;
    const ids = new Set(this.own.filter(isOwn).map(({ id }) => id!));
    const found = new Map<string, Holder[]>();
    for (const { name } of ids.size === 0 ? [] : await backend.listStacks(project)) {
      if (name === this.stack) continue;
      const state = await backend
        .stack(project, name)
        .loadIfNamed("id", ids)
        .catch((error: unknown) => {
          this.unreadable.push(error instanceof Error ? error.message : String(error));
          return undefined;
        });
      for (const entry of state?.resources ?? []) {
        if (!isOwn(entry) || !ids.has(entry.id!)) continue;
        found.set(entry.id!, [...(found.get(entry.id!) ?? []), { stack: name, entry }]);
      }
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
