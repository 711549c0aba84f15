import { createServer, type Server } from "node:net";
import { Server as EngineServer, ServerCredentials } from "@grpc/grpc-js";
import { LogRequest } from "@pulumi/pulumi/proto/engine_pb";
import { linkEngine } from "../../provider/pulumi/engine-link";

const listening = (server: Server): Promise<number> =>
  new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve((server.address() as { port: number }).port)));

test("an engine that is killed before the first connection stands is gone", async () => {
  const server = createServer();
  const port = await listening(server);
  await new Promise((resolve) => server.close(resolve));
  const link = linkEngine(`127.0.0.1:${port}`);
  await new Promise<void>((lost) => link.watch(lost, 50));
  link.close();
});

test("escape sequences in what is logged reach the engine spelled out", async () => {
  const messages: string[] = [];
  const engine = new EngineServer();
  const log = {
    path: "/pulumirpc.Engine/Log",
    requestStream: false,
    responseStream: false,
    requestSerialize: (request: LogRequest) => Buffer.from(request.serializeBinary()),
    requestDeserialize: (bytes: Buffer) => LogRequest.deserializeBinary(bytes),
    responseSerialize: () => Buffer.alloc(0),
    responseDeserialize: () => undefined,
  } as const;
  engine.addService(
    { log },
    {
      log: ({ request }: { request: LogRequest }, answer: (error: null, value: object) => void) => {
        messages.push(request.getMessage());
        answer(null, {});
      },
    },
  );
  const port = await new Promise<number>((resolve, reject) =>
    engine.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, bound) =>
      error ? reject(error) : resolve(bound),
    ),
  );
  const link = linkEngine(`127.0.0.1:${port}`);
  await link.log({ text: "named \u001b[2J\u202e", severity: "warning", urn: "", ephemeral: false });
  link.close();
  engine.forceShutdown();
  expect(messages).toEqual(["named \\u001b[2J\\u202e"]);
});
