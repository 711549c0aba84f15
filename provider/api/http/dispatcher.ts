import type { Dispatcher } from "undici";
import type { Environment } from "../../../io/files/user-folders";
import { isLoopback } from "../settings/base-url";
import { noProxy, proxyIn } from "./proxies";
import { defaultLimits, type Limits } from "./transport";
import { Agent, Dispatcher as AnyDispatcher, EnvHttpProxyAgent } from "./undici";

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
    noProxy: noProxy(env),
  });
  return new Forked(direct, proxied);
}

/** Routes requests to this machine one way, and all others the other. */
class Forked extends AnyDispatcher {
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
