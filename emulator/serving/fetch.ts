import { ApiError } from "../types";
import { bytesOf, headerList, type Reply } from "../wire/replies";
import { controlPrefix, isUpload, jsonIn, maxBodyBytes, tooLargeError } from "../wire/requests";
import type { RequestHandler } from "./request-handler";
import type { Timer } from "./serve";

/**
 * Answers a `Request` without a socket. A broken connection is a `TypeError` with the code of the socket's
 * error as its cause's `code`, as `fetch` has it.
 */
export async function fetchFrom(handler: RequestHandler, request: Request, after: Timer): Promise<Response> {
  const { pathname, searchParams } = new URL(request.url);
  if (isUpload(request.method, pathname)) {
    const upload = {
      path: pathname,
      query: new Map(searchParams),
      headers: Object.fromEntries(request.headers),
      body: (request.body ?? new Blob([]).stream()) as AsyncIterable<Uint8Array>,
    };
    return responseTo(await handler.upload(upload), request.signal, after);
  }
  const text = await request.text();
  const read = text.length > maxBodyBytes ? tooLargeError() : jsonIn(text);
  const unfit = read instanceof ApiError ? read : undefined;
  const headers = Object.fromEntries(request.headers);
  const common = {
    method: request.method,
    path: pathname,
    query: new Map(searchParams),
    headers,
    body: unfit ? undefined : read,
    unfit,
  };
  const reply = await (pathname.startsWith(controlPrefix)
    ? handler.control({ ...common, address: undefined })
    : handler.api(common));
  return responseTo(reply, request.signal, after);
}

async function responseTo(reply: Reply, signal: AbortSignal, after: Timer): Promise<Response> {
  const { status, text, wire } = reply;
  const bytes = bytesOf(reply);
  const init = { status, headers: toPairs(headerList(reply)) };
  switch (wire?.kind) {
    case undefined:
      return new Response(text === "" || bodiless.has(status) ? null : bytes, init);
    case "reset":
      throw connectionError("ECONNRESET");
    case "refuse":
      throw connectionError("ECONNREFUSED");
    case "hang":
      return silence(signal, wire.ms, after);
    case "stall":
      return new Response(
        halfOf(bytes, () => silence(signal, wire.ms, after)),
        init,
      );
    case "truncate":
      return new Response(
        halfOf(bytes, () => Promise.reject(connectionError("UND_ERR_SOCKET"))),
        init,
      );
  }
}

const toPairs = (list: readonly string[]): [string, string][] =>
  list.flatMap((name, at) => (at % 2 === 0 ? [[name, list[at + 1]!] as [string, string]] : []));

/** Statuses that come without a body. */
const bodiless: ReadonlySet<number> = new Set([204, 205, 304]);

const connectionError = (code: string): TypeError =>
  new TypeError("fetch failed", {
    cause: Object.assign(new Error(`the emulator broke the connection (${code})`), { code }),
  });

/** Never resolves; rejects once the request is aborted, or the connection breaks after `ms`. */
function silence(signal: AbortSignal, ms: number | undefined, after: Timer): Promise<never> {
  return new Promise((_, reject) => {
    const cancel = ms === undefined ? () => undefined : after(ms, () => reject(connectionError("ECONNRESET")));
    const abort = () => {
      cancel();
      reject(signal.reason as Error);
    };
    if (signal.aborted) abort();
    else signal.addEventListener("abort", abort, { once: true });
  });
}

function halfOf(bytes: Uint8Array, then: () => Promise<never>): ReadableStream<Uint8Array> {
  let sent = false;
  return new ReadableStream<Uint8Array>({
    pull: (controller) => {
      if (sent) return then().catch((error: unknown) => controller.error(error));
      sent = true;
      controller.enqueue(bytes.subarray(0, bytes.length >> 1));
      return undefined;
    },
  });
}
