import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";

/** A request that has arrived, before the service sees it. */
export interface Arriving {
  method: string;
  path: string;
  query: Readonly<Record<string, string>>;
  body: unknown;
}

/** Resolves once the request may continue; `drop` takes it to the service and keeps the answer back. */
export type RequestInterceptor = (arriving: Arriving) => Promise<"pass" | "drop" | "keep">;

/** What stands before a service and sees each request first, in the order of their arrival. */
export interface Front {
  url: string;
  close(): Promise<void>;
}

/**
 * `keep` takes a request to nobody. Nothing of an answer is changed, and a
 * connection that breaks behind breaks in front.
 */
export async function openFront(behind: string, look: RequestInterceptor): Promise<Front> {
  const server = createServer((incoming, outgoing) => void pass(incoming, outgoing).catch(() => outgoing.destroy()));
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));

  async function pass(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const bytes = await buffer(incoming);
    const { pathname, searchParams } = new URL(incoming.url!, behind);
    const fate = await look({
      method: incoming.method!,
      path: pathname,
      query: Object.fromEntries(searchParams),
      body: bytes.length > 0 ? JSON.parse(bytes.toString("utf8")) : undefined,
    });
    if (fate === "keep") return;
    const onward = request(`${behind}${incoming.url!}`, { method: incoming.method!, headers: incoming.headers });
    onward.on("error", () => outgoing.destroy());
    onward.on("response", (answer) => {
      answer.on("error", () => outgoing.destroy());
      if (fate === "drop") return void answer.resume();
      outgoing.writeHead(answer.statusCode!, answer.headers);
      answer.pipe(outgoing);
      answer.on("aborted", () => outgoing.destroy());
    });
    outgoing.on("close", () => onward.destroy());
    onward.end(bytes);
  }

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}
