import { secretProperties } from "../core/checks/secret-properties";
import type { Hidden } from "../core/declaration/own-records";
import { hiddenInput } from "../core/declaration/own-records";
import type { ResourceSpec } from "../core/declaration/resource";
import { isUnknown, plainValue, secretValue } from "../core/values/unknowns";
import type { Values } from "../lifecycle/types";

/** Where Pulumi's SDK looks for the provider of a dynamic resource. */
export const providerProperty = "__provider";

/** Properties as the life cycle takes them: plain values, without what belongs to the SDK. */
export function received(props: Values): Values {
  const { [providerProperty]: _, ...rest } = plainValue(props) as Values;
  return rest;
}

/**
 * Properties as the SDK takes them: JSON values only, secrets marked as such, and what the next call needs to find its
 * way back here. The SDK refuses `undefined` after the object has been made, and turns dates into empty objects.
 */
export function answered(spec: ResourceSpec, values: Values, hidden: Hidden, provider: unknown): Values {
  const json = JSON.parse(JSON.stringify(values)) as Values;
  const secret = secretProperties(spec);
  const marked = Object.entries(json).map(([name, value]) => [
    name,
    secret.has(name) && value !== null && !isUnknown(value) ? secretValue(value) : value,
  ]);
  return { ...Object.fromEntries(marked), [hiddenInput]: hidden, [providerProperty]: provider };
}
