import { tailOf } from "../identity/ids";
import { type ObjectIdentity, objectKey } from "../identity/object";
import type { Showing } from "./claims";

/** What the state of a run's engine holds, as far as the engine has shown it. */
export class Shown {
  /** By types and name: a record keeps the URN of the stack's former name until it is written again. */
  private readonly byTail = new Map<string, Map<string, ObjectIdentity>>();
  hasRead = false;

  add({ urn, object, how }: Showing): void {
    const objects = this.byTail.get(tailOf(urn)) ?? new Map<string, ObjectIdentity>();
    this.byTail.set(tailOf(urn), objects);
    if (how === "read") this.hasRead = true;
    if (how === "gone") objects.delete(objectKey(object));
    else objects.set(objectKey(object), object);
  }

  has({ urn, object }: Showing): boolean {
    return this.byTail.get(tailOf(urn))?.has(objectKey(object)) === true;
  }

  under(urns: Iterable<string>): ObjectIdentity[] {
    return [...urns].flatMap((urn) => [...(this.byTail.get(tailOf(urn))?.values() ?? [])]);
  }
}
