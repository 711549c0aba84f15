import { dirname } from "node:path";
import { executableOf } from "../../../engine/providers/executables";
import type { Project } from "../../../engine/state/project";
import { providerType } from "../../../engine/state/urns";
import { realPath } from "../../../io/paths/containment";
import { messageOf } from "../../../provider/core/errors";
import { packageName } from "../../../provider/core/fields/tokens";
import { type DoctorFinding, error, ok, warning } from "./finding";
import { manifestIn, versionIn } from "./machine";

const npmPackage = `pulumi-${packageName}`;

/** Whether the project says where this package's plugin is. */
export const namesPlugin = ({ plugins }: Pick<Project, "plugins">): boolean =>
  plugins.some(({ name }) => name === packageName);

/** Whether a state holds a provider that the plugin serves. */
const isServed = (recorded: ReadonlyMap<string, string>): boolean =>
  [...recorded.keys()].some((urn) => urn.includes(`::${providerType(packageName)}::`));

/**
 * The provider plugin, where the project or its state needs it: whether an engine finds it, and whether it is of the
 * package's own version. It is looked at, and not run.
 */
export async function pluginFindings(
  project: Pick<Project, "folder" | "plugins">,
  env: NodeJS.ProcessEnv,
  recorded: ReadonlyMap<string, string> = new Map(),
): Promise<DoctorFinding[]> {
  if (!namesPlugin(project) && !isServed(recorded)) return [];
  let executable: string;
  try {
    executable = executableOf(packageName, undefined, { project, env });
  } catch (cause) {
    return [
      error(
        "plugin",
        messageOf(cause),
        `Run \`npm install ${npmPackage}\`, and name \`node_modules/${npmPackage}/plugin\` in Pulumi.yaml.`,
      ),
    ];
  }
  const version = await versionOf(executable);
  const own = await versionIn(project.folder, npmPackage);
  if (version === undefined || own === undefined || version === own)
    return [ok("plugin", version === undefined ? executable : `${version}, ${executable}`)];
  return [
    warning(
      "plugin",
      `${version} at ${executable}, and the program's package is ${own}`,
      `Use the plugin that comes with the package: name \`node_modules/${npmPackage}/plugin\` in Pulumi.yaml, or install it again.`,
    ),
  ];
}

/** Pulumi names the folders of installed plugins by version; elsewhere the package around the file says it. */
async function versionOf(executable: string): Promise<string | undefined> {
  const folder = dirname(realPath(executable));
  return /-v(\d+\.\d+\.\d+[^/\\]*)$/.exec(folder)?.[1] ?? (await versionAbove(folder));
}

async function versionAbove(folder: string): Promise<string | undefined> {
  const { name, version } = (await manifestIn(folder)) ?? {};
  if (name === npmPackage) return version;
  return dirname(folder) === folder ? undefined : versionAbove(dirname(folder));
}
