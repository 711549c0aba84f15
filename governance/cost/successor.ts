import { desiredFields, managedFields } from "../../provider/core/comparison/desired";
import { recordsIn } from "../../provider/core/declaration/own-fields";
import type { ResourceSpec } from "../../provider/core/declaration/resource";
import { type Values, valueAt } from "../../provider/core/values/values";

/** A change of one object: what is recorded, and what the program says before and after. */
interface Change {
  live: Values;
  was: Values;
  is: Values;
}

/** What is recorded, changed as the program says. Hardware that a shape decided goes with another shape. */
export function updatedValues(spec: ResourceSpec, { live, was, is }: Change): Values {
  const managed = recordsIn(live).managedFields ?? managedFields(spec, was);
  const { names, isKept } = hardwareFields(spec, was, is);
  const kept = Object.fromEntries(Object.entries(live).filter(([name]) => isKept || !names.includes(name)));
  return { ...kept, ...desiredFields(spec, is, managed, kept) };
}

/** What the program says of an object in another's place: a shape and a model that stay bring their hardware. */
export function succeedingValues(spec: ResourceSpec, { live, was, is }: Change): Values {
  const { names, isKept } = hardwareFields(spec, was, is);
  const models = spec.preflight?.model.at ?? [];
  if (!isKept || models.some((path) => !isSame(valueAt(was, path), valueAt(is, path)))) return is;
  const hardware = names.flatMap((name) => (live[name] === undefined ? [] : [[name, live[name]] as const]));
  return { ...Object.fromEntries(hardware), ...is };
}

/** The fields that a shape decides, with its own; and whether the program's values of all of them are unchanged. */
function hardwareFields(spec: ResourceSpec, was: Values, is: Values): { names: string[]; isKept: boolean } {
  const shape = spec.preflight?.shape?.at;
  const owned = spec.fields.message.filter(({ name, markers }) => name === shape || markers.ownedBy?.field === shape);
  const names = shape === undefined ? [] : owned.map(({ name }) => name);
  return { names, isKept: names.every((name) => isSame(was[name], is[name])) };
}

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);
