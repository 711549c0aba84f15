import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A request that a registry answers. */
export interface Asked {
  method: string;
  path: string;
  headers: IncomingMessage["headers"];
  body: Buffer;
}

export interface Answer {
  status: number;
  body?: string | Buffer;
  type?: string;
}

/** A registry that speaks HTTP on this machine alone. */
export interface Loopback {
  url: string;
  close(): Promise<void>;
}

export async function serve(answer: (asked: Asked, url: string) => Answer | Promise<Answer>): Promise<Loopback> {
  const server = createServer((request, response) => void respond(request, response));
  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { method = "GET", url: path = "/", headers } = request;
    const {
      status,
      body = "",
      type = "text/plain",
    } = await answer({ method, path, headers, body: Buffer.concat(chunks) }, url);
    response.writeHead(status, { "content-type": type }).end(body);
  }
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return { url, close };
}

/** The files of a form that was sent. */
export async function filesOf({ headers, body }: Asked): Promise<File[]> {
  const form = await new Response(body, { headers: { "content-type": headers["content-type"]! } }).formData();
  return [...form.values()].filter((value): value is File => typeof value !== "string");
}
