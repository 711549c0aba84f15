import { Metadata, type ServiceError, status } from "@grpc/grpc-js";
import { ErrorResourceInitFailed } from "@pulumi/pulumi/proto/provider_pb";
import { Status } from "@pulumi/pulumi/proto/status_pb";
import { Any } from "google-protobuf/google/protobuf/any_pb";
import { fromStruct, toStruct } from "./properties";
import type { UnreadyObject } from "./provider-calls";

const detailsKey = "grpc-status-details-bin";
const typeName = "pulumirpc.ErrorResourceInitFailed";

/** What a gRPC status says of the object that a failure leaves. */
export function initFailureMetadata(message: string, { id, properties, inputs, reasons }: UnreadyObject): Metadata {
  const detail = new ErrorResourceInitFailed().setId(id).setReasonsList([...reasons]);
  detail.setProperties(toStruct(properties)).setInputs(inputs && toStruct(inputs));
  const packed = new Any();
  packed.pack(detail.serializeBinary(), typeName);
  const details = new Status().setCode(status.UNKNOWN).setMessage(message).setDetailsList([packed]);
  const metadata = new Metadata();
  metadata.set(detailsKey, Buffer.from(details.serializeBinary()));
  return metadata;
}

export function initFailureOf(error: ServiceError): UnreadyObject | undefined {
  const [packed] = error.metadata?.get(detailsKey) ?? [];
  if (!(packed instanceof Uint8Array)) return undefined;
  for (const detail of Status.deserializeBinary(packed).getDetailsList()) {
    const failure = detail.unpack((bytes: Uint8Array) => ErrorResourceInitFailed.deserializeBinary(bytes), typeName);
    if (!failure) continue;
    const inputs = failure.getInputs();
    return {
      id: failure.getId(),
      properties: fromStruct(failure.getProperties()),
      inputs: inputs && fromStruct(inputs),
      reasons: failure.getReasonsList(),
    };
  }
  return undefined;
}
