import type { EngineState } from "../../protocol/engine-state";
import type { HostMessage, InProcessHost, ProviderCalls, RunningHost } from "../../protocol/provider-calls";
import type { Project } from "../state/project";
import { dynamicPackage, type PropertyMap, parseUrn } from "../state/resource-state";
import type { ResolvedConfig } from "../state/stack-config";
import { configOf, packageEnvironment, pluginLaunch } from "./executables";
import type { Launch, PluginHost } from "./plugins";
import { HostedProvider, ProtocolProvider, plainCapabilities } from "./protocol-provider";
import type {
  CheckCall,
  CreateCall,
  DeleteCall,
  DiffCall,
  InvokeCall,
  ReadCall,
  ResourceCall,
  ResourceProvider,
  UpdateCall,
} from "./providers";

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
    if (pkg === dynamicPackage) {
      const others = new ProtocolProvider(() => this.start(), config, plainCapabilities);
      if (!host) return others;
      const hosted = new HostedProvider(async () => this.open(host, pkg), config, plainCapabilities);
      return new MixedProvider(host.serves, hosted, others);
    }
    if (host?.serves(`${pkg}:`)) return new HostedProvider(async () => this.open(host, pkg), config);
    const launch = pluginLaunch(pkg, config, { ...this.options, stackConfig: this.stackConfig(pkg) });
    return new ProtocolProvider(() => this.start(launch), config);
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

/** One instance of a package of which this process serves some types, and a process of the package's the others. */
class MixedProvider implements ResourceProvider {
  constructor(
    private readonly serves: (token: string) => boolean,
    private readonly hosted: ResourceProvider,
    private readonly others: ResourceProvider,
  ) {}

  private of = ({ urn }: ResourceCall): ResourceProvider =>
    this.serves(parseUrn(urn).type) ? this.hosted : this.others;

  configure(config: PropertyMap): void {
    for (const each of [this.hosted, this.others]) each.configure?.(config);
  }

  check = (call: CheckCall) => this.of(call).check(call);
  diff = (call: DiffCall) => this.of(call).diff(call);
  create = (call: CreateCall) => this.of(call).create(call);
  update = (call: UpdateCall) => this.of(call).update(call);
  delete = (call: DeleteCall) => this.of(call).delete(call);
  refusal = async (call: DeleteCall) => this.of(call).refusal?.(call);
  read = (call: ReadCall) => this.of(call).read(call);

  async invoke(call: InvokeCall): Promise<PropertyMap> {
    return (this.serves(call.token) ? this.hosted : this.others).invoke!(call);
  }
}
