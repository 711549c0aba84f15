import type { ConfigureResponse } from "@pulumi/pulumi/proto/provider_pb";
import type { Struct } from "google-protobuf/google/protobuf/struct_pb";
import { toStruct } from "../../protocol/properties";
import type { PropertyMap } from "../../state/types";
import { withoutAssetContents } from "../values/assets";
import { forReceiver, fromProvider } from "../values/properties";
import { markSecretsLike } from "../values/values";

/** Features that a provider supports. */
export interface Manner {
  /** Secrets travel marked; otherwise in the clear, and answers get the marks of what was sent. */
  secrets: boolean;
  references: boolean;
  /** It also receives creates and updates in a preview. */
  previews: boolean;
  /** A read without recorded outputs is an import; others are given the inputs in place of them. */
  imports: boolean;
}

/** The SDK's dynamic provider. */
export const plainManner: Manner = { secrets: false, references: false, previews: false, imports: false };

export const mannerOf = (answer: ConfigureResponse): Manner => ({
  secrets: answer.getAcceptsecrets(),
  references: answer.getAcceptresources(),
  previews: answer.getSupportspreview(),
  imports: true,
});

export const sender =
  (manner: Manner) =>
  (properties: PropertyMap): Struct =>
    toStruct(forReceiver(properties, manner));

/** Old values, and values to compare, travel without the contents of assets. */
export const elidingSender =
  (manner: Manner) =>
  (properties: PropertyMap): Struct =>
    toStruct(forReceiver(withoutAssetContents(properties), manner));

/** A provider's answer, with secrets marked. */
export function received(
  answer: Struct | undefined,
  sent: PropertyMap,
  what: string,
  { secrets }: Manner,
  preview = false,
): PropertyMap {
  const properties = fromProvider(answer, what, preview);
  return secrets ? properties : markSecretsLike(properties, sent);
}
