import type { LookupFunction } from "node:net";
import type { Agent as AnAgent, EnvHttpProxyAgent as AProxyAgent, Dispatcher } from "undici";
import type { Environment } from "../../../io/files/user-folders";
import { type ClientCertificate, isLoopback, noProxy, proxyIn, readClientCertificate } from "../settings/endpoint";
import { defaultLimits, type Limits } from "./transport";

/**
 * The HTTP client's connections without the rest of it, which takes three times as long to load: web sockets, caches,
 * mocks and a `fetch`. Its index puts the same files together in the same way; its version is pinned.
 */
const AnyDispatcher = require("undici/lib/dispatcher/dispatcher.js") as typeof Dispatcher;
const Agent = require("undici/lib/dispatcher/agent.js") as typeof AnAgent;
const EnvHttpProxyAgent = require("undici/lib/dispatcher/env-http-proxy-agent.js") as typeof AProxyAgent;

Object.assign(AnyDispatcher.prototype, require("undici/lib/api/index.js"));

/**
 * Only connections to `identified` origins present the client certificate of the environment: addresses for uploads,
 * for one, lead elsewhere.
 */
export function createDispatcher(
  env: Environment,
  limits: Limits = defaultLimits,
  identified: ReadonlySet<string> = new Set(),
): Dispatcher {
  const anonymous = proxyDispatcher(env, limits);
  const certificate = identified.size === 0 ? undefined : readClientCertificate(env);
  if (certificate === undefined) return anonymous;
  return new RoutingDispatcher(
    ({ origin }) => identified.has(origin),
    proxyDispatcher(env, limits, certificate),
    anonymous,
  );
}

/**
 * Connections that honour the usual proxy variables. This machine itself, in any spelling, is never reached through a
 * proxy: the key would travel to it in clear. Node itself reads `NODE_EXTRA_CA_CERTS`.
 */
function proxyDispatcher(env: Environment, limits: Limits, certificate?: ClientCertificate): Dispatcher {
  const connect = { timeout: limits.connect };
  const identified = { ...connect, ...certificate };
  const common = {
    connections: limits.connections,
    connect: identified,
    headersTimeout: limits.headers,
    bodyTimeout: limits.body,
  };
  const proxied = new EnvHttpProxyAgent({
    ...common,
    proxyTls: connect,
    requestTls: identified,
    httpProxy: proxyFor(env, "http_proxy"),
    httpsProxy: proxyFor(env, "https_proxy"),
    noProxy: noProxy(env),
  });
  const local = new Agent({ ...common, connect: { ...identified, lookup: lookupLoopback } });
  return new RoutingDispatcher(({ hostname }) => isLoopback(hostname), local, proxied);
}

/** `localhost` and names below it are this machine, regardless of resolvers: plain http is accepted for them. */
const lookupLoopback: LookupFunction = (_, { all }, callback) =>
  all
    ? callback(null, [
        { address: "127.0.0.1", family: 4 },
        { address: "::1", family: 6 },
      ])
    : callback(null, "127.0.0.1", 4);

const proxyFor = (env: Environment, lower: string): string =>
  (proxyIn(env, lower) ?? proxyIn(env, "all_proxy"))?.href ?? "";

/** Routes requests to some origins one way, and all others the other. */
class RoutingDispatcher extends AnyDispatcher {
  private readonly ways = new Map<string, Dispatcher>();

  constructor(
    private readonly isChosen: (origin: URL) => boolean,
    private readonly chosen: Dispatcher,
    private readonly others: Dispatcher,
  ) {
    super();
  }

  override dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    const origin = String(options.origin);
    const way = this.ways.get(origin) ?? (this.isChosen(new URL(origin)) ? this.chosen : this.others);
    this.ways.set(origin, way);
    return way.dispatch(options, handler);
  }

  override async close(): Promise<void> {
    await Promise.all([this.chosen.close(), this.others.close()]);
  }

  override async destroy(): Promise<void> {
    await Promise.all([this.chosen.destroy(), this.others.destroy()]);
  }
}
