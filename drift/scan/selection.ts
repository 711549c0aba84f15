import { answeredFields } from "../../filters/answered-fields";
import { compileFilter, type Predicate } from "../../filters/filter";
import { InvalidFilterError } from "../../filters/grammar";
import type { ResourceSpec } from "../../provider/core/declaration/resource";
import type { Values } from "../../provider/core/values/values";

/** Which of the live objects that no stack records are listed. */
export interface ObjectSelection {
  /** Another one for another choice. */
  key: string;
  has(spec: ResourceSpec, live: Values): boolean;
}

/** What the user chooses by. */
export interface SelectionCriteria {
  /** Default: all. */
  kinds?: readonly string[] | undefined;
  /** AIP-160, as lists of the service take it. */
  filter?: string | undefined;
}

/**
 * The objects that are of these kinds and match the filter; undefined where all are. The filter is evaluated here, on
 * what a list without one answers: the objects that it leaves out are known, too, and a service that ignores the
 * parameter changes nothing. An object whose kind lacks a field of the filter does not match. Throws `InvalidFilter`
 * where the filter fits none of the kinds.
 */
export function selectObjects(
  specs: readonly ResourceSpec[],
  { kinds, filter = "" }: SelectionCriteria,
): ObjectSelection | undefined {
  const chosen = kinds ? specs.filter(({ kind }) => kinds.includes(kind)) : specs;
  if (filter.trim() === "" && chosen.length === specs.length) return undefined;
  const predicates = new Map<string, Predicate>();
  const refusals: InvalidFilterError[] = [];
  for (const spec of chosen) {
    try {
      predicates.set(spec.kind, compileFilter(filter, answeredFields(spec)) ?? (() => true));
    } catch (error) {
      if (!(error instanceof InvalidFilterError)) throw error;
      refusals.push(error);
    }
  }
  if (predicates.size === 0) throw furthest(refusals);
  return {
    key: JSON.stringify([[...predicates.keys()], filter]),
    has: ({ kind }, live) => predicates.get(kind)?.(live) ?? false,
  };
}

/** Of the kinds' refusals, the one of the kind that fits the filter best. */
const furthest = (refusals: readonly InvalidFilterError[]): InvalidFilterError =>
  refusals.reduce((best, other) => (other.at > best.at ? other : best));
