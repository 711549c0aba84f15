import { createServer, type Server } from "node:net";
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
