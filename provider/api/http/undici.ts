import type { Dispatcher as ADispatcher, Agent as AnAgent, EnvHttpProxyAgent as AProxyAgent } from "undici";

/**
 * The HTTP client's connections without the rest of it, which takes three times as long to load: web sockets, caches,
 * mocks and a `fetch`. Its index puts the same files together in the same way; its version is pinned.
 */
export const Dispatcher = require("undici/lib/dispatcher/dispatcher.js") as typeof ADispatcher;
export const Agent = require("undici/lib/dispatcher/agent.js") as typeof AnAgent;
export const EnvHttpProxyAgent = require("undici/lib/dispatcher/env-http-proxy-agent.js") as typeof AProxyAgent;

Object.assign(Dispatcher.prototype, require("undici/lib/api/index.js"));
