import type { ResourceSpec } from "../../provider/core/declaration/resource";
import { isOver } from "../../provider/core/declaration/states";
import { accountOf } from "../../provider/core/values/names";
import type { Values } from "../../provider/core/values/values";
import type { RecordedObject } from "./recorded-object";
import { isThere } from "./verdict";

/** An object that a stack manages, or a program is going to. */
export type Managed = Pick<RecordedObject, "spec" | "name" | "outputs">;

/** What an account's stacks know, to find unmanaged objects. */
export interface Known {
  /** Managed objects by their resource names. */
  objects: ReadonlyMap<string, Managed>;
  /** Names that recorded objects give to what the service makes of them, such as a job's output model (A073). */
  produced: ReadonlySet<string>;
}

export function knownOf(objects: readonly Managed[]): Known {
  const produced = objects
    .flatMap(({ spec, outputs }) => (spec.produces ? [outputs[spec.produces.name]] : []))
    .filter((name) => typeof name === "string");
  return { objects: new Map(objects.map((object) => [object.name, object])), produced: new Set(produced) };
}

/** The collection of an account that an object was found in. */
interface ScannedCollection {
  specs: readonly ResourceSpec[];
  spec: ResourceSpec;
  place: { account: string };
  known: Known;
}

/**
 * Whether a live object that no stack records should be in one. Not what the service made of a managed object, a record
 * of a job that is over, or another account's public object.
 */
export function isUnmanaged({ specs, spec, place, known }: ScannedCollection, live: Values): boolean {
  const name = String(live["name"]);
  if (known.objects.has(name) || accountOf(name) !== place.account || !isThere(spec, live)) return false;
  return !isDerived(specs, spec, live, known) && !isOver(spec, live);
}

/** Objects that a managed host serves automatically (A081), or that a managed object made. */
export function isDerived(
  specs: readonly ResourceSpec[],
  spec: ResourceSpec,
  live: Values,
  { objects, produced }: Known,
): boolean {
  const host = spec.host && objects.get(String(live[spec.host.field]));
  if (spec.host && host && live[spec.host.content] === host.outputs[spec.host.own]) return true;
  const makers = specs.flatMap(({ produces }) => (produces?.kind === spec.kind ? [produces.backReference] : []));
  return produced.has(String(live["name"])) || makers.some((backReference) => objects.has(String(live[backReference])));
}
