import { basename, dirname } from "node:path";
import { manifest, packedText } from "../../io/files/package";
import { serve } from "../../protocol/server";
import { packageName } from "../core/fields/tokens";
import { engineAddress } from "../pulumi/engine-link";
import { hostProcess } from "../pulumi/process";
import { pluginServer } from "./server";
import type { PluginService } from "./service";

/** Read where it is asked for: most engines do not ask. */
const schema = (): string => packedText("schema.json");
const { version } = manifest();

/** Every kind, its life cycle and what reads settings: most of what there is to load. */
const loadService = (): typeof import("./service") => require("./service");

const usage = `Usage: pulumi-resource-modelplatform

The provider plugin of modelplatform ${version}, which Pulumi starts by itself: it serves on the port that it prints.
`;

/**
 * Why the program must not run where it is. The CLI installs any file under the version that a person names, without
 * starting it, and calls the folder after that; whatever asks for that version would get this one.
 */
function misplaced(program = ""): string | undefined {
  const plugin = `resource-${packageName}-v`;
  const folder = basename(dirname(program));
  const installed = folder.startsWith(plugin) ? folder.slice(plugin.length) : version;
  if (installed === version) return undefined;
  return `this is version ${version} of the plugin, installed as ${installed}. Run \`pulumi plugin rm resource ${packageName} ${installed} --yes\`, then install it as ${version}.`;
}

/** Serves until the engine is gone or ends this process. The first line of output is the port. */
export async function start(): Promise<void> {
  if (process.argv.includes("--help")) {
    loadService();
    process.stdout.write(usage);
    return;
  }
  const problem = misplaced(process.argv[1]);
  if (problem !== undefined) {
    process.stderr.write(`error: ${problem}\n`);
    process.exitCode = 1;
    return;
  }
  const { environment, attach } = hostProcess(engineAddress(process.argv));
  let made: PluginService | undefined;
  const service = (): PluginService =>
    (made ??= loadService().createPluginService({ ...environment, version, env: process.env }));
  const { port } = await serve([pluginServer({ service, version, schema, attach })]);
  process.stdout.write(`${port}\n`);
  // An engine reads the port from a pipe.
  if (process.stdout.isTTY)
    process.stderr.write(
      "This is a provider plugin, which Pulumi starts by itself: `pulumi plugin install` and `pulumi up`. ^C ends it.\n",
    );
}
