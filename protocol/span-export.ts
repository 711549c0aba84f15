import { Client, credentials } from "@grpc/grpc-js";
import { exportRequest, type Sender, type Span } from "./otlp";

interface SpanExport {
  /** Sends the span, or has it sent as soon as those before it have arrived. */
  send(span: Span): void;
}

interface ExportOptions {
  /** Who takes spans, by gRPC: host and port. */
  endpoint: string;
  sender: Sender;
  /** Called with every delivery while it is under way. It never rejects. */
  during(delivery: () => Promise<void>): Promise<void>;
}

const method = "/opentelemetry.proto.collector.trace.v1.TraceService/Export";

/** A collector that does not take spans within this time, in milliseconds, does not get them. */
const patienceMs = 10_000;

/** Spans of one message, so that it stays far below the size that collectors allow. */
const atOnce = 500;

/**
 * Delivers spans as they end, one message at a time: what ends meanwhile goes with the next. Nobody waits for it, and
 * what cannot be delivered is dropped.
 */
export function createSpanExport({ endpoint, sender, during }: ExportOptions): SpanExport {
  const client = new Client(endpoint, credentials.createInsecure(), {
    "grpc.enable_http_proxy": 0,
    "grpc.enable_channelz": 0,
  });
  const waiting: Span[] = [];
  let isDelivering = false;

  const deliver = (spans: readonly Span[]): Promise<void> =>
    new Promise((resolve) => {
      const bytes = Buffer.from(exportRequest(spans, sender));
      const deadline = Date.now() + patienceMs;
      client.makeUnaryRequest(
        method,
        (message: Buffer) => message,
        () => undefined,
        bytes,
        { deadline },
        () => resolve(),
      );
    });

  async function deliverAll(): Promise<void> {
    isDelivering = true;
    while (waiting.length > 0) await deliver(waiting.splice(0, atOnce));
    isDelivering = false;
  }

  return {
    send(span) {
      waiting.push(span);
      if (!isDelivering) void during(deliverAll);
    },
  };
}
