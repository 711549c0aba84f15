import { EngineService, type IEngineServer } from "@pulumi/pulumi/proto/engine_grpc_pb";
import {
  GetRootResourceResponse,
  type LogRequest,
  LogSeverity,
  type RequirePulumiVersionRequest,
  RequirePulumiVersionResponse,
  type SetRootResourceRequest,
  SetRootResourceResponse,
} from "@pulumi/pulumi/proto/engine_pb";
import { Empty } from "google-protobuf/google/protobuf/empty_pb";
import { type RunningServer, type ServiceBinding, serve } from "../../protocol/server";
import type { DiagnosticSeverity } from "../plan/context";
import { versionFault } from "../state/imitated-version";
import { Monitor, type MonitorOptions, unary } from "./monitor";

/** A message for the user from the program or a provider. */
export interface LogMessage {
  severity: DiagnosticSeverity;
  message: string;
  urn?: string | undefined;
  ephemeral: boolean;
}

const severities: { [severity: number]: DiagnosticSeverity } = {
  [LogSeverity.DEBUG]: "debug",
  [LogSeverity.INFO]: "info",
  [LogSeverity.WARNING]: "warning",
  [LogSeverity.ERROR]: "error",
};

/** The service that programs and providers log to. */
export function engineService(onLog: (message: LogMessage) => void): ServiceBinding {
  let root = "";
  const implementation = {
    log: unary((request: LogRequest) => {
      const urn = request.getUrn();
      onLog({
        severity: severities[request.getSeverity()] ?? "info",
        message: request.getMessage(),
        urn: urn || undefined,
        ephemeral: request.getEphemeral(),
      });
      return new Empty();
    }),
    getRootResource: unary(() => new GetRootResourceResponse().setUrn(root)),
    setRootResource: unary((request: SetRootResourceRequest) => {
      root = request.getUrn();
      return new SetRootResourceResponse();
    }),
    startDebugging: unary(() => new Empty()),
    requirePulumiVersion: unary((request: RequirePulumiVersionRequest) => {
      const range = request.getPulumiVersionRange();
      const fault = versionFault(range);
      if (fault !== undefined) throw new Error(`The program requires the Pulumi CLI \`${range}\`, which ${fault}.`);
      return new RequirePulumiVersionResponse();
    }),
  };
  return {
    definition: EngineService,
    implementation: implementation satisfies {
      [Method in keyof IEngineServer]: unknown;
    },
  };
}

export interface EngineServer {
  monitor: Monitor;
  address: string;
  /** Completes running calls and accepts no new ones. */
  close(): Promise<void>;
}

/** Serves programs and provider processes on a loopback port. */
export async function serveEngine(
  options: MonitorOptions & { onLog(message: LogMessage): void },
): Promise<EngineServer> {
  const monitor = new Monitor(options);
  const server: RunningServer = await serve([monitor.service, engineService(options.onLog)]);
  return {
    monitor,
    address: server.address,
    async close() {
      monitor.shutdown();
      await server.close();
    },
  };
}
