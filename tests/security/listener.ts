import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** A server of the attacker's on this machine, and what it was sent. */
export async function listener<T>(work: (url: string, seen: string[]) => Promise<T>): Promise<T> {
  const seen: string[] = [];
  const server = createServer((request, response) => {
    seen.push(`${request.url} ${request.headers.authorization}`);
    response.writeHead(404).end("{}");
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  try {
    return await work(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}
