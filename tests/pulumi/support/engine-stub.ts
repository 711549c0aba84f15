import { Server, ServerCredentials } from "@grpc/grpc-js";
import { EngineService } from "@pulumi/pulumi/proto/engine_grpc_pb";
import type { LogRequest } from "@pulumi/pulumi/proto/engine_pb";
import { Empty } from "google-protobuf/google/protobuf/empty_pb";

/** A message that a provider sent to the engine. */
export type StubLogEntry = LogRequest.AsObject;

/** As much of an engine as a provider process talks to. */
export interface EngineStub {
  address: string;
  logged: StubLogEntry[];
  /** Resolves with the first message, sent or still to come, that fits. */
  seen(fits: (message: StubLogEntry) => boolean): Promise<StubLogEntry>;
  /** Ends every connection, as an engine does that is killed. */
  kill(): void;
}

export async function startEngine(): Promise<EngineStub> {
  const logged: StubLogEntry[] = [];
  const waiting: { fits: (message: StubLogEntry) => boolean; resolve: (message: StubLogEntry) => void }[] = [];
  const server = new Server();
  server.addService(EngineService, {
    log: (call: { request: LogRequest }, callback: (error: null, answer: Empty) => void) => {
      const message = call.request.toObject();
      logged.push(message);
      for (const { fits, resolve } of waiting) if (fits(message)) resolve(message);
      callback(null, new Empty());
    },
  });
  const port = await new Promise<number>((resolve, reject) =>
    server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, bound) =>
      error ? reject(error) : resolve(bound),
    ),
  );
  return {
    address: `127.0.0.1:${port}`,
    logged,
    seen: (fits) => {
      const known = logged.find(fits);
      return known ? Promise.resolve(known) : new Promise((resolve) => waiting.push({ fits, resolve }));
    },
    kill: () => server.forceShutdown(),
  };
}
