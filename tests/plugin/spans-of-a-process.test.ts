import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { createEmulator } from "../../emulator/index";
import { PluginCalls } from "./support/calls";
import { Collector } from "./support/collector";
import { clientAt } from "./support/plugin";

const main = join(__dirname, "..", "..", "dist", "provider", "plugin", "main.js");
const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

/** A plugin as an engine starts it. */
async function started(collector: Collector): Promise<{ process: ChildProcess; address: string }> {
  const env = { PATH: process.env["PATH"], PULUMI_OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint };
  const plugin = spawn(process.execPath, [main], { env, stdio: ["ignore", "pipe", "inherit"] });
  const [port] = (await once(createInterface(plugin.stdout), "line")) as [string];
  return { process: plugin, address: `127.0.0.1:${port}` };
}

test("a process told to end right after an answer has delivered all spans", async () => {
  const [collector, emulator] = [await Collector.start(), createEmulator({ accounts: { acme: "acme-key" } })];
  const { url } = await emulator.listen({ port: 0 });
  const plugin = await started(collector);
  const client = clientAt(plugin.address, traceparent);
  try {
    const calls = new PluginCalls(client);
    await calls.configure({ accountId: "acme", apiKey: "acme-key", baseUrl: url });
    await calls.list("User");
    await calls.cancel();
    const ended = once(plugin.process, "exit");
    plugin.process.kill("SIGINT");
    expect(await ended).toEqual([130, null]);
    expect(collector.spans().map(({ name }) => name)).toEqual([
      "pulumirpc.ResourceProvider/Configure",
      "GET /v1/accounts/{account}/users",
      "pulumirpc.ResourceProvider/List",
      "pulumirpc.ResourceProvider/Cancel",
    ]);
  } finally {
    plugin.process.kill("SIGKILL");
    client.close();
    collector.close();
    await emulator.close();
  }
});
