import type { Dispatcher } from "undici";
import type { Environment } from "../../../io/files/user-folders";
import { isLoopback } from "../settings/base-url";
import { type ClientCertificate, clientCertificate } from "./client-certificate";
import { noProxy, proxyIn } from "./proxies";
import { defaultLimits, type Limits } from "./transport";
import { Agent, Dispatcher as AnyDispatcher, EnvHttpProxyAgent } from "./undici";

/**
 * Connections of which only those to `identified` origins present the client certificate of the environment: addresses
 * for uploads, for one, lead elsewhere.
 */
export function createDispatcher(
  env: Environment,
  limits: Limits = defaultLimits,
  identified: ReadonlySet<string> = new Set(),
): Dispatcher {
  const anonymous = proxying(env, limits);
  const certificate = identified.size === 0 ? undefined : clientCertificate(env);
  if (certificate === undefined) return anonymous;
  return new Forked(({ origin }) => identified.has(origin), proxying(env, limits, certificate), anonymous);
}

/**
 * Connections that honour the usual proxy variables; this machine itself is never reached through a proxy, whichever
 * way it is spelt: the key would travel to it in clear. Node itself reads `NODE_EXTRA_CA_CERTS`.
 */
function proxying(env: Environment, limits: Limits, certificate?: ClientCertificate): Dispatcher {
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
  return new Forked(({ hostname }) => isLoopback(hostname), new Agent(common), proxied);
}

const proxyFor = (env: Environment, lower: string): string =>
  (proxyIn(env, lower) ?? proxyIn(env, "all_proxy"))?.href ?? "";

/** Routes requests to some origins one way, and all others the other. */
class Forked extends AnyDispatcher {
  constructor(
    private readonly isChosen: (origin: URL) => boolean,
    private readonly chosen: Dispatcher,
    private readonly others: Dispatcher,
  ) {
    super();
  }

  override dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    const way = this.isChosen(new URL(String(options.origin))) ? this.chosen : this.others;
    return way.dispatch(options, handler);
  }

  override async close(): Promise<void> {
    await Promise.all([this.chosen.close(), this.others.close()]);
  }

  override async destroy(): Promise<void> {
    await Promise.all([this.chosen.destroy(), this.others.destroy()]);
  }
}
