import { maxHeaderSize } from "node:http";
import { isOutOfFiles, moreFilesRemedy } from "../../../io/files/disk-error";
import type { Guidance } from "../../core/errors";

/** Why there is no usable response. */
export type NetworkErrorKind =
  /** No connection was made, so nothing was sent. */
  | "unreachable"
  /** No connection was made: the process has as many files open as it may. */
  | "files"
  | "tls"
  /** The service requires a client certificate. */
  | "identity"
  | "proxy"
  /** Sent, and no response in time. */
  | "timeout"
  /** Sent, and the connection ended before the response did. */
  | "lost"
  | "oversize"
  /** Headers beyond the limit of Node.js. */
  | "headers"
  /** 100 Continue, for which no request asked: the HTTP library ends the connection. */
  | "continue"
  /** A response that leads elsewhere. */
  | "redirect"
  /** A response whose encoding cannot be undone. */
  | "packed"
  /** A response that cannot be read as JSON. */
  | "unreadable"
  /** The same such response once more. */
  | "garbled"
  /** A page for a browser. */
  | "html";

/** A request without a usable response. Internal to this layer; the client turns it into the error that callers see. */
export class NetworkError extends Error {
  override readonly name = "NetworkFault";
  constructor(
    readonly kind: NetworkErrorKind,
    message: string,
    readonly response: { status?: number; requestId?: string | undefined } = {},
    options?: { cause?: unknown },
  ) {
    super(message, options);
  }
}

/** Errors that may pass; the others need someone to act. */
export const transientErrors: ReadonlySet<NetworkErrorKind> = new Set<NetworkErrorKind>([
  "unreachable",
  "timeout",
  "lost",
  "unreadable",
]);

/** What to do about a fault. */
export const networkGuidance = (kind: NetworkErrorKind): Guidance => ({
  advice: networkErrorAdvice[kind],
  topic: ["redirect", "unreadable", "garbled", "html", "packed", "headers", "continue"].includes(kind)
    ? "the-answer-is-not-the-apis"
    : "no-connection",
});

const notTheApi = "Check that the base URL points to the API, and check proxies in between.";

const networkErrorAdvice: Readonly<Record<NetworkErrorKind, string>> = {
  unreachable:
    "Check the base URL, that the service runs, and the network; behind a proxy, `HTTPS_PROXY` and `NO_PROXY`.",
  files: `${moreFilesRemedy}, and run the command again.`,
  tls: "The connection cannot be trusted: check the base URL; for a certificate authority of your own, name its file in `NODE_EXTRA_CA_CERTS`.",
  identity:
    "The service asks for a client certificate: name its PEM files in `MODELPLATFORM_CLIENT_CERT` and `MODELPLATFORM_CLIENT_KEY`.",
  proxy:
    "Check the proxy in `HTTPS_PROXY`, `HTTP_PROXY` or `ALL_PROXY` and its credentials, or exempt the service with `NO_PROXY`.",
  timeout: "The service or the network is slow: try again.",
  lost: "Try again; if it lasts, check load balancers in between, and whether the service asks for a client certificate (`MODELPLATFORM_CLIENT_CERT`).",
  headers:
    "Have the service, or a proxy, send smaller headers, such as fewer cookies, or set `NODE_OPTIONS=--max-http-header-size=65536`.",
  continue: "Have the service, or the proxy in between, send no `100 Continue` to requests without `Expect`.",
  oversize: "Ask for less at once with `pageSize` or `readMask`; otherwise check that the base URL points to the API.",
  redirect:
    "Redirects are not followed, because the key would be sent along: set the base URL to the service's real address.",
  packed: "Have the service, or the proxy in between, answer as the request's `Accept-Encoding` says.",
  unreadable: notTheApi,
  garbled: notTheApi,
  html: "That is not the API: check the base URL, and whether a proxy or a sign-in page answers instead.",
};

const notConnected: ReadonlySet<string> = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EAI_FAIL",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "EHOSTDOWN",
  "ENETDOWN",
  "EADDRNOTAVAIL",
  "ETIMEDOUT",
  "UND_ERR_CONNECT_TIMEOUT",
]);
const tooManyHeaders: ReadonlySet<string> = new Set(["UND_ERR_HEADERS_OVERFLOW", "HPE_HEADER_OVERFLOW"]);
/** What the HTTP library says of it, and of nothing else. */
const unaskedContinue = "bad response";
const timedOut: ReadonlySet<string> = new Set(["UND_ERR_HEADERS_TIMEOUT", "UND_ERR_BODY_TIMEOUT"]);
const unidentified =
  /^ERR_SSL_.*(?:ALERT_(?:CERTIFICATE_REQUIRED|HANDSHAKE_FAILURE|UNKNOWN_CA|CERTIFICATE_UNKNOWN)|BAD_CERTIFICATE)$/;
const untrusted = /^(ERR_TLS|ERR_SSL|CERT_|UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO|HOSTNAME_MISMATCH|EPROTO$)/;

/** What an error of the HTTP library means, by the codes along its chain of causes. */
export function toNetworkError(error: unknown, host: string): NetworkError {
  const errors = chain(error);
  const codes = errors.flatMap(({ code }) => (typeof code === "string" ? [code] : []));
  const fault = (kind: NetworkErrorKind, text: string): NetworkError =>
    new NetworkError(kind, `${text}${codes[0] === undefined ? "" : ` (${codes[0]})`}`, {}, { cause: error });
  if (codes.includes("UND_ERR_PRX_TLS") || errors.some(({ message }) => /\bproxy\b/i.test(message)))
    return fault("proxy", `got no connection through the proxy to ${host}${proxyStatus(errors)}`);
  if (codes.some((code) => unidentified.test(code)))
    return fault("identity", `was not accepted as a connection by ${host}`);
  if (codes.some((code) => untrusted.test(code))) return fault("tls", `got no trusted connection to ${host}`);
  if (errors.some(isOutOfFiles)) return fault("files", `got no connection to ${host}`);
  if (codes.some((code) => notConnected.has(code))) return fault("unreachable", `got no connection to ${host}`);
  if (codes.some((code) => tooManyHeaders.has(code)))
    return fault("headers", `got headers larger than ${Math.floor(maxHeaderSize / 1024)} kB from ${host}`);
  if (errors.some(({ message }) => message === unaskedContinue))
    return fault("continue", `got 100 Continue from ${host}, for which it did not ask`);
  if (codes.some((code) => timedOut.has(code))) return fault("timeout", `got no complete answer in time from ${host}`);
  return fault("lost", `lost the connection to ${host} before the answer was complete`);
}

/** An error by its members: its class may come from another realm. */
interface ErrorLike {
  message: string;
  code?: unknown;
  cause?: unknown;
  errors?: readonly unknown[];
}

const isErrorLike = (value: unknown): value is ErrorLike =>
  typeof value === "object" && value !== null && typeof (value as ErrorLike).message === "string";

const proxyStatus = (errors: readonly ErrorLike[]): string =>
  errors
    .flatMap(({ message }) => /\((\d{3})\)/.exec(message)?.[1] ?? [])
    .map((status) => `, which answered ${status}`)[0] ?? "";

function chain(error: unknown, before: readonly ErrorLike[] = []): ErrorLike[] {
  if (!isErrorLike(error) || before.includes(error)) return [];
  const seen = [...before, error];
  return [error, ...[error.cause, ...(error.errors ?? [])].flatMap((next) => chain(next, seen))];
}
