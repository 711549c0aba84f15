import { credentials } from "@grpc/grpc-js";
import { ResourceProviderClient } from "@pulumi/pulumi/proto/provider_grpc_pb";
import { Empty } from "google-protobuf/google/protobuf/empty_pb";
import { channelOptions } from "../../protocol/server";
import { Child } from "../processes/child";
import { resolveFromProgram } from "../processes/program";

export interface PluginHostOptions {
  /** The program's folder: dynamic providers run there, and what they require is looked up from there. */
  folder: string;
  engineAddress: string;
  env: NodeJS.ProcessEnv;
  project: string;
  /** Output of a provider process, line by line. */
  onLine: (line: string) => void;
  /** How long a process may take to end before it is killed. */
  graceMs?: number;
}

/** How to start a provider's process. */
export interface Launch {
  /** Its name in messages. */
  title: string;
  /** Default: this process's own Node.js. */
  command?: string;
  args: readonly string[];
  env: NodeJS.ProcessEnv;
  /** It supports `Cancel`; a provider that does not also gets a signal. */
  supportsCancel: boolean;
}

/** The SDK's dynamic provider. */
const dynamicLaunch = ({ folder, project }: PluginHostOptions): Launch => ({
  title: "the dynamic provider",
  args: [resolveFromProgram(folder, "@pulumi/pulumi/cmd/dynamic-provider")],
  env: { PULUMI_NODEJS_PROJECT: project, PULUMI_PROJECT: project },
  supportsCancel: false,
});

/** The process of a provider. */
class Plugin {
  private readonly child: Child;
  private readonly connected: Promise<ResourceProviderClient>;
  private client: ResourceProviderClient | undefined;
  private interrupted = false;

  constructor(
    private readonly options: PluginHostOptions,
    private readonly launch: Launch,
  ) {
    const early: string[] = [];
    let announce: ((port: string) => void) | undefined;
    const port = new Promise<string>((resolve) => (announce = resolve));
    this.child = new Child({
      command: launch.command,
      args: [...launch.args, options.engineAddress],
      cwd: options.folder,
      env: { ...options.env, ...launch.env },
      onLine: (line, stream) => {
        if (announce === undefined) return options.onLine(line);
        // The first line of output is the port that the process serves.
        if (stream !== "stdout" || !/^\d+$/.test(line)) return void early.push(line);
        announce(line);
        announce = undefined;
      },
    });
    this.connected = this.connect(port, early);
    this.connected.catch(() => undefined);
  }

  private async connect(port: Promise<string>, early: readonly string[]): Promise<ResourceProviderClient> {
    const address = await Promise.race([port, this.child.exited.then(() => undefined)]);
    if (address === undefined)
      throw new Error([`${this.launch.title} process ended before it was ready`, ...early].join("\n"));
    for (const line of early) this.options.onLine(line);
    this.client = new ResourceProviderClient(`127.0.0.1:${address}`, credentials.createInsecure(), channelOptions);
    if (this.interrupted) this.interrupt();
    return this.client;
  }

  /** Resolves when the process serves. */
  get ready(): Promise<ResourceProviderClient> {
    return this.connected;
  }

  /** Notifies the provider of the user's interrupt. */
  interrupt(): void {
    this.interrupted = true;
    this.client?.cancel(new Empty(), () => undefined);
    if (!this.launch.supportsCancel) this.child.signal("SIGINT");
  }

  async close(): Promise<void> {
    this.client?.close();
    await this.child.end(this.options.graceMs ?? 5000);
  }

  kill(): void {
    this.child.signal("SIGKILL");
  }
}

/** The provider processes of one operation. */
export class PluginHost {
  private readonly started: Plugin[] = [];
  private spare: Plugin | undefined;

  constructor(private readonly options: PluginHostOptions) {}

  /** Starts a process of the dynamic provider ahead of its use: the first instance takes it. */
  warm(): void {
    this.spare ??= this.launch(dynamicLaunch(this.options));
  }

  /** Starts the process of `launch`, by default of the dynamic provider. */
  start(launch?: Launch): Plugin {
    if (launch) return this.launch(launch);
    const spare = this.spare;
    this.spare = undefined;
    return spare ?? this.launch(dynamicLaunch(this.options));
  }

  private launch(launch: Launch): Plugin {
    const plugin = new Plugin(this.options, launch);
    this.started.push(plugin);
    return plugin;
  }

  interrupt(): void {
    for (const plugin of this.started) plugin.interrupt();
  }

  async close(): Promise<void> {
    await Promise.all(this.started.map((plugin) => plugin.close()));
  }

  kill(): void {
    for (const plugin of this.started) plugin.kill();
  }
}
