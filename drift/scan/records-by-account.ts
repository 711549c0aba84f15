import { deflateRawSync, inflateRawSync } from "node:zlib";
import { accountOf } from "../../provider/core/values/names";
import { specOf } from "../../provider/resources/index";
import { serviceAccount } from "./accounts";
import { type DependentReference, namesIn } from "./dependents";
import type { RecordedObject, RecordedStack } from "./recorded-object";

/** What stacks record, by account: the objects of a stack with one account are in memory only while they are used. */
export class RecordsByAccount {
  private readonly holders = new Map<string, Pick<RecordedStack, "objects">[]>();
  private readonly referring = new Map<string, DependentReference[]>();

  constructor(stacks: readonly RecordedStack[]) {
    for (const stack of stacks) this.add(stack);
  }

  /** In which something is recorded. */
  get accounts(): string[] {
    return [...this.holders.keys()];
  }

  of(account: string): RecordedObject[] {
    return (this.holders.get(account) ?? []).flatMap(({ objects }) => objects);
  }

  /** What stacks record in other accounts that names objects of this one. */
  referringTo(account: string): readonly DependentReference[] {
    return this.referring.get(account) ?? [];
  }

  private add(stack: RecordedStack): void {
    const byAccount = new Map<string, RecordedObject[]>();
    for (const object of stack.objects) {
      pushTo(byAccount, object.account, object);
      this.noteReferences(object);
    }
    for (const [account, objects] of byAccount)
      pushTo(this.holders, account, byAccount.size === 1 ? stack : { objects });
  }

  private noteReferences({ spec, name, account, urn, inputs, pending }: RecordedObject): void {
    if (pending === "deleting") return;
    for (const to of namesIn(spec, name, inputs)) {
      const other = accountOf(to)!;
      if (other !== account && other !== serviceAccount)
        pushTo(this.referring, other, { type: spec.kind, from: name, urn, to });
    }
  }
}

function pushTo<T>(lists: Map<string, T[]>, key: string, item: T): void {
  const list = lists.get(key);
  if (list) list.push(item);
  else lists.set(key, [item]);
}

/**
 * The stack in a twentieth of the memory: its objects are made anew whenever they are asked for, so that a scan of many
 * stacks holds those that it is comparing, and no others.
 */
export function packStack({ objects, ...stack }: RecordedStack): RecordedStack {
  const bytes = deflateRawSync(JSON.stringify(objects.map(({ spec, ...object }) => [spec.kind, object])), { level: 1 });
  return {
    ...stack,
    get objects() {
      return unpackObjects(bytes);
    },
  };
}

const unpackObjects = (bytes: Uint8Array): RecordedObject[] =>
  (JSON.parse(inflateRawSync(bytes).toString("utf8")) as [kind: string, object: Omit<RecordedObject, "spec">][]).map(
    ([kind, object]) => ({ spec: specOf(kind)!, ...object }),
  );
