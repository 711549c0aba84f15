import { Server, ServerCredentials } from "@grpc/grpc-js";

/** A span as a collector reads it. */
export interface Received {
  traceId: string;
  spanId: string;
  parentSpanId: string;
  name: string;
  /** 2: of a server; 3: of a client. */
  kind: number;
  /** Nanoseconds. */
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes: Readonly<Record<string, unknown>>;
  /** 2: failed. */
  status: { code?: number; message?: string };
  /** Who sent it. */
  service: unknown;
}

type Attributes = { key: string; value: object }[];
type ReadSpan = Omit<Received, "traceId" | "spanId" | "parentSpanId" | "attributes" | "status" | "service"> & {
  traceId: number[];
  spanId: number[];
  parentSpanId: number[];
  attributes: Attributes;
  status?: Received["status"];
};
interface ReadMessage {
  resourceSpans: { resource: { attributes: Attributes }; scopeSpans: { spans: ReadSpan[] }[] }[];
}

interface ReadableMessage {
  decode(bytes: Buffer): object;
  toObject(message: object, as: { longs: typeof String; bytes: typeof Array }): ReadMessage;
}

/** The messages of OpenTelemetry's own package, which come without types. */
const { opentelemetry } = require("@opentelemetry/otlp-transformer/build/src/generated/root") as {
  opentelemetry: { proto: { collector: { trace: { v1: { ExportTraceServiceRequest: ReadableMessage } } } } };
};
const request = opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest;

/** Takes spans by gRPC, as an engine does. */
export class Collector {
  /** Everything that has come. */
  readonly bytes: Buffer[] = [];
  private port = 0;
  private readonly server = new Server();

  private constructor() {}

  static async start(): Promise<Collector> {
    const collector = new Collector();
    const take = {
      path: "/opentelemetry.proto.collector.trace.v1.TraceService/Export",
      requestStream: false,
      responseStream: false,
      requestDeserialize: (bytes: Buffer) => bytes,
      requestSerialize: (bytes: Buffer) => bytes,
      responseDeserialize: (bytes: Buffer) => bytes,
      responseSerialize: (bytes: Buffer) => bytes,
    };
    collector.server.addService(
      { export: take },
      {
        export: (call: { request: Buffer }, done: (error: null, answer: Buffer) => void) => {
          collector.bytes.push(call.request);
          done(null, Buffer.alloc(0));
        },
      },
    );
    collector.port = await new Promise<number>((resolve, reject) =>
      collector.server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, port) =>
        error ? reject(error) : resolve(port),
      ),
    );
    return collector;
  }

  get endpoint(): string {
    return `localhost:${this.port}`;
  }

  spans(): Received[] {
    return this.bytes.flatMap((bytes) => {
      const message = request.toObject(request.decode(bytes), { longs: String, bytes: Array });
      return message.resourceSpans.flatMap(({ resource, scopeSpans }) =>
        scopeSpans.flatMap(({ spans }) =>
          spans.map((span) => ({
            ...span,
            traceId: hex(span.traceId),
            spanId: hex(span.spanId),
            parentSpanId: hex(span.parentSpanId),
            attributes: record(span.attributes),
            status: span.status ?? {},
            service: record(resource.attributes)["service.name"],
          })),
        ),
      );
    });
  }

  close(): void {
    this.server.forceShutdown();
  }
}

const hex = (bytes: number[]): string => Buffer.from(bytes).toString("hex");

const record = (attributes: Attributes): Record<string, unknown> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
