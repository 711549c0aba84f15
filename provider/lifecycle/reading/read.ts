import { acceptedOf } from "../../core/comparison/accepted";
import { managedFields } from "../../core/comparison/desired";
import { type Records, recordsIn } from "../../core/declaration/own-records";
import type { ResourceSpec } from "../../core/declaration/resource";
import { phaseOf } from "../../core/declaration/states";
import { isUnset } from "../../core/fields/equality";
import { derivedNames, inputsAfterRead, outputsAfterRead } from "../../core/recording/recorded";
import { lastSegment } from "../../core/values/names";
import { type ResourceOperation, requestOptions } from "../operation/operation";
import { ownMarksOn } from "../ownership/marks";
import { unmasked } from "../sources/digests";
import type { ReadAnswer, Values } from "../types";
import { invisibleText, lookAgain, type Sighting, unreadableText } from "./absence";

/**
 * The object, or undefined if it is certainly gone. A succeeded job whose record is gone is retired, not gone (A075).
 * What may only be invisible to a replica that is behind stays as it is recorded.
 */
export async function readObject(
  operation: ResourceOperation,
  name: string,
  recorded: Values,
): Promise<ReadAnswer | undefined> {
  const { spec, call, objects } = operation;
  if (!objects.isReadable && hasRecords(recorded)) {
    call.reporter.warn(`${unreadableText(operation, name)}.`);
    return { outputs: recorded, inputs: inputsAfterRead(spec, recorded, recorded) };
  }
  const sighting = await sightingOf(operation, name, recorded);
  const asRecorded = (): Values => inputsAfterRead(spec, recorded, recorded);
  if (sighting.is === "unknown") {
    call.reporter.warn(`${invisibleText(operation, name)}.`);
    return { outputs: recorded, inputs: asRecorded() };
  }
  if (sighting.is === "gone")
    return hasOutlived(operation, recorded)
      ? { outputs: { ...recorded, retired: true }, inputs: asRecorded() }
      : undefined;
  const live = unmasked(spec, sighting.live, recorded);
  const known = hasRecords(recorded) ? recorded : { ...firstRecords(operation, name, recorded, live), ...recorded };
  const marks = recordsIn(known).marks ?? ownMarksOn(operation, live);
  return {
    outputs: outputsAfterRead(spec, marks ? { ...known, marks } : known, live, objects.serviceSettings),
    inputs: inputsAfterRead(spec, known, live),
  };
}

async function sightingOf(operation: ResourceOperation, name: string, recorded: Values): Promise<Sighting> {
  const { spec, objects } = operation;
  const live = await objects.read(name, requestOptions(operation));
  if (live && phaseOf(spec.lifecycle, live) === "gone") return { is: "gone" };
  if (live && !isNone(operation, live)) return { is: "there", live };
  if (!hasRecords(recorded) || hasOutlived(operation, recorded)) return { is: "gone" };
  return lookAgain(operation, name, recorded);
}

/** What is recorded of an object that is only looked up, or imported: `given` is what a program says of it. */
function firstRecords({ spec, objects }: ResourceOperation, name: string, given: Values, live: Values): Values {
  const { resourceId } = spec.fields;
  const id = lastSegment(name);
  return {
    ...derivedNames(spec, objects.account, id, live),
    ...(resourceId && { [resourceId.name]: id }),
    accountId: objects.account,
    endpoint: objects.origin,
    accepted: acceptedOf(spec, live),
    managedFields: managedFields(spec, given),
  };
}

/** The program wanted its outcome, which outlives its record. */
export const hasOutlived = ({ spec }: Pick<ResourceOperation, "spec">, recorded: Values): boolean =>
  spec.deletion === "forever" && phaseOf(spec.lifecycle, recorded) === "ready";

/** Settings that were never saved: everything unset, and no time of a change (A060). */
export function isNone({ spec }: Pick<ResourceOperation, "spec">, live: Values): boolean {
  return spec.singleton === true && (live["updateTime"] ?? undefined) === undefined && isBlank(spec, live);
}

/** Everything that a program could set is unset, in whatever form the answer says so (A094). */
export const isBlank = (spec: ResourceSpec, live: Values): boolean =>
  spec.fields.message.every((field) => isUnset(field, live[field.name]));

/** The outputs of a resource that is only looked up carry no records yet. */
export const hasRecords = (outputs: Values): outputs is Values & Records =>
  typeof recordsIn(outputs).endpoint === "string";
