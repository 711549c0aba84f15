import { hasOwnMark } from "../../core/comparison/accepted";
import type { Change } from "../../core/comparison/diff";
import type { ResourceSpec } from "../../core/declaration/resource";
import { isDeclared } from "../ownership/ownership";
import type { Ports } from "../ports/ports";
import type { Call, Values } from "../types";

/**
 * Two resources of a state may name one object where objects do not tell when they were made: one was deleted while the
 * state kept it, and the other one was created under its name. Whichever the engine compares first keeps the object; the
 * other one is replaced, and nothing is deleted.
 */
export function changesIfShared(ports: Ports, spec: ResourceSpec, call: Call, id: string, inputs: Values): Change[] {
  const [property] = spec.identity.naturalKey ?? [];
  if (property === undefined || hasOwnMark(spec) || !isDeclared(ports, call)) return [];
  const holder = ports.claims.holderOf(id, call.hidden.urn);
  if (holder === undefined) return [];
  call.reporter.warn(`${spec.kind} ${id} is recorded for ${holder} as well, which keeps it; this one is created anew.`);
  const desired = inputs[property];
  return [{ path: property, property, desired, live: undefined, effect: "replace", beneathInputs: true }];
}
