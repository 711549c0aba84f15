import { BinaryWriter } from "google-protobuf";

/** A finished operation, as OpenTelemetry's collectors take it. */
export interface Span {
  /** Hexadecimal, of 16 and 8 bytes. */
  traceId: string;
  spanId: string;
  parentSpanId: string;
  name: string;
  kind: "server" | "client";
  /** Milliseconds since 1970. */
  begun: number;
  ended: number;
  /** Undefined ones are left out. */
  attributes: Readonly<Record<string, string | number | undefined>>;
  /** Why it failed. */
  failure?: string | undefined;
}

/** Who sends spans. */
export interface Sender {
  name: string;
  version: string;
}

/** The request with which spans are delivered: `ExportTraceServiceRequest`. */
export function exportRequest(spans: readonly Span[], sender: Sender): Uint8Array {
  const writer = new BinaryWriter();
  writer.writeMessage(1, spans, (_, resourceSpans: BinaryWriter) => {
    const resource = { "service.name": sender.name, "service.version": sender.version };
    resourceSpans.writeMessage(1, resource, (_, message: BinaryWriter) => writeAttributes(message, 1, resource));
    resourceSpans.writeMessage(2, spans, (_, scopeSpans: BinaryWriter) => {
      scopeSpans.writeMessage(1, sender, writeScope);
      for (const span of spans) scopeSpans.writeMessage(2, span, writeSpan);
    });
  });
  return writer.getResultBuffer();
}

function writeScope({ name, version }: Sender, writer: BinaryWriter): void {
  writer.writeString(1, name);
  writer.writeString(2, version);
}

const kinds = { server: 2, client: 3 } as const;
const failed = 2;

function writeSpan(span: Span, writer: BinaryWriter): void {
  writer.writeBytes(1, Buffer.from(span.traceId, "hex"));
  writer.writeBytes(2, Buffer.from(span.spanId, "hex"));
  writer.writeBytes(4, Buffer.from(span.parentSpanId, "hex"));
  writer.writeString(5, span.name);
  writer.writeEnum(6, kinds[span.kind]);
  writer.writeFixed64String(7, nanoseconds(span.begun));
  writer.writeFixed64String(8, nanoseconds(span.ended));
  writeAttributes(writer, 9, span.attributes);
  const { failure } = span;
  if (failure === undefined) return;
  writer.writeMessage(15, failure, (message: string, status: BinaryWriter) => {
    status.writeString(2, message);
    status.writeEnum(3, failed);
  });
}

const nanoseconds = (milliseconds: number): string => `${Math.round(milliseconds)}000000`;

function writeAttributes(writer: BinaryWriter, field: number, attributes: Span["attributes"]): void {
  for (const [key, value] of Object.entries(attributes))
    if (value !== undefined)
      writer.writeMessage(field, value, (_, attribute: BinaryWriter) => {
        attribute.writeString(1, key);
        attribute.writeMessage(2, value, writeValue);
      });
}

/** Numbers are whole. */
function writeValue(value: string | number, writer: BinaryWriter): void {
  if (typeof value === "string") writer.writeString(1, value);
  else writer.writeInt64(3, value);
}
