import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { credentials } from "@grpc/grpc-js";
import { ResourceProviderClient } from "@pulumi/pulumi/proto/provider_grpc_pb";
import { PluginCalls } from "../../../tests/plugin/support/calls";

/** A plugin in a process of its own, whose processor time can be asked for. */
export class MeasuredPlugin extends PluginCalls {
  private constructor(
    private readonly child: ChildProcess,
    client: ResourceProviderClient,
  ) {
    super(client);
  }

  /** `args`: what Node.js is to run. Resolves once the plugin has said its port. */
  static async start(args: readonly string[], env: NodeJS.ProcessEnv): Promise<MeasuredPlugin> {
    const probe = join(__dirname, "probe.cjs");
    const child = spawn(process.execPath, ["--require", probe, ...args], {
      env: { ...process.env, ...env },
      stdio: ["ignore", "pipe", "inherit", "ipc"],
    });
    const [port] = (await once(child.stdout!, "data")) as [Buffer];
    const client = new ResourceProviderClient(`127.0.0.1:${Number(port)}`, credentials.createInsecure());
    return new MeasuredPlugin(child, client);
  }

  /** Milliseconds of processor time since the process began, of all its threads. */
  async used(): Promise<number> {
    this.child.send("used");
    const [{ user, system }] = (await once(this.child, "message")) as [NodeJS.CpuUsage];
    return (user + system) / 1000;
  }

  async end(): Promise<void> {
    this.client.close();
    const exit = once(this.child, "exit");
    this.child.kill();
    await exit;
  }
}
