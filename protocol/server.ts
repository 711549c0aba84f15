import {
  Server,
  ServerCredentials,
  type ServerWritableStream,
  type ServiceDefinition,
  type ServiceError,
  type UntypedServiceImplementation,
} from "@grpc/grpc-js";

/** Allows messages as large as the SDK's own peers do, and disables channelz, which nothing reads. */
export const channelOptions = { "grpc.max_receive_message_length": 400 * 1024 * 1024, "grpc.enable_channelz": 0 };

/** A service of Pulumi's protocol and its implementation. */
export interface ServiceBinding {
  definition: ServiceDefinition;
  implementation: UntypedServiceImplementation;
  /** In bytes, where it is shorter than peers of the SDK send. */
  longestMessage?: number;
}

/** How long the last responses may take; a peer that keeps its end open is then cut off. */
const shutdownGraceMs = 1000;

export interface RunningServer {
  address: string;
  port: number;
  /** Accepts no new calls. Resolves when every response has been sent. */
  close(): Promise<void>;
}

/** Serves the services on a loopback port of their own. */
export async function serve(services: readonly ServiceBinding[]): Promise<RunningServer> {
  const longest = services.flatMap(({ longestMessage }) => longestMessage ?? []);
  const server = new Server({
    ...channelOptions,
    ...(longest.length > 0 && { "grpc.max_receive_message_length": Math.min(...longest) }),
  });
  for (const { definition, implementation } of services) server.addService(definition, implementation);
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, bound) =>
      error ? reject(error) : resolve(bound),
    );
  });
  return { address: `127.0.0.1:${port}`, port, close: () => closeServer(server) };
}

/** Tearing down a connection drops its responses: their callers would see broken calls. */
function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    const cutOff = setTimeout(() => server.forceShutdown(), shutdownGraceMs);
    server.tryShutdown(() => {
      clearTimeout(cutOff);
      resolve();
    });
  });
}

type Callback<Response> = (error: Partial<ServiceError> | null, response?: Response) => void;

/** Turns async functions into unary methods. `toStatus`: the status of a failure. */
export const unaryHandlers =
  (toStatus: (error: unknown) => Partial<ServiceError>) =>
  <Request, Response>(respond: (request: Request) => Promise<Response> | Response) =>
  (call: { request: Request }, callback: Callback<Response>): void => {
    Promise.resolve(call.request)
      .then(respond)
      .then(
        (value) => callback(null, value),
        (error: unknown) => callback(toStatus(error)),
      );
  };

/** The same for streams of responses. Stops reading the stream once the call is cancelled. */
export const streamHandlers =
  (toStatus: (error: unknown) => Partial<ServiceError>) =>
  <Request, Response>(responses: (request: Request) => AsyncIterable<Response>) =>
  async (call: ServerWritableStream<Request, Response>): Promise<void> => {
    try {
      for await (const response of responses(call.request)) {
        if (call.cancelled) return;
        if (!call.write(response)) await new Promise((resolve) => call.once("drain", resolve).once("close", resolve));
      }
      call.end();
    } catch (error) {
      call.emit("error", toStatus(error));
    }
  };
