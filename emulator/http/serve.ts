import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { messageOf } from "../../provider/core/errors";
import { isLoopbackHost } from "../access";
import { errorResponse, permissionDenied } from "../refusals";
import { ApiError } from "../types";
import type { Control, ControlRequest } from "./control";
import type { Exchange, WireRequest } from "./exchange";
import { bytesOf, headerList, type Reply, replyTo, type Wire } from "./replies";
import { controlPrefix, isUpload, jsonIn, maxBodyBytes, tooLargeError } from "./requests";
import type { UploadRequest } from "./uploads";

/**
 * Answers a `Request` without a socket. A broken connection is a `TypeError` with the code of the socket's
 * error as its cause's `code`, as `fetch` has it.
 */
export async function fetchFrom(handler: RequestHandler, request: Request, after: Timer): Promise<Response> {
  const { pathname, searchParams } = new URL(request.url);
  if (isUpload(request.method, pathname)) {
    const upload = {
      path: pathname,
      query: new Map(searchParams),
      headers: Object.fromEntries(request.headers),
      body: (request.body ?? new Blob([]).stream()) as AsyncIterable<Uint8Array>,
    };
    return responseTo(await handler.upload(upload), request.signal, after);
  }
  const text = await request.text();
  const read = text.length > maxBodyBytes ? tooLargeError() : jsonIn(text, pathname);
  const unfit = read instanceof ApiError ? read : undefined;
  const headers = Object.fromEntries(request.headers);
  const common = {
    method: request.method,
    path: pathname,
    query: new Map(searchParams),
    headers,
    body: unfit ? undefined : read,
    unfit,
  };
  const reply = await (pathname.startsWith(controlPrefix)
    ? handler.control({ ...common, address: undefined })
    : handler.api(common));
  return responseTo(reply, request.signal, after);
}

async function responseTo(reply: Reply, signal: AbortSignal, after: Timer): Promise<Response> {
  const { status, text, wire } = reply;
  const bytes = bytesOf(reply);
  const init = { status, headers: toPairs(headerList(reply)) };
  switch (wire?.kind) {
    case undefined:
      return new Response(text === "" || bodiless.has(status) ? null : bytes, init);
    case "reset":
      throw connectionError("ECONNRESET");
    case "refuse":
      throw connectionError("ECONNREFUSED");
    case "hang":
      return silence(signal, wire.ms, after);
    case "stall":
      return new Response(
        halfOf(bytes, () => silence(signal, wire.ms, after)),
        init,
      );
    case "truncate":
      return new Response(
        halfOf(bytes, () => Promise.reject(connectionError("UND_ERR_SOCKET"))),
        init,
      );
  }
}

const toPairs = (list: readonly string[]): [string, string][] =>
  list.flatMap((name, at) => (at % 2 === 0 ? [[name, list[at + 1]!] as [string, string]] : []));

/** Statuses that come without a body. */
const bodiless: ReadonlySet<number> = new Set([204, 205, 304]);

const connectionError = (code: string): TypeError =>
  new TypeError("fetch failed", {
    cause: Object.assign(new Error(`the emulator broke the connection (${code})`), { code }),
  });

/** Never resolves; rejects once the request is aborted, or the connection breaks after `ms`. */
function silence(signal: AbortSignal, ms: number | undefined, after: Timer): Promise<never> {
  return new Promise((_, reject) => {
    const cancel = ms === undefined ? () => undefined : after(ms, () => reject(connectionError("ECONNRESET")));
    const abort = () => {
      cancel();
      reject(signal.reason as Error);
    };
    if (signal.aborted) abort();
    else signal.addEventListener("abort", abort, { once: true });
  });
}

function halfOf(bytes: Uint8Array, then: () => Promise<never>): ReadableStream<Uint8Array> {
  let sent = false;
  return new ReadableStream<Uint8Array>({
    pull: (controller) => {
      if (sent) return then().catch((error: unknown) => controller.error(error));
      sent = true;
      controller.enqueue(bytes.subarray(0, bytes.length >> 1));
      return undefined;
    },
  });
}

/** Entry point for requests, from sockets or from within the process. */
interface RequestHandler {
  /** Never throws and never rejects. */
  api(request: WireRequest): Reply | Promise<Reply>;
  /** Never throws and never rejects. */
  control(request: ControlRequest): Reply | Promise<Reply>;
  /** A file for the emulator's store. Never throws and never rejects. */
  upload(request: UploadRequest): Promise<Reply>;
  /** Receives bugs of the emulator itself. */
  onError(error: unknown): void;
}

