import { type ClientUnaryCall, type ServiceError, status } from "@grpc/grpc-js";
import { ErrorResourceInitFailed } from "@pulumi/pulumi/proto/provider_pb";
import { Status } from "@pulumi/pulumi/proto/status_pb";
import type { Struct } from "google-protobuf/google/protobuf/struct_pb";
import { OutcomeUnknown } from "../errors";

/** An object that the provider made or changed, but that did not become ready. */
export interface InitFailure {
  id: string;
  properties: Struct | undefined;
  inputs: Struct | undefined;
  reasons: string[];
}

export type ResourceMethod = "configure" | "check" | "diff" | "create" | "update" | "delete" | "read";

export type Invocation<Answer> = (done: (error: ServiceError | null, answer: Answer) => void) => ClientUnaryCall;

export function call<Answer>(what: ResourceMethod, invoke: Invocation<Answer>): Promise<Answer> {
  return new Promise((resolve, reject) => {
    invoke((error, answer) => (error ? reject(failureOf(error, what)) : resolve(answer)));
  });
}

export function callOrInitFailure<Answer extends object>(
  what: ResourceMethod,
  invoke: Invocation<Answer>,
): Promise<Answer | InitFailure> {
  return new Promise((resolve, reject) => {
    invoke((error, answer) => {
      const initFailure = error ? initFailureOf(error) : undefined;
      if (initFailure) resolve(initFailure);
      else if (error) reject(failureOf(error, what));
      else resolve(answer);
    });
  });
}

function failureOf(error: ServiceError, what: ResourceMethod): Error {
  if (error.code === status.UNAVAILABLE || error.code === status.CANCELLED) {
    return new OutcomeUnknown(
      `the dynamic provider process ended, or does not answer, during ${what}: what became of the object is not known`,
      { cause: error },
    );
  }
  return new Error(error.details === "" || error.details === undefined ? error.message : error.details, {
    cause: error,
  });
}

/** The SDK packs what was made before the failure into the error's metadata. */
function initFailureOf(error: ServiceError): InitFailure | undefined {
  const [packed] = error.metadata?.get("grpc-status-details-bin") ?? [];
  if (!(packed instanceof Uint8Array)) return undefined;
  for (const detail of Status.deserializeBinary(packed).getDetailsList()) {
    const found = detail.unpack(
      (bytes: Uint8Array) => ErrorResourceInitFailed.deserializeBinary(bytes),
      "pulumirpc.ErrorResourceInitFailed",
    );
    if (found)
      return {
        id: found.getId(),
        properties: found.getProperties(),
        inputs: found.getInputs(),
        reasons: found.getReasonsList(),
      };
  }
  return undefined;
}
