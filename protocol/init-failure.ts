import { Metadata, type ServiceError, status } from "@grpc/grpc-js";
import { ErrorResourceInitFailed } from "@pulumi/pulumi/proto/provider_pb";
import { Status } from "@pulumi/pulumi/proto/status_pb";
import { Any } from "google-protobuf/google/protobuf/any_pb";
import type { Struct } from "google-protobuf/google/protobuf/struct_pb";

/** An object that a provider created or changed, but that did not become ready. */
export interface InitFailure {
  id: string;
  properties: Struct | undefined;
  inputs: Struct | undefined;
  reasons: string[];
}

const detailsKey = "grpc-status-details-bin";
const typeName = "pulumirpc.ErrorResourceInitFailed";

/** The failure as a gRPC status, with the object in its metadata. */
export function initFailureStatus(
  message: string,
  { id, properties, inputs, reasons }: InitFailure,
): Partial<ServiceError> {
  const detail = new ErrorResourceInitFailed().setId(id).setReasonsList(reasons);
  detail.setProperties(properties).setInputs(inputs);
  const packed = new Any();
  packed.pack(detail.serializeBinary(), typeName);
  const details = new Status().setCode(status.UNKNOWN).setMessage(message).setDetailsList([packed]);
  const metadata = new Metadata();
  metadata.set(detailsKey, Buffer.from(details.serializeBinary()));
  return { code: status.UNKNOWN, details: message, message, metadata };
}

export function initFailureOf(error: ServiceError): InitFailure | undefined {
  const [packed] = error.metadata?.get(detailsKey) ?? [];
  if (!(packed instanceof Uint8Array)) return undefined;
  for (const detail of Status.deserializeBinary(packed).getDetailsList()) {
    const failure = detail.unpack((bytes: Uint8Array) => ErrorResourceInitFailed.deserializeBinary(bytes), typeName);
    if (failure)
      return {
        id: failure.getId(),
        properties: failure.getProperties(),
        inputs: failure.getInputs(),
        reasons: failure.getReasonsList(),
      };
  }
  return undefined;
}