export interface Answering {
  exchange: Exchange;
  control: Control;
  uploads: (request: UploadRequest) => Promise<Reply>;
}

interface RequestHandlerParts {
  /** Called by each request. */
  answering: () => Answering;
  sync: (() => Promise<void> | undefined) | undefined;
  onError: (error: unknown) => void;
}

export function createRequestHandler({ answering, sync, onError }: RequestHandlerParts): RequestHandler {
  const errorReply = (error: unknown): Reply => {
    onError(error);
    return replyTo({
      status: 500,
      body: { code: 13, message: `the emulator failed: ${messageOf(error)}`, details: [] },
    });
  };
  const catchErrors = (answer: () => Reply | Promise<Reply>): Reply | Promise<Reply> => {
    try {
      const reply = answer();
      return reply instanceof Promise ? reply.catch(errorReply) : reply;
    } catch (error) {
      return errorReply(error);
    }
  };
  return {
    api: (request) => catchErrors(() => answering().exchange.handle(request)),
    control: (request) =>
      catchErrors(() => {
        const reply = replyTo(answering().control(request));
        return sync?.()?.then(() => reply) ?? reply;
      }),
    upload: async (request) => {
      try {
        const reply = await answering().uploads(request);
        await sync?.();
        return reply;
      } catch (error) {
        return errorReply(error);
      }
    },
    onError,
  };
}

export interface ServeOptions {
  /** Default: 127.0.0.1. */
  host?: string;
  /** Default: 8787. 0 takes a free one. */
  port?: number;
}

export interface Listening {
  /** `http://127.0.0.1:8787`. */
  url: string;
  port: number;
  /** Stops accepting requests, answers those in flight, and releases the port. */
  close(): Promise<void>;
}

/** Calls back after so many milliseconds unless the returned function is called first. */
export type Timer = (ms: number, callback: () => void) => () => void;

/** How long requests in flight may take once the server closes, in milliseconds. */
const closingGrace = 1000;

/** Serves HTTP/1.1. What HTTP cannot express, such as a broken connection, is done here alone. */
export async function serve(
  handler: RequestHandler,
  { host = "127.0.0.1", port = 8787 }: ServeOptions,
  after: Timer,
): Promise<Listening> {
  const front = new Front(handler, after);
  const bound = await front.listen(port, host);
  return { url: `http://${host.includes(":") ? `[${host}]` : host}:${bound}`, port: bound, close: () => front.close() };
}

class Front {
  private readonly server: Server;
  /** Idle connections; they would keep a closing server open. */
  private readonly idle = new Set<Socket>();
  private place: { port: number; host: string } | undefined;
  /** Ends the period that refuses connections. */
  private reopening: (() => void) | undefined;

