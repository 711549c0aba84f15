import { credentials } from "@grpc/grpc-js";
import { Empty } from "google-protobuf/google/protobuf/empty_pb";
import { ResourceProviderClient } from "@pulumi/pulumi/proto/provider_grpc_pb";
import { Child } from "./child";
import { resolveFromProgram } from "./program";
import { channelOptions } from "./server";

export interface PluginOptions {
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

/** A running provider process and the connection to it. */
export class Plugin {
  private constructor(
    private readonly child: Child,
    readonly client: ResourceProviderClient,
    private readonly graceMs: number,
  ) {}

  /** Starts the SDK's dynamic-provider process; its first line of output is the port it serves. */
  static async start(options: PluginOptions): Promise<Plugin> {
    const script = resolveFromProgram(options.folder, "@pulumi/pulumi/cmd/dynamic-provider");
    const early: string[] = [];
    let announce: ((port: string) => void) | undefined;
    const port = new Promise<string>((resolve) => (announce = resolve));
    const child = new Child({
      args: [script, options.engineAddress],
      cwd: options.folder,
      env: { ...options.env, PULUMI_NODEJS_PROJECT: options.project, PULUMI_PROJECT: options.project },
      onLine: (line, stream) => {
        if (announce === undefined) return options.onLine(line);
        if (stream !== "stdout" || !/^\d+$/.test(line)) return void early.push(line);
        announce(line);
        announce = undefined;
      },
    });
    const address = await Promise.race([port, child.exited.then(() => undefined)]);
    if (address === undefined) throw new Error(`the dynamic provider process ended before it served anything:\n${early.join("\n")}`);
    for (const line of early) options.onLine(line);
    return new Plugin(child, new ResourceProviderClient(`127.0.0.1:${address}`, credentials.createInsecure(), channelOptions), options.graceMs ?? 5000);
  }

  get alive(): boolean {
    return this.child.alive;
  }

  /** Tells the provider that the user wants to stop: by message and by SIGINT, whichever it listens to. */
  interrupt(): void {
    this.client.cancel(new Empty(), () => undefined);
    this.child.signal("SIGINT");
  }

  async close(): Promise<void> {
    this.client.close();
    await this.child.end(this.graceMs);
  }

  kill(): void {
    this.child.signal("SIGKILL");
  }
}

/** The provider processes of one operation. */
export class PluginHost {
  private readonly started = new Set<Promise<Plugin>>();
  private readonly running = new Set<Plugin>();
  private spare: Promise<Plugin> | undefined;
  private interrupted = false;

  constructor(private readonly options: PluginOptions) {}

  /** Starts a process ahead of its use: the first instance takes it. */
  warm(): void {
    this.spare ??= this.launch();
  }

  start(): Promise<Plugin> {
    const spare = this.spare;
    this.spare = undefined;
    return spare ?? this.launch();
  }

  private launch(): Promise<Plugin> {
    const starting = Plugin.start(this.options);
    this.started.add(starting);
    starting.then(
      (plugin) => {
        this.running.add(plugin);
        if (this.interrupted) plugin.interrupt();
      },
      () => this.started.delete(starting),
    );
    return starting;
  }

  interrupt(): void {
    this.interrupted = true;
    for (const plugin of this.running) plugin.interrupt();
  }

  /** Ends every process, those that are still starting as well. */
  async close(): Promise<void> {
    const settled = await Promise.allSettled(this.started);
    await Promise.all(settled.map((each) => (each.status === "fulfilled" ? each.value.close() : undefined)));
  }

  kill(): void {
    for (const plugin of this.running) plugin.kill();
  }
}
