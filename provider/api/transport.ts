import { Buffer } from "node:buffer";
import { Readable } from "node:stream";
import { Agent, Dispatcher, EnvHttpProxyAgent } from "undici";
import { ConfigurationError } from "../core/errors";
import { isLoopback } from "./base-url";
import { NetworkFault, networkFault } from "./network-faults";

export interface HttpRequest {
  origin: string;
  method: string;
  /** With query, percent-encoded. */
  path: string;
  headers: Readonly<Record<string, string>>;
  /**
   * Pieces are sent as they come, no faster than the other end takes them;
   * `content-length` MUST be among the headers then.
   */
  body?: string | AsyncIterable<Uint8Array>;
  /** Milliseconds from the last piece to the headers of the answer, where that takes other than the usual limit. */
  headersTimeout?: number;
  signal?: AbortSignal;
  /** The call that it is sent for; absent for the upload of a file. */
  call?: { operation: string; attempt: number; waited: number };
  /** Filled in while it is under way. */
  timing?: Timing;
}

/** Milliseconds since 1970. */
export interface Timing {
  now(): number;
  begun: number;
  /** A connection had it. */
  sent?: number;
  /** The headers of the answer were there. */
  answered?: number;
}

export interface HttpAnswer {
  status: number;
  /** By lower-case name. */
  headers: Readonly<Record<string, string | undefined>>;
  text: string;
}

/**
 * Sends one request and reads its answer. Rejects with a `NetworkFault`, or with the signal's reason when that aborts.
 */
export type Send = (request: HttpRequest) => Promise<HttpAnswer>;

export interface Limits {
  /** Milliseconds. */
  connect: number;
  /** Milliseconds from the request to the headers of the answer. */
  headers: number;
  /** Milliseconds between two pieces of the answer's body. */
  body: number;
  /** Bytes of an answer. */
  size: number;
  /** Connections per origin, kept open between requests. */
  connections: number;
}

export const defaultLimits: Limits = {
  connect: 10_000,
  headers: 30_000,
  body: 60_000,
  size: 10 * 1024 * 1024,
  connections: 16,
};

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Connections that honour the usual proxy variables; this machine itself is never reached through a proxy, whichever
 * way it is spelt: the key would travel to it in clear. Node itself reads `NODE_EXTRA_CA_CERTS`.
 */
export function createDispatcher(env: Environment, limits: Limits = defaultLimits): Dispatcher {
  const connect = { timeout: limits.connect };
  const common = {
    connections: limits.connections,
    connect,
    headersTimeout: limits.headers,
    bodyTimeout: limits.body,
  };
  const direct = new Agent(common);
  const proxied = new EnvHttpProxyAgent({
    ...common,
    proxyTls: connect,
    requestTls: connect,
    httpProxy: proxyIn(env, "http_proxy")?.href ?? "",
    httpsProxy: proxyIn(env, "https_proxy")?.href ?? "",
    noProxy: variable(env, "no_proxy").value,
  });
  return new Forked(direct, proxied);
}

/** Takes requests to this machine one way and all others the other. */
class Forked extends Dispatcher {
  constructor(
    private readonly here: Dispatcher,
    private readonly elsewhere: Dispatcher,
  ) {
    super();
  }

  override dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    const local = isLoopback(new URL(String(options.origin)).hostname);
    return (local ? this.here : this.elsewhere).dispatch(options, handler);
  }

  override async close(): Promise<void> {
    await Promise.all([this.here.close(), this.elsewhere.close()]);
  }

  override async destroy(): Promise<void> {
    await Promise.all([this.here.destroy(), this.elsewhere.destroy()]);
  }
}

function variable(env: Environment, lower: string): { name: string; value: string } {
  const name = env[lower] !== undefined ? lower : lower.toUpperCase();
  return { name, value: env[name] ?? "" };
}

/**
 * A proxy by its variable; what is not a valid proxy URL is refused without
 * being shown, because it may hold a password.
 */
