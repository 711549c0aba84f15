import { hasOwnMark } from "../../core/comparison/accepted";
import type { FieldChange } from "../../core/comparison/diff";
import type { ComparedResource, ResourceOperation } from "../operation/operation";
import { isRecreated } from "../ownership/ownership";
import { makerOfRecreated } from "./recreated";

/**
 * Two resources of a state, or one of a state and one that is about to be created, may have one name: the object of one
 * was deleted while the state kept it, and that of the other was created in its place. The one that has lost its object
 * is replaced, and nothing is deleted. Where objects do not tell when they were made, that is the one that the engine
 * compares second.
 */
export async function changesIfForeign(
  { ports, call, spec, id, outputs, inputs }: ComparedResource,
  open: () => Promise<ResourceOperation>,
): Promise<FieldChange[]> {
  const property = spec.identity.naturalKey?.[0] ?? spec.fields.resourceId?.name;
  if (property === undefined) return [];
  const holder = hasOwnMark(spec)
    ? isRecreated(spec, outputs, { ...outputs, name: id }) &&
      (await makerOfRecreated(await open(), outputs, id, inputs))
    : ports.claims.holderOf(id, call.hidden.urn);
  if (!holder) return [];
  call.reporter.warn(`${spec.kind} ${id} is the object of ${holder}, which keeps it; this one is created anew.`);
  const desired = inputs[property];
  return [{ path: property, property, desired, live: undefined, effect: "replace", beneathInputs: true }];
}
