import {
  Metadata,
  Server,
  ServerCredentials,
  type ServiceDefinition,
  type ServiceError,
  status,
  type UntypedServiceImplementation,
} from "@grpc/grpc-js";
import { messageOf, Stopped } from "../errors";

/** Messages as large as the SDK's own peers allow. */
export const channelOptions = { "grpc.max_receive_message_length": 400 * 1024 * 1024 };

/** A service of the SDK's protocol and who answers it. */
export interface Served {
  definition: ServiceDefinition;
  implementation: UntypedServiceImplementation;
}

/** Serves the services on a loopback port of their own. */
export async function serve(services: readonly Served[]): Promise<{ address: string; close(): void }> {
  const server = new Server(channelOptions);
  for (const { definition, implementation } of services) server.addService(definition, implementation);
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, bound) =>
      error ? reject(error) : resolve(bound),
    );
  });
  return { address: `127.0.0.1:${port}`, close: () => server.forceShutdown() };
}

type Callback<Answer> = (error: Partial<ServiceError> | null, answer?: Answer) => void;

/**
 * A unary method from an async function. A stopped operation answers UNAVAILABLE, which tells the SDK to end quietly.
 */
export function unary<Request, Answer>(answer: (request: Request) => Promise<Answer> | Answer) {
  return (call: { request: Request }, callback: Callback<Answer>): void => {
    Promise.resolve(call.request)
      .then(answer)
      .then(
        (value) => callback(null, value),
        (error: unknown) => callback(toStatus(error)),
      );
  };
}

function toStatus(error: unknown): Partial<ServiceError> {
  const code = error instanceof Stopped ? status.UNAVAILABLE : status.UNKNOWN;
  return { code, details: messageOf(error), message: messageOf(error), metadata: new Metadata() };
}