function proxyIn(env: Environment, lower: string): URL | undefined {
  const { name, value } = variable(env, lower);
  if (value === "") return undefined;
  const url = URL.canParse(value) ? new URL(value) : undefined;
  if (url && /^(https?|socks5?):$/.test(url.protocol) && !/%(?![0-9a-f]{2})/i.test(url.username + url.password))
    return url;
  throw new ConfigurationError(`the environment variable \`${name}\` is not a valid proxy URL`, {
    advice: "Give a URL such as `http://proxy.example.com:3128`, or unset it.",
  });
}

/** The credentials in proxy variables, which must not be printed. */
export function proxySecrets(env: Environment): string[] {
  return ["http_proxy", "https_proxy"].flatMap((lower) => {
    const { username = "", password = "" } = proxyIn(env, lower) ?? {};
    const [name, secret] = [username, password].map(decodeURIComponent);
    return password === "" ? [] : [password, secret!, Buffer.from(`${name}:${secret}`).toString("base64")];
  });
}

export function createSend(dispatcher: Dispatcher, limits: Limits = defaultLimits): Send {
  return async ({ signal, call: _, timing, ...request }) => {
    const host = new URL(request.origin).host;
    try {
      const body = typeof request.body === "object" ? Readable.from(request.body, { objectMode: false }) : request.body;
      const answer = await (timing ? dispatcher.compose(noting(timing)) : dispatcher).request({
        ...request,
        body: body ?? null,
        headers: { ...request.headers },
        ...(signal && { signal }),
      });
      if (timing) timing.answered = timing.now();
      const headers = singleHeaders(answer.headers);
      const found = {
        status: answer.statusCode,
        ...(headers["x-request-id"] !== undefined && { requestId: headers["x-request-id"] }),
      };
      if (answer.statusCode >= 300 && answer.statusCode < 400 && !isIncomplete(answer.statusCode, headers)) {
        await answer.body.dump();
        throw new NetworkFault(
          "redirect",
          `answered ${answer.statusCode}, a redirect${targetOf(headers["location"], request.origin)}`,
          found,
        );
      }
      return { status: answer.statusCode, headers, text: await textOf(answer.body, limits.size, found) };
    } catch (error) {
      if (signal?.aborted) throw signal.reason;
      throw error instanceof NetworkFault ? error : networkFault(error, host);
    }
  };
}

const noting =
  (timing: Timing): Dispatcher.DispatcherComposeInterceptor =>
  (dispatch) =>
  (options, handler) =>
    dispatch(options, {
      onRequestStart: (...args) => {
        timing.sent = timing.now();
        handler.onRequestStart?.(...args);
      },
      onResponseStart: (...args) => handler.onResponseStart?.(...args),
      onResponseData: (...args) => handler.onResponseData?.(...args),
      onResponseEnd: (...args) => handler.onResponseEnd?.(...args),
      onResponseError: (...args) => handler.onResponseError?.(...args),
    });

/** A 308 that leads nowhere says how far an upload that can be resumed has come. */
const isIncomplete = (status: number, headers: HttpAnswer["headers"]): boolean =>
  status === 308 && headers["location"] === undefined;

/** Reads a body up to a ceiling, whichever way it was sent. */
async function textOf(
  body: Dispatcher.ResponseData["body"],
  ceiling: number,
  found: NetworkFault["answer"],
): Promise<string> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of body as AsyncIterable<Buffer>) {
    size += piece.length;
    if (size > ceiling)
      throw new NetworkFault("oversize", `answered more than ${Math.floor(ceiling / 1024 / 1024)} MB`, found);
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString("utf8");
}

function singleHeaders(headers: Dispatcher.ResponseData["headers"]): Record<string, string | undefined> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), Array.isArray(value) ? value[0] : value]),
  );
}

/** Only the origin of a redirect is shown: its query may hold credentials. */
function targetOf(location: string | undefined, origin: string): string {
  if (location === undefined || !URL.canParse(location, origin)) return "";
  const target = new URL(location, origin);
  return target.origin === origin ? " to another path" : ` to ${target.origin}`;
}
