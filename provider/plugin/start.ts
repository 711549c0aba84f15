import { manifest, packedText } from "../../io/files/package";
import { serve } from "../../protocol/server";
import { engineAddress } from "../pulumi/engine-link";
import { hostProcess } from "../pulumi/process";
import type { EngineTrace, TraceOptions } from "./engine-trace";
import { pluginServer } from "./server";
import type { PluginService } from "./service";

/** Read where it is asked for: most engines do not ask. */
const schema = (): string => packedText("schema.json");
const { version } = manifest();

/** Every kind, its life cycle and what reads settings: most of what there is to load. */
const loaded = (): typeof import("./service") => require("./service");

/** Where an engine takes spans, if it keeps a trace of its run. */
const collector = process.env["PULUMI_OTEL_EXPORTER_OTLP_ENDPOINT"] ?? "";

/** Loaded for a run that is traced, and no other. */
const continued = (options: TraceOptions): EngineTrace =>
  (require("./engine-trace") as typeof import("./engine-trace")).continueTrace(options);

/** Serves until the engine is gone or ends this process. The first line of output is the port. */
export async function start(): Promise<void> {
  const during = (delivery: () => Promise<void>): Promise<void> => world.interruption.during(delivery);
  const trace = collector === "" ? undefined : continued({ endpoint: collector, version, during });
  const { world, attach } = hostProcess(engineAddress(process.argv), trace?.request);
  let made: PluginService | undefined;
  const service = (): PluginService => (made ??= loaded().createPluginService({ ...world, version, env: process.env }));
  const server = pluginServer({ service, version, schema, attach });
  const { port } = await serve([trace?.over(server) ?? server]);
  process.stdout.write(`${port}\n`);
}
