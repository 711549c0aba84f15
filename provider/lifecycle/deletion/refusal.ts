import type { ResourceSpec } from "../../core/declaration/resource";
import { isConfigurationError, isForbidden, isModelPlatformError } from "../../core/errors";
import type { Values } from "../types";
import { removalOf } from "./deletion-mode";
import { isProtected } from "./protection";

/**
 * What `look` refuses, in words, where it can be known ahead of the delete; undefined where nothing stands against it.
 * A service that cannot be asked is asked again by the delete itself. Looks at what is recorded first: most objects
 * need no request.
 */
export async function knownRefusal(
  spec: ResourceSpec,
  recorded: Values,
  look: () => Promise<void>,
): Promise<string | undefined> {
  const mayBeRefused = isProtected(spec, recorded) || (spec.singleton && removalOf(recorded) !== "retain");
  if (!mayBeRefused) return undefined;
  try {
    await look();
    return undefined;
  } catch (error) {
    if (!isModelPlatformError(error)) throw error;
    const isOurs = error.operation === undefined && !isConfigurationError(error);
    return isOurs || isForbidden(error) ? error.message : undefined;
  }
}
