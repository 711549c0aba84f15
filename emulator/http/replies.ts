import { brotliCompressSync, gzipSync } from "node:zlib";
import { errorResponse } from "../refusals";
import { ApiError, type ApiResponse, type ErrorStyle } from "../types";
import type { Fault, FaultKind } from "./faults";

/** What happens to the connection instead of a plain response. After `ms`, if set, the connection breaks. */
export type Wire =
  | { kind: "reset" }
  | { kind: "refuse"; ms: number }
  | { kind: "hang"; ms?: number }
  | { kind: "stall"; ms?: number }
  | { kind: "truncate" };

/** An answer ready for the wire. Header names are in lower case. */
export interface Reply {
  status: number;
  headers: Readonly<Record<string, string>>;
  text: string;
  /** Goes into `x-request-id`. */
  id?: string | undefined;
  /** The emulator that answers; goes into `x-emulator-instance`. */
  instance?: string;
  /** Time of the world's clock, for `date`. */
  time?: number;
  /** Compresses the text. */
  encoding?: "gzip" | "br" | undefined;
  wire?: Wire;
}

/** The headers as names and values in turn, request id and date among them. */
export function headerList({ headers, id, instance, time, encoding }: Reply): string[] {
  const list = id === undefined ? [] : ["x-request-id", id];
  if (instance !== undefined) list.push("x-emulator-instance", instance);
  if (encoding !== undefined) list.push("content-encoding", encoding);
  if (time !== undefined && headers["date"] === undefined) list.push("date", httpDate(time));
  for (const name in headers) list.push(name, headers[name]!);
  return list;
}

/** The body as it is sent. */
export function bytesOf({ text, encoding }: Reply): Buffer {
  const bytes = Buffer.from(text);
  if (encoding === undefined) return bytes;
  return encoding === "gzip" ? gzipSync(bytes) : brotliCompressSync(bytes);
}

const lastDate = { second: Number.NaN, text: "" };

/** HTTP dates have a resolution of one second. */
function httpDate(time: number): string {
  const second = Math.floor(time / 1000);
  if (lastDate.second !== second) Object.assign(lastDate, { second, text: new Date(second * 1000).toUTCString() });
  return lastDate.text;
}

const json = "application/json";
const page = "text/html; charset=utf-8";

const plainHeaders = { "content-type": json };

const texts = new WeakMap<object, string>();

/** The answer as text, cached for repeated answers. */
export function replyTo(answer: ApiResponse): Reply {
  const { status, body, headers } = answer;
  if (headers?.["content-type"] !== undefined)
    return { status, headers, text: typeof body === "string" ? body : (JSON.stringify(body) ?? "") };
  return { status, headers: headers ? { "content-type": json, ...headers } : plainHeaders, text: jsonOf(body) };
}

function jsonOf(body: unknown): string {
  if (body === undefined) return "";
  if (typeof body !== "object" || body === null) return JSON.stringify(body);
  let text = texts.get(body);
  if (text === undefined) texts.set(body, (text = JSON.stringify(body)));
  return text;
}

/** gRPC numbers by HTTP status (A091), for faults that give a status alone. */
const codes: Readonly<Record<number, number>> = {
  400: 3,
  401: 16,
  403: 7,
  404: 5,
  408: 4,
  409: 10,
  429: 8,
  499: 1,
  500: 13,
  501: 12,
  502: 14,
  503: 14,
  504: 4,
};

/** The response that a fault turns `reply` into, which is what the request would have got or did get. */
type Spoil = (reply: Reply, fault: Fault, about: { path: string; style: ErrorStyle }) => Reply;

const failWithStatus: Spoil = (_, { status = 500, body, headers = {} }, { style }) => {
  const answer = (): ApiResponse => {
    if (typeof body === "string") return { status, body, headers: { "content-type": "text/plain; charset=utf-8" } };
    if (body !== undefined) return { status, body };
    const code = codes[status] ?? (status < 500 ? 3 : 13);
    return errorResponse(new ApiError(status, code, `the emulator was set to answer ${status}`), style);
  };
  return withHeaders(replyTo(answer()), headers);
};

const breakConnection: Spoil = (reply) => ({ ...reply, wire: { kind: "reset" } });

const boundedMs = (ms: number | undefined) => (ms === undefined ? {} : { ms });

const spoils: Readonly<Record<FaultKind, Spoil>> = {
  status: failWithStatus,
  commitThenStatus: failWithStatus,
  reset: breakConnection,
  resetAfterCommit: breakConnection,
  refuse: (reply, { ms = 1000 }) => ({ ...reply, wire: { kind: "refuse", ms } }),
  hang: (reply, { ms }) => ({ ...reply, wire: { kind: "hang", ...boundedMs(ms) } }),
  stall: (reply, { ms }) => ({ ...reply, wire: { kind: "stall", ...boundedMs(ms) } }),
  truncate: (reply) => ({ ...reply, wire: { kind: "truncate" } }),
  garbage: (reply) => ({ ...reply, status: 200, text: `${reply.text.slice(0, reply.text.length >> 1)}{"` }),
  html: (_, { status = 200, headers = {} }) =>
    withHeaders(
      {
        status,
        headers: { "content-type": page },
        text: "<!doctype html><html><head><title>Gateway</title></head><body><h1>Please sign in</h1></body></html>",
      },
      headers,
    ),
  oversize: (reply, { bytes = 11 * 1024 * 1024 }) => ({ ...reply, text: padTo(reply.text, bytes) }),
  redirect: (_, { status = 307, location, headers = {} }, { path }) =>
    withHeaders({ status, headers: { location: location ?? `https://elsewhere.invalid${path}` }, text: "" }, headers),
  slow: (reply) => reply,
  stale: (reply) => reply,
  notYetVisible: (reply) => reply,
};

export const applyFault: Spoil = (reply, fault, about) => spoils[fault.kind](reply, fault, about);

const withHeaders = (reply: Reply, headers: Readonly<Record<string, string>>): Reply => ({
  ...reply,
  headers: {
    ...reply.headers,
    ...Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])),
  },
});

/** The message with a member more, so that it stays good JSON and is too long anyway. */
function padTo(text: string, bytes: number): string {
  const message = text.startsWith("{") ? text : "{}";
  return `${message.slice(0, -1)}${message === "{}" ? "" : ","}"padding":"${"x".repeat(bytes)}"}`;
}
