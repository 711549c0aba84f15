import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { IncomingMessage } from "node:http";

export interface Counts {
  requests: number;
  writes: number;
}

export interface RequestCounter {
  /** Since the last call. */
  take(): Counts;
  stop(): void;
}

const channel = "http.server.request.start";

/** Counts what reaches the servers of this process at `url`, however much that is. */
export function requestCounter(url: string): RequestCounter {
  const { port } = new URL(url);
  let counts: Counts = { requests: 0, writes: 0 };
  const count = (message: unknown): void => {
    const { request } = message as { request: IncomingMessage };
    if (String(request.socket.localPort) !== port || request.url?.startsWith("/_emulator")) return;
    counts.requests += 1;
    if (request.method !== "GET") counts.writes += 1;
  };
  subscribe(channel, count);
  return {
    take: () => {
      const taken = counts;
      counts = { requests: 0, writes: 0 };
      return taken;
    },
    stop: () => unsubscribe(channel, count),
  };
}
