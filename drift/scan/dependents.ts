import type { ResourceSpec } from "../../provider/core/declaration/resource";
import { isReferring, referencesIn } from "../../provider/core/fields/places";
import { accountOf } from "../../provider/core/values/names";
import { memoizeByKey } from "../../provider/core/values/once";
import { ascending } from "../../provider/core/values/order";
import type { Values } from "../../provider/core/values/values";
import type { Dependent, Finding } from "./finding-schema";
import type { RecordedObject } from "./recorded-object";

/** An object that names another one, and its kind. */
export interface DependentReference {
  type: string;
  from: string;
  /** Of the resource that records it; null for a live object. */
  urn: string | null;
  to: string;
}

/** The fields by which an object depends on others; what a job makes depends on the job. */
const dependingFields = memoizeByKey(({ fields, produces }: ResourceSpec) =>
  fields.message.filter((field) => field.name !== produces?.name && isReferring(field)),
);

/** The other objects that an object names in what a program may set. */
export function namesIn(spec: ResourceSpec, name: unknown, values: Values): string[] {
  const named = [...referencesIn(dependingFields(spec), values)].map((reference) => reference.name);
  return [...new Set(named)].filter((other) => other !== name && accountOf(other) !== undefined);
}

/**
 * Findings with what depends on their objects, besides what they say already: resources whose states say so, recorded
 * objects that name them, and live ones, which the scan has listed anyway.
 */
export function withDependents(
  findings: readonly Finding[],
  objects: readonly RecordedObject[],
  references: readonly DependentReference[],
): Finding[] {
  const dependents = new Map(
    findings.map(({ name, dependents: known = [] }) => [name, new Map(known.map((each) => [keyOf(each), each]))]),
  );
  const add = (name: string, dependent: Dependent): void => {
    const known = dependents.get(name);
    const key = keyOf(dependent);
    if (known && dependent.name !== name && !known.has(key)) known.set(key, dependent);
  };
  for (const { spec, name, urn, inputs, pending, referredBy = [] } of objects) {
    for (const dependent of referredBy) add(name, dependent);
    if (pending === "deleting") continue;
    for (const other of namesIn(spec, name, inputs)) add(other, { type: spec.kind, name, urn });
  }
  for (const { type, from, urn, to } of references) add(to, { type, name: from, urn });
  return findings.map((finding) => {
    const merged = [...dependents.get(finding.name)!.values()];
    return merged.length === 0 ? finding : { ...finding, dependents: merged.sort(byName) };
  });
}

const keyOf = ({ name, urn }: Dependent): string => name ?? urn ?? "";

const byName = (one: Dependent, other: Dependent): number => ascending(titleOf(one), titleOf(other));

const titleOf = ({ type, name, urn }: Dependent): string => `${type} ${name ?? urn}`;
