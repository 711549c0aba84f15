import { Client, connectivityState, credentials } from "@grpc/grpc-js";
import { LogRequest, LogSeverity } from "@pulumi/pulumi/proto/engine_pb";
import { sanitizeOutput } from "../../io/text/printable";
import { resourceNameIn } from "../core/pulumi-names";

type EngineSeverity = "info" | "warning";

export interface EngineLogEntry {
  text: string;
  severity: EngineSeverity;
  urn: string;
  /** Replaces the last status of the resource's row instead of adding a line. */
  ephemeral: boolean;
}

/** The way back to the engine that this process works for. */
export interface EngineLink {
  /** Resolves once the engine has the entry or cannot be reached; never rejects. */
  log(entry: EngineLogEntry): Promise<void>;
  /**
   * Calls `lost` once when the engine is gone. It was there when it started this process: one that no connection
   * reaches within `timeout` milliseconds is gone as well.
   */
  watch(lost: () => void, timeout?: number): void;
  close(): void;
}

const severities = { info: LogSeverity.INFO, warning: LogSeverity.WARNING } as const;

/** An engine that does not take a message within this time is not waited for. */
const timeoutMs = 5000;

/**
 * Connects to the engine's log. The generated client of the SDK is not used: it accepts only what comes from its own
 * copy of the gRPC library, and this package may have another one.
 */
export function linkEngine(address: string): EngineLink {
  const client = new Client(address, credentials.createInsecure(), {
    "grpc.enable_http_proxy": 0,
    "grpc.initial_reconnect_backoff_ms": 200,
  });
  return {
    log: ({ text, severity, urn, ephemeral }) =>
      new Promise((resolve) => {
        const request = new LogRequest()
          .setSeverity(severities[severity])
          .setMessage(sanitizeOutput(text))
          .setUrn(urn)
          .setEphemeral(ephemeral);
        const serialize = (message: LogRequest): Buffer => Buffer.from(message.serializeBinary());
        client.makeUnaryRequest(
          "/pulumirpc.Engine/Log",
          serialize,
          () => undefined,
          request,
          { deadline: Date.now() + timeoutMs },
          () => resolve(),
        );
      }),
    watch: (lost, timeout = 1000) => watchConnection(client, lost, timeout),
    close: () => client.close(),
  };
}

/** An idle connection is opened again; only one that cannot be opened any longer is lost. */
function watchConnection(client: Client, lost: () => void, timeout: number): void {
  const channel = client.getChannel();
  let until: number | undefined;
  const checkConnection = (): void => {
    const state = channel.getConnectivityState(true);
    if (state === connectivityState.SHUTDOWN) return;
    if (state === connectivityState.READY) until = 0;
    const isFailing = state === connectivityState.TRANSIENT_FAILURE;
    // The first connection is tried again and again in this state.
    if (isFailing) until ??= Date.now() + timeout;
    if (isFailing && Date.now() >= until!) return lost();
    channel.watchConnectivityState(state, isFailing ? until! : Number.POSITIVE_INFINITY, checkConnection);
  };
  checkConnection();
}

/** Without an engine, warnings and information go to the standard error stream, and passing states nowhere. */
export const consoleLink: EngineLink = {
  log: ({ text, severity, urn, ephemeral }) => {
    if (!ephemeral) console.error(sanitizeOutput(`${severity}: ${resourceNameIn(urn)}: ${text}`));
    return Promise.resolve();
  },
  watch: () => undefined,
  close: () => undefined,
};

/** The engine's address, which is the last argument that the SDK starts a dynamic provider with. */
export const engineAddress = (args: readonly string[]): string | undefined =>
  args.slice(2).findLast((arg) => /^[\w.-]+:\d+$/.test(arg));
