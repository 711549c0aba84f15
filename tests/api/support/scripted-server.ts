import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface SeenRequest {
  method: string;
  url: string;
  headers: IncomingMessage["headers"];
  body: string;
}

export type Reply = (response: ServerResponse, request: SeenRequest) => void;

/** A server on this machine that answers one request after the other as told; the last reply stays. */
export interface ScriptedServer {
  url: string;
  port: number;
  seen: SeenRequest[];
  replies: Reply[];
  close(): Promise<void>;
}

export async function scriptedServer(...replies: Reply[]): Promise<ScriptedServer> {
  const seen: SeenRequest[] = [];
  const server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on("data", (piece: Buffer) => pieces.push(piece));
    request.on("error", () => {});
    request.on("end", () => {
      const entry = {
        method: request.method!,
        url: request.url!,
        headers: request.headers,
        body: Buffer.concat(pieces).toString(),
      };
      seen.push(entry);
      const reply = script.length > 1 ? script.shift()! : script[0]!;
      reply(response, entry);
    });
  });
  const script = replies;
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    seen,
    replies: script,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

export const json =
  (status: number, body: unknown, headers: Record<string, string> = {}): Reply =>
  (response) => {
    response.writeHead(status, { "content-type": "application/json", ...headers });
    response.end(JSON.stringify(body));
  };

export const raw =
  (status: number, body: string, headers: Record<string, string> = { "content-type": "application/json" }): Reply =>
  (response) => {
    response.writeHead(status, headers);
    response.end(body);
  };

/** Ends the connection before any answer. */
export const reset: Reply = (response) => response.socket?.destroy();

/** Never answers. */
export const hang: Reply = () => {};
