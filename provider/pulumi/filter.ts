import { observedFields } from "../core/declaration/surface";
import { type Condition, type Logic, logic } from "../core/requests/conditions";
import { filterFields } from "../core/requests/filter";
import { specOf } from "../resources/index";

/**
 * An AIP-160 filter for lists of a kind, made by the condition that `build` gives; of none, the filter of everything.
 * Throws a `ModelPlatformError` for what no filter can ask: secrets, options of this package, numbers that are not
 * finite.
 */
export function writeFilter(kind: string, build: (object: never, logic: Logic) => Condition | undefined): string {
  const spec = specOf(kind)!;
  const answered = observedFields(spec);
  const own = new Set(answered.map(({ name }) => name));
  const all = [...Object.keys(spec.inputs.shape), ...spec.fields.outputs.map(({ name }) => name)];
  const others = [...new Set(all.filter((name) => !own.has(name)))];
  return String(build(filterFields(answered, others) as never, logic) ?? "");
}
