import { AsyncLocalStorage } from "node:async_hooks";
import { randomBytes } from "node:crypto";
import type { EventEmitter } from "node:events";
import { type Metadata, type ServiceError, status } from "@grpc/grpc-js";
import type { Span } from "../../protocol/otlp";
import type { Served } from "../../protocol/server";
import { createSpanExport } from "../../protocol/span-export";
import type { TracedRequest } from "../api/trace/trace";

/** The trace that an engine keeps, continued in this process. */
export interface EngineTrace {
  /** The same service with a span for each call that is part of a trace. */
  over(served: Served): Served;
  /** Adds a request to the span of the call that it was sent for. */
  request(request: TracedRequest): void;
}

export interface TraceOptions {
  /** Where the engine takes spans. */
  endpoint: string;
  version: string;
  /** Called with every delivery of spans while it is under way. */
  during(delivery: () => Promise<void>): Promise<void>;
}

type Place = Pick<Span, "traceId" | "spanId">;
type Failed = Partial<ServiceError>;
type Call = EventEmitter & { metadata: Metadata; request: Subject };
type Handler = (call: Call, callback?: (error: Failed | null, answer?: unknown) => void) => unknown;

/** What messages say of their subject, as far as they have one. */
interface Subject {
  getUrn?(): string;
  getTok?(): string;
  getToken?(): string;
}

export function continueTrace({ endpoint, version, during }: TraceOptions): EngineTrace {
  const sender = { name: "pulumi-resource-modelplatform", version };
  const { send } = createSpanExport({ endpoint, sender, during });
  const calls = new AsyncLocalStorage<Place>();

  const spanned =
    (path: string, handle: Handler): Handler =>
    (call, callback) => {
      const parent = placeIn(call.metadata);
      if (!parent) return handle(call, callback);
      const place = { traceId: parent.traceId, spanId: newId() };
      const begun = Date.now();
      let isOver = false;
      const end = (error?: Failed | null): void => {
        if (isOver) return;
        isOver = true;
        const span = callSpan(path, call.request, error);
        send({ ...span, ...place, parentSpanId: parent.spanId, begun, ended: Date.now() });
      };
      if (!callback) {
        call.once("finish", end).once("error", end);
        call.once("cancelled", () => end({ code: status.CANCELLED, details: "nobody listens any longer" }));
        return calls.run(place, () => handle(call));
      }
      return calls.run(place, () =>
        handle(call, (error, answer) => {
          callback(error, answer);
          end(error);
        }),
      );
    };

  return {
    over: ({ definition, implementation }) => ({
      definition,
      implementation: Object.fromEntries(
        Object.entries(implementation).map(([name, handle]) => [
          name,
          spanned(definition[name]!.path, handle as Handler),
        ]),
      ),
    }),
    request(request) {
      const parent = calls.getStore();
      if (parent) send({ ...requestSpan(request), ...parent, spanId: newId(), parentSpanId: parent.spanId });
    },
  };
}

const newId = (): string => randomBytes(8).toString("hex");

/** The caller's place in a trace; undefined where it is in none, or in one that is not recorded. */
function placeIn(metadata: Metadata): Place | undefined {
  const [header = ""] = metadata.get("traceparent");
  const [, traceId, spanId, flags] = /^[\da-f]{2}-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})/.exec(String(header)) ?? [];
  if (traceId === undefined || spanId === undefined) return undefined;
  return Number.parseInt(flags!, 16) & 1 ? { traceId, spanId } : undefined;
}

/** As an engine names its own side of the call; what failed says what the engine was told. */
function callSpan(path: string, subject: Subject, error: Failed | null | undefined) {
  const name = path.slice(1);
  const [service, method] = name.split("/");
  return {
    name,
    kind: "server",
    attributes: {
      "rpc.system": "grpc",
      "rpc.service": service,
      "rpc.method": method,
      "rpc.grpc.status_code": error?.code ?? status.OK,
      "pulumi.urn": subject.getUrn?.() || undefined,
      "pulumi.token": subject.getTok?.() || subject.getToken?.() || undefined,
    },
    failure: error ? (error.details ?? "") : undefined,
  } as const;
}

/** An attempt, from the moment at which the account's gate let it pass. */
function requestSpan({ method, url, call, status, id, fault, begun, times, size, answer }: TracedRequest) {
  const { blocked, connect, wait, receive } = times;
  const isRefused = status >= 400;
  return {
    name: call ? `${method} ${call.template}` : method,
    kind: "client",
    begun,
    ended: begun + connect + wait + receive,
    attributes: {
      "http.request.method": method,
      "http.response.status_code": status || undefined,
      "http.request.body.size": size,
      "http.response.body.size": answer?.size,
      "url.full": url,
      "url.template": call?.template,
      "error.type": fault?.kind ?? (isRefused ? String(status) : undefined),
      "modelplatform.operation": call?.operation ?? "upload",
      "modelplatform.attempt": call?.attempt,
      "modelplatform.request_id": id,
      "modelplatform.blocked_ms": blocked,
      "modelplatform.connect_ms": connect,
      "modelplatform.wait_ms": wait,
      "modelplatform.receive_ms": receive,
    },
    failure: fault?.message ?? (isRefused ? `answered ${status}` : undefined),
  } as const;
}
