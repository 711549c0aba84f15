const loopback = /^(localhost|[a-z0-9-]+\.localhost|\[?::1\]?|127\.\d+\.\d+\.\d+)\.?(:\d+)?$/i;

/**
 * Whether a `Host` header names this machine itself. A page of somebody else's may have had another name point here.
 */
export const isLoopbackHost = (host: string): boolean => loopback.test(host);
