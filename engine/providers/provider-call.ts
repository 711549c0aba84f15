import { type ClientUnaryCall, type ServiceError, status } from "@grpc/grpc-js";
import { type InitFailure, initFailureOf } from "../../protocol/init-failure";
import { OutcomeUnknown } from "../../protocol/provider-calls";

type ResourceMethod =
  | "configure"
  | "checkConfig"
  | "diffConfig"
  | "check"
  | "diff"
  | "create"
  | "update"
  | "delete"
  | "read"
  | "invoke";

type GrpcInvocation<Answer> = (done: (error: ServiceError | null, answer: Answer) => void) => ClientUnaryCall;

export function call<Answer>(what: ResourceMethod, invoke: GrpcInvocation<Answer>): Promise<Answer>;
/** Resolves to undefined where the provider does not have the method. */
export function call<Answer>(
  what: ResourceMethod,
  invoke: GrpcInvocation<Answer>,
  otherwise: "unanswered",
): Promise<Answer | undefined>;
export function call<Answer>(
  what: ResourceMethod,
  invoke: GrpcInvocation<Answer>,
  otherwise?: "unanswered",
): Promise<Answer | undefined> {
  return new Promise((resolve, reject) => {
    invoke((error, answer) => {
      if (!error) resolve(answer);
      else if (otherwise && error.code === status.UNIMPLEMENTED) resolve(undefined);
      else reject(failureOf(error, what));
    });
  });
}

export function callOrInitFailure<Answer extends object>(
  what: ResourceMethod,
  invoke: GrpcInvocation<Answer>,
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
      `the provider process ended, or does not answer, during ${what}: the state of the object is unknown`,
      { cause: error },
    );
  }
  return new Error(error.details === "" || error.details === undefined ? error.message : error.details, {
    cause: error,
  });
}
