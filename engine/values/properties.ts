import type { PropertyMap } from "../state/types";
import { containsUnknowns, isUnknown, mapObject, stripSecrets, withoutReferences } from "./values";

/** Properties for a receiver that declares what it understands. */
export function forReceiver(properties: PropertyMap, accepts: { secrets: boolean; references: boolean }): PropertyMap {
  return mapObject(properties, (value) => {
    const opened = accepts.secrets ? value : stripSecrets(value);
    return accepts.references ? opened : withoutReferences(opened);
  });
}

/** For a provider that understands neither secrets nor references, as the dynamic one. */
export const forProvider = (properties: PropertyMap): PropertyMap =>
  forReceiver(properties, { secrets: false, references: false });

/** A provider's answer: unknowns are only its business during a preview. */
export function fromProvider(properties: PropertyMap, what: string, preview: boolean): PropertyMap {
  if (preview) return properties;
  const open = Object.entries(properties).find(([, value]) => isUnknown(value) || containsUnknowns(value));
  if (open)
    throw new Error(`${what} answered an unknown value for the property "${open[0]}"; only a preview may have those`);
  return properties;
}
