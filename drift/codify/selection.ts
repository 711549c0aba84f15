import type { ResourceSpec } from "../../provider/core/declaration/resource";
import { isOver, phaseOf } from "../../provider/core/declaration/states";
import { derivedNames } from "../../provider/core/recording/recorded";
import { lastSegment } from "../../provider/core/values/names";
import { isDerived, type Known, knownOf, type Managed } from "../scan/unmanaged";
import { isThere } from "../scan/verdict";
import type { ListedObject } from "./live";

export interface LeftOut {
  name: string;
  kind: string;
  reason: string;
}

interface CodifySelection {
  chosen: ListedObject[];
  leftOut: LeftOut[];
}

interface SelectionOptions {
  specs: readonly ResourceSpec[];
  /** Objects that stacks manage. */
  managed?: readonly Managed[] | undefined;
  /** Declares jobs that are over, too. */
  finishedJobs?: boolean;
  /** The caller asked for these very objects: only what cannot be declared is left out. */
  named?: boolean;
}

/** The live objects to declare: those that are unmanaged, as drift has it, and that no other one of them makes. */
export function select(
  objects: readonly ListedObject[],
  { specs, managed = [], finishedJobs = false, named = false }: SelectionOptions,
): CodifySelection {
  const stacks = knownOf(managed);
  const leftOut: LeftOut[] = [];
  const keep = (object: ListedObject, reason: string | undefined): boolean => {
    if (reason !== undefined) leftOut.push({ name: object.name, kind: object.spec.kind, reason });
    return reason === undefined;
  };
  const possible = objects.filter((object) => keep(object, ownReason(object, stacks, named || finishedJobs)));
  const known = knownOf([...managed, ...possible.map(asManaged)]);
  const chosen = named
    ? possible
    : possible.filter((object) =>
        keep(
          object,
          isDerived(specs, object.spec, object.fields, known) ? "it comes and goes with another object" : undefined,
        ),
      );
  return { chosen, leftOut };
}

function ownReason({ spec, name, fields }: ListedObject, stacks: Known, finishedJobs: boolean): string | undefined {
  const state = String(fields["state"]);
  if (stacks.objects.has(name)) return "a stack manages it";
  if (!isThere(spec, fields)) return spec.singleton ? "nothing is set" : `it is ${state}`;
  if (phaseOf(spec.lifecycle, fields) === "failed")
    return `it is ${state}: a program that declares it would ask for another one`;
  return isOver(spec, fields) && !finishedJobs ? "it is over" : undefined;
}

const asManaged = ({ spec, name, fields }: ListedObject): Managed => ({
  spec,
  name,
  outputs: { ...fields, ...namesMadeBy(spec, name, fields) },
});

/** Names that follow from an object's own fields, by output. */
export const namesMadeBy = (spec: ResourceSpec, name: string, fields: ListedObject["fields"]): Record<string, string> =>
  derivedNames(spec, name.split("/")[1]!, lastSegment(name), fields);
