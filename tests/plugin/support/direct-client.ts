import { PassThrough } from "node:stream";
import type { ServiceError } from "@grpc/grpc-js";
import type { ResourceProviderClient } from "@pulumi/pulumi/proto/provider_grpc_pb";
import type { ServiceBinding } from "../../../protocol/server";

type Done = (error: Partial<ServiceError> | null, answer?: unknown) => void;
type Handler = (call: object, done?: Done) => unknown;

/** A client whose messages reach the plugin's methods without a connection. */
export function directClient({ implementation }: ServiceBinding): ResourceProviderClient {
  const call = (answer: Handler) => (request: unknown, done?: Done) => {
    if (done) return answer({ request }, done);
    const stream = Object.assign(new PassThrough({ objectMode: true }), { request });
    answer(stream);
    return stream;
  };
  const methods = Object.entries(implementation).map(([name, answer]) => [name, call(answer as Handler)]);
  return { ...Object.fromEntries(methods), close: () => undefined } as ResourceProviderClient;
}
