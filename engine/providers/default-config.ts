import type { ResolvedConfig } from "../state/stack-config";
import type { PropertyMap } from "../state/types";
import { dynamicPackage } from "../state/urns";
import { makeSecret } from "../values/values";

/**
 * A default provider's configuration: the dynamic one gets the whole stack's, with
 * namespaced keys; others their own, without.
 */
export function configOf(pkg: string, { values, secretKeys }: ResolvedConfig): PropertyMap {
  const all = Object.entries(values).map(([key, value]): [string, PropertyMap[string]] => [
    key,
    secretKeys.includes(key) ? makeSecret(value) : value,
  ]);
  if (pkg === dynamicPackage) return Object.fromEntries(all);
  return Object.fromEntries(
    all.filter(([key]) => key.startsWith(`${pkg}:`)).map(([key, value]) => [key.slice(pkg.length + 1), value]),
  );
}
