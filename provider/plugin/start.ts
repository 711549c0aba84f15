import { manifest, packedText } from "../../io/files/package";
import { serve } from "../../protocol/server";
import { engineAddress } from "../pulumi/engine-link";
import { hostProcess } from "../pulumi/process";
import { pluginServer } from "./server";
import type { PluginService } from "./service";

/** Read where it is asked for: most engines do not ask. */
const schema = (): string => packedText("schema.json");
const { version } = manifest();

/** Every kind, its life cycle and what reads settings: most of what there is to load. */
const loaded = (): typeof import("./service") => require("./service");

/** Serves until the engine is gone or ends this process. The first line of output is the port. */
export async function start(): Promise<void> {
  const { world, attach } = hostProcess(engineAddress(process.argv));
  let made: PluginService | undefined;
  const service = (): PluginService => (made ??= loaded().createPluginService({ ...world, version, env: process.env }));
  const { port } = await serve([pluginServer({ service, version, schema, attach })]);
  process.stdout.write(`${port}\n`);
  // An engine reads the port from a pipe.
  if (process.stdout.isTTY)
    process.stderr.write(
      "This is a provider plugin, which Pulumi starts by itself: `pulumi plugin install` and `pulumi up`. ^C ends it.\n",
    );
}
