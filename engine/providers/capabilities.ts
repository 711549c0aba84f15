import type { Features } from "../../protocol/provider-calls";
import type { PropertyMap } from "../state/types";
import { withoutAssetContents } from "../values/assets";
import { forReceiver, fromProvider, markSecretsLike } from "../values/values";

/** What is sent to a provider, and what its answers mean. Without secrets, answers get the marks of what was sent. */
export interface Capabilities extends Features {
  /** A read without recorded outputs is an import; others are given the inputs in place of them. */
  imports: boolean;
}

/** The SDK's dynamic provider. */
export const plainCapabilities: Capabilities = { secrets: false, references: false, previews: false, imports: false };

export const sender =
  (capabilities: Capabilities) =>
  (properties: PropertyMap): PropertyMap =>
    forReceiver(properties, capabilities);

/** Old values, and values to compare, travel without the contents of assets. */
export const elidingSender =
  (capabilities: Capabilities) =>
  (properties: PropertyMap): PropertyMap =>
    forReceiver(withoutAssetContents(properties), capabilities);

/** What a provider was asked for, and how. */
export interface ProviderExchange {
  /** The operation, for errors. */
  what: string;
  capabilities: Capabilities;
  preview?: boolean;
}

/** A provider's answer, with secrets marked. */
export function received(
  answer: PropertyMap,
  sent: PropertyMap,
  { what, capabilities: { secrets }, preview = false }: ProviderExchange,
): PropertyMap {
  const properties = fromProvider(answer, what, preview);
  return secrets ? properties : markSecretsLike(properties, sent);
}
