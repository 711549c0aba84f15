import { hostCollection, type ResourceSpec } from "../../provider/core/declaration/resource";
import { isTerminal } from "../../provider/core/declaration/states";
import { accountOf } from "../../provider/core/values/names";
import { omitUndefined, type Values } from "../../provider/core/values/values";
import { outcomeOutlivesRecord } from "../../provider/lifecycle/read";
import type { RecordedObject } from "./recorded-object";
import { isPresent } from "./verdict";

/** An object that a stack manages, or a program is going to. */
export type Managed = Pick<RecordedObject, "spec" | "name" | "outputs">;

/** What an account's stacks know, to find unmanaged objects. */
export interface KnownObjects {
  /** Managed objects by their resource names. */
  objects: ReadonlyMap<string, Managed>;
  /** Names that recorded objects give to what the service makes of them, such as a job's output model (A073). */
  produced: ReadonlySet<string>;
  /** What live hosts that no stack records serve, by their names, as far as they have been read. */
  hosts: Map<string, Values>;
}

export function knownOf(objects: readonly Managed[]): KnownObjects {
  const produced = objects
    .flatMap(({ spec, outputs }) => (spec.produces ? [outputs[spec.produces.name]] : []))
    .filter((name) => typeof name === "string");
  return {
    objects: new Map(objects.map((object) => [object.name, object])),
    produced: new Set(produced),
    hosts: new Map(),
  };
}

/** The collection of an account that contains an object. */
interface ScannedCollection {
  specs: readonly ResourceSpec[];
  spec: ResourceSpec;
  place: { account: string };
  known: KnownObjects;
}

/** Whether a live object that no stack records should be in one. */
export const isUnmanaged = (of: ScannedCollection, live: Values): boolean =>
  isPresent(of.spec, live) && isNobodys(of, live);

/**
 * Whether no stack answers for an object, be it there or leaving. Not what the service made of a managed object, a
 * record of a job that is over, or another account's public object.
 */
export function isNobodys({ specs, spec, place, known }: ScannedCollection, live: Values): boolean {
  const name = String(live["name"]);
  if (known.objects.has(name) || accountOf(name) !== place.account) return false;
  return !isDerived(specs, spec, live, known) && !isTerminal(spec, live);
}

/** Remembers what a live object serves, if objects of another kind are loaded onto objects of its kind. */
export function noteHost(
  specs: readonly ResourceSpec[],
  { collection }: ResourceSpec,
  live: Values,
  { hosts }: KnownObjects,
): void {
  const loaded = specs.flatMap((each) => (each.host && hostCollection(each) === collection ? [each.host] : []));
  if (loaded.length === 0) return;
  hosts.set(String(live["name"]), Object.fromEntries(loaded.map(({ own }) => [own, live[own]])));
}

/** Objects that a host serves automatically (A081), or that a managed object made. */
export function isDerived(
  specs: readonly ResourceSpec[],
  spec: ResourceSpec,
  live: Values,
  { objects, produced, hosts }: KnownObjects,
): boolean {
  const name = spec.host && String(live[spec.host.field]);
  const host = name === undefined ? undefined : (objects.get(name)?.outputs ?? hosts.get(name));
  if (spec.host && host && live[spec.host.content] === host[spec.host.own]) return true;
  const makers = specs.flatMap(({ produces }) => (produces?.kind === spec.kind ? [produces.backReference] : []));
  return produced.has(String(live["name"])) || makers.some((backReference) => objects.has(String(live[backReference])));
}

/**
 * What finished objects of an account have made of a kind, such as the output models of jobs (A073): it is expected to
 * be there, and to be as private as the service makes it. What a stack manages itself is judged by that.
 */
export function producedObjects(
  objects: readonly RecordedObject[],
  spec: ResourceSpec,
  account: string,
): RecordedObject[] {
  const managed = new Set(objects.map(({ name }) => name));
  return objects.flatMap((maker) => {
    const { produces } = maker.spec;
    const name = produces?.kind === spec.kind ? maker.outputs[produces.name] : undefined;
    const isExpected =
      typeof name === "string" &&
      accountOf(name) === account &&
      !managed.has(name) &&
      maker.pending === undefined &&
      outcomeOutlivesRecord(maker, maker.outputs);
    if (!isExpected) return [];
    const { accountId, endpoint } = maker.outputs;
    const outputs = { name, accepted: {}, ...omitUndefined({ accountId, endpoint }) };
    const { failure: _, referredBy: __, ...about } = maker;
    return [{ ...about, spec, name, inputs: {}, outputs, ignoreChanges: [], isProduced: true }];
  });
}
