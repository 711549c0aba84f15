import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { credentials } from "@grpc/grpc-js";
import { ResourceProviderClient } from "@pulumi/pulumi/proto/provider_grpc_pb";
import { createEmulator, type Emulator } from "../../../emulator/index";
import { serve } from "../../../protocol/server";
import { resolveSettings } from "../../../provider/api/settings/config";
import { pluginServer } from "../../../provider/plugin/server";
import { createPluginService } from "../../../provider/plugin/service";
import { createInterruption } from "../../../provider/pulumi/interruption";
import { createRuntime } from "../../../provider/pulumi/runtime";
import type { Values } from "../../values";
import { CallError, PluginCalls } from "./calls";

export { type CallError, urnOf } from "./calls";

/** A call that must fail. */
export const failed = async (work: Promise<unknown>): Promise<CallError> => {
  const outcome = await work.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (outcome instanceof CallError) return outcome;
  throw new Error(`expected a failed call, got ${String(outcome)}`);
};

/** One message that the plugin sent to the engine's log. */
export interface PluginLogEntry {
  text: string;
  severity: string;
  urn: string;
}

const plugins: Plugin[] = [];
const emulators: Emulator[] = [];

/** Ends the plugins and services of a test. */
export async function closeAll(): Promise<void> {
  for (const plugin of plugins.splice(0)) await plugin.close();
  for (const emulator of emulators.splice(0)) await emulator.close();
}

export interface StartOptions {
  configured?: boolean;
  env?: Values;
}

/** The service, the plugin's server in this process, and a client as an engine is one. */
export class Plugin extends PluginCalls {
  readonly logged: PluginLogEntry[] = [];
  /** Addresses of engines that it was told. */
  readonly engines: string[] = [];

  private constructor(
    readonly emulator: Emulator,
    readonly config: Values,
    private readonly folder: string,
    client: ResourceProviderClient,
    readonly port: number,
    private readonly end: () => Promise<void>,
  ) {
    super(client);
  }

  static async start(options: StartOptions = {}): Promise<Plugin> {
    const emulator = createEmulator({ accounts: { acme: "acme-key" }, settings: { speed: 3600 } });
    const { url } = await emulator.listen({ port: 0 });
    emulators.push(emulator);
    return Plugin.serve(emulator, { accountId: "acme", apiKey: "acme-key", baseUrl: url }, options);
  }

  /** Another process for the same service: what this one was told, it does not know. */
  another = (env: Values = {}): Promise<Plugin> => Plugin.serve(this.emulator, this.config, { env });

  private static async serve(
    emulator: Emulator,
    config: Values,
    { configured = true, env = {} }: StartOptions,
  ): Promise<Plugin> {
    const folder = mkdtempSync(join(realpathSync(tmpdir()), "plugin-"));
    const environment = { MODELPLATFORM_INTENTS: join(folder, "intents"), ...env } as Record<string, string>;
    const interruption = createInterruption({ exit: () => undefined, sleep: async () => undefined });
    const log = async ({ text, severity, urn }: PluginLogEntry): Promise<void> =>
      void plugin.logged.push({ text, severity, urn });
    const report = (urn: string, severity: string) => (text: string) =>
      void plugin.logged.push({ text, severity, urn });
    const service = createPluginService({
      open: async (given) =>
        createRuntime({
          settings: resolveSettings({ ...given, env: environment }),
          link: { log },
          env: environment,
        }),
      reporterFor: (urn) => ({
        status: report(urn, "status"),
        info: report(urn, "info"),
        warn: report(urn, "warning"),
        during: (work) => work(),
      }),
      interruption,
      debug: false,
      version: "1.2.3",
      env: environment,
    });
    const options = {
      service: () => service,
      version: "1.2.3",
      schema: () => "{}",
      attach: (to: string) => void plugin.engines.push(to),
    };
    const { address, port, close } = await serve([pluginServer(options)]);
    const client = new ResourceProviderClient(address, credentials.createInsecure());
    const plugin: Plugin = new Plugin(emulator, config, folder, client, port, close);
    if (configured) await plugin.configure(config);
    plugins.push(plugin);
    return plugin;
  }

  /** From now on nothing in the service moves. */
  halt = (): Promise<void> => this.control("PUT", "settings", { speed: 1e-6 });

  /** Adds objects, by name, that have long been there. */
  seed = (objects: Values): Promise<void> => this.control("POST", "seed", { objects });

  private async control(method: string, path: string, body: Values): Promise<void> {
    const request = new Request(`http://127.0.0.1/_emulator/${path}`, {
      method,
      body: JSON.stringify(body),
      headers: { "content-type": "application/json" },
    });
    const answer = await this.emulator.fetch(request);
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
  }

  async close(): Promise<void> {
    this.client.close();
    await this.end();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
