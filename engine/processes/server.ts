import { Metadata, type ServiceError, status } from "@grpc/grpc-js";
import { answering } from "../../protocol/server";
import { messageOf, Stopped } from "../errors";

/**
 * A unary method from an async function. A stopped operation answers UNAVAILABLE, which tells the SDK to end quietly.
 */
export const unary = answering((error: unknown): Partial<ServiceError> => {
  const code = error instanceof Stopped ? status.UNAVAILABLE : status.UNKNOWN;
  return { code, details: messageOf(error), message: messageOf(error), metadata: new Metadata() };
});
