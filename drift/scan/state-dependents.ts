import type { ResourceState } from "../../engine/state/index";
import type { ResourceSpec } from "../../provider/core/declaration/resource";
import { matchTemplate } from "../../provider/core/values/names";
import type { Dependent } from "./document";

/**
 * By URN, the resources of a state that depend on it: by their properties, `dependsOn` or `deletedWith`. A component
 * only hands dependencies down.
 */
export function dependentsIn(
  resources: readonly ResourceState[],
  specOf: (type: string) => ResourceSpec | undefined,
): ReadonlyMap<string, readonly Dependent[]> {
  const found = new Map<string, Dependent[]>();
  for (const { urn, type } of resources) if (specOf(type)) found.set(urn, []);
  for (const resource of resources) {
    const { urn, type, id = "" } = resource;
    if (!resource.custom || resource.delete) continue;
    const spec = specOf(type);
    const name = spec && matchTemplate(spec.name, id) ? id : null;
    for (const other of dependenciesOf(resource))
      if (other !== urn) found.get(other)?.push({ type: spec?.kind ?? type, name, urn });
  }
  return found;
}

const dependenciesOf = ({ dependencies, propertyDependencies, deletedWith }: ResourceState): Set<string> =>
  new Set([
    ...(dependencies ?? []),
    ...Object.values(propertyDependencies ?? {}).flat(),
    ...(deletedWith ? [deletedWith] : []),
  ]);