  constructor(
    private readonly handler: RequestHandler,
    private readonly after: Timer,
  ) {
    this.server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => this.receive(request, response));
  }

  async listen(port: number, host: string): Promise<number> {
    await new Promise<void>((listening, failed) => {
      const fail = (error: NodeJS.ErrnoException) => failed(listenFailure(error, host, port));
      this.server.once("error", fail);
      this.server.listen(port, host, () => {
        this.server.off("error", fail);
        listening();
      });
    });
    this.place = { port: (this.server.address() as AddressInfo).port, host };
    return this.place.port;
  }

  async close(): Promise<void> {
    this.reopening?.();
    if (!this.server.listening) return;
    const closed = new Promise<void>((resolve) => this.server.close(() => resolve()));
    for (const socket of this.idle) socket.destroy();
    const cancel = this.after(closingGrace, () => this.server.closeAllConnections());
    await closed;
    cancel();
  }

  private receive(request: IncomingMessage, response: ServerResponse): void {
    const { headers, method = "GET", url = "/" } = request;
    const upload = isUpload(method, url);
    // The control plane has rules of its own.
    const isControl = !upload && url.startsWith(controlPrefix);
    if (!isControl && this.isForeignHost(headers.host))
      return this.send(request, response, this.foreignHostReply(headers.host));
    if (upload) return this.receiveUpload(request, response);
    if (headers["content-length"] === undefined && headers["transfer-encoding"] === undefined)
      return this.respond(request, response, undefined);
    const chunks: Buffer[] = [];
    let size = 0;
    request.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size <= maxBodyBytes) chunks.push(chunk);
    });
    request.on("end", () =>
      this.respond(
        request,
        response,
        size > maxBodyBytes ? tooLargeError() : jsonIn(Buffer.concat(chunks).toString("utf8"), url),
      ),
    );
  }

  /** A loopback server answers only to loopback names: any other was made to resolve here by a foreign page. */
  private isForeignHost(host: string | undefined): boolean {
    return host !== undefined && this.place !== undefined && isLoopbackHost(this.place.host) && !isLoopbackHost(host);
  }

  private foreignHostReply(host: string | undefined): Reply {
    const reason = permissionDenied(`the emulator is not called \`${host}\`; use the address that it printed`);
    return replyTo(errorResponse(reason, "flat"));
  }

  /** Files are counted while they stream. */
  private receiveUpload(request: IncomingMessage, response: ServerResponse): void {
    const { path, query } = targetOf(request.url ?? "/");
    const upload = {
      path,
      query,
      headers: request.headers as Record<string, string>,
      body: request as AsyncIterable<Buffer>,
    };
    void this.handler.upload(upload).then((reply) => this.send(request, response, reply));
  }

  /** `body` is what was read, or why it could not be. */
  private respond(request: IncomingMessage, response: ServerResponse, body: unknown): void {
    const { method = "GET", url = "/" } = request;
    const headers = request.headers as Record<string, string>;
    const { path, query } = targetOf(url);
    const unfit = body instanceof ApiError ? { body: undefined, unfit: body } : { body };
    const reply = path.startsWith(controlPrefix)
      ? this.handler.control({ method, path, query, headers, address: request.socket.remoteAddress ?? "", ...unfit })
      : this.handler.api({ method, path, query, headers, ...unfit });
    if (!(reply instanceof Promise)) return this.send(request, response, reply);
    void reply.then((ready) => this.send(request, response, ready));
  }

  private send(request: IncomingMessage, response: ServerResponse, reply: Reply): void {
    const { status, wire } = reply;
    if (wire) return this.spoil(request.socket, response, reply, wire);
    const headers = headerList(reply);
    const bytes = reply.encoding === undefined ? reply.text : bytesOf(reply);
    headers.push("content-length", String(Buffer.byteLength(bytes)));
    response.writeHead(status, headers);
    response.end(bytes);
  }

  private spoil(socket: Socket, response: ServerResponse, reply: Reply, wire: Wire): void {
    switch (wire.kind) {
      case "reset":
        socket.resetAndDestroy();
        return;
      case "refuse":
        this.refuse(wire.ms);
        return;
      case "hang":
        this.hang(socket, wire.ms);
        return;
      case "stall":
        sendHalf(response, reply);
        this.hang(socket, wire.ms);
        return;
      case "truncate":
        sendHalf(response, reply, () => socket.destroy());
        return;
    }
  }

  /** Keeps a connection open and silent until the client closes it, or for `ms`. */
  private hang(socket: Socket, ms: number | undefined): void {
    this.idle.add(socket);
    const cancel = ms === undefined ? () => undefined : this.after(ms, () => socket.destroy());
    socket.once("close", () => {
      this.idle.delete(socket);
      cancel();
    });
  }

  /** Breaks all connections and refuses new ones for `ms`. */
  private refuse(ms: number): void {
    const { place } = this;
    this.server.close();
    this.server.closeAllConnections();
    this.reopening = this.after(ms, () => {
      this.reopening = undefined;
      if (place) this.listen(place.port, place.host).catch((error: unknown) => this.handler.onError(error));
    });
  }
}

function targetOf(url: string): { path: string; query: ReadonlyMap<string, string> } {
  const mark = url.indexOf("?");
  if (mark < 0) return { path: url, query: noQuery };
  return { path: url.slice(0, mark), query: new Map(new URLSearchParams(url.slice(mark + 1))) };
}

const noQuery: ReadonlyMap<string, string> = new Map();

function sendHalf(response: ServerResponse, reply: Reply, sent?: () => void): void {
  const bytes = Buffer.from(reply.text);
  response.writeHead(reply.status, [...headerList(reply), "content-length", String(Math.max(2, bytes.length))]);
  response.flushHeaders();
  response.write(bytes.subarray(0, Math.max(1, bytes.length >> 1)), () => sent?.());
}

function listenFailure(error: NodeJS.ErrnoException, host: string, port: number): Error {
  if (error.code === "EADDRINUSE")
    return new Error(
      `port ${port} of ${host} is in use; stop what listens there, or give another one with --port (0 takes a free one)`,
      { cause: error },
    );
  if (error.code === "EACCES")
    return new Error(`this user may not listen on port ${port}; use a port above 1023 (--port)`, {
      cause: error,
    });
  if (error.code === "EADDRNOTAVAIL" || error.code === "ENOTFOUND")
    return new Error(`${host} is not an address of this machine; give another one with --host`, { cause: error });
  return error;
}
