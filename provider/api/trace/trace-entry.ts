import type { TracedRequest } from "./trace";

/** One request in HTTP Archive format 1.2. */
interface TraceEntry {
  startedDateTime: string;
  time: number;
  request: object;
  response: object;
  cache: object;
  /** Milliseconds; -1 is not known. */
  timings: { blocked: number; dns: number; connect: number; send: number; wait: number; receive: number };
  comment?: string;
}

const general = { httpVersion: "HTTP/1.1", cookies: [], headersSize: -1 };

/** The request as an archive has it. */
export function archiveEntry({ method, url, times, answer, ...request }: TracedRequest): TraceEntry {
  const { blocked, connect, wait, receive } = times;
  return {
    startedDateTime: new Date(request.begun - blocked).toISOString(),
    time: blocked + connect + wait + receive,
    request: {
      ...general,
      method,
      url,
      headers: request.headers,
      queryString: URL.canParse(url) ? [...new URL(url).searchParams].map(([name, value]) => ({ name, value })) : [],
      bodySize: request.size ?? -1,
    },
    response: {
      ...general,
      status: request.status,
      statusText: "",
      headers: answer?.headers ?? [],
      content: { size: answer?.size ?? 0, mimeType: answer?.type ?? "x-unknown" },
      redirectURL: "",
      bodySize: answer?.size ?? -1,
    },
    cache: {},
    timings: { blocked, dns: -1, connect, send: 0, wait, receive },
    comment: commentOn(request),
  };
}

const commentOn = ({ call, id, fault }: Pick<TracedRequest, "call" | "id" | "fault">): string =>
  [
    ...(call ? [call.operation, `attempt ${call.attempt}`] : ["upload"]),
    ...(id === undefined ? [] : [`request id ${id}`]),
    ...(fault ? [fault.message] : []),
  ].join(", ");
