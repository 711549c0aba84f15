import {
  Server,
  ServerCredentials,
  type ServerWritableStream,
  type ServiceDefinition,
  type ServiceError,
  type UntypedServiceImplementation,
} from "@grpc/grpc-js";

/** Messages as large as the SDK's own peers allow, and no account of each for a monitor that nobody starts. */
export const channelOptions = { "grpc.max_receive_message_length": 400 * 1024 * 1024, "grpc.enable_channelz": 0 };

/** A service of Pulumi's protocol and who answers it. */
export interface ServiceBinding {
  definition: ServiceDefinition;
  implementation: UntypedServiceImplementation;
}

/** How long the last responses may be on their way; a peer that keeps its end open is then cut off. */
const shutdownGraceMs = 1000;

export interface RunningServer {
  address: string;
  port: number;
  /** Takes no new calls. Resolves when what was answered has been sent. */
  close(): Promise<void>;
}

/** Serves the services on a loopback port of their own. */
export async function serve(services: readonly ServiceBinding[]): Promise<RunningServer> {
  const server = new Server(channelOptions);
  for (const { definition, implementation } of services) server.addService(definition, implementation);
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, bound) =>
      error ? reject(error) : resolve(bound),
    );
  });
  return { address: `127.0.0.1:${port}`, port, close: () => closeServer(server) };
}

/** A connection that is torn down takes along the answers on it: their callers would see calls that broke off. */
function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    const cutOff = setTimeout(() => server.forceShutdown(), shutdownGraceMs);
    server.tryShutdown(() => {
      clearTimeout(cutOff);
      resolve();
    });
  });
}

type Callback<Answer> = (error: Partial<ServiceError> | null, answer?: Answer) => void;

/** Makes unary methods of async functions. `toStatus`: what a failure is answered with. */
export const unaryHandlers =
  (toStatus: (error: unknown) => Partial<ServiceError>) =>
  <Request, Answer>(answer: (request: Request) => Promise<Answer> | Answer) =>
  (call: { request: Request }, callback: Callback<Answer>): void => {
    Promise.resolve(call.request)
      .then(answer)
      .then(
        (value) => callback(null, value),
        (error: unknown) => callback(toStatus(error)),
      );
  };

/** The same for methods whose answers are a stream; what is left of it is not asked for once nobody listens. */
export const streamHandlers =
  (toStatus: (error: unknown) => Partial<ServiceError>) =>
  <Request, Answer>(answers: (request: Request) => AsyncIterable<Answer>) =>
  async (call: ServerWritableStream<Request, Answer>): Promise<void> => {
    try {
      for await (const answer of answers(call.request)) {
        if (call.cancelled) return;
        if (!call.write(answer)) await new Promise((resolve) => call.once("drain", resolve).once("close", resolve));
      }
      call.end();
    } catch (error) {
      call.emit("error", toStatus(error));
    }
  };
