import type { EngineState } from "../../protocol/engine-state";
import type { HostMessage, InProcessHost, ProviderCalls, RunningHost } from "../../protocol/provider-calls";
import type { Project } from "../state/project";
import { dynamicPackage, type PropertyMap } from "../state/resource-state";
import type { ResolvedConfig } from "../state/stack-config";
import { configOf, packageEnvironment, pluginLaunch } from "./executables";
import type { Launch, PluginHost } from "./plugins";
import { ProtocolProvider, type ProviderPlace, plainCapabilities } from "./protocol-provider";
import type { ResourceProvider } from "./providers";

interface ProviderHostsOptions {
  project: Project;
  /** The program's folder: providers run there, and what they require is looked up from there. */
  folder: string;
  env: NodeJS.ProcessEnv;
  config: ResolvedConfig;
  /** Serves some types in this process. */
  host?: InProcessHost | undefined;
  state(): EngineState;
  /** Serves the engine to processes, and resolves to its address. */
  address(): Promise<string>;
  log(message: HostMessage): void;
  /** Output of a provider process, line by line. */
  onLine(line: string): void;
}

/** What serves the resources of one operation: a host in this process for its types, provider processes for others. */
export class ProviderHosts {
  private processes: PluginHost | undefined;
  private hosted: RunningHost | undefined;
  private served: string | undefined;
  private interrupted = false;

  constructor(private readonly options: ProviderHostsOptions) {}

  /** The instance that serves a package with this configuration. Throws if nothing does. */
  make(pkg: string, config: PropertyMap): ResourceProvider {
    const { host } = this.options;
    const own: ProviderPlace = { open: async () => this.open(host!, pkg), isExtended: true };
    if (pkg === dynamicPackage) {
      const others: ProviderPlace = { open: () => this.start() };
      return new ProtocolProvider((type) => (host?.serves(type) ? own : others), config, plainCapabilities);
    }
    if (host?.serves(`${pkg}:`)) return new ProtocolProvider(() => own, config);
    const launch = pluginLaunch(pkg, config, { ...this.options, stackConfig: this.stackConfig(pkg) });
    const process: ProviderPlace = { open: () => this.start(launch) };
    return new ProtocolProvider(() => process, config);
  }

  private stackConfig = (pkg: string): PropertyMap => configOf(pkg, this.options.config);

  private open(host: InProcessHost, pkg: string): ProviderCalls {
    const { project, folder, env, log, state } = this.options;
    // If no process works for this run, any name will do that no other run has.
    const name = this.served ?? `${process.pid} ${performance.now()}`;
    this.hosted ??= host.begin({ name, folder, log, state: state() });
    if (this.interrupted) this.hosted.interrupt();
    return this.hosted.open(pkg, { ...env, ...packageEnvironment(project, this.stackConfig(pkg)) });
  }

  /** Starts the process of `launch`, by default of the dynamic provider. */
  private async start(launch?: Launch): Promise<ProviderCalls> {
    const { processCalls } = require("./process-calls") as typeof import("./process-calls");
    const plugin = (await this.host()).start(launch);
    return processCalls(await plugin.ready);
  }

  /** Loaded lazily: the protocol's library takes longer than all else of an operation without a program. */
  private async host(): Promise<PluginHost> {
    const { folder, env, project, onLine } = this.options;
    this.served = await this.options.address();
    const { PluginHost } = require("./plugins") as typeof import("./plugins");
    this.processes ??= new PluginHost({ folder, engineAddress: this.served, env, project: project.name, onLine });
    return this.processes;
  }

  /** Serves the engine: its address is the run's name for all processes. */
  async attach(): Promise<void> {
    this.served = await this.options.address();
  }

  /** Starts a process of the dynamic provider ahead of its use. */
  async warm(): Promise<void> {
    (await this.host()).warm();
  }

  interrupt(): void {
    this.interrupted = true;
    this.processes?.interrupt();
    this.hosted?.interrupt();
  }

  kill(): void {
    this.processes?.kill();
    this.hosted?.kill();
  }

  async close(): Promise<void> {
    await Promise.all([this.processes?.close(), this.hosted?.close()]);
  }
}
