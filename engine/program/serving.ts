import { type Serving, serve } from "../../protocol/server";
import { engineService, type LogMessage } from "./engine-service";
import { Monitor, type MonitorOptions } from "./monitor";

export interface EngineServing {
  monitor: Monitor;
  address: string;
  /** Answers what is under way, and takes nothing new. */
  close(): Promise<void>;
}

/** Serves what programs and provider processes call, on a loopback port of its own. */
export async function serveEngine(
  options: MonitorOptions & { onLog(message: LogMessage): void },
): Promise<EngineServing> {
  const monitor = new Monitor(options);
  const server: Serving = await serve([monitor.service, engineService(options.onLog)]);
  return {
    monitor,
    address: server.address,
    async close() {
      monitor.shutdown();
      await server.close();
    },
  };
}
