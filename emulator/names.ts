import type { ResourceSpec } from "../provider/core/declaration/resource";
import { matchTemplate, parametersOf } from "../provider/core/values/names";
import { allSpecs } from "../provider/resources/index";

const placeholder = /\{(\w+)\}/;

/** A name template in its parts: literals at even places, parameters at odd ones. */
const parts = new Map(allSpecs.map((spec) => [spec.kind, spec.name.split(placeholder)]));

/** The resource name that the template has with these parameters. */
export function nameOf(spec: ResourceSpec, parameters: Readonly<Record<string, string>>): string {
  let name = "";
  for (const [index, part] of parts.get(spec.kind)!.entries())
    name += index % 2 === 0 ? part : (parameters[part] ?? "");
  return name;
}

/** The parameter that stands for the object's own id: the last one of the template. */
export const idParameter = (spec: ResourceSpec): string => parametersOf(spec.name).at(-1)!;

/** The kind of object that has such a name, or undefined where none has. */
export const specOfName = (name: string): ResourceSpec | undefined =>
  allSpecs.find((spec) => matchTemplate(spec.name, name) !== undefined);
