import { type ClientUnaryCall, type ServiceError, status } from "@grpc/grpc-js";
import { type InitFailure, initFailureOf } from "../../protocol/init-failure";
import { OutcomeUnknown } from "../errors";

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
